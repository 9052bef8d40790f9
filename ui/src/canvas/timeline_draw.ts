// SPDX-License-Identifier: Apache-2.0
// Paints the time line: grid, selection, pauses, strips, calls, hatches, labels, chosen, edges, ruler, cursor.
import type { Span } from "../state/address";
import type { Tones } from "../look/theme";
import { mix } from "../look/theme";
import { duration_text } from "../look/units";
import type { Items } from "../tiles/cache";
import type { Line, Mark } from "../tiles/overview";
import type { Layout, TrackRow } from "../views/timeline/rows";
import { type Axis, ticks, x_of } from "./axis";
import { draw_calls, type Naming } from "./timeline_calls";
import { draw_compiled, draw_group, draw_marks, draw_pause_row, draw_series, draw_status } from "./timeline_strips";
import { type Brush, pattern, rounded } from "./surface";

export const kRuler = 28;

export interface Scene {
  axis: Axis;
  layout: Layout;
  top: number; // scrolled
  height: number; // below the ruler
  items: (track: number) => Items | undefined;
  series: Map<string, Line>;
  pauses: Mark[];
  lost: Mark[];
  naming: Naming;
  range: Span | null;
  threads: readonly number[] | null;
  chosen: { track: string; row: number; start: number; end: number } | null;
  at: number | null;
  moment: (time: number, step: number) => string;
  matches: ReadonlySet<number>;
}

export function draw_timeline(g: Brush, s: Scene, t: Tones): void {
  const marks = ticks(s.axis);
  g.save();
  g.beginPath();
  g.rect(0, kRuler, s.axis.width, s.height);
  g.clip();
  g.translate(0, kRuler - s.top);
  const seen = s.layout.rows.filter((r) => r.y + r.height > s.top && r.y < s.top + s.height);
  for (const r of seen) {
    if (r.kind !== "group") continue;
    g.fillStyle = t.panel;
    g.fillRect(0, r.y, s.axis.width, r.height);
  }
  g.fillStyle = t["line-soft"];
  for (const time of marks.times) g.fillRect(Math.round(x_of(s.axis, time)), s.top, 1, s.height);
  draw_selection(g, s, seen, t);
  draw_through(g, s, t);
  for (const r of seen) draw_row(g, s, r, t);
  draw_chosen(g, s, seen, t);
  draw_edges(g, s, t);
  g.restore();
  draw_ruler(g, s, marks.times, marks.step, t);
  draw_cursor(g, s, t);
}

const selected = (s: Scene, r: TrackRow): boolean =>
  r.thread !== null && (s.threads === null || s.threads.includes(r.thread.index));

// A faint band through all rows, a strong one on those that are meant.
function draw_selection(g: Brush, s: Scene, seen: TrackRow[], t: Tones): void {
  if (!s.range) return;
  const a = x_of(s.axis, s.range.from);
  const w = Math.max(1, x_of(s.axis, s.range.to) - a);
  g.fillStyle = t["select-soft"];
  g.fillRect(a, s.top, w, s.height);
  if (s.threads === null) return;
  g.fillStyle = t.select;
  for (const r of seen) if (selected(s, r)) g.fillRect(a, r.y, w, r.height);
}

function draw_through(g: Brush, s: Scene, t: Tones): void {
  for (const p of s.pauses) {
    const a = x_of(s.axis, p.start);
    const w = x_of(s.axis, p.end) - a;
    if (a + w < 0 || a > s.axis.width || w < 0.5) continue;
    g.fillStyle =
      w > 4
        ? pattern(g, "cross", mix(t.paused, t.ground, t.dark ? 0.2 : 0.16), mix(t.paused, t.ground, 0.34))
        : mix(t.paused, t.ground, 0.4);
    g.fillRect(a, s.top, Math.max(w, 1), s.height);
  }
  for (const p of s.lost) {
    const a = x_of(s.axis, p.start);
    const w = Math.max(2, x_of(s.axis, p.end) - a);
    if (a + w < 0 || a > s.axis.width) continue;
    g.fillStyle = pattern(g, "diagonal", "", mix(t.faint, t.ground, 0.5));
    g.fillRect(a, s.top, w, s.height);
  }
}

function draw_row(g: Brush, s: Scene, r: TrackRow, t: Tones): void {
  g.save();
  g.beginPath();
  g.rect(0, r.y, s.axis.width, r.height);
  g.clip();
  switch (r.kind) {
    case "pauses":
    case "collections":
      draw_pause_row(g, s, r, t);
      break;
    case "group":
      draw_group(g, s, r, t);
      break;
    case "series":
      draw_series(g, s, r, t);
      break;
    case "marks":
      draw_marks(g, s, r, r.y + r.height / 2, t);
      break;
    case "thread":
      draw_status(g, s, r, t);
      if (!r.collapsed) draw_compiled(g, s, r, t);
      draw_calls(g, s, r, t);
      draw_marks(g, s, r, r.y + r.height - 4, t);
      break;
  }
  g.restore();
  g.fillStyle = t["line-soft"];
  g.fillRect(0, r.y + r.height - 1, s.axis.width, 1);
}

function draw_chosen(g: Brush, s: Scene, seen: TrackRow[], t: Tones): void {
  const c = s.chosen;
  const row = c && seen.find((r) => r.tracks.some((k) => k.id === c.track));
  if (!c || !row || c.row >= Math.max(1, row.shown_rows)) return;
  const a = Math.max(-4, x_of(s.axis, c.start));
  const b = Math.min(s.axis.width + 4, x_of(s.axis, c.end));
  if (b < 0 || a > s.axis.width) return;
  g.strokeStyle = t.text;
  g.lineWidth = 2;
  rounded(g, a - 0.5, row.y + 11.5 + c.row * 21, Math.max(b - a, 3) + 0.5, 21, 3);
  g.stroke();
}

function draw_edges(g: Brush, s: Scene, t: Tones): void {
  if (!s.range) return;
  g.fillStyle = t["select-edge"];
  for (const time of [s.range.from, s.range.to]) {
    const x = x_of(s.axis, time);
    if (x < -2 || x > s.axis.width + 2) continue;
    g.fillRect(Math.round(x) - 0.5, s.top, 1.5, s.height);
    rounded(g, x - 2.5, s.top + s.height / 2 - 12, 5, 24, 2.5);
    g.fill();
  }
}

function draw_ruler(g: Brush, s: Scene, times: number[], step: number, t: Tones): void {
  const w = s.axis.width;
  g.fillStyle = t.panel;
  g.fillRect(0, 0, w, kRuler);
  g.fillStyle = t.line;
  g.fillRect(0, kRuler - 1, w, 1);
  g.font = `11px ${t.sans}`;
  for (const time of times) {
    const x = Math.round(x_of(s.axis, time));
    g.fillStyle = t.line;
    g.fillRect(x, 18, 1, 9);
    g.fillStyle = t.faint;
    if (x < w - 30) g.fillText(s.moment(time, step), x + 5, 14);
  }
  if (!s.range) return;
  const a = Math.max(0, x_of(s.axis, s.range.from));
  const b = Math.min(w, x_of(s.axis, s.range.to));
  if (b <= a) return;
  g.fillStyle = t.panel;
  g.fillRect(a, 0, b - a, kRuler - 1);
  g.fillStyle = t.select;
  g.fillRect(a, 0, b - a, kRuler - 1);
  g.fillStyle = t["select-edge"];
  g.fillRect(a, kRuler - 4, b - a, 3);
  g.font = `600 12px ${t.sans}`;
  const text = duration_text(s.range.to - s.range.from);
  const width = g.measureText(text).width;
  g.fillStyle = t.text;
  if (width < b - a - 8) g.fillText(text, (a + b - width) / 2, 13);
}

function vertical(g: Brush, x: number, height: number, alpha: number, dash: number[], t: Tones): void {
  g.setLineDash(dash);
  g.strokeStyle = t.text;
  g.lineWidth = 1;
  g.globalAlpha = alpha;
  g.beginPath();
  g.moveTo(x, kRuler);
  g.lineTo(x, kRuler + height);
  g.stroke();
  g.globalAlpha = 1;
  g.setLineDash([]);
}

function draw_cursor(g: Brush, s: Scene, t: Tones): void {
  if (s.at !== null) vertical(g, Math.round(x_of(s.axis, s.at)) + 0.5, s.height, 0.6, [3, 3], t);
}

// On a canvas of its own: the pointer moves more often than what it moves over.
export function draw_pointer(
  g: Brush,
  axis: Axis,
  height: number,
  time: number,
  moment: Scene["moment"],
  t: Tones,
): void {
  const x = Math.round(x_of(axis, time)) + 0.5;
  vertical(g, x, height, 0.28, [], t);
  const text = moment(time, (axis.span.to - axis.span.from) / axis.width);
  g.font = `600 11px ${t.sans}`;
  const width = g.measureText(text).width + 12;
  const left = Math.min(Math.max(0, x - width / 2), axis.width - width);
  g.fillStyle = t.text;
  rounded(g, left, 5, width, 18, 4);
  g.fill();
  g.fillStyle = t.ground;
  g.fillText(text, left + 6, 14.5);
}
