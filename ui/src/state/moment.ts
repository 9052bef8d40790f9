// SPDX-License-Identifier: Apache-2.0
// From a moment of a fleet to the page about its events: the server fetches them as a trace, and the page goes there.
import { effect, signal } from "@preact/signals";
import { post } from "../api";
import { number, type Gotten } from "../wire";
import { nowhere } from "./address";
import { alert, go, place, session, trace } from "./page";
import { reveal } from "./chosen";
import { greet } from "./session";

const wanted = signal<Gotten | null>(null);

export async function open_moment(moment: string): Promise<void> {
  const got = await post<Gotten>("/fleet/get", { moment });
  session.value = await greet();
  const { theme, fleet } = place.peek();
  go({ ...nowhere(), theme, fleet, trace: got.trace, view: "timeline" });
  wanted.value = got; // last: the trace may be there already
}

// Its place on the page's axis is known when the trace is.
effect(() => {
  const got = wanted.value;
  const t = trace.value;
  if (!got || !t || t.id !== got.trace || t.first_offset === undefined) return;
  wanted.value = null;
  const from = Number(BigInt(got.at) - BigInt(t.first_offset));
  const to = from + Math.max(number(got.took_ns), 1);
  go({ range: { from, to }, at: from }, true);
  reveal(from, to);
  if (!got.begins)
    alert.value = "Of this moment the collector has only a part: it begins before these blocks, or they are gone.";
});
