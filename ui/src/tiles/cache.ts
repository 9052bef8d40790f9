// SPDX-License-Identifier: Apache-2.0
// What the time line draws, as items by track. One answer covers more than is visible, so that panning draws at once;
// a coarser answer stays until the finer one is there.
import { signal } from "@preact/signals";
import { Fault, post_binary } from "../api";
import type { Span } from "../state/address";
import { here, trace } from "../state/page";
import type { Track } from "../wire";
import { decode_tiles, kBefore, kBehind, kMerged, type Tiles } from "./decode";

export interface Items {
  level: number;
  size: number;
  deepest: number;
  below: boolean;
  start: Float64Array; // offsets
  end: Float64Array;
  busy: Float64Array;
  longest: Float64Array;
  count: Uint32Array;
  name: Uint32Array;
  row: Uint32Array;
  flags: Uint8Array;
}

export const is_merged = (items: Items, i: number): boolean => (items.flags[i]! & kMerged) !== 0;

export interface Drawn {
  span: Span; // what the answer covers
  level: number;
  width: number; // pixels that it was asked for
  tracks: Map<number, Items>;
}

export const drawn = signal<Drawn | null>(null);
export const asking = signal(false);
export const tile_fault = signal("");

const kBudget = 40_000;
const kAround = 0.5; // of the visible range, on either side
const kRowsOfBand = 64;

// Items of one track from all its tiles: a call that lies in several is clipped at their edges, and joined here.
export function gather(tiles: Tiles, track: number): Items {
  const rows = tiles.rows.filter((r) => r.track === track).sort((a, b) => a.band - b.band || a.index - b.index);
  const size = rows.reduce((sum, r) => sum + r.items, 0);
  const items: Items = {
    level: tiles.level,
    size: 0,
    deepest: rows.reduce((m, r) => Math.max(m, r.deepest), 0),
    below: rows.some((r) => r.below),
    start: new Float64Array(size),
    end: new Float64Array(size),
    busy: new Float64Array(size),
    longest: new Float64Array(size),
    count: new Uint32Array(size),
    name: new Uint32Array(size),
    row: new Uint32Array(size),
    flags: new Uint8Array(size),
  };
  const open = new Map<number, number>(); // by row: the item that goes on in the next tile
  for (const r of rows) for (let i = r.first; i < r.first + r.items; ++i) take(tiles, i, items, open);
  return items;
}

function take(tiles: Tiles, i: number, to: Items, open: Map<number, number>): void {
  const row = tiles.row[i]!;
  const flags = tiles.flags[i]!;
  const start = tiles.start[i]! + tiles.base;
  const end = tiles.end[i]! + tiles.base;
  const before = open.get(row);
  open.delete(row);
  if (
    (flags & kBefore) !== 0 &&
    before !== undefined &&
    to.end[before] === start &&
    to.name[before] === tiles.name[i]
  ) {
    to.end[before] = end;
    to.busy[before]! += tiles.busy[i]!;
    to.flags[before] = (to.flags[before]! & ~kBehind) | (flags & ~kBefore);
    if ((flags & kBehind) !== 0) open.set(row, before);
    return;
  }
  const k = to.size++;
  to.start[k] = start;
  to.end[k] = end;
  to.busy[k] = tiles.busy[i]!;
  to.longest[k] = tiles.longest[i]!;
  to.count[k] = tiles.count[i]!;
  to.name[k] = tiles.name[i]!;
  to.row[k] = row;
  to.flags[k] = flags;
  if ((flags & kBehind) !== 0) open.set(row, k);
}

export interface Wanted {
  track: Track;
  rows: number; // that are shown
}

let stop: AbortController | null = null;
let asked = "";

function covers(d: Drawn | null, wanted: Wanted[], span: Span, width: number): boolean {
  if (!d || d.span.from > span.from || d.span.to < span.to) return false;
  const level = Math.max(0, Math.floor(Math.log2((span.to - span.from) / width)));
  return d.level <= level && d.level >= level - 1 && wanted.every((w) => d.tracks.has(w.track.number));
}

// What is there is what is wanted: an answer for another place would take its place.
function give_up(): void {
  stop?.abort();
  stop = null;
  asked = "";
  asking.value = false;
}

// Asks for what is not there; a newer question stops an older one.
export function want_tiles(wanted: Wanted[], span: Span, width: number, all: Span): void {
  if (wanted.length === 0 || width < 2) return;
  if (covers(drawn.peek(), wanted, span, width)) return give_up();
  const around = (span.to - span.from) * kAround;
  const from = Math.max(all.from, Math.floor(span.from - around));
  const to = Math.min(all.to, Math.ceil(span.to + around));
  const pixels = Math.max(1, Math.round((width * (to - from)) / (span.to - span.from)));
  const tracks = wanted.map((w) => ({
    track: w.track.number,
    bands: Array.from({ length: Math.max(1, Math.ceil(w.rows / kRowsOfBand)) }, (_, i) => i),
  }));
  const body = { tracks, from, to, width: pixels, budget: kBudget };
  const key = `${trace.peek()?.id} ${JSON.stringify(body)}`;
  if (key === asked) return;
  asked = key;
  stop?.abort();
  stop = new AbortController();
  const mine = stop;
  asking.value = true;
  post_binary(here("/tiles"), body, { signal: mine.signal }).then(
    (bytes) => {
      const tiles = decode_tiles(bytes);
      drawn.value = {
        span: { from, to },
        level: tiles.level,
        width: pixels,
        tracks: new Map(wanted.map((w) => [w.track.number, gather(tiles, w.track.number)])),
      };
      tile_fault.value = "";
      asking.value = false;
    },
    (error) => {
      if (mine.signal.aborted) return;
      asked = "";
      asking.value = false;
      tile_fault.value = error instanceof Fault ? error.problem.message : String(error);
    },
  );
}

export function forget_tiles(): void {
  drawn.value = null;
  asked = "";
}
