// SPDX-License-Identifier: Apache-2.0
// Where each frame of a flame graph stands. Frames too narrow to see are one hatched remainder, so that widths add up.
import { ancestors, type FlameTree } from "./flame_tree";

export interface Box {
  node: number; // of a remainder the parent
  x: number;
  width: number;
  depth: number;
  rest: number; // frames that this remainder stands for; 0: a frame
}

export interface FlameLayout {
  boxes: Box[];
  rows: Box[][]; // by depth, by x
  depth: number;
}

const kNarrowest = 0.7;

export function layout(tree: FlameTree, zoomed: number, width: number, heavy: boolean): FlameLayout {
  const total = tree.profile.nodes.total;
  const rows: Box[][] = [];
  const boxes: Box[] = [];
  const put = (box: Box): void => {
    boxes.push(box);
    (rows[box.depth] ??= []).push(box);
  };
  const above = ancestors(tree, zoomed);
  above.forEach((node, depth) => put({ node, x: 0, width, depth, rest: 0 }));
  const whole = total[zoomed] || 1;
  const open: Box[] = [{ node: zoomed, x: 0, width, depth: above.length, rest: 0 }];
  while (open.length > 0) {
    const box = open.pop()!;
    put(box);
    let x = box.x;
    let rest = 0;
    let rest_width = 0;
    for (const child of ordered(tree, box.node, heavy)) {
      const w = (total[child]! / whole) * width;
      if (w < kNarrowest) {
        rest += 1;
        rest_width += w;
        continue;
      }
      open.push({ node: child, x, width: w, depth: box.depth + 1, rest: 0 });
      x += w;
    }
    const hidden = tree.profile.nodes.hidden?.[box.node] ?? 0;
    if (hidden > 0) rest_width += (hidden_total(tree, box.node) / whole) * width;
    if (rest_width >= kNarrowest)
      put({ node: box.node, x, width: rest_width, depth: box.depth + 1, rest: rest + hidden });
  }
  for (const row of rows) row.sort((a, b) => a.x - b.x);
  return { boxes, rows, depth: rows.length };
}

function hidden_total(tree: FlameTree, node: number): number {
  const n = tree.profile.nodes;
  const told = tree.children[node]!.reduce((sum, c) => sum + n.total[c]!, n.self[node]!);
  return Math.max(0, n.total[node]! - told);
}

function ordered(tree: FlameTree, node: number, heavy: boolean): number[] {
  const total = tree.profile.nodes.total;
  const all = [...tree.children[node]!];
  if (heavy) return all.sort((a, b) => total[b]! - total[a]! || a - b);
  return all.sort((a, b) => (tree.name(a) < tree.name(b) ? -1 : tree.name(a) > tree.name(b) ? 1 : a - b));
}

export function box_at(l: FlameLayout, x: number, depth: number): Box | null {
  const row = l.rows[depth];
  if (!row) return null;
  let low = 0;
  let high = row.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (row[middle]!.x <= x) low = middle;
    else high = middle - 1;
  }
  const box = row[low];
  return box && x >= box.x && x < box.x + box.width ? box : null;
}
