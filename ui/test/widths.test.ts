// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { least_rest, widths_of } from "../src/parts/grid/widths";
import type { Column } from "../src/wire";

const column = (key: string, unit: string, title = key): Column => ({ key, title, unit });
const narrow = (): boolean => false;

test("texts have what they need where there is room, and the first one what is left", () => {
  const columns = [column("root", "none"), column("class", "none"), column("bytes", "bytes"), column("why", "none")];
  const rows = [{ root: "x", class: "java.util.ArrayList", bytes: 5, why: "y".repeat(40) }];
  const [root, klass, bytes, why] = widths_of(columns, rows, 1400, narrow);
  expect(root).toBe(0);
  expect(klass).toBeGreaterThan("java.util.ArrayList".length * 6);
  expect(why).toBeGreaterThan(40 * 6);
  expect(bytes).toBeGreaterThanOrEqual(84);
  expect(klass! + bytes! + why!).toBeLessThan(1400);
});

test("where there is none, short texts stay whole and long ones share the rest", () => {
  const columns = [column("a", "none"), column("b", "none"), column("c", "none"), column("calls", "count")];
  const rows = [{ a: "x".repeat(300), b: "short", c: "y".repeat(300), calls: 1 }];
  const [, b, c, calls] = widths_of(columns, rows, 600, narrow);
  expect(b).toBeLessThan(100);
  expect(c).toBeCloseTo((600 - calls! - b!) / 2, 0);
});

test("titles are read where there is no room, and what is left is no wider than what stands there", () => {
  const columns = [column("a", "none"), column("b", "none", "Generation"), column("calls", "count")];
  const rows = [{ a: "customer-1", b: "2", calls: 1 }];
  const widths = widths_of(columns, rows, 100, narrow);
  expect(widths[1]).toBeGreaterThan("Generation".length * 6.5);
  expect(least_rest(columns, rows, widths)).toBeLessThan(110);
  expect(least_rest(columns, [{ a: "x".repeat(99) }], widths)).toBe(160);
});

test("figures are as wide as their titles", () => {
  const [, share] = widths_of([column("n", "none"), column("s", "percent", "Of the time")], [], 900, narrow);
  expect(share).toBeGreaterThan(11 * 6.5);
  const [, long] = widths_of([column("n", "none"), column("s", "percent", "t".repeat(99))], [], 900, narrow);
  expect(long).toBe(120);
});
