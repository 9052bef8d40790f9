// SPDX-License-Identifier: Apache-2.0
// Waiter by holder: how long, how often. The heaviest of each, the rest of them in the table below.
import { duration, grouped } from "../../look/units";
import { shown } from "../../look/names";
import { Num } from "../../parts/figure";
import type { Table } from "../../wire";

const kMost = 8;

interface Cell {
  waits: number;
  wait: number;
}

export interface Crossed {
  waiters: string[];
  holders: string[];
  cells: Map<string, Cell>;
  most: number;
  left_out: number;
}

export const cell_key = (waiter: string, holder: string): string => `${waiter}\n${holder}`;

export function crossed(table: Table, most = kMost): Crossed {
  const cells = new Map<string, Cell>();
  const by = { waiter: new Map<string, number>(), holder: new Map<string, number>() };
  for (const row of table.rows) {
    const [waiter, holder] = [String(row["waiter"]), String(row["holder"])];
    const cell = cells.get(cell_key(waiter, holder)) ?? { waits: 0, wait: 0 };
    cell.waits += Number(row["waits"]);
    cell.wait += Number(row["wait"]);
    cells.set(cell_key(waiter, holder), cell);
    by.waiter.set(waiter, (by.waiter.get(waiter) ?? 0) + Number(row["wait"]));
    by.holder.set(holder, (by.holder.get(holder) ?? 0) + Number(row["wait"]));
  }
  const top = (sums: Map<string, number>): string[] =>
    [...sums]
      .sort((a, b) => b[1] - a[1])
      .slice(0, most)
      .map(([name]) => name)
      .sort();
  const heaviest = Math.max(1, ...[...cells.values()].map((c) => c.wait));
  return {
    waiters: top(by.waiter),
    holders: top(by.holder),
    cells,
    most: heaviest,
    left_out: Math.max(0, by.waiter.size - most),
  };
}

export function Matrix({ table }: { table: Table }) {
  const m = crossed(table);
  const sum = (waiter: string): number =>
    [...m.cells].filter(([key]) => key.startsWith(`${waiter}\n`)).reduce((a, [, c]) => a + c.wait, 0);
  return (
    <section>
      <div class="sect">
        Who waited for whom <span class="small faint">{m.left_out > 0 ? `the ${kMost} that waited most` : ""}</span>
      </div>
      <div class="matrix-scroll">
        <table class="matrix">
          <thead>
            <tr>
              <th>waited ╲ held by</th>
              {m.holders.map((h) => (
                <th key={h} class="num" title={shown(h)}>
                  {shown(h)}
                </th>
              ))}
              <th class="num">
                <b>in all</b>
              </th>
            </tr>
          </thead>
          <tbody>
            {m.waiters.map((w) => (
              <tr key={w}>
                <td class="cut" title={shown(w)}>
                  {shown(w)}
                </td>
                {m.holders.map((h) => {
                  const c = m.cells.get(cell_key(w, h));
                  const style = c
                    ? ({ "--part": `${Math.round(12 + (c.wait / m.most) * 48)}%` } as preact.CSSProperties)
                    : {};
                  return (
                    <td key={h} class="num">
                      {c ? (
                        <span class="heat" style={style}>
                          <Num of={duration(c.wait)} />
                          <small>
                            {grouped(c.waits)} {c.waits === 1 ? "wait" : "waits"}
                          </small>
                        </span>
                      ) : (
                        <span class="zero">–</span>
                      )}
                    </td>
                  );
                })}
                <td class="num">
                  <b>
                    <Num of={duration(sum(w))} />
                  </b>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}
