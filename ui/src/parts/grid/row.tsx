// SPDX-License-Identifier: Apache-2.0
// One row of a grid. Bars hang from the right edge, behind the number.
import { shown } from "../../look/names";
import type { Cell, Column } from "../../wire";
import { CellText, exact, is_numeric } from "../figure";
import { Spark } from "../spark";
import type { Line } from "./rows";

interface RowProps {
  line: Line;
  at: number;
  columns: Column[];
  tree: boolean;
  wide: (c: Column) => boolean;
  most: Record<string, number>;
  bars: Record<string, string>;
  computing: string[];
  open: boolean;
  focused: boolean;
  chosen: boolean;
  turn: () => void;
  choose: () => void;
  enter: () => void;
  menu: (x: number, y: number) => void;
}

const kIndent = 16;
const kNoBar = 0.006; // parts of the most that are too short to see

function Bar({ value, column, most, colour }: { value: number; column: Column; most: number; colour: string }) {
  const part = most > 0 ? Math.abs(value) / most : 0;
  const style = { "--w": `${(part * 100).toFixed(1)}%`, "--bc": `var(--${colour})` } as preact.CSSProperties;
  return (
    <span class={part < kNoBar ? "bar tiny" : "bar"} style={style}>
      <span>
        <CellText value={value} column={column} />
      </span>
    </span>
  );
}

function Twist({ line, open, turn }: { line: Line; open: boolean; turn: () => void }) {
  return (
    <span
      class="twist"
      style={{ paddingLeft: `${Math.min(line.depth, 40) * kIndent}px` }}
      onClick={(e) => {
        if (!line.leaf) {
          e.stopPropagation();
          turn();
        }
      }}
      aria-hidden="true"
    >
      <i>{line.leaf ? "" : open ? "▾" : "▸"}</i>
    </span>
  );
}

export function GridRow(p: RowProps) {
  const { line } = p;
  const level = p.tree ? { "aria-level": line.depth + 1, ...(line.leaf ? {} : { "aria-expanded": p.open }) } : {};
  return (
    <tr
      role="row"
      aria-rowindex={p.at + 1}
      {...level}
      aria-selected={p.chosen}
      class={p.chosen ? "sel" : p.focused ? "at" : ""}
      onClick={p.choose}
      onDblClick={p.enter}
      onContextMenu={(e) => {
        e.preventDefault();
        p.choose();
        p.menu(e.clientX, e.clientY);
      }}
    >
      {p.columns.map((c, i) => {
        const value: Cell = line.row[c.key];
        const told = value === null || value === undefined ? "null" : String(value);
        const bar =
          is_numeric(c) && c.unit !== "percent" && c.unit !== "time" && (p.wide(c) || p.bars[c.key]) && value != null;
        return (
          <td
            key={c.key}
            role="gridcell"
            data-value={told}
            class={is_numeric(c) ? "num" : "cut"}
            title={exact(value, c)}
            data-column={c.key}
          >
            {i === 0 && p.tree ? (
              <span class="tree-cell">
                <Twist line={line} open={p.open} turn={p.turn} />
                <CellText value={value} column={c} />
              </span>
            ) : c.key === "series" && typeof value === "string" ? (
              <Spark text={value} />
            ) : bar ? (
              <Bar value={Number(value)} column={c} most={p.most[c.key] ?? 0} colour={p.bars[c.key] ?? "less"} />
            ) : value == null && p.computing.includes(c.key) ? (
              <span class="small faint">computing</span>
            ) : c.unit === "address" && value != null ? (
              shown(String(value))
            ) : (
              <CellText value={value} column={c} />
            )}
          </td>
        );
      })}
    </tr>
  );
}
