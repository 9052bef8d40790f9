// SPDX-License-Identifier: Apache-2.0
// Calls of a thread: rectangles where they are wide enough, pixels of a strip where they are not. What is merged is
// hatched, filled by how busy it was, and says how many calls it is: it never looks like one call.
import { label, type Measure, shown } from "../look/names";
import { fill_of, mix, type Tones } from "../look/theme";
import { duration_text, grouped, kThin } from "../look/units";
import { is_merged, type Items } from "../tiles/cache";
import { call_y, kCallRow, type TrackRow } from "../views/timeline/rows";
import { x_of } from "./axis";
import type { Scene } from "./timeline_draw";
import { type Brush, measure_with, pattern, rounded } from "./surface";

export interface Naming {
  name: (id: number) => string; // "" : not known yet
  package: (id: number) => string;
  helper: (id: number) => boolean;
}

const kBox = 2; // pixels from which an item is a rectangle
const kLabel = 22;

export function draw_calls(g: Brush, s: Scene, r: TrackRow, t: Tones): void {
  const track = r.tracks.find((k) => k.kind === "calls");
  const items = track && s.items(track.number);
  if (!items) return;
  g.font = `12px ${t.sans}`;
  const measure = measure_with(g);
  const labels: (() => void)[] = []; // above the hatches
  const last = new Float64Array(Math.max(1, r.shown_rows)).fill(-1); // by row: up to where pixels are drawn
  for (let i = 0; i < items.size; ++i) {
    const row = items.row[i]!;
    if (row >= r.shown_rows) continue;
    const x0 = x_of(s.axis, items.start[i]!);
    const x1 = x_of(s.axis, items.end[i]!);
    if (x1 < 0 || x0 > s.axis.width) continue;
    if (x1 - x0 < kBox) draw_pixel(g, s, items, i, x0, call_y(r, row), row, last, t);
    else draw_box(g, s, items, i, Math.max(x0, -4), Math.min(x1, s.axis.width + 4), call_y(r, row), measure, t, labels);
  }
  hatch_blocked(g, s, r, items, t);
  for (const write of labels) write();
  if (r.shown_rows < items.deepest + 1 && items.deepest > 0) {
    g.fillStyle = t.faint;
    g.font = `10px ${t.sans}`;
    const text = `${grouped(items.deepest + 1 - r.shown_rows)} deeper`;
    g.fillText(text, s.axis.width - measure_with(g)(text) - 6, r.y + r.height - 5);
  }
}

const kMostHatches = 400; // more of them are too narrow to see

// A wait shows inside the call that waits: the innermost that spans it.
function hatch_blocked(g: Brush, s: Scene, r: TrackRow, items: Items, t: Tones): void {
  const track = r.tracks.find((k) => k.kind === "status");
  const states = track && s.items(track.number);
  let drawn = 0;
  for (let i = 0; states && i < states.size && drawn < kMostHatches; ++i) {
    if (states.name[i] !== 1 || is_merged(states, i)) continue;
    const x0 = Math.max(0, x_of(s.axis, states.start[i]!));
    const x1 = Math.min(s.axis.width, x_of(s.axis, states.end[i]!));
    if (x1 - x0 < 3) continue;
    const row = innermost(items, states.start[i]!, states.end[i]!);
    if (row < 0 || row >= r.shown_rows) continue;
    drawn += 1;
    g.fillStyle = pattern(g, "diagonal", "", mix(t.blocked, t.ground, t.dark ? 0.6 : 0.5));
    g.fillRect(x0 + 0.5, call_y(r, row) + 1, x1 - x0 - 1, kCallRow - 3);
  }
}

function innermost(items: Items, start: number, end: number): number {
  let row = -1;
  for (let i = 0; i < items.size; ++i) {
    if (items.start[i]! <= start && items.end[i]! >= end && items.row[i]! > row && !is_merged(items, i))
      row = items.row[i]!;
  }
  return row;
}

function colour(s: Scene, id: number, t: Tones): string {
  if (s.matches.size > 0 && s.matches.has(id)) return t.match;
  const fill = s.naming.name(id) === "" ? mix(t.ended, t.ground, 0.2) : fill_of(s.naming.package(id), t);
  return s.naming.helper(id) ? mix(fill, t.ground, 0.5) : fill;
}

function draw_pixel(
  g: Brush,
  s: Scene,
  items: Items,
  i: number,
  x: number,
  y: number,
  row: number,
  last: Float64Array,
  t: Tones,
): void {
  const at = Math.floor(x);
  if (at <= last[row]!) return;
  last[row] = at;
  const length = Math.max(items.end[i]! - items.start[i]!, 1);
  const step = (s.axis.span.to - s.axis.span.from) / s.axis.width;
  const filled = Math.min(1, items.busy[i]! / Math.max(length, step));
  g.globalAlpha = 0.35 + 0.65 * filled;
  g.fillStyle = colour(s, items.name[i]!, t);
  g.fillRect(at, y, 1, kCallRow - 1);
  g.globalAlpha = 1;
}

function draw_box(
  g: Brush,
  s: Scene,
  items: Items,
  i: number,
  x0: number,
  x1: number,
  y: number,
  measure: Measure,
  t: Tones,
  labels: (() => void)[],
): void {
  const id = items.name[i]!;
  const back = colour(s, id, t);
  const h = kCallRow - 1;
  const w = x1 - x0;
  if (is_merged(items, i)) {
    const filled = Math.max(0.15, Math.min(1, items.busy[i]! / Math.max(items.end[i]! - items.start[i]!, 1)));
    const top = y + h * (1 - filled);
    g.fillStyle = mix(back, t.ground, 0.75);
    g.fillRect(x0, top, w - 0.5, h * filled);
    g.fillStyle = pattern(g, "dense", "", mix(back, t.text, 0.62));
    g.globalAlpha = 0.55;
    g.fillRect(x0, top, w - 0.5, h * filled);
    g.globalAlpha = 1;
    labels.push(() => merged_label(g, s, items, i, x0, w, y, h, measure, back, t));
    return;
  }
  g.fillStyle = back;
  if (w < 3) g.fillRect(x0, y, w - 0.25, h);
  else {
    rounded(g, x0, y, w - 0.75, h, 2);
    g.fill();
  }
  if (back === t.match && w > 3) {
    g.strokeStyle = t["match-edge"];
    g.lineWidth = 1.5;
    g.stroke();
  }
  const left = Math.max(x0, 0);
  const room = Math.min(x1, s.axis.width) - left - 9;
  if (room < kLabel - 9) return;
  const text = label(shown(s.naming.name(id)), room, measure);
  if (!text) return;
  labels.push(() => {
    g.fillStyle = back === t.match ? "#000000" : t.text;
    g.fillText(text, left + 5, y + h / 2 + 0.5);
  });
}

function merged_label(
  g: Brush,
  s: Scene,
  items: Items,
  i: number,
  x0: number,
  w: number,
  y: number,
  h: number,
  measure: Measure,
  back: string,
  t: Tones,
): void {
  const count = `${grouped(items.count[i]!)}${kThin}×`;
  const left = Math.max(x0, 0);
  const room = Math.min(x0 + w, s.axis.width) - left - 12;
  if (room < measure(count)) return;
  const longest = duration_text(items.longest[i]!);
  const rest = label(shown(s.naming.name(items.name[i]!)), room - measure(`${count}, longest  ${longest}`), measure);
  const text = rest ? `${count}, longest ${rest} ${longest}` : count;
  g.fillStyle = mix(back, t.ground, 0.9);
  rounded(g, left + 3, y + 2, measure(text) + 5, h - 4, 2);
  g.fill();
  g.fillStyle = back === t.match ? "#000000" : t.text;
  g.fillText(text, left + 5.5, y + h / 2 + 0.5);
}
