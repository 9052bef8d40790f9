// SPDX-License-Identifier: Apache-2.0
// What looks like a fault, the trace in six figures, what went on over time, and the heaviest methods.
import { Content } from "../../parts/content";
import { Grid } from "../../parts/grid/grid";
import { CopyButton } from "../../parts/section";
import { fact_parts } from "../../look/said";
import { grouped } from "../../look/units";
import { shown } from "../../look/names";
import { Head } from "../../shell/head";
import { useAnswer } from "../../state/ask";
import { kComputed, methods_of } from "../../state/methods";
import { go, trace } from "../../state/page";
import { asked_of_tables as asked } from "../../state/pin";
import type { Row, Tables } from "../../wire";
import { Strips } from "./strips";
import { SuspectCard } from "./suspect_card";

const kFacts = 6;
const kLeastCards = 4; // that a row has room for
const kMostCards = 5;

function Fact({ row }: { row: Row }) {
  const parts = fact_parts(String(row["text"] ?? ""));
  return (
    <div class="fact">
      <dt>{shown(String(row["topic"] ?? ""))}</dt>
      {parts.figure && (
        <dd>
          {parts.figure} <small>{parts.unit}</small>
        </dd>
      )}
      <dd class={parts.figure ? "rest two" : "rest two alone"} title={String(row["text"] ?? "")}>
        {shown(parts.rest)}
      </dd>
    </div>
  );
}

function Suspects({ rows }: { rows: Row[] }) {
  return (
    <section>
      <div class="sect">
        Suspects{" "}
        <span class="small faint">
          {rows.length > 0 ? "what looks like a fault, worst first" : "nothing looks like a fault"}
        </span>
      </div>
      <ul
        class="suspects"
        aria-label="Suspects"
        style={{ "--cards": Math.min(kMostCards, Math.max(kLeastCards, rows.length)) } as preact.CSSProperties}
      >
        {rows.map((row) => (
          <SuspectCard key={`${row["fault"]}${row["what"]}`} row={row} />
        ))}
      </ul>
    </section>
  );
}

function Methods() {
  const answer = useAnswer<Tables>("/tables", {
    selection: asked.value,
    sections: ["calls"],
    limit: 10_000,
    durations: false,
  });
  const told = methods_of(answer.value);
  if (!told || told.rows.length === 0) return null;
  const table = { ...told, columns: told.columns.filter((c) => !kComputed.includes(c.key)) };
  const keep = ["method", "calls", "self"];
  const short = {
    ...table,
    columns: table.columns.filter((c) => keep.includes(c.key)),
    rows: table.rows.slice(0, 10),
    rows_left_out: 0,
  };
  return (
    <section>
      <div class="sect">
        Methods <span class="small faint">by self time</span>
        <span class="grow" />
        <a
          class="small go"
          href="#"
          onClick={(e) => {
            e.preventDefault();
            go({ view: "calls" });
          }}
        >
          All {grouped(table.rows.length + table.rows_left_out)} methods
        </a>
        <CopyButton table={table} />
      </div>
      <Grid
        table={short}
        rows={10}
        order="-self"
        open={(row) => go({ view: "calls", chosen: `method:${String(row["method"])}` })}
      />
    </section>
  );
}

function Body({ tables }: { tables: Tables }) {
  const rows = (key: string): Row[] => tables.tables.find((t) => t.key === key)?.rows ?? [];
  return (
    <div class="scroll">
      <Suspects rows={rows("suspects")} />
      <dl class="facts" aria-label="Summary">
        {rows("summary")
          .slice(0, kFacts)
          .map((r, i) => (
            <Fact key={i} row={r} />
          ))}
      </dl>
      <div class="over-cols">
        <Strips />
        <Methods />
      </div>
      {rows("summary").length > kFacts && (
        <section>
          <div class="sect">More</div>
          <ul class="lines">
            {rows("summary")
              .slice(kFacts)
              .map((r, i) => (
                <li key={i}>
                  <span class="faint">{shown(String(r["topic"]))}</span>
                  {shown(String(r["text"]))}
                </li>
              ))}
          </ul>
        </section>
      )}
    </div>
  );
}

export function Overview() {
  const answer = useAnswer<Tables>("/tables", {
    selection: asked.value,
    sections: ["suspects", "summary"],
    limit: 1000,
  });
  const t = trace.value;
  const said = t?.format ? `${t.format.title}, version ${t.format.version}` : "";
  return (
    <>
      <Head title="Overview" said={said} />
      <div class="body">
        <Content answer={answer} what="Looking for suspects">
          {(value) => <Body tables={value} />}
        </Content>
      </div>
    </>
  );
}
