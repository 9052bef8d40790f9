// SPDX-License-Identifier: Apache-2.0
// A table with its head: title, how many rows, a button that copies it, and the report's notes below.
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { grouped } from "../look/units";
import { shown } from "../look/names";
import type { Table } from "../wire";
import { copy_table } from "./grid/copy";
import { Grid, type GridProps } from "./grid/grid";

export function CopyButton({ table }: { table: Table }) {
  return (
    <button
      type="button"
      class="btn quiet small"
      title="Rows as TSV; with Shift as JSON"
      onClick={(e) => copy_table(table, e.shiftKey)}
      aria-label={`Copy ${table.title}`}
    >
      Copy
    </button>
  );
}

export function Notes({ table }: { table: Table }) {
  const notes = [...(table.notes ?? [])];
  if (table.rows_left_out > 0) notes.push(`${grouped(table.rows_left_out)} more rows are left out.`);
  return (
    <>
      {notes.map((note) => (
        <p key={note} class="note">
          {shown(note)}
        </p>
      ))}
    </>
  );
}

export function Section({
  table,
  said,
  children,
  ...grid
}: GridProps & { said?: string; children?: ComponentChildren }) {
  const [order, set_order] = useState("");
  return (
    <section class="tabled">
      <div class="sect">
        {grid.title ?? table.title}
        <span class="small faint">{said ?? `${grouped(table.rows.length + table.rows_left_out)}`}</span>
        <span class="grow" />
        {children}
        <CopyButton table={table} />
      </div>
      <Grid table={table} rows={12} order={order} reorder={set_order} {...grid} />
      <Notes table={table} />
    </section>
  );
}
