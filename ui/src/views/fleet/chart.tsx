// SPDX-License-Identifier: Apache-2.0
// One figure over time, a line for each group. What was not recorded is a gap.
import { useState } from "preact/hooks";
import { type Axis, time_of, x_of } from "../../canvas/axis";
import { type Brush, useCanvas } from "../../canvas/surface";
import type { Tones } from "../../look/theme";
import { figure, text_of } from "../../look/units";
import { shown } from "../../look/names";
import { tip } from "../../parts/tooltip";
import type { Span } from "../../state/address";
import { utc_text } from "../../state/utc";
import type { Chart, Line } from "./rows";

const kTones = ["c5", "c6", "c3", "c7", "c2", "c1"] as const;
// Lines of one colour differ in their strokes, and so do colours for those who do not see them.
const kDashes = [[], [6, 3], [2, 2], [8, 3, 2, 3]];
export const tone_of = (index: number): (typeof kTones)[number] => kTones[index % kTones.length]!;
const dash_of = (index: number): number[] => kDashes[Math.floor(index / kTones.length + index) % kDashes.length]!;

const kAxis = 18;
const kSteps = [60, 300, 900, 1800, 3600, 3 * 3600, 6 * 3600, 12 * 3600, 86400, 7 * 86400];

function marks_of(axis: Axis): { times: number[]; days: boolean } {
  const least = ((axis.span.to - axis.span.from) * 64) / Math.max(axis.width, 1);
  const step = kSteps.find((s) => s >= least) ?? kSteps[kSteps.length - 1]!;
  const times: number[] = [];
  for (let t = Math.ceil(axis.span.from / step) * step; t < axis.span.to; t += step) times.push(t);
  return { times, days: step >= 86400 };
}

function draw_axis(g: Brush, axis: Axis, h: number, t: Tones): void {
  const { times, days } = marks_of(axis);
  g.font = `10px ${t.sans}`;
  for (const time of times) {
    const x = Math.round(x_of(axis, time));
    g.fillStyle = t["line-soft"];
    g.fillRect(x, 0, 1, h - kAxis);
    g.fillStyle = t.faint;
    const text = days ? utc_text(time).slice(5, 10) : utc_text(time).slice(11, 16);
    if (x + g.measureText(text).width < axis.width) g.fillText(text, x + 2, h - kAxis / 2);
  }
  g.fillStyle = t.line;
  g.fillRect(0, h - kAxis, axis.width, 1);
}

function draw_line(g: Brush, axis: Axis, line: Line, index: number, step: number, y: (v: number) => number, t: Tones): void {
  g.strokeStyle = g.fillStyle = t[tone_of(index)];
  g.lineWidth = 1.5;
  g.setLineDash(dash_of(index));
  g.beginPath();
  let last = -Infinity;
  for (const [time, value] of line.values) {
    const x = x_of(axis, Math.min(time + step / 2, axis.span.to));
    if (time - last > step * 1.5) {
      g.moveTo(x - 1.5, y(value)); // seen where it stands alone
      g.lineTo(x, y(value));
    } else g.lineTo(x, y(value));
    last = Math.floor(time / step) * step;
  }
  g.stroke();
  g.setLineDash([]);
}

export function ChartBox({ chart, span, step, height = 108 }: { chart: Chart; span: Span; step: number; height?: number }) {
  const [at, set_at] = useState<number | null>(null);
  const most = Math.max(...chart.lines.flatMap((l) => [...l.values.values()]), 0);
  const amount = (v: number): string => text_of(figure(v, chart.unit));
  const ref = useCanvas(
    (g, w, h, t) => {
      const axis = { span, width: w };
      draw_axis(g, axis, h, t);
      const y = (v: number): number => h - kAxis - 1 - (most > 0 ? (v / most) * (h - kAxis - 18) : 0);
      chart.lines.forEach((line, i) => draw_line(g, axis, line, i, step, y, t));
      if (at !== null) {
        g.fillStyle = t.accent;
        g.fillRect(Math.round(x_of(axis, at + step / 2)), 0, 1, h - kAxis);
      }
      g.fillStyle = t.faint;
      g.font = `10px ${t.sans}`;
      g.fillText(amount(most), 2, 7);
    },
    [chart, span.from, span.to, at],
  );
  const hover = (e: PointerEvent): void => {
    const box = ref.current!.getBoundingClientRect();
    const time = Math.floor(time_of({ span, width: box.width }, e.clientX - box.left) / step) * step;
    const begin = Math.max(time, span.from);
    set_at(time);
    const rows = chart.lines.flatMap((line): [string, string][] => {
      const value = line.values.get(begin);
      return value === undefined ? [] : [[shown(line.name) || "(none)", amount(value)]];
    });
    tip.value = { title: `${chart.title}, ${utc_text(begin).slice(5, 19)} UTC`, rows, x: e.clientX, y: e.clientY };
  };
  return (
    <figure class="fleet-chart">
      <figcaption>{chart.title}</figcaption>
      <canvas
        ref={ref}
        role="img"
        aria-label={`${chart.title} over time: at most ${amount(most)}`}
        style={{ height: `${height}px` }}
        onPointerMove={hover}
        onPointerLeave={() => {
          tip.value = null;
          set_at(null);
        }}
      />
    </figure>
  );
}
