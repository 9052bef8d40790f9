// SPDX-License-Identifier: Apache-2.0
// Activity, allocation, heap and pauses on one axis; dragging selects.
import { useRef } from "preact/hooks";
import { ticks, time_of, x_of, type Axis } from "../../canvas/axis";
import { type Brush, rounded, useCanvas } from "../../canvas/surface";
import { mix, type Tones } from "../../look/theme";
import { bytes_text, duration_text, figure, text_of } from "../../look/units";
import { time_text } from "../../state/clock";
import { go, place, visible } from "../../state/page";
import { limits } from "../../state/selection";
import { type Line, marks_of, type Overview, series_of, useOverview } from "../../tiles/overview";

interface Strip {
  title: string;
  said: string;
  height: number;
  has: (o: Overview) => boolean;
  draw: (g: Brush, axis: Axis, y: number, h: number, t: Tones, o: Overview) => void;
}

function area(
  g: Brush,
  axis: Axis,
  y: number,
  h: number,
  line: Line,
  values: ArrayLike<number>,
  colour: string,
  most: number,
): void {
  g.fillStyle = colour;
  for (let i = 0; i < values.length; ++i) {
    const x = x_of(axis, line.from + i * line.step);
    const w = x_of(axis, line.from + (i + 1) * line.step) - x;
    const v = (values[i]! / most) * h;
    if (v > 0 && x + w > 0 && x < axis.width)
      g.fillRect(x, y + h - Math.max(v, 0.75), Math.max(w + 0.2, 0.6), Math.max(v, 0.75));
  }
}

const most_of = (values: ArrayLike<number>): number =>
  Math.max(
    1e-9,
    Array.from(values).reduce((a, b) => Math.max(a, b), 0),
  );

function draw_threads(g: Brush, axis: Axis, y: number, h: number, t: Tones, o: Overview): void {
  const all = series_of(o, "series:activity")!;
  const blocked = series_of(o, "series:threads.blocked");
  const most = most_of(all.values);
  area(g, axis, y, h, all, all.values, mix(t.running, t.ground, 0.6), most);
  if (blocked) area(g, axis, y, h, blocked, blocked.values, mix(t.blocked, t.ground, 0.68), most);
  g.fillStyle = t.faint;
  g.font = `10px ${t.sans}`;
  g.fillText(text_of(figure(most, "number")), 4, y + 6);
}

function draw_allocated(g: Brush, axis: Axis, y: number, h: number, t: Tones, o: Overview): void {
  const line = series_of(o, "series:alloc.bytes")!;
  const most = most_of(line.sum);
  area(g, axis, y, h, line, line.sum, mix(t.less, t.ground, 0.5), most);
  g.fillStyle = t.faint;
  g.font = `10px ${t.sans}`;
  g.fillText(`${bytes_text(most)} in ${duration_text(line.step)}`, 4, y + 6);
}

// Some runtimes tell only how large it is.
const heap_of = (o: Overview): Line | undefined => series_of(o, "series:heap.used") ?? series_of(o, "series:heap.total");

function draw_heap(g: Brush, axis: Axis, y: number, h: number, t: Tones, o: Overview): void {
  const line = heap_of(o)!;
  const most = most_of(line.values) * 1.1;
  area(g, axis, y, h, line, line.values, mix(t.less, t.ground, 0.2), most);
  g.fillStyle = t.less;
  for (let i = 0; i < line.values.length; ++i) {
    if (line.values[i]! > 0)
      g.fillRect(
        x_of(axis, line.from + i * line.step),
        y + h - (line.values[i]! / most) * h,
        x_of(axis, line.step) - x_of(axis, 0) + 0.3,
        1.5,
      );
  }
  g.fillStyle = t.faint;
  g.font = `10px ${t.sans}`;
  g.fillText(bytes_text(most / 1.1), 4, y + 6);
}

function draw_pauses(g: Brush, axis: Axis, y: number, h: number, t: Tones, o: Overview): void {
  let free = -1;
  g.font = `11px ${t.sans}`;
  for (const m of marks_of(o, "pauses")) {
    const x = x_of(axis, m.start);
    const w = Math.max(3, x_of(axis, m.end) - x);
    g.fillStyle = mix(t.paused, t.ground, 0.92);
    rounded(g, x, y + 4, w, h - 10, 2);
    g.fill();
    const text = duration_text(m.end - m.start);
    const width = g.measureText(text).width;
    if (x + w + 6 < free || x + w + width + 8 > axis.width) continue;
    g.fillStyle = t.faint;
    g.fillText(text, x + w + 6, y + h / 2);
    free = x + w + width + 16;
  }
}

const kStrips: Strip[] = [
  {
    title: "Threads",
    said: "in a call",
    height: 76,
    has: (o) => series_of(o, "series:activity") !== undefined,
    draw: draw_threads,
  },
  {
    title: "Allocated",
    said: "over time",
    height: 52,
    has: (o) => most_of(series_of(o, "series:alloc.bytes")?.sum ?? []) > 1e-9,
    draw: draw_allocated,
  },
  {
    title: "Heap",
    said: "its size",
    height: 44,
    has: (o) => most_of(heap_of(o)?.values ?? []) > 1e-9,
    draw: draw_heap,
  },
  {
    title: "Pauses",
    said: "of the world",
    height: 28,
    has: (o) => marks_of(o, "pauses").length > 0,
    draw: draw_pauses,
  },
];
const kGap = 12;
const kAxis = 24;

export function Strips() {
  const overview = useOverview();
  const from = useRef<number | null>(null);
  const strips = overview ? kStrips.filter((s) => s.has(overview)) : [];
  const height = strips.reduce((sum, s) => sum + s.height + kGap, kAxis);
  const span = visible.value;
  const p = place.value;
  const ref = useCanvas(
    (g, w, h, t) => {
      const axis = { span, width: w };
      const marks = ticks(axis, 110);
      for (const time of marks.times) {
        g.fillStyle = t["line-soft"];
        g.fillRect(Math.round(x_of(axis, time)), 0, 1, h - kAxis + 4);
      }
      if (p.range) {
        g.fillStyle = t.select;
        g.fillRect(
          x_of(axis, p.range.from),
          0,
          Math.max(1, x_of(axis, p.range.to) - x_of(axis, p.range.from)),
          h - kAxis,
        );
      }
      let y = 0;
      for (const s of strips) {
        s.draw(g, axis, y, s.height, t, overview!);
        g.fillStyle = t.line;
        g.fillRect(0, y + s.height, w, 1);
        y += s.height + kGap;
      }
      g.font = `11px ${t.sans}`;
      g.fillStyle = t.faint;
      for (const time of marks.times) {
        const x = Math.round(x_of(axis, time));
        if (x < w - 36) g.fillText(time_text(time, marks.step), x + (x < 4 ? 0 : 3), h - 10);
      }
    },
    [overview, span.from, span.to, p.range, p.times, strips.length],
  );
  if (!overview || strips.length === 0) return <section />;
  const at = (e: PointerEvent): number => {
    const box = ref.current!.getBoundingClientRect();
    return Math.round(time_of({ span, width: box.width }, e.clientX - box.left));
  };
  return (
    <section>
      <div class="sect">
        Activity <span class="small faint">{limits.value.range}; drag to select, every view follows</span>
      </div>
      <div class="strips">
        <ul>
          {strips.map((s) => (
            <li key={s.title} style={{ height: `${s.height + kGap}px` }}>
              {s.title}
              <span class="micro faint">{s.said}</span>
            </li>
          ))}
        </ul>
        <canvas
          ref={ref}
          role="img"
          aria-label="Activity over time"
          style={{ height: `${height}px` }}
          onPointerDown={(e) => {
            from.current = at(e);
            e.currentTarget.setPointerCapture(e.pointerId);
          }}
          onPointerMove={(e) => {
            if (from.current === null) return;
            const to = at(e);
            if (to !== from.current)
              go({ range: { from: Math.min(from.current, to), to: Math.max(from.current, to) } }, true);
          }}
          onPointerUp={(e) => {
            if (from.current !== null && at(e) === from.current) go({ range: null });
            from.current = null;
          }}
        />
      </div>
    </section>
  );
}
