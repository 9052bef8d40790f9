// SPDX-License-Identifier: Apache-2.0
// Figures for people: three significant digits, thin spaces, the unit apart so that it can be fainter.
export interface Figure {
  number: string;
  unit: string;
}

export const kThin = "\u2009";
const kMinus = "\u2212";

export function grouped(value: number): string {
  const text = Math.abs(Math.round(value)).toString();
  if (!/^\d+$/.test(text)) return value.toPrecision(3);
  const sign = value < 0 ? kMinus : "";
  return sign + (text.length > 4 ? text.replace(/\B(?=(\d{3})+$)/g, kThin) : text);
}

function three(value: number): string {
  const size = Math.abs(value);
  if (size >= 999.5) return grouped(value);
  const digits = size >= 99.95 ? 0 : size >= 9.995 ? 1 : 2;
  return value.toFixed(digits).replace("-", kMinus);
}

const kTimes: [number, string][] = [
  [3600e9, "h"],
  [60e9, "min"],
  [1e9, "s"],
  [1e6, "ms"],
  [1e3, "µs"],
  [1, "ns"],
];

// Hours and minutes only where seconds would need more than three digits before the point.
export function duration(ns: number): Figure {
  if (ns === 0) return { number: "0", unit: "" };
  const size = Math.abs(ns);
  if (size < 1e3) return { number: grouped(ns), unit: "ns" };
  const scale = kTimes.find(([unit, name]) =>
    name === "h" ? size >= 100 * 60e9 : name === "min" ? size >= 999.5e9 : size >= 0.9995 * unit,
  )!;
  return { number: three(ns / scale[0]), unit: scale[1] };
}

const kSizes: [number, string][] = [
  [2 ** 40, "TiB"],
  [2 ** 30, "GiB"],
  [2 ** 20, "MiB"],
  [2 ** 10, "KiB"],
];

export function bytes(value: number): Figure {
  if (value === 0) return { number: "0", unit: "" };
  const scale = kSizes.find(([size]) => Math.abs(value) >= size);
  return scale ? { number: three(value / scale[0]), unit: scale[1] } : { number: grouped(value), unit: "B" };
}

export function percent(value: number): Figure {
  const size = Math.abs(value);
  return { number: value.toFixed(size >= 99.95 ? 0 : 1).replace("-", kMinus), unit: "%" };
}

// By the unit of a column, as reports name them.
export function figure(value: number, unit: string): Figure {
  switch (unit) {
    case "ns":
    case "nanoseconds":
      return duration(value);
    case "bytes":
      return bytes(value);
    case "percent":
      return percent(value);
    case "count": // of averages, too
      return { number: Number.isInteger(value) ? grouped(value) : three(value), unit: "" };
    case "id":
      return { number: String(value), unit: "" };
    default:
      return { number: Number.isInteger(value) ? grouped(value) : three(value), unit: "" };
  }
}

export const text_of = (f: Figure): string => (f.unit ? f.number + kThin + f.unit : f.number);
export const duration_text = (ns: number): string => text_of(duration(ns));
export const bytes_text = (value: number): string => text_of(bytes(value));

// A moment on an axis or in a field: with as many digits as the step between its neighbours asks for.
export function moment_text(offset: number, step = 0): string {
  if (offset === 0) return "0";
  const size = Math.max(Math.abs(offset), 1);
  const [scale, unit] = kTimes.find(([u, name]) => name !== "h" && name !== "min" && size >= u) ?? [1, "ns"];
  const digits = step > 0 ? Math.max(0, Math.ceil(Math.log10(scale / step) - 1e-9)) : 3;
  const whole = (offset / scale).toFixed(Math.min(digits, Math.round(Math.log10(scale)))).replace("-", kMinus);
  return `${step > 0 ? whole : trimmed(whole)}${kThin}${unit}`;
}

const trimmed = (text: string): string => (text.includes(".") ? text.replace(/\.?0+$/, "") : text);
