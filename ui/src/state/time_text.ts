// SPDX-License-Identifier: Apache-2.0
// Times as people type them, to offsets: 85.3ms, +200ms and bare nanoseconds (since the first event), -1s (before the
// end), 50%, 2026-11-22T10:00:00Z.
const kUnits: Record<string, number> = { ns: 1, us: 1e3, µs: 1e3, ms: 1e6, s: 1e9, min: 60e9, m: 60e9, h: 3600e9 };

export interface Frame {
  first: number; // offsets of the trace's first and last moment
  last: number;
  wall: number | null; // nanoseconds since 1970 of offset 0
}

function amount(text: string): number | null {
  const parts = /^(\d[\d_ ,\u2009]*(?:\.\d+)?)\s*([a-zµ]*)$/.exec(text.trim());
  if (!parts) return null;
  const unit = parts[2] === "" ? 1 : kUnits[parts[2]!];
  return unit === undefined ? null : Math.round(Number(parts[1]!.replace(/[_ ,\u2009]/g, "")) * unit);
}

export function parse_time(text: string, frame: Frame): number | null {
  const words = text
    .replace(/[\u2009\u00a0]/g, " ")
    .replace("\u2212", "-")
    .trim();
  const part = /^(\d+(?:\.\d+)?)\s*%$/.exec(words);
  if (part) return Math.round(frame.first + ((frame.last - frame.first) * Number(part[1])) / 100);
  if (/^\d{4}-\d\d-\d\dT/.test(words)) {
    const wall = Date.parse(words);
    return Number.isNaN(wall) || frame.wall === null ? null : wall * 1e6 - frame.wall;
  }
  if (words.startsWith("+")) return sum(frame.first, amount(words.slice(1)));
  if (words.startsWith("-")) return sum(frame.last, negative(amount(words.slice(1))));
  return sum(frame.first, amount(words));
}

const negative = (value: number | null): number | null => (value === null ? null : -value);
const sum = (base: number, more: number | null): number | null => (more === null ? null : base + more);
