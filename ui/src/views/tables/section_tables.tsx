// SPDX-License-Identifier: Apache-2.0
// The tables of some sections, below each other or in two columns; what a row names can be followed.
import type { ComponentChildren } from "preact";
import { Content, Empty } from "../../parts/content";
import { open_menu } from "../../parts/menu";
import { Section } from "../../parts/section";
import { useAnswer, type Answer } from "../../state/ask";
import { offset_of } from "../../state/clock";
import { method_named } from "../../state/method_names";
import { go, place, threads } from "../../state/page";
import { asked_of_tables as asked } from "../../state/pin";
import { reveal } from "../../state/chosen";
import { frame_menu } from "../flame/frame_menu";
import type { Row, Table, Tables } from "../../wire";

const kMost = 2000;

export const useTables = (sections: string[], limit = kMost): Answer<Tables> =>
  useAnswer<Tables>("/tables", { selection: asked.value, sections, limit });

export const find_table = (answer: Tables | null, key: string): Table | undefined =>
  answer?.tables.find((t) => t.key === key && t.rows.length > 0);

const kMethodColumns = ["method", "site", "mostly_at", "caller", "callee"];

// A row with a time leads there; one with a thread selects it.
export function follow_row(row: Row, table: Table): void {
  const time = table.columns.find((c) => c.unit === "time" && typeof row[c.key] === "number");
  const thread = threads.peek().find((t) => t.name === row["thread"] || t.id === row["id"]);
  if (time) {
    const at = offset_of(Number(row[time.key]));
    const end =
      typeof row["last"] === "number"
        ? offset_of(Number(row["last"]))
        : at + Number(row["duration"] ?? row["pause"] ?? 1);
    go({ at, view: "timeline", mode: [] });
    reveal(at, Math.max(end, at + 1));
  } else if (thread) go({ threads: String(thread.index) });
}

function row_menu(row: Row, table: Table, x: number, y: number): void {
  const column = table.columns.find((c) => kMethodColumns.includes(c.key) && row[c.key]);
  if (!column) return;
  const name = String(row[column.key]);
  void method_named(name).then((id) => id !== null && open_menu("Row", x, y, frame_menu(id, name)));
}

export function Tabled({
  table,
  rows = 12,
  said,
  children,
  choose,
  chosen,
}: {
  table: Table | undefined;
  rows?: number;
  said?: string;
  children?: ComponentChildren;
  choose?: (row: Row) => void;
  chosen?: (row: Row) => boolean;
}) {
  if (!table) return null;
  return (
    <Section
      table={table}
      rows={rows}
      {...(said ? { said } : {})}
      {...(choose ? { choose } : {})}
      {...(chosen ? { chosen } : {})}
      open={(row) => follow_row(row, table)}
      menu={(row, x, y) => row_menu(row, table, x, y)}
    >
      {children}
    </Section>
  );
}

export interface Shape {
  whole: string[]; // keys of tables over the whole width, in order
  halves: string[]; // and in two columns
}

export function why_empty(answer: Tables): string {
  return answer.empty_sections?.[0]?.text ?? "";
}

export function TablesBody({
  answer,
  shape,
  option,
  before,
}: {
  answer: Answer<Tables>;
  shape: Shape;
  option: string;
  before?: ComponentChildren;
}) {
  void place.value;
  return (
    <Content answer={answer}>
      {(value) => {
        const filled = value.tables.filter((t) => t.rows.length > 0);
        if (filled.length === 0)
          return <Empty title="Nothing in this selection" why={why_empty(value)} option={option} />;
        const rest = filled.filter((t) => !shape.whole.includes(t.key) && !shape.halves.includes(t.key));
        const of = (keys: string[]): Table[] =>
          keys.map((key) => filled.find((t) => t.key === key)).filter((t) => t !== undefined);
        return (
          <div class="scroll">
            {before}
            {of(shape.whole).map((t) => (
              <Tabled key={t.key} table={t} rows={14} />
            ))}
            <div class="cols">
              {[...of(shape.halves), ...rest].map((t) => (
                <Tabled key={t.key} table={t} rows={10} />
              ))}
            </div>
          </div>
        );
      }}
    </Content>
  );
}
