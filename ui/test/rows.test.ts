// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { as_text, displayed, first_open, lines_of, own_order, sorted, unfolded } from "../src/parts/grid/rows";
import { crossed, cell_key } from "../src/views/locks/matrix";
import {
  family,
  groups_of,
  layout_rows,
  matches_filter,
  row_at,
  track_words,
  turn_word,
} from "../src/views/timeline/rows";
import { thread_list } from "../src/state/threads";
import type { Table, Thread, Track } from "../src/wire";

const U = (key: string, unit = "none") => ({ key, title: key, unit });
const tree: Table = {
  key: "call_tree",
  section: "tree",
  title: "Call tree",
  rows_left_out: 0,
  columns: [U("depth", "count"), U("total", "nanoseconds"), U("method")],
  rows: [
    [0, 10, "a"],
    [1, 6, "b"],
    [2, 5, "c"],
    [1, 4, "d"],
    [0, 3, "e"],
  ].map(([depth, total, method]) => ({ depth: depth!, total: total!, method: method! })),
};

test("a tree knows parents, leaves, and opens its heaviest path", () => {
  const lines = lines_of(tree);
  expect(lines.map((l) => [l.depth, l.parent, l.leaf])).toEqual([
    [0, -1, false],
    [1, 0, false],
    [2, 1, true],
    [1, 0, true],
    [0, -1, true],
  ]);
  expect(unfolded(lines, new Set()).map((l) => l.index)).toEqual([0, 4]);
  expect(unfolded(lines, new Set([1])).map((l) => l.index)).toEqual([0, 4]); // its parent is closed
  expect(unfolded(lines, first_open(lines)).map((l) => l.index)).toEqual([0, 1, 2, 3, 4]);
});

test("rows are sorted with what is not told last", () => {
  const flat: Table = {
    ...tree,
    columns: [U("n", "count"), U("name")],
    rows: [
      { n: 2, name: "b" },
      { n: null, name: "a" },
      { n: 10, name: "c" },
    ],
  };
  const order = (by: string): unknown[] => sorted(lines_of(flat), by).map((l) => l.row["name"]);
  expect(order("-n")).toEqual(["c", "b", "a"]);
  expect(order("n")).toEqual(["b", "c", "a"]);
  expect(order("name")).toEqual(["a", "b", "c"]);
  expect(own_order(flat)).toBe("");
  expect(
    own_order({
      ...flat,
      rows: [
        { n: 5, name: "x" },
        { n: 1, name: "y" },
      ],
    }),
  ).toBe("-n");
});

test("names stand in front, depths are no column", () => {
  expect(displayed(tree.columns).map((c) => c.key)).toEqual(["method", "total"]);
  expect(
    as_text(
      { ...tree, rows: [{ depth: 0, total: 1, method: "a\tb" }] },
      lines_of({ ...tree, rows: [{ depth: 0, total: 1, method: "a\tb" }] }),
      "tsv",
    ),
  ).toBe("depth\ttotal\tmethod\n0\t1\ta b");
});

test("who waited for whom, crossed", () => {
  const m = crossed(
    {
      ...tree,
      rows: [
        { waiter: "a", holder: "b", waits: 1, wait: 5 },
        { waiter: "a", holder: "b", waits: 2, wait: 7 },
        { waiter: "c", holder: "b", waits: 1, wait: 1 },
      ],
    },
    1,
  );
  expect(m.waiters).toEqual(["a"]);
  expect(m.left_out).toBe(1);
  expect(m.cells.get(cell_key("a", "b"))).toEqual({ waits: 3, wait: 12 });
});

const thread = (index: number, name: string, main = false): Thread => ({
  index,
  id: `0x${index}`,
  name,
  main,
  busy: 1,
  calls: 1,
  first: 0,
  last: 9,
});
const track = (number: number, kind: string, of: number | null, items = 1): Track => ({
  number,
  id: of === null ? kind : `${kind}:${of}`,
  kind,
  thread: of,
  name: kind,
  rows: 3,
  items,
  first: 0,
  last: 9,
});
const wish = { words: track_words([]), filter: "", depths: new Map<number, number>(), open_at_first: 40 };

test("families of many threads stand together", () => {
  expect(family("worker-12")).toBe("worker-*");
  expect(family("Finalizer")).toBe("Finalizer");
  const groups = groups_of([
    thread(0, "Main", true),
    ...[1, 2, 3, 4].map((i) => thread(i, `w-${i}`)),
    thread(5, "x-1"),
  ]);
  expect(groups.map((g) => [g.name, g.threads.length])).toEqual([
    ["", 1],
    ["w-*", 4],
    ["", 1],
  ]);
});

test("rows follow each other without gaps, pinned ones first", () => {
  const tracks = [track(0, "collections", null), track(1, "calls", 0), track(2, "calls", 1), track(3, "calls", 2, 0)];
  const threads = [thread(0, "Main", true), thread(1, "one"), thread(2, "idle")];
  const l = layout_rows(tracks, threads, { ...wish, words: track_words(["^thread:1"]) });
  expect(l.rows.map((r) => r.id)).toEqual(["thread:1", "collections", "thread:0"]); // idle has nothing
  l.rows.forEach((r, i) => expect(r.y).toBe(i === 0 ? 0 : l.rows[i - 1]!.y + l.rows[i - 1]!.height));
  expect(row_at(l, l.height - 1)?.id).toBe("thread:0");
  expect(row_at(l, l.height)).toBeNull();
  const hidden = layout_rows(tracks, threads, { ...wish, words: track_words(["-thread:0"]), filter: "!one" });
  expect(hidden.rows.map((r) => r.id)).toEqual(["collections"]);
  expect(hidden.hidden).toBe(2);
});

test("filters and words", () => {
  expect(matches_filter("worker-1", "work !-2")).toBe(true);
  expect(matches_filter("worker-2", "work !-2")).toBe(false);
  expect(turn_word(["-a", "~b"], "-", "a")).toEqual(["~b"]);
  expect(turn_word([], "^", "c")).toEqual(["^c"]);
  const all = [0, 1, 2].map((i) => thread(i, "t"));
  expect(thread_list("", all)).toBeNull();
  expect(thread_list("0,2", all)).toEqual([0, 2]);
  expect(thread_list("!1", all)).toEqual([0, 2]);
});
