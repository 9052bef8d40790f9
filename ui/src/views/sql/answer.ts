// SPDX-License-Identifier: Apache-2.0
// What the server answers to a query, as a table, and what a query is given of the selection.
import { grouped } from "../../look/units";
import { origin } from "../../state/clock";
import type { Span } from "../../state/address";
import type { Cell, Column, Row, Table, Wide } from "../../wire";

export interface SqlAnswer {
  columns: { name: string; type: string | null; unit: string | null }[];
  rows: Cell[][];
  rows_left_out: Wide | null;
  partial: boolean;
}

export interface Told {
  name: string;
  meaning: string;
  columns: { name: string; unit: string; meaning: string }[];
}

export interface SqlHelp {
  tables: Told[];
  functions: Told[];
  examples: { question: string; query: string }[];
}

const kTimes = ["ts", "t0", "t1", "first_ts", "last_ts"];
const kUnits: Record<string, string> = { ns: "nanoseconds", bytes: "bytes", count: "count" };

const kIds = /(^|_)(id|utid|upid)$/;

function unit_of(column: SqlAnswer["columns"][number]): string {
  if (kTimes.includes(column.name)) return "time";
  if (kIds.test(column.name)) return "id";
  return kUnits[column.unit ?? ""] ?? (column.type === "INTEGER" ? "count" : "none");
}

// Columns of a query may share a name, those of a table do not.
function keys_of(answer: SqlAnswer): string[] {
  const names = answer.columns.map((c) => c.name);
  return names.map((name, i) => (names.indexOf(name) === i ? name : `${name} ${i + 1}`));
}

export function table_of(answer: SqlAnswer): Table {
  const keys = keys_of(answer);
  const columns: Column[] = answer.columns.map((c, i) => ({ key: keys[i]!, title: c.name, unit: unit_of(c) }));
  const rows: Row[] = answer.rows.map((cells) => Object.fromEntries(cells.map((cell, i) => [keys[i]!, cell])));
  return { key: "sql", section: "sql", title: "Result", columns, rows, rows_left_out: 0 };
}

export const rows_said = (answer: SqlAnswer): string =>
  answer.rows_left_out === null ? `the first ${grouped(answer.rows.length)} rows` : `${grouped(answer.rows.length)} rows`;

// Where a row is in the trace, by the names that the tables give such columns.
export function place_of(row: Row): { at: number; threads: string } | null {
  const time = row["ts"];
  if (time == null) return null;
  const thread = row["utid"];
  return { at: Number(time) - origin(), threads: thread == null ? "" : String(thread) };
}

// :from and :to are the selected range, on the trace's own clock, which has more digits than a number here.
export function parameters_of(query: string, range: Span, first: string | undefined): { name: string; value: string }[] {
  const own = (offset: number): string => (BigInt(first ?? 0) + BigInt(Math.round(offset))).toString();
  return [
    { name: "from", value: own(range.from) },
    { name: "to", value: own(range.to) },
  ].filter((p) => new RegExp(`:${p.name}\\b`).test(query));
}
