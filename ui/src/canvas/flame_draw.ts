// SPDX-License-Identifier: Apache-2.0
// Draws the visible rows of a flame graph: data in, drawing out.
import { label, type Measure, shown } from "../look/names";
import { percent, text_of } from "../look/units";
import { fill_of, mix, type Tones } from "../look/theme";
import type { Box, FlameLayout } from "./flame_layout";
import type { FlameTree } from "./flame_tree";
import { type Brush, measure_with, pattern, rounded, state_fill } from "./surface";

export const kRow = 17;
const kSplitRow = 22;
const kFoot = 7;

export interface FlameLook {
  top: number; // scrolled
  height: number;
  flipped: boolean;
  split: boolean;
  matches: ReadonlySet<number>;
  chosen: number; // node, -1
  hovered: number;
}

export const row_height = (split: boolean): number => (split ? kSplitRow : kRow);

export function row_y(depth: number, l: FlameLayout, look: FlameLook): number {
  const h = row_height(look.split);
  const content = l.depth * h;
  if (!look.flipped) return depth * h - look.top;
  return Math.max(content, look.height) - (depth + 1) * h - look.top;
}

export function draw_flame(g: Brush, tree: FlameTree, l: FlameLayout, look: FlameLook, t: Tones): void {
  const h = row_height(look.split);
  const measure = ((g.font = `11px ${t.sans}`), measure_with(g));
  for (let depth = 0; depth < l.depth; ++depth) {
    const y = row_y(depth, l, look);
    if (y + h < 0 || y > look.height) continue;
    for (const box of l.rows[depth] ?? []) draw_box(g, tree, box, y, h, look, t, measure);
  }
  const box = look.chosen >= 0 ? l.boxes.find((b) => b.node === look.chosen && b.rest === 0) : undefined;
  if (!box) return;
  g.strokeStyle = t.text;
  g.lineWidth = 2;
  rounded(g, box.x + 0.5, row_y(box.depth, l, look), Math.max(box.width - 1, 3), h, 3);
  g.stroke();
}

function draw_box(
  g: Brush,
  tree: FlameTree,
  box: Box,
  y: number,
  h: number,
  look: FlameLook,
  t: Tones,
  measure: Measure,
): void {
  if (box.rest > 0) {
    g.fillStyle = pattern(g, "dense", "", mix(t.faint, t.ground, 0.5));
    g.fillRect(box.x, y, Math.max(box.width - 0.5, 0.5), h - 1);
    return;
  }
  const match = look.matches.size > 0 && look.matches.has(tree.id(box.node)) && box.node !== 0;
  const back = match ? t.match : box.node === 0 ? mix(t.ended, t.ground, 0.3) : fill_of(tree.package(box.node), t);
  g.fillStyle = look.hovered === box.node && !match ? mix(t.text, back, 0.12) : back;
  if (box.width < 3) g.fillRect(box.x, y, Math.max(box.width - 0.25, match ? 2 : 0.5), h - 1);
  else {
    rounded(g, box.x, y, box.width - 0.75, h - 1, 2);
    g.fill();
  }
  if (match && box.width > 3) {
    g.strokeStyle = t["match-edge"];
    g.lineWidth = 1.5;
    g.stroke();
  }
  if (look.split && tree.states && box.width > 2) draw_foot(g, tree, box, y + h - 1 - kFoot, t);
  draw_label(g, tree, box, y, look.split ? h - kFoot : h, match, t, measure);
}

function draw_label(
  g: Brush,
  tree: FlameTree,
  box: Box,
  y: number,
  h: number,
  match: boolean,
  t: Tones,
  measure: Measure,
): void {
  if (box.width < 24) return;
  const all = tree.profile.nodes.total[0] || 1;
  const share = text_of(percent((tree.profile.nodes.total[box.node]! / all) * 100));
  const with_share = box.width > 220;
  const room = box.width - 8 - (with_share ? measure(share) + 12 : 0);
  const text = label(shown(tree.name(box.node)), room, measure);
  g.fillStyle = match ? "#000000" : t.text;
  if (text) g.fillText(text, box.x + 4, y + h / 2);
  if (!with_share) return;
  g.fillStyle = match ? "#000000" : mix(t.text, t.ground, 0.72);
  g.fillText(share, box.x + box.width - measure(share) - 6, y + h / 2);
}

function draw_foot(g: Brush, tree: FlameTree, box: Box, y: number, t: Tones): void {
  const total = tree.profile.nodes.total[box.node] || 1;
  const part = (v: number): number => (v / total) * (box.width - 0.75);
  const blocked = part(tree.blocked[box.node]!);
  const waiting = part(tree.waiting[box.node]!);
  const paused = part(tree.paused[box.node]!);
  let x = box.x;
  const widths = { running: Math.max(0, box.width - 0.75 - blocked - waiting - paused), blocked, waiting, paused };
  for (const state of ["running", "blocked", "waiting", "paused"] as const) {
    if (widths[state] < 0.2) continue;
    g.fillStyle = state_fill(g, state, t);
    g.fillRect(x, y, widths[state], kFoot);
    x += widths[state];
  }
}
