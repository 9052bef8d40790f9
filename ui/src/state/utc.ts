// SPDX-License-Identifier: Apache-2.0
// Times of a fleet as people read and type them: in UTC, as everything that is said of it. Pure.
const kSeconds: Record<string, number> = { s: 1, min: 60, h: 3600, d: 86400 };

// "15min", "6h", "7d".
export function seconds_of(span: string): number {
  const parts = /^(\d+)(s|min|h|d)$/.exec(span);
  return parts ? Number(parts[1]) * kSeconds[parts[2]!]! : 3600;
}

// "2026-11-26 10:00:00", in UTC, as everything that is said of a fleet.
export const utc_text = (seconds: number): string =>
  new Date(seconds * 1000).toISOString().slice(0, 19).replace("T", " ");

// That, with a T and a Z or without seconds, or seconds since 1970.
export function parse_utc(text: string): number | null {
  const trimmed = text.trim();
  if (/^\d{9,10}$/.test(trimmed)) return Number(trimmed);
  const parts = /^(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d)(:\d\d)?Z?$/.exec(trimmed);
  const at = parts ? Date.parse(`${parts[1]}T${parts[2]}${parts[3] ?? ":00"}Z`) : NaN;
  return Number.isNaN(at) ? null : at / 1000;
}

// As a shell reads it.
export const quoted = (text: string): string =>
  /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replace(/'/g, "'\\''")}'`;
