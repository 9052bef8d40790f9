// SPDX-License-Identifier: Apache-2.0
// Times in the form that the reader chose, which count from the trace's first event, as commands do. Tables keep the
// trace's own clock.
import { kThin, grouped, moment_text } from "../look/units";
import { number } from "../wire";
import { place, start, trace, visible } from "./page";

export const origin = (): number => number(trace.value?.first_offset);

// Nanoseconds since 1970 of offset 0, where the trace tells.
export function wall_origin(): number | null {
  const told = trace.value?.recorded;
  const at = told ? Date.parse(told) : NaN;
  return Number.isNaN(at) ? null : at * 1e6;
}

const two = (value: number, digits = 2): string => String(value).padStart(digits, "0");

function wall_text(ns: number, utc: boolean, step: number): string {
  const date = new Date(ns / 1e6);
  const [h, m, s] = utc
    ? [date.getUTCHours(), date.getUTCMinutes(), date.getUTCSeconds()]
    : [date.getHours(), date.getMinutes(), date.getSeconds()];
  const part = ((ns % 1e9) + 1e9) % 1e9;
  const digits = step > 0 ? Math.min(9, Math.max(0, Math.ceil(9 - Math.log10(step) - 1e-9))) : 6;
  const fraction = digits === 0 ? "" : `.${two(Math.floor(part / 10 ** (9 - digits)), digits)}`;
  return `${two(h!)}:${two(m!)}:${two(s!)}${fraction}`;
}

// An offset as the page says it.
export function time_text(offset: number, step = 0): string {
  const words = place.value.times;
  const wall = wall_origin();
  if (words === "ticks") return grouped(offset + origin());
  if ((words === "wall" || words === "utc") && wall !== null) return wall_text(wall + offset, words === "utc", step);
  return moment_text(offset - start.value, step);
}

export const cursor_text = (offset: number): string =>
  time_text(offset, (visible.value.to - visible.value.from) / 2000);

// A time of the trace's own clock, as tables have it.
export const moment_shown = (own: number): string => time_text(own - origin());
export const offset_of = (own: number): number => own - origin();
export const clock_words: [string, string][] = [
  ["offset", "since start"],
  ["wall", "wall clock"],
  ["utc", `UTC`],
  ["ticks", `own${kThin}clock, ns`],
];
