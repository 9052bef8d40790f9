// SPDX-License-Identifier: Apache-2.0
// How wide columns are: figures by their unit and title, texts by what stands in them, as far as there is room.
import { shown } from "../../look/names";
import type { Column, Row } from "../../wire";
import { is_numeric } from "../figure";

const kFigures: Record<string, number> = { percent: 68, count: 80, nanoseconds: 84, bytes: 84, time: 112 };
const kFigure = 80;
const kWide = 128; // with a bar
const kSeries = 200;
const kLetter = 7.8; // of the small text, on average, of a wide font
const kEdge = 14;
const kInside = 22; // more for texts that are not the first column
const kLeastText = 64;
const kReadable = 112; // of a text for which there is no room
const kMostText = 560;
const kMostTitle = 120;
const kLeastRest = 160;
const kLookedAt = 200; // rows

const of_text = (text: string): number => text.length * kLetter + kEdge;

function text_width(column: Column, rows: readonly Row[]): number {
  if (column.key === "series") return kSeries;
  let most = of_text(column.title);
  for (const row of rows.slice(0, kLookedAt)) {
    const cell = row[column.key];
    if (cell !== null && cell !== undefined) most = Math.max(most, of_text(shown(String(cell))));
  }
  return Math.min(kMostText, Math.max(kLeastText, most));
}

// What there is for all of them, so that the narrow ones have what they want and the others an equal part.
function shared(wanted: readonly number[], least: readonly number[], room: number): number[] {
  const order = wanted.map((w, i) => ({ w, i })).sort((a, b) => a.w - b.w);
  const given = new Array<number>(wanted.length).fill(0);
  order.forEach(({ w, i }, at) => {
    given[i] = Math.max(least[i]!, Math.min(w, room / (order.length - at)));
    room -= given[i]!;
  });
  return given;
}

// What the column that has what is left needs.
export function least_rest(columns: readonly Column[], rows: readonly Row[], widths: readonly number[]): number {
  const column = columns[widths.indexOf(0)];
  return column ? Math.min(kLeastRest, text_width(column, rows)) : 0;
}

// Pixels; 0: what is left, of the first name, or where a table begins with a figure, of its last text.
export function widths_of(
  columns: readonly Column[],
  rows: readonly Row[],
  room: number,
  wide: (c: Column) => boolean,
): number[] {
  const figures = columns.map((c) => {
    if (!is_numeric(c)) return 0;
    const usual = wide(c) ? kWide : (kFigures[c.unit] ?? kFigure);
    return Math.max(usual, Math.min(kMostTitle, of_text(c.title)));
  });
  const texts = columns.filter((c) => !is_numeric(c));
  const left = room - figures.reduce((a, b) => a + b, 0);
  const wanted = texts.map((c) => text_width(c, rows) + (c === columns[0] ? 0 : kInside));
  const rest = columns[0] && is_numeric(columns[0]) ? texts.at(-1) : texts[0];
  const readable = texts.map((c, i) => {
    const title = Math.min(kMostTitle, of_text(c.title) + (c === columns[0] ? 0 : kInside));
    return Math.max(kLeastText, title, Math.min(wanted[i]!, kReadable));
  });
  const given = shared(wanted, readable, left);
  return columns.map((c, i) => (c === rest ? 0 : is_numeric(c) ? figures[i]! : Math.round(given[texts.indexOf(c)]!)));
}
