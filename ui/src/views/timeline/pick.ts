// SPDX-License-Identifier: Apache-2.0
// What lies under the pointer.
import { type Axis, time_of } from "../../canvas/axis";
import { call_y, kCallRow, row_at, type Layout, type TrackRow } from "./rows";
import { drawn, is_merged, type Items } from "../../tiles/cache";
import type { Track } from "../../wire";

export interface Hit {
  row: TrackRow;
  time: number;
  depth: number; // of calls, -1
  track: Track | null;
  items: Items | null;
  item: number; // -1: nothing there
}

export const hit_start = (h: Hit): number => h.items!.start[h.item]!;
export const hit_end = (h: Hit): number => h.items!.end[h.item]!;
export const hit_merged = (h: Hit): boolean => is_merged(h.items!, h.item);

const kNear = 1.5; // pixels

// y below the ruler, scrolled.
export function pick(layout: Layout, axis: Axis, x: number, y: number): Hit | null {
  const row = row_at(layout, y);
  if (!row) return null;
  const time = time_of(axis, x);
  const depth = row.kind === "thread" && row.shown_rows > 0 ? Math.floor((y - call_y(row, 0)) / kCallRow) : -1;
  const kind = depth >= 0 ? "calls" : row.kind === "thread" ? "status" : row.kind;
  const track = row.tracks.find((t) => t.kind === kind) ?? null;
  const items = track ? (drawn.peek()?.tracks.get(track.number) ?? null) : null;
  const near = (kNear * (axis.span.to - axis.span.from)) / axis.width;
  return { row, time, depth, track, items, item: items ? item_at(items, time, Math.max(0, depth), near) : -1 };
}

function item_at(items: Items, time: number, row: number, near: number): number {
  let best = -1;
  for (let i = 0; i < items.size; ++i) {
    if (items.row[i] !== row || items.start[i]! > time + near || items.end[i]! < time - near) continue;
    if (items.start[i]! <= time && time < items.end[i]!) return i;
    best = i;
  }
  return best;
}

// The next or previous item of a row, by start.
export function beside(items: Items, row: number, start: number, by: 1 | -1): number {
  let best = -1;
  for (let i = 0; i < items.size; ++i) {
    if (items.row[i] !== row) continue;
    const s = items.start[i]!;
    if (by > 0 ? s > start && (best < 0 || s < items.start[best]!) : s < start && (best < 0 || s > items.start[best]!))
      best = i;
  }
  return best;
}
