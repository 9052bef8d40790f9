// SPDX-License-Identifier: Apache-2.0
// A query and its rows; beside them what can be asked: tables, functions, questions that others had.
import { useEffect, useMemo, useState } from "preact/hooks";
import { Content, Said } from "../../parts/content";
import { Grid } from "../../parts/grid/grid";
import { CopyButton } from "../../parts/section";
import { shown } from "../../look/names";
import { Head } from "../../shell/head";
import { useAnswer } from "../../state/ask";
import { go, place, range, trace } from "../../state/page";
import type { Row, Table } from "../../wire";
import { parameters_of, place_of, rows_said, type SqlAnswer, type SqlHelp, table_of, type Told } from "./answer";

const kMostRows = 1000;
const kFirst = "SELECT name, calls, self_ns, total_ns\nFROM method_total\nORDER BY self_ns DESC\nLIMIT 20";

function Names({ title, all, add }: { title: string; all: Told[]; add: (text: string) => void }) {
  return (
    <section class="sql-names" aria-label={title}>
      <h3>{title}</h3>
      {all.map((one) => (
        <details key={one.name}>
          <summary title={one.meaning}>
            <code>{one.name}</code>
          </summary>
          <p class="note">{one.meaning}</p>
          <ul>
            {one.columns.map((c) => (
              <li key={c.name} title={c.meaning}>
                <button type="button" class="btn quiet small" onClick={() => add(c.name)}>
                  {c.name}
                </button>{" "}
                <span class="faint">{c.unit}</span>
              </li>
            ))}
          </ul>
        </details>
      ))}
    </section>
  );
}

function Result({ table }: { table: Table }) {
  const [order, set_order] = useState("");
  const visit = (row: Row, view: string): void => {
    const there = place_of(row);
    if (there) go({ at: there.at, view, ...(view === "sql" ? {} : { threads: there.threads, mode: [] }) }, view === "sql");
  };
  if (table.rows.length === 0) return <Said title="No rows" />;
  return (
    <div class="paned">
      <Grid
        table={table}
        flat
        order={order}
        reorder={set_order}
        choose={(row) => visit(row, "sql")}
        open={(row) => visit(row, "timeline")}
      />
    </div>
  );
}

export function Sql() {
  const asked = place.value.statement;
  const [text, set_text] = useState(asked || kFirst);
  useEffect(() => {
    if (asked) set_text(asked);
  }, [asked]);
  const help = useAnswer<SqlHelp>("/sql");
  const parameters = parameters_of(asked, range.value, trace.value?.first_offset);
  const answer = useAnswer<SqlAnswer>(asked ? "/sql" : "", { query: asked, limit: kMostRows, parameters });
  // The same table as long as the answer is the same: a grid keeps its place in it.
  const table = useMemo(() => answer.value && table_of(answer.value), [answer.value]);
  const run = (query: string): void => {
    set_text(query);
    if (query === asked) answer.again();
    else go({ statement: query });
  };
  return (
    <>
      <Head title="SQL" free said={answer.value && !answer.loading ? rows_said(answer.value) : ""}>
        {table && <CopyButton table={table} />}
      </Head>
      <div class="body sql">
        <div class="sql-main">
          <form
            class="sql-query"
            onSubmit={(e) => {
              e.preventDefault();
              run(text);
            }}
          >
            <textarea
              class="field"
              aria-label="Query"
              spellcheck={false}
              rows={6}
              value={text}
              onInput={(e) => set_text(e.currentTarget.value)}
              onKeyDown={(e) => {
                if (e.key !== "Enter" || !(e.ctrlKey || e.metaKey)) return;
                e.preventDefault();
                run(text);
              }}
            />
            <div class="acts">
              <button type="submit" class="btn primary">
                Run <span class="key" data-key="Ctrl Enter" aria-hidden="true" />
              </button>
              <select
                class="field wide-field"
                aria-label="Questions"
                value=""
                onChange={(e) => run(help.value!.examples[Number(e.currentTarget.value)]!.query)}
              >
                <option value="">Questions to begin with</option>
                {help.value?.examples.map((one, i) => (
                  <option key={one.question} value={i}>
                    {shown(one.question)}
                  </option>
                ))}
              </select>
              <span class="small faint">:from and :to are the selected range</span>
            </div>
          </form>
          {asked ? (
            <Content answer={answer} what="Asking">
              {() => table && <Result table={table} />}
            </Content>
          ) : (
            <Said title="Ask the trace anything">
              <p>Queries read, and end after ten seconds. polytrace sql FILE does the same in a terminal.</p>
            </Said>
          )}
        </div>
        <Content answer={help}>
          {(value) => (
            <aside class="sql-side" aria-label="Schema">
              <Names title="Tables" all={value.tables} add={(name) => set_text(`${text} ${name}`)} />
              <Names title="Functions" all={value.functions} add={(name) => set_text(`${text} ${name}`)} />
            </aside>
          )}
        </Content>
      </div>
    </>
  );
}
