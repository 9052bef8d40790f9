// SPDX-License-Identifier: Apache-2.0
// The whole trace in a strip: activity of all threads, what is visible as a window that can be dragged, the selection,
// pauses and lost stretches.
import { useRef } from "preact/hooks";
import { ticks, time_of, x_of } from "../canvas/axis";
import { pattern, rounded, useCanvas, type Brush } from "../canvas/surface";
import { mix, type Tones } from "../look/theme";
import { place, tracks, visible, whole } from "../state/page";
import { time_text } from "../state/clock";
import { range_text, show } from "../state/selection";
import { marks_of, series_of, useOverview } from "../tiles/overview";
import type { Overview } from "../tiles/overview";

const kTop = 16;
const kGrip = 6;

function marks(g: Brush, width: number, height: number, t: Tones): void {
  const axis = { span: whole.value, width };
  const { step, times } = ticks(axis, 120);
  g.font = `10px ${t.sans}`;
  for (const time of times) {
    const x = Math.round(x_of(axis, time));
    g.fillStyle = t["line-soft"];
    g.fillRect(x, 0, 1, height);
    g.fillStyle = t.faint;
    if (x < width - 44) g.fillText(time_text(time, step), x + 4, 8);
  }
}

function activity(g: Brush, width: number, height: number, t: Tones, o: Overview): void {
  const base = height - 6;
  const all = series_of(o, "series:activity");
  const blocked = series_of(o, "series:threads.blocked");
  const axis = { span: whole.value, width };
  const most = Math.max(1e-9, ...(all?.values ?? [0]));
  const draw = (s: typeof all, colour: string): void => {
    if (!s) return;
    g.fillStyle = colour;
    for (let i = 0; i < s.values.length; ++i) {
      const x = x_of(axis, s.from + i * s.step);
      const h = (s.values[i]! / most) * (base - kTop);
      if (h > 0)
        g.fillRect(x, base - Math.max(h, 0.75), x_of(axis, s.from + (i + 1) * s.step) - x + 0.3, Math.max(h, 0.75));
    }
  };
  draw(all, mix(t.running, t.ground, 0.55));
  draw(blocked, mix(t.blocked, t.ground, 0.62));
  g.fillStyle = t.line;
  g.fillRect(0, base, width, 1);
  for (const m of marks_of(o, "pauses")) {
    g.fillStyle = mix(t.paused, t.ground, 0.85);
    g.fillRect(x_of(axis, m.start), kTop - 2, Math.max(1.5, x_of(axis, m.end) - x_of(axis, m.start)), base - kTop + 4);
  }
  for (const m of marks_of(o, "lost")) {
    g.fillStyle = pattern(g, "diagonal", "", t.faint);
    g.fillRect(x_of(axis, m.start), kTop - 2, Math.max(2, x_of(axis, m.end) - x_of(axis, m.start)), base - kTop + 4);
  }
}

function window_of(g: Brush, width: number, height: number, t: Tones): void {
  const axis = { span: whole.value, width };
  const p = place.value;
  if (p.range) {
    g.fillStyle = t.select;
    g.fillRect(x_of(axis, p.range.from), 0, Math.max(1, x_of(axis, p.range.to) - x_of(axis, p.range.from)), height);
  }
  const a = x_of(axis, visible.value.from);
  const b = Math.max(x_of(axis, visible.value.to), a + 4);
  if (!p.visible) return;
  g.fillStyle = t.dark ? "rgb(0 0 0 / 38%)" : "rgb(245 246 248 / 62%)";
  g.fillRect(0, 0, a, height);
  g.fillRect(b, 0, width - b, height);
  g.strokeStyle = t.accent;
  g.lineWidth = 1.5;
  rounded(g, a, 1, b - a, height - 3, 3);
  g.stroke();
  g.fillStyle = t.accent;
  for (const x of [a, b]) {
    rounded(g, x - 2, height / 2 - 9, 4, 16, 2);
    g.fill();
  }
}

type Grab = { kind: "window"; shift: number } | { kind: "from" | "to" | "draw"; start: number };

export function Minimap() {
  const overview = useOverview();
  const grab = useRef<Grab | null>(null);
  const p = place.value;
  const ref = useCanvas(
    (g, w, h, t) => {
      marks(g, w, h, t);
      if (overview) activity(g, w, h, t, overview);
      window_of(g, w, h, t);
    },
    [overview, p.range, p.visible, p.times, whole.value, tracks.value],
  );

  const axis = (): { span: typeof whole.value; width: number; left: number } => {
    const box = ref.current!.getBoundingClientRect();
    return { span: whole.peek(), width: box.width, left: box.left };
  };
  const down = (e: PointerEvent): void => {
    const a = axis();
    const x = e.clientX - a.left;
    const [from, to] = [x_of(a, visible.peek().from), x_of(a, visible.peek().to)];
    const time = time_of(a, x);
    const zoomed = place.peek().visible !== null;
    if (zoomed && Math.abs(x - from) < kGrip) grab.current = { kind: "from", start: visible.peek().to };
    else if (zoomed && Math.abs(x - to) < kGrip) grab.current = { kind: "to", start: visible.peek().from };
    else if (zoomed && x > from && x < to) grab.current = { kind: "window", shift: time - visible.peek().from };
    else grab.current = { kind: "draw", start: time };
    (e.currentTarget as Element).setPointerCapture(e.pointerId);
  };
  const move = (e: PointerEvent): void => {
    const g = grab.current;
    if (!g) return;
    const a = axis();
    const time = time_of(a, e.clientX - a.left);
    const v = visible.peek();
    if (g.kind === "window") show(time - g.shift, time - g.shift + v.to - v.from);
    else if (Math.abs(time - g.start) > (2 * (a.span.to - a.span.from)) / a.width)
      show(Math.min(time, g.start), Math.max(time, g.start));
  };
  return (
    <div
      class="minimap"
      role="slider"
      aria-label="Minimap"
      tabIndex={0}
      aria-valuetext={range_text(visible.value)}
      aria-valuemin={whole.value.from}
      aria-valuemax={whole.value.to}
      aria-valuenow={visible.value.from}
      onPointerDown={down}
      onPointerMove={move}
      onPointerUp={() => (grab.current = null)}
      onDblClick={() => show(whole.peek().from, whole.peek().to)}
    >
      <canvas
        ref={ref}
        role="application"
        aria-label="Minimap canvas"
        data-from={whole.value.from}
        data-to={whole.value.to}
      />
    </div>
  );
}
