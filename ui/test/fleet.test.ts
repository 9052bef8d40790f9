// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { nowhere, parse_address, print_address } from "../src/state/address";
import { parse_utc, quoted, seconds_of, utc_text } from "../src/state/utc";
import { by_regression, charts_of, step_of } from "../src/views/fleet/rows";
import type { Table } from "../src/wire";

test("a question is in the address, and what is usual is not", () => {
  const fleet = { ...nowhere().fleet, last: "6h", where: 'a="b c" or d=~"^x&y"', base: "version=1", by: "host", method: "A.b(int)" };
  const address = print_address({ ...nowhere(), view: "fleet", fleet });
  expect(parse_address(address, ["fleet"])).toEqual({ place: { ...nowhere(), view: "fleet", fleet }, wrong: [] });
  const ranged = { ...nowhere().fleet, range: { from: 1_790_000_400, to: 1_790_004_000 } };
  expect(print_address({ ...nowhere(), view: "fleet", fleet: ranged })).toBe("#/0/fleet?fr=1790000400-1790004000");
  expect(print_address({ ...nowhere(), view: "fleet" })).toBe("#/0/fleet");
});

test("what is no question is told", () => {
  const { place, wrong } = parse_address("#/0/fleet?fl=x&fr=9-3&fg=a%27b&fw=", ["fleet"]);
  expect(wrong).toEqual(["fl=x", "fr=9-3", "fg=a%27b", "fw="]);
  expect(place.fleet.last).toBe("1h");
});

test("times in UTC, as typed and as shown", () => {
  expect(utc_text(1_790_000_400)).toBe("2026-09-21 14:20:00");
  for (const text of ["2026-09-21 14:20:00", "2026-09-21T14:20:00Z", " 2026-09-21 14:20 ", "1790000400"])
    expect(parse_utc(text)).toBe(1_790_000_400);
  for (const text of ["", "yesterday", "2026-13-01 00:00:00", "14:20"]) expect(parse_utc(text)).toBe(null);
  expect(["90s", "15min", "6h", "7d"].map(seconds_of)).toEqual([90, 900, 21_600, 604_800]);
});

test("words as a shell reads them", () => {
  expect(quoted("http://127.0.0.1:8123/shop")).toBe("http://127.0.0.1:8123/shop");
  expect(quoted("a b's")).toBe("'a b'\\''s'");
});

const table = (rows: Table["rows"], notes: string[] = []): Table => ({
  key: "timeline",
  section: "timeline",
  title: "Over time",
  columns: [],
  rows,
  rows_left_out: 0,
  notes,
});

test("lines by label; what is not told is a gap, what is never there no chart", () => {
  const rows = [
    { time: "2026-09-21T14:20:00Z", version: "2", calls_per_second: 5, lost: 0, self_per_process_second: null },
    { time: "2026-09-21T14:20:00Z", version: "1", calls_per_second: 7, lost: 0, self_per_process_second: 3 },
    { time: "2026-09-21T14:21:00Z", version: "2", calls_per_second: 6, lost: 0, self_per_process_second: null },
  ];
  const charts = charts_of(table(rows), "version");
  expect(charts.map((c) => c.key)).toEqual(["calls_per_second", "self_per_process_second"]);
  expect(charts[0]!.lines.map((l) => [l.name, [...l.values]])).toEqual([
    ["1", [[1_790_000_400, 7]]],
    ["2", [[1_790_000_400, 5], [1_790_000_460, 6]]],
  ]);
  expect(charts[1]!.lines[1]!.values.size).toBe(0);
  expect(step_of(table([], ["Self time is known by the minute.", "Steps of 300 s."]))).toBe(300);
});

test("what got slower stands before what may be chance", () => {
  const rows = [
    { method: "a", change: 9, beyond_noise: "no" },
    { method: "b", change: -5, beyond_noise: "yes" },
    { method: "c", change: 2, beyond_noise: "yes" },
  ];
  expect(by_regression(rows).map((row) => row.method)).toEqual(["c", "b", "a"]);
});
