// SPDX-License-Identifier: Apache-2.0
// Rows of a fleet's tables as the page shows them: lines over time, and what got slower first. Pure.
import { parse_utc } from "../../state/utc";
import type { Row, Table } from "../../wire";

export interface Line {
  name: string;
  values: Map<number, number>; // by the beginning of the step, seconds since 1970
}
export interface Chart {
  key: string;
  title: string;
  unit: string;
  lines: Line[];
}

// Of the table's columns those that say most at a glance; empty ones are left out.
const kCharts = [
  { key: "calls_per_second", title: "Calls a second", unit: "number" },
  { key: "self_per_process_second", title: "Self time, for a second of a process", unit: "ns" },
  { key: "paused_share", title: "In pauses, of the time of processes", unit: "percent" },
  { key: "longest_pause", title: "Longest pause", unit: "ns" },
  { key: "bytes_per_second", title: "Allocated a second", unit: "bytes" },
  { key: "lost", title: "Events lost", unit: "count" },
];

// As the table's notes tell it, in seconds.
export function step_of(table: Table): number {
  const told = (table.notes ?? []).map((note) => /^Steps of (\d+) s\.$/.exec(note)?.[1]).find(Boolean);
  return Number(told ?? 60);
}

export function charts_of(table: Table, by: string): Chart[] {
  const names = [...new Set(table.rows.map((row) => String(row[by] ?? "")))].sort();
  return kCharts.flatMap(({ key, title, unit }) => {
    const lines = new Map<string, Line>(names.map((name) => [name, { name, values: new Map() }]));
    for (const row of table.rows) {
      const time = parse_utc(String(row["time"]));
      if (time !== null && row[key] != null) lines.get(String(row[by] ?? ""))!.values.set(time, Number(row[key]));
    }
    const all = [...lines.values()];
    return all.some((l) => [...l.values.values()].some((v) => v > 0)) ? [{ key, title, unit, lines: all }] : [];
  });
}

// The change first that is worst and no chance: noise stands behind it, and says so.
export function by_regression(rows: readonly Row[]): Row[] {
  const rank = (row: Row): number => (row["beyond_noise"] === "no" ? 1 : 0);
  return [...rows].sort((a, b) => rank(a) - rank(b) || Number(b["change"]) - Number(a["change"]));
}
