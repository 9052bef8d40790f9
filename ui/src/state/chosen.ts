// SPDX-License-Identifier: Apache-2.0
// The chosen item: a call, a wait, a collection, a method. The address names it; details are asked for by its name.
import { type Call, number } from "../wire";
import { go, place, visible } from "./page";
import { show } from "./selection";

export interface CallName {
  track: string;
  row: number;
  start: number;
}

export function call_name(text: string): CallName | null {
  const parts = /^(calls:\d+)\/(\d+)\/(-?\d+)/.exec(text);
  return parts ? { track: parts[1]!, row: Number(parts[2]), start: Number(parts[3]) } : null;
}

// A span in the middle of what is visible, which widens only where it must.
export function reveal(from: number, to: number): void {
  const v = visible.peek();
  if (from >= v.from && to <= v.to && to - from > (v.to - v.from) / 200) return;
  const width = Math.max(to - from, 1);
  const keep = v.to - v.from < width * 40 && v.to - v.from > width;
  const half = keep ? (v.to - v.from) / 2 : width * 1.5;
  show((from + to) / 2 - half, (from + to) / 2 + half, false);
}

// As wide as it is, moved only where the span is not in it.
export function keep_in_view(from: number, to: number): void {
  const v = visible.peek();
  if (from >= v.from && from < v.to) return;
  const half = (v.to - v.from) / 2;
  const middle = to - from < half ? (from + to) / 2 : from + half / 2;
  show(middle - half, middle + half, false);
}

export function choose_call(call: Call): void {
  go({ chosen: call.call });
}

export function show_call(call: Call): void {
  go({ chosen: call.call, ...(place.peek().view === "timeline" ? {} : { view: "timeline", mode: [] }) });
  reveal(number(call.start), number(call.end));
}
