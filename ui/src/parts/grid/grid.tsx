// SPDX-License-Identifier: Apache-2.0
// A table of the server: virtual rows, sorted by a click, a tree where it has depths, the chosen row by arrows.
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { Column, Row, Table } from "../../wire";
import { is_numeric } from "../figure";
import { copy_lines } from "./copy";
import { GridRow } from "./row";
import { least_rest, widths_of } from "./widths";
import { displayed, first_open, is_tree, type Line, lines_of, own_order, sorted, unfolded } from "./rows";

export const kRowHeight = 24;
const kHead = 28;
const kAhead = 10;

export interface GridProps {
  table: Table;
  title?: string;
  order?: string; // as in the address; "" the table's own
  reorder?: (order: string) => void;
  chosen?: (row: Row) => boolean;
  choose?: (row: Row) => void;
  open?: (row: Row) => void; // double click, Enter
  menu?: (row: Row, x: number, y: number) => void;
  rows?: number; // no more high than that; 0: fills what is there
  bars?: Record<string, string>; // colours of bars by column
  hide?: string[];
  computing?: string[]; // columns whose figures are still to come
  flat?: boolean; // rows and columns as they come: no tree, no order of its own
}

function next_order(order: string, column: Column): string {
  if (order === `-${column.key}`) return column.key;
  if (order === column.key || !is_numeric(column)) return order === column.key ? `-${column.key}` : column.key;
  return `-${column.key}`;
}

export function Grid(props: GridProps) {
  const { table, title = table.title, order = "", rows = 0 } = props;
  const tree = !props.flat && is_tree(table);
  const scroll = useRef<HTMLDivElement>(null);
  const [view, set_view] = useState({ top: 0, height: 600, width: 0 });
  const all = useMemo(() => lines_of(table), [table]);
  const [open, set_open] = useState(() => first_open(all));
  const [focus, set_focus] = useState(0);
  const shown_order = order && table.columns.some((c) => c.key === order.replace("-", ""))
    ? order
    : props.flat
      ? ""
      : own_order(table);
  useEffect(() => {
    set_open(first_open(all));
    set_focus(0);
  }, [all]);
  const lines = useMemo(
    () => (tree ? unfolded(all, open) : sorted(all, order === "" ? "" : shown_order)),
    [all, open, shown_order, tree],
  );
  const columns = useMemo(() => (props.flat ? table.columns : displayed(table.columns)).filter((c) => !props.hide?.includes(c.key)), [table]);
  const most = useMemo(
    () =>
      Object.fromEntries(
        columns
          .filter(is_numeric)
          .map((c) => [c.key, table.rows.reduce((m, r) => Math.max(m, Math.abs(Number(r[c.key] ?? 0))), 0)]),
      ),
    [table],
  );
  useEffect(() => {
    const box = scroll.current;
    if (!box) return;
    const measure = (): void => set_view({ top: box.scrollTop, height: box.clientHeight, width: box.clientWidth });
    const watch = new ResizeObserver(measure);
    watch.observe(box);
    return () => watch.disconnect();
  }, []);

  const first = Math.max(0, Math.floor(view.top / kRowHeight) - kAhead);
  const last = Math.min(lines.length, Math.ceil((view.top + view.height) / kRowHeight) + kAhead);
  const turn = (line: Line): void => {
    const next = new Set(open);
    if (!next.delete(line.index)) next.add(line.index);
    set_open(next);
  };
  const move = (to: number): void => {
    const at = Math.max(0, Math.min(lines.length - 1, to));
    set_focus(at);
    const line = lines[at];
    if (line) props.choose?.(line.row);
    const box = scroll.current!;
    const y = at * kRowHeight;
    if (y < box.scrollTop) box.scrollTop = y;
    else if (y + kRowHeight + kHead > box.scrollTop + box.clientHeight)
      box.scrollTop = y + kRowHeight + kHead - box.clientHeight;
  };
  const key = (event: KeyboardEvent): void => {
    const line = lines[focus];
    const page = Math.floor(view.height / kRowHeight) - 2;
    const by = { ArrowUp: -1, ArrowDown: 1, PageUp: -page, PageDown: page, Home: -1e9, End: 1e9 }[event.key];
    if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "c") copy_lines(table, lines, event.shiftKey);
    else if (event.ctrlKey || event.altKey || event.metaKey) return;
    else if (by) move(focus + by);
    else if (event.key === "Enter" && line && props.open) props.open(line.row);
    else if (event.key === "F10" && event.shiftKey && line) menu_at(line, event);
    else if (event.key === "ArrowRight" && tree && line && !open.has(line.index)) turn(line);
    else if (event.key === "ArrowLeft" && tree && line && open.has(line.index) && !line.leaf) turn(line);
    else if (event.key === "ArrowLeft" && tree && line && line.parent >= 0)
      move(lines.findIndex((l) => l.index === line.parent));
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const menu_at = (line: Line, event: Event): void => {
    const box = (event.currentTarget as HTMLElement).getBoundingClientRect();
    props.menu?.(line.row, box.left + 40, box.top + kHead);
  };
  const wide = (c: Column): boolean =>
    shown_order.replace("-", "") === c.key && ["nanoseconds", "bytes", "count"].includes(c.unit);
  const widths = useMemo(
    () => widths_of(columns, table.rows, view.width, wide),
    [columns, table, view.width, shown_order],
  );
  const least = widths.reduce((sum, w) => sum + w, least_rest(columns, table.rows, widths));
  const height = rows > 0 ? Math.min(rows, lines.length) * kRowHeight + kHead + 1 : undefined;

  return (
    <div
      class={rows > 0 ? "gridbox inline" : "gridbox"}
      ref={scroll}
      style={height ? { height: `${height}px` } : {}}
      onScroll={(e) => {
        const { scrollTop: top, clientHeight: height, clientWidth: width } = e.currentTarget;
        set_view({ top, height, width });
      }}
    >
      <table
        role={tree ? "treegrid" : "grid"}
        aria-label={title}
        aria-rowcount={lines.length + table.rows_left_out}
        data-table={table.key}
        tabIndex={0}
        onKeyDown={key}
        style={{ minWidth: `${least}px` }}
      >
        <colgroup>
          {widths.map((w, i) => (
            <col key={columns[i]!.key} style={{ width: w > 0 ? `${w}px` : "" }} />
          ))}
        </colgroup>
        <thead>
          <tr>
            {columns.map((c) => {
              const by = shown_order.replace("-", "") === c.key;
              const sort = by ? (shown_order.startsWith("-") ? "descending" : "ascending") : undefined;
              return (
                <th
                  key={c.key}
                  role="columnheader"
                  class={is_numeric(c) ? "num" : ""}
                  data-column={c.key}
                  aria-sort={sort}
                  title={c.title}
                  onClick={() => !tree && props.reorder?.(next_order(shown_order, c))}
                >
                  {c.title || "Name"}
                  {by ? (sort === "descending" ? " ▾" : " ▴") : ""}
                </th>
              );
            })}
          </tr>
        </thead>
        <tbody>
          {first > 0 && <tr aria-hidden="true" class="gap" style={{ height: `${first * kRowHeight}px` }} />}
          {lines.slice(first, last).map((line, i) => (
            <GridRow
              key={line.index}
              line={line}
              at={first + i}
              columns={columns}
              tree={tree}
              wide={wide}
              most={most}
              bars={props.bars ?? {}}
              computing={props.computing ?? []}
              open={open.has(line.index)}
              focused={focus === first + i}
              chosen={props.chosen?.(line.row) ?? false}
              turn={() => turn(line)}
              choose={() => {
                set_focus(first + i);
                props.choose?.(line.row);
              }}
              enter={() => props.open?.(line.row)}
              menu={(x, y) => props.menu?.(line.row, x, y)}
            />
          ))}
          {last < lines.length && (
            <tr aria-hidden="true" class="gap" style={{ height: `${(lines.length - last) * kRowHeight}px` }} />
          )}
        </tbody>
      </table>
    </div>
  );
}
