// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { gather } from "../src/tiles/cache";
import { decode_series, decode_tiles, kBefore, kBehind, kMerged } from "../src/tiles/decode";

interface Item {
  start: number;
  end: number;
  busy: number;
  longest: number;
  count: number;
  name: number;
  row: number;
  flags: number;
}
interface Tile {
  track: number;
  band: number;
  index: number;
  deepest: number;
  flags: number;
  items: Item[];
}

const padded = (n: number): number => Math.ceil(n / 8) * 8;

// The layout of the specification, written a second time.
function encode(tiles: Tile[], base: bigint, level: number): ArrayBuffer {
  const items = tiles.flatMap((t) => t.items);
  const columns = 64 + 32 * tiles.length;
  const size = columns + 4 * 8 * items.length + 3 * padded(4 * items.length) + padded(items.length);
  const view = new DataView(new ArrayBuffer(size));
  view.setUint32(0, 0x31545450, true);
  view.setUint16(4, 1, true);
  view.setUint16(6, 2, true);
  view.setBigInt64(8, base, true);
  [level, tiles.length, items.length, 7].forEach((v, i) => view.setUint32(16 + 4 * i, v, true));
  view.setBigInt64(32, 999n, true);
  [64, columns, size].forEach((v, i) => view.setUint32(40 + 4 * i, v, true));
  let first = 0;
  tiles.forEach((t, i) => {
    const at = 64 + 32 * i;
    view.setUint32(at, t.track, true);
    view.setUint32(at + 4, t.band, true);
    view.setFloat64(at + 8, t.index, true);
    [first, t.items.length, t.deepest, t.flags].forEach((v, k) => view.setUint32(at + 16 + 4 * k, v, true));
    first += t.items.length;
  });
  let at = columns;
  for (const key of ["start", "end", "busy", "longest"] as const)
    items.forEach((x) => {
      view.setFloat64(at, x[key], true);
      at += 8;
    });
  for (const key of ["count", "name", "row"] as const) {
    items.forEach((x, i) => view.setUint32(at + 4 * i, x[key], true));
    at += padded(4 * items.length);
  }
  items.forEach((x, i) => view.setUint8(at + i, x.flags));
  return view.buffer;
}

const call = (start: number, end: number, row: number, name: number, flags = 0, count = 1): Item => ({
  start,
  end,
  busy: end - start,
  longest: end - start,
  count,
  name,
  row,
  flags,
});

test("tiles are read as they were written", () => {
  const items = [call(0, 10, 0, 5), call(2, 4, 1, 6, kMerged, 37), call(5, 9, 1, 7)];
  const tiles = decode_tiles(encode([{ track: 3, band: 1, index: -2, deepest: 9, flags: 1, items }], -1000n, 4));
  expect(tiles).toMatchObject({ base: -1000, level: 4, generation: 7, sealed: 999, indexing: true, live: false });
  expect(tiles.rows).toEqual([{ track: 3, band: 1, index: -2, first: 0, items: 3, deepest: 9, below: true }]);
  expect([...tiles.start]).toEqual([0, 2, 5]);
  expect([...tiles.count]).toEqual([1, 37, 1]);
  expect([...tiles.flags]).toEqual([0, kMerged, 0]);
});

test("a call in several tiles is one item, and is counted once", () => {
  const tiles = decode_tiles(
    encode(
      [
        {
          track: 1,
          band: 0,
          index: 0,
          deepest: 1,
          flags: 0,
          items: [call(10, 512, 0, 5, kBehind), call(100, 120, 1, 6)],
        },
        { track: 2, band: 0, index: 0, deepest: 0, flags: 0, items: [call(0, 1, 0, 9)] },
        {
          track: 1,
          band: 0,
          index: 1,
          deepest: 1,
          flags: 0,
          items: [call(512, 1024, 0, 5, kBefore | kBehind, 0), call(600, 700, 1, 6)],
        },
        {
          track: 1,
          band: 0,
          index: 2,
          deepest: 1,
          flags: 0,
          items: [call(1024, 1100, 0, 5, kBefore, 0), call(1100, 1200, 0, 5)],
        },
      ],
      0n,
      0,
    ),
  );
  const items = gather(tiles, 1);
  const told = Array.from({ length: items.size }, (_, i) => [
    items.row[i],
    items.start[i],
    items.end[i],
    items.count[i],
  ]);
  expect(told).toEqual([
    [0, 10, 1100, 1],
    [1, 100, 120, 1],
    [1, 600, 700, 1],
    [0, 1100, 1200, 1],
  ]);
  expect(items.busy[0]).toBe(1090);
  expect(gather(tiles, 2).size).toBe(1);
  expect(gather(tiles, 4).size).toBe(0);
});

test("what is no tiles is refused", () => {
  const good = encode([{ track: 1, band: 0, index: 0, deepest: 0, flags: 0, items: [call(0, 1, 0, 1)] }], 0n, 0);
  expect(() => decode_tiles(good.slice(0, 40))).toThrow("too short");
  expect(() => decode_tiles(good.slice(0, good.byteLength - 8))).toThrow("cut off");
  expect(() => decode_series(good)).toThrow("no tiles");
  new DataView(good).setUint16(4, 2, true);
  expect(() => decode_tiles(good)).toThrow("another version");
});

test("series are cut at their points", () => {
  const points = 3;
  const size = 64 + 32 + 4 * 8 * points + 16;
  const view = new DataView(new ArrayBuffer(size));
  view.setUint32(0, 0x31535450, true);
  view.setUint16(4, 1, true);
  [5, 2, points, 0].forEach((v, i) => view.setUint32(16 + 4 * i, v, true));
  [64, 96, size].forEach((v, i) => view.setUint32(40 + 4 * i, v, true));
  [
    [8, 2, 10],
    [9, 1, -1],
  ].forEach(([track, n, first], i) => {
    view.setUint32(64 + 16 * i, track!, true);
    view.setUint32(68 + 16 * i, n!, true);
    view.setFloat64(72 + 16 * i, first!, true);
  });
  for (let k = 0; k < 4 * points; ++k) view.setFloat64(96 + 8 * k, k, true);
  for (let k = 0; k < points; ++k) view.setUint32(96 + 32 * points + 4 * k, 100 + k, true);
  const { series, level } = decode_series(view.buffer);
  expect(level).toBe(5);
  expect(series.map((s) => [s.track, s.first, [...s.least], [...s.sum], [...s.count]])).toEqual([
    [8, 10, [0, 1], [9, 10], [100, 101]],
    [9, -1, [2], [11], [102]],
  ]);
});
