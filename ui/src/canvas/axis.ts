// SPDX-License-Identifier: Apache-2.0
// The one mapping of time to pixels, and the marks of a ruler.
import type { Span } from "../state/address";

export interface Axis {
  span: Span;
  width: number;
}

export const x_of = (axis: Axis, time: number): number =>
  ((time - axis.span.from) / (axis.span.to - axis.span.from)) * axis.width;
export const time_of = (axis: Axis, x: number): number =>
  axis.span.from + (x / axis.width) * (axis.span.to - axis.span.from);

export interface Ticks {
  step: number;
  times: number[];
}

// Round steps of 1, 2, 5 times a power of ten, at least `least` pixels apart.
export function ticks(axis: Axis, least = 88): Ticks {
  const length = axis.span.to - axis.span.from;
  const wanted = Math.max((length * least) / Math.max(axis.width, 1), 1);
  const power = 10 ** Math.floor(Math.log10(wanted));
  const step = [1, 2, 5, 10].map((m) => m * power).find((s) => s >= wanted * 0.999999) ?? 10 * power;
  const times: number[] = [];
  for (let t = Math.ceil(axis.span.from / step) * step; t <= axis.span.to; t += step) times.push(t);
  return { step, times };
}
