// SPDX-License-Identifier: Apache-2.0
// The state of everything at the cursor: each thread's status and stack, locks, heap, collector, counters.
import { useState } from "preact/hooks";
import { Content, Empty } from "../../parts/content";
import { Grid } from "../../parts/grid/grid";
import { CopyButton } from "../../parts/section";
import { shown } from "../../look/names";
import { Head } from "../../shell/head";
import { useAnswer } from "../../state/ask";
import { cursor_text, offset_of } from "../../state/clock";
import { go, place, visible } from "../../state/page";
import { number, type Cell, type Row, type Table, type Wide } from "../../wire";

interface State {
  path: string | null;
  key: number;
  type: string;
  value: Cell;
  start: Wide;
  end: Wide;
}

interface Answer {
  time: Wide;
  states: State[];
  cycles?: (string | number)[][];
}

function state_table(answer: Answer, filter: string): Table {
  const words = filter.toLowerCase().split(/\s+/).filter(Boolean);
  const rows = answer.states.filter((s) =>
    words.every((w) => `${s.path ?? ""} ${s.value ?? ""}`.toLowerCase().includes(w)),
  );
  return {
    key: "state",
    section: "states",
    title: "State at cursor",
    rows_left_out: 0,
    columns: [
      { key: "path", title: "Path", unit: "none" },
      { key: "value", title: "Value", unit: "none" },
      { key: "start", title: "Since", unit: "time" },
      { key: "end", title: "Until", unit: "time" },
    ],
    rows: rows.map((s): Row => ({
      path: s.path ?? "",
      value: s.value ?? null,
      start: number(s.start),
      end: number(s.end),
    })),
  };
}

// The next or previous change of anything that is shown.
function change(table: Table, by: 1 | -1, at: number): number | null {
  const times = table.rows
    .flatMap((r) => [Number(r["start"]), Number(r["end"]) + 1])
    .map(offset_of)
    .filter((t) => (by > 0 ? t > at : t < at));
  return times.length === 0 ? null : by > 0 ? Math.min(...times) : Math.max(...times);
}

export function States() {
  const [filter, set_filter] = useState("");
  const p = place.value;
  const at = p.at ?? Math.round((visible.value.from + visible.value.to) / 2);
  const answer = useAnswer<Answer>(`/state?at=${at}`);
  const step = (table: Table, by: 1 | -1): void => {
    const next = change(table, by, at);
    if (next !== null) go({ at: next });
  };
  return (
    <>
      <Head title="States" free said={`cursor at ${cursor_text(at)}`}>
        <input
          type="text"
          class="field wide-field"
          aria-label="Filter states"
          placeholder="Filter paths and values"
          value={filter}
          onInput={(e) => set_filter(e.currentTarget.value)}
        />
      </Head>
      <div class="body">
        <Content answer={answer}>
          {(value) => {
            const table = state_table(value, filter);
            if (value.states.length === 0) return <Empty title="No state is known here" />;
            return (
              <div class="paned">
                {(value.cycles?.length ?? 0) > 0 && (
                  <div class="bann stop">
                    Deadlock: {value.cycles!.map((c) => c.map((t) => shown(String(t))).join(" waits for ")).join("; ")}
                  </div>
                )}
                <div class="sect pad-x tight">
                  <span class="small faint">
                    {table.rows.length} of {value.states.length} attributes
                  </span>
                  <span class="grow" />
                  <button type="button" class="btn small" onClick={() => step(table, -1)}>
                    ‹ Change
                  </button>
                  <button type="button" class="btn small" onClick={() => step(table, 1)}>
                    Change ›
                  </button>
                  <CopyButton table={table} />
                </div>
                <Grid table={table} order={p.sort} reorder={(sort) => go({ sort }, true)} />
              </div>
            );
          }}
        </Content>
      </div>
    </>
  );
}
