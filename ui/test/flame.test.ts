// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { box_at, layout } from "../src/canvas/flame_layout";
import { flame_tree, node_at, path_of } from "../src/canvas/flame_tree";
import type { Profile } from "../src/wire";

// all 100 = a 60 (b 20, c 30, self 10) + d 40
const profile: Profile = {
  weight: "time",
  unit: "nanoseconds",
  total: 100,
  selected_total: 100,
  nodes: {
    parent: [0, 0, 1, 1, 0],
    frame: [null, 0, 1, 2, 3],
    self: [0, 10, 20, 30, 40],
    total: [100, 60, 20, 30, 40],
    count: [0, 1, 2, 3, 4],
    blocked: [0, 0, 5, 0, 0],
    waiting: [0, 0, 0, 7, 0],
    paused: [0, 0, 0, 0, 0],
    hidden: [0, 0, 0, 0, 0],
  },
  frames: {
    id: [10, 11, 12, 13],
    name: ["a", "b", "c", "d"],
    package: ["p", "p", "p", "p"],
    kind: ["method", "method", "method", "method"],
  },
};

test("states are summed over all below", () => {
  const tree = flame_tree(profile);
  expect([...tree.blocked]).toEqual([5, 5, 5, 0, 0]);
  expect([...tree.waiting]).toEqual([7, 7, 0, 7, 0]);
});

test("paths name nodes", () => {
  const tree = flame_tree(profile);
  expect(path_of(tree, 3)).toBe("10.12");
  expect(node_at(tree, "10.12")).toBe(3);
  expect(node_at(tree, "10.99")).toBe(1);
  expect(node_at(tree, "")).toBe(0);
});

test("boxes lie within their parents and widths add up", () => {
  const tree = flame_tree(profile);
  const l = layout(tree, 0, 1000, true);
  const at = (node: number) => l.boxes.find((b) => b.node === node)!;
  expect(at(1)).toMatchObject({ x: 0, width: 600, depth: 1 });
  expect(at(3)).toMatchObject({ x: 0, width: 300, depth: 2 }); // heaviest first
  expect(at(2)).toMatchObject({ x: 300, width: 200 });
  expect(layout(tree, 0, 1000, false).boxes.find((b) => b.node === 2)).toMatchObject({ x: 0 }); // by name
  expect(box_at(l, 350, 2)?.node).toBe(2);
  expect(box_at(l, 550, 2)).toBeNull();
  expect(box_at(l, 0, 9)).toBeNull();
});

test("a frame that is zoomed into is as wide as all, with its callers above", () => {
  const l = layout(flame_tree(profile), 1, 1000, true);
  expect(l.rows[0]).toEqual([{ node: 0, x: 0, width: 1000, depth: 0, rest: 0 }]);
  expect(l.boxes.find((b) => b.node === 3)).toMatchObject({ x: 0, width: 500, depth: 2 });
});

test("what is too narrow and what the server left out is one remainder", () => {
  const l = layout(flame_tree(profile), 0, 3, true); // b has 0.6 pixels
  expect(l.boxes.filter((b) => b.rest === 0).map((b) => b.node)).not.toContain(2);
  const hidden = structuredClone(profile);
  hidden.nodes.hidden = [0, 5, 0, 0, 0];
  hidden.nodes.self[1] = 4; // 6 of a are in frames that were left out
  expect(layout(flame_tree(hidden), 0, 1000, true).boxes.find((b) => b.rest > 0)).toMatchObject({
    node: 1,
    x: 500,
    width: 60,
    depth: 2,
    rest: 5,
  });
});

test("the deepest stack that an answer holds is shown to its end", () => {
  const deep = 20_000;
  const ones = new Array<number>(deep).fill(1);
  const parent = Array.from({ length: deep }, (_, i) => Math.max(0, i - 1));
  const tree = flame_tree({ ...profile, nodes: { parent, frame: ones, self: ones, total: ones, count: ones } });
  expect(layout(tree, 0, 100, true).boxes.length).toBe(20_000);
});
