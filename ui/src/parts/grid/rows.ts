// SPDX-License-Identifier: Apache-2.0
// The order and the visible part of a table's rows: pure, so that tests need no browser.
import type { Cell, Column, Row, Table } from "../../wire";

export interface Line {
  row: Row;
  index: number; // in the table
  depth: number;
  parent: number; // index in the table, -1
  leaf: boolean;
}

const depth_of = (row: Row): number => Number(row["depth"] ?? 0);

export const is_tree = (table: Table): boolean => table.columns.some((c) => c.key === "depth");

// Depths may begin at 0 or 1; what matters are differences.
export function lines_of(table: Table): Line[] {
  const open: { depth: number; index: number }[] = [];
  const least = Math.min(...table.rows.map(depth_of), 1);
  return table.rows.map((row, index) => {
    const depth = depth_of(row);
    while (open.length > 0 && open[open.length - 1]!.depth >= depth) open.pop();
    const parent = open[open.length - 1]?.index ?? -1;
    open.push({ depth, index });
    const next = table.rows[index + 1];
    return { row, index, depth: depth - Math.min(least, depth), parent, leaf: !next || depth_of(next) <= depth };
  });
}

// The heaviest path, and what is next to its top: children stand by weight, so it is the first child each time.
export function first_open(lines: readonly Line[]): Set<number> {
  const open = new Set<number>();
  for (const line of lines) if (line.depth === 0 && open.size < 8) open.add(line.index);
  for (let at = 0; at < lines.length && open.size < 40; ++at) {
    open.add(lines[at]!.index);
    if (lines[at]!.leaf) break;
  }
  return open;
}

export function unfolded(lines: readonly Line[], open: ReadonlySet<number>): Line[] {
  const seen = new Set<number>();
  return lines.filter((line) => {
    const visible = line.parent < 0 || (seen.has(line.parent) && open.has(line.parent));
    if (visible) seen.add(line.index);
    return visible;
  });
}

function compare(a: Cell, b: Cell): number {
  if (a === b) return 0;
  if (a === null || a === undefined) return 1;
  if (b === null || b === undefined) return -1;
  const [x, y] = [Number(a), Number(b)];
  if (!Number.isNaN(x) && !Number.isNaN(y)) return x - y;
  return String(a) < String(b) ? -1 : 1;
}

// "-column": from the most; what is not told stands last either way.
export function sorted(lines: readonly Line[], order: string): Line[] {
  if (order === "") return [...lines];
  const down = order.startsWith("-");
  const key = order.replace("-", "");
  return [...lines].sort((a, b) => {
    const [x, y] = [a.row[key], b.row[key]];
    const side = x == null || y == null ? compare(x, y) : down ? compare(y, x) : compare(x, y);
    return side || a.index - b.index;
  });
}

const kFigures = ["nanoseconds", "bytes", "count", "percent"];

// Reports have names behind their figures, pages in front; depth is the indent. What begins with a name or a time
// stays as it is.
export function displayed(columns: readonly Column[]): Column[] {
  const rest = columns.filter((c) => c.key !== "depth");
  if (rest.length === 0 || !kFigures.includes(rest[0]!.unit)) return rest;
  const name = rest.findLast((c) => !kFigures.includes(c.unit) && c.unit !== "time" && c.key !== "series");
  return name ? [name, ...rest.filter((c) => c !== name)] : rest;
}

// The column that the rows stand by, if they do: the first figure that never grows downwards.
export function own_order(table: Table): string {
  if (is_tree(table)) return "";
  const figures = table.columns.filter((c) => ["nanoseconds", "bytes", "count"].includes(c.unit));
  const falls = (c: Column): boolean =>
    table.rows.every((row, i) => i === 0 || Number(row[c.key] ?? 0) <= Number(table.rows[i - 1]![c.key] ?? 0));
  const differs = (c: Column): boolean => table.rows[0]![c.key] !== table.rows.at(-1)![c.key];
  const column = table.rows.length > 1 ? figures.find((c) => differs(c) && falls(c)) : figures[0];
  return column ? `-${column.key}` : "";
}

export function as_text(table: Table, lines: readonly Line[], how: "tsv" | "json"): string {
  if (how === "json")
    return JSON.stringify(
      lines.map((l) => l.row),
      null,
      1,
    );
  const clean = (cell: Cell): string => String(cell ?? "").replace(/[\t\r\n]/g, " ");
  const head = table.columns.map((c) => c.key).join("\t");
  return [head, ...lines.map((l) => table.columns.map((c) => clean(l.row[c.key])).join("\t"))].join("\n");
}
