// SPDX-License-Identifier: Apache-2.0
// What the reader wants of rows, besides what the address keeps.
import { signal } from "@preact/signals";
import { go, place } from "../../state/page";
import { turn_word } from "./rows";

export const filter = signal("");
export const deep_tracks = signal<ReadonlySet<number>>(new Set()); // threads whose calls are all shown

export function turn_deep(thread: number): void {
  const next = new Set(deep_tracks.peek());
  if (!next.delete(thread)) next.add(thread);
  deep_tracks.value = next;
}

export const turn_track = (sign: "-" | "^" | "~", id: string): void =>
  go({ tracks: turn_word(place.peek().tracks, sign, id) });
