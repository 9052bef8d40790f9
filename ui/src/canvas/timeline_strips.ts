// SPDX-License-Identifier: Apache-2.0
// What stands around the calls: states of threads, pauses, marks, series, and what folded groups did.
import { mix, type Tones } from "../look/theme";
import { bytes_text, duration_text, figure, grouped, text_of } from "../look/units";
import { number } from "../wire";
import { strip_y, type TrackRow } from "../views/timeline/rows";
import { x_of } from "./axis";
import type { Scene } from "./timeline_draw";
import { type Brush, rounded, state_fill } from "./surface";

const kStrip = 4;
const kStates = ["running", "blocked", "waiting"] as const;

// Running is what lies between the thread's first and last event and is neither blocked, waiting nor paused.
export function draw_status(g: Brush, s: Scene, r: TrackRow, t: Tones): void {
  if (!r.thread) return;
  const y = strip_y(r);
  const a = Math.max(0, x_of(s.axis, number(r.thread.first)));
  const b = Math.min(s.axis.width, x_of(s.axis, number(r.thread.last)));
  if (b <= a) return;
  const h = r.collapsed ? 8 : kStrip;
  const track = r.tracks.find((k) => k.kind === "status");
  // Where nobody tells what it waited for, it is only said that it was there.
  g.fillStyle = !track ? t.same : r.collapsed ? mix(t.running, t.ground, 0.5) : t.running;
  g.fillRect(a, y, Math.max(b - a, 1), h);
  const items = track && s.items(track.number);
  for (let i = 0; items && i < items.size; ++i) {
    const x0 = Math.max(0, x_of(s.axis, items.start[i]!));
    const x1 = Math.min(s.axis.width, x_of(s.axis, items.end[i]!));
    if (x1 < 0 || x0 > s.axis.width || x1 <= x0) continue;
    g.fillStyle = state_fill(g, kStates[items.name[i]!] ?? "running", t);
    g.globalAlpha = Math.min(1, 0.3 + (0.7 * items.busy[i]!) / Math.max(items.end[i]! - items.start[i]!, 1));
    g.fillRect(x0, y, Math.max(x1 - x0, 0.75), h);
  }
  g.globalAlpha = 1;
  g.fillStyle = t.paused;
  for (const p of s.pauses) {
    const x0 = Math.max(a, x_of(s.axis, p.start));
    const x1 = Math.min(b, x_of(s.axis, p.end));
    if (x1 > x0) g.fillRect(x0, y, x1 - x0, h);
  }
}

// Below the state: what was compiled, the longer ones to be seen, the others counted by their shade.
export function draw_compiled(g: Brush, s: Scene, r: TrackRow, t: Tones): void {
  const track = r.tracks.find((k) => k.kind === "compile");
  const items = track && s.items(track.number);
  g.fillStyle = t.c3;
  for (let i = 0; items && i < items.size; ++i) {
    const x0 = x_of(s.axis, items.start[i]!);
    const w = Math.max(x_of(s.axis, items.end[i]!) - x0, 0.75);
    if (x0 + w < 0 || x0 > s.axis.width || items.row[i] !== 0) continue;
    g.globalAlpha = Math.min(1, 0.35 + (0.65 * items.busy[i]!) / Math.max(items.end[i]! - items.start[i]!, 1));
    g.fillRect(x0, strip_y(r) + kStrip + 1, w, 2);
  }
  g.globalAlpha = 1;
}

// How many of the group's threads are alive, and how many of these are blocked, over time.
export function draw_group(g: Brush, s: Scene, r: TrackRow, t: Tones): void {
  const columns = Math.ceil(s.axis.width / 2);
  const alive = new Float32Array(columns);
  const blocked = new Float32Array(columns);
  const add = (to: Float32Array, start: number, end: number): void => {
    const a = Math.max(0, Math.floor(x_of(s.axis, start) / 2));
    const b = Math.min(columns - 1, Math.floor(x_of(s.axis, end) / 2));
    for (let i = a; i <= b; ++i) to[i]! += 1;
  };
  for (const thread of r.members) add(alive, number(thread.first), number(thread.last));
  for (const track of r.tracks) {
    const items = s.items(track.number);
    for (let i = 0; items && i < items.size; ++i) if (items.name[i] === 1) add(blocked, items.start[i]!, items.end[i]!);
  }
  const most = Math.max(1, r.members.length);
  const h = r.height - 6;
  for (let i = 0; i < columns; ++i) {
    if (alive[i]! === 0) continue;
    const up = Math.max(2, (alive[i]! / most) * h);
    g.fillStyle = mix(t.running, t.panel, 0.4);
    g.fillRect(i * 2, r.y + r.height - 3 - up, 2, up);
    if (blocked[i]! === 0) continue;
    const down = Math.min(up, Math.max(1, (blocked[i]! / most) * h));
    g.fillStyle = mix(t.blocked, t.panel, 0.75);
    g.fillRect(i * 2, r.y + r.height - 3 - down, 2, down);
  }
}

export function draw_pause_row(g: Brush, s: Scene, r: TrackRow, t: Tones): void {
  const track = r.tracks[0];
  const items = track && s.items(track.number);
  if (!items) return;
  g.font = `600 11px ${t.sans}`;
  for (let i = 0; i < items.size; ++i) {
    const x0 = x_of(s.axis, items.start[i]!);
    const w = Math.max(2, x_of(s.axis, items.end[i]!) - x0);
    if (x0 + w < 0 || x0 > s.axis.width) continue;
    g.fillStyle = mix(t.paused, t.ground, 0.92);
    rounded(g, x0, r.y + 5, w, r.height - 10, Math.min(3, w / 2));
    g.fill();
    const text = items.count[i]! > 1 ? `${grouped(items.count[i]!)} ×` : duration_text(items.longest[i]!);
    const width = g.measureText(text).width;
    const left = Math.max(x0, 0);
    g.fillStyle = "#1b1f24";
    if (width < Math.min(x0 + w, s.axis.width) - left - 6)
      g.fillText(text, left + (Math.min(x0 + w, s.axis.width) - left - width) / 2, r.y + r.height / 2 + 0.5);
  }
}

const kMarkColours = ["blocked", "c5", "accent", "faint"] as const;

export function draw_marks(g: Brush, s: Scene, r: TrackRow, y: number, t: Tones): void {
  for (const track of r.tracks) {
    if (track.kind !== "marks") continue;
    const items = s.items(track.number);
    let last = -10;
    for (let i = 0; items && i < items.size; ++i) {
      const x = Math.round(x_of(s.axis, items.start[i]!));
      const row = items.row[i]!;
      if (x < -4 || x > s.axis.width + 4 || row === 3 || (row === 1 && items.count[i]! > 0 && x - last < 2)) continue;
      if (x - last < 3) continue;
      last = x;
      g.fillStyle = t[kMarkColours[row] ?? "faint"];
      g.globalAlpha = row === 1 ? 0.4 : 0.8;
      g.beginPath();
      g.moveTo(x - 3.5, y + 3);
      g.lineTo(x + 3.5, y + 3);
      g.lineTo(x, y - 4);
      g.fill();
      g.globalAlpha = 1;
    }
  }
}

export function draw_series(g: Brush, s: Scene, r: TrackRow, t: Tones): void {
  const track = r.tracks[0]!;
  const line = s.series.get(track.id);
  if (!line) return;
  const summed = track.id === "series:alloc.bytes";
  const values = summed ? line.sum : line.values;
  let most = 0;
  const first = Math.max(0, Math.floor((s.axis.span.from - line.from) / line.step));
  const last = Math.min(values.length, Math.ceil((s.axis.span.to - line.from) / line.step));
  for (let i = first; i < last; ++i) most = Math.max(most, values[i]!);
  if (most <= 0) return;
  const colour = track.id === "series:threads.blocked" ? t.blocked : t.less;
  const h = r.height - 16;
  for (let i = first; i < last; ++i) {
    const v = (values[i]! / most) * h;
    if (v <= 0) continue;
    const x = x_of(s.axis, line.from + i * line.step);
    const w = x_of(s.axis, line.from + (i + 1) * line.step) - x;
    g.fillStyle = mix(colour, t.ground, summed ? 0.42 : 0.28);
    g.fillRect(x + (summed ? 0.4 : 0), r.y + r.height - 2 - v, Math.max(w - (summed && w > 3 ? 0.8 : -0.3), 0.6), v);
    if (summed) continue;
    g.fillStyle = mix(colour, t.ground, 0.85);
    g.fillRect(x, r.y + r.height - 2 - v, w + 0.3, 1.5);
  }
  g.font = `10px ${t.sans}`;
  g.fillStyle = t.faint;
  const told = summed
    ? `${bytes_text(most)} in ${duration_text(line.step)}`
    : text_of(figure(most, !track.unit || track.unit === "count" ? "number" : track.unit));
  g.fillText(told, 6, r.y + 8);
}
