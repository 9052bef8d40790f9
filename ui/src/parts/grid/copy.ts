// SPDX-License-Identifier: Apache-2.0
import { say } from "../../state/page";
import type { Table } from "../../wire";
import { as_text, type Line, lines_of } from "./rows";

export function copy_text(text: string, what: string): void {
  navigator.clipboard?.writeText(text).then(
    () => say(`Copied ${what}`),
    () => say("The browser refused to copy"),
  );
}

export function copy_lines(table: Table, lines: readonly Line[], as_json: boolean): void {
  copy_text(as_text(table, lines, as_json ? "json" : "tsv"), `${lines.length} rows of ${table.title}`);
}

export const copy_table = (table: Table, as_json: boolean): void => copy_lines(table, lines_of(table), as_json);
