// SPDX-License-Identifier: Apache-2.0
// The binary answers of tiles and series as typed arrays over the bytes as they came.
const kTiles = 0x31545450; // "PTT1"
const kSeries = 0x31535450; // "PTS1"
const kVersion = 1;
const kHead = 64;
const kTileRow = 32;
const kSeriesRow = 16;

export const kBefore = 1; // began before the tile
export const kBehind = 2; // ends behind it
export const kOpen = 4; // has no end in the trace
export const kMerged = 8;

export interface TileRow {
  track: number;
  band: number;
  index: number;
  first: number;
  items: number;
  deepest: number;
  below: boolean; // rows below the asked bands
}

export interface Tiles {
  live: boolean;
  indexing: boolean;
  base: number;
  level: number;
  generation: number;
  sealed: number;
  rows: TileRow[];
  start: Float64Array;
  end: Float64Array;
  busy: Float64Array;
  longest: Float64Array;
  count: Uint32Array;
  name: Uint32Array;
  row: Uint32Array;
  flags: Uint8Array;
}

export interface Series {
  track: number;
  first: number; // number of the first bucket
  least: Float64Array;
  most: Float64Array;
  last: Float64Array;
  sum: Float64Array;
  count: Uint32Array;
}

export interface SeriesAnswer {
  base: number;
  level: number;
  series: Series[];
}

const wide = (view: DataView, at: number): number => Number(view.getBigInt64(at, true));
const padded = (bytes: number): number => Math.ceil(bytes / 8) * 8;

function head(bytes: ArrayBuffer, magic: number): DataView {
  if (bytes.byteLength < kHead) throw new Error("an answer of tiles is too short");
  const view = new DataView(bytes);
  if (view.getUint32(0, true) !== magic) throw new Error("an answer is no tiles");
  if (view.getUint16(4, true) !== kVersion) throw new Error("tiles of another version");
  if (view.getUint32(48, true) !== bytes.byteLength) throw new Error("an answer of tiles is cut off");
  return view;
}

export function decode_tiles(bytes: ArrayBuffer): Tiles {
  const view = head(bytes, kTiles);
  const flags = view.getUint16(6, true);
  const rows_at = view.getUint32(40, true);
  const items = view.getUint32(24, true);
  let at = view.getUint32(44, true);
  const take = <A>(make: new (b: ArrayBuffer, o: number, n: number) => A, size: number): A => {
    const column = new make(bytes, at, items);
    at += padded(items * size);
    return column;
  };
  return {
    live: (flags & 1) !== 0,
    indexing: (flags & 2) !== 0,
    base: wide(view, 8),
    level: view.getUint32(16, true),
    generation: view.getUint32(28, true),
    sealed: wide(view, 32),
    rows: Array.from({ length: view.getUint32(20, true) }, (_, i) => tile_row(view, rows_at + i * kTileRow)),
    start: take(Float64Array, 8),
    end: take(Float64Array, 8),
    busy: take(Float64Array, 8),
    longest: take(Float64Array, 8),
    count: take(Uint32Array, 4),
    name: take(Uint32Array, 4),
    row: take(Uint32Array, 4),
    flags: take(Uint8Array, 1),
  };
}

function tile_row(view: DataView, at: number): TileRow {
  return {
    track: view.getUint32(at, true),
    band: view.getUint32(at + 4, true),
    index: view.getFloat64(at + 8, true),
    first: view.getUint32(at + 16, true),
    items: view.getUint32(at + 20, true),
    deepest: view.getUint32(at + 24, true),
    below: (view.getUint32(at + 28, true) & 1) !== 0,
  };
}

export function decode_series(bytes: ArrayBuffer): SeriesAnswer {
  const view = head(bytes, kSeries);
  const rows_at = view.getUint32(40, true);
  const points = view.getUint32(24, true);
  const columns = view.getUint32(44, true);
  const column = (n: number): Float64Array => new Float64Array(bytes, columns + n * points * 8, points);
  const [least, most, last, sum] = [column(0), column(1), column(2), column(3)];
  const count = new Uint32Array(bytes, columns + 4 * points * 8, points);
  let from = 0;
  const series = Array.from({ length: view.getUint32(20, true) }, (_, i) => {
    const at = rows_at + i * kSeriesRow;
    const n = view.getUint32(at + 4, true);
    const part = { track: view.getUint32(at, true), first: view.getFloat64(at + 8, true) };
    const cut = <A extends Float64Array | Uint32Array>(a: A): A => a.subarray(from, from + n) as A;
    const one = { ...part, least: cut(least), most: cut(most), last: cut(last), sum: cut(sum), count: cut(count) };
    from += n;
    return one;
  });
  return { base: wide(view, 8), level: view.getUint32(16, true), series };
}
