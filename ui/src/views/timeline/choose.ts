// SPDX-License-Identifier: Apache-2.0
// Choosing calls of the time line: what is drawn may be cut at the edges, the server knows the true call.
import { post } from "../../api";
import type { At } from "../../shell/details_call";
import { call_name, keep_in_view, reveal } from "../../state/chosen";
import { go, here, place, say, tracks } from "../../state/page";
import { selection } from "../../state/selection";
import { chosen_method } from "../../state/chosen_method";
import { drawn } from "../../tiles/cache";
import { type Call, number, type Track } from "../../wire";
import { beside } from "./pick";

export async function choose_at(track: Track, time: number, depth: number, at: number | null): Promise<void> {
  const answer = await post<At>(here("/at"), { track: track.number, time: Math.floor(time), depth }).catch(() => null);
  if (answer?.call) go({ chosen: answer.call.call, ...(at === null ? {} : { at }) });
}

// J and K: the next or previous item in the row of the chosen one.
export async function step_item(by: 1 | -1): Promise<void> {
  const name = call_name(place.peek().chosen);
  const track = tracks.peek()?.tracks.find((t) => t.id === name?.track);
  const items = track && drawn.peek()?.tracks.get(track.number);
  if (!name || !items) return;
  const i = beside(items, name.row, name.start, by);
  if (i < 0) return say(by > 0 ? "No later item here" : "No earlier item here");
  await choose_at(track, items.start[i]!, name.row, null);
  keep_in_view(items.start[i]!, items.end[i]!);
}

// T: the next call of the chosen method in its thread.
export async function next_call(): Promise<void> {
  const method = chosen_method();
  if (!method) return;
  const name = call_name(place.peek().chosen);
  const thread = name ? [Number(name.track.slice(6))] : selection.peek().threads;
  const answer = await post<{ call: Call | null }>(here("/seek"), {
    methods: [method.id],
    after: name?.start ?? place.peek().at ?? 0,
    selection: thread ? { threads: thread } : {},
  }).catch(() => null);
  if (!answer?.call) return say("No later call");
  go({ chosen: answer.call.call });
  reveal(number(answer.call.start), number(answer.call.end));
}
