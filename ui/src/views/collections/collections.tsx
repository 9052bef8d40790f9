// SPDX-License-Identifier: Apache-2.0
// Collections in order of time, how long they paused, how much the program could work; and why the chosen one came.
import { Content, Empty } from "../../parts/content";
import { Facts } from "../../parts/facts";
import { Grid } from "../../parts/grid/grid";
import { Head } from "../../shell/head";
import { useAnswer } from "../../state/ask";
import { offset_of, moment_shown } from "../../state/clock";
import { go, place, whole } from "../../state/page";
import type { Row, Table, Tables } from "../../wire";
import { find_table, Tabled, useTables, why_empty } from "../tables/section_tables";
import { Bars } from "../../parts/bars";
import { duration_text } from "../../look/units";

const chosen_start = (): number | null => {
  const parts = /^gc:(-?\d+)$/.exec(place.value.chosen);
  return parts ? Number(parts[1]) : null;
};

// What was allocated between the collection before and this one.
function Why({ table, row }: { table: Table; row: Row }) {
  const start = offset_of(Number(row["start"]));
  const before = table.rows
    .map((r) => offset_of(Number(r["start"])) + Number(r["duration"] ?? 0))
    .filter((end) => end <= start)
    .reduce((a, b) => Math.max(a, b), whole.value.from);
  const answer = useAnswer<Tables>("/tables", {
    selection: { from: before, to: Math.max(start, before + 1) },
    sections: ["allocations"],
    limit: 100,
  });
  const classes = find_table(answer.value, "allocations");
  const sites = find_table(answer.value, "allocation_sites");
  const text = (key: string): string | null => (row[key] == null || row[key] === "" ? null : String(row[key]));
  return (
    <section class="gc-why" role="group" aria-label="Why this collection">
      <div class="sect">
        Why this collection{" "}
        <span class="small faint">
          {moment_shown(Number(row["start"]))}, generation {String(row["generation"])}
        </span>
        <span class="grow" />
        <button
          type="button"
          class="btn"
          onClick={() =>
            go({
              range: { from: before, to: Math.max(start, before + 1) },
              view: "flame",
              weight: "bytes",
              mode: ["heavy"],
            })
          }
        >
          Flame of what was allocated before
        </button>
        <button
          type="button"
          class="btn"
          onClick={() =>
            go({
              view: "timeline",
              mode: [],
              at: start,
              visible: { from: start - Number(row["duration"] ?? 1e6), to: start + 2 * Number(row["duration"] ?? 1e6) },
            })
          }
        >
          Show in timeline
        </button>
      </div>
      <div class="cols">
        <Facts
          all={[
            { title: "Reason", value: text("reason") },
            { title: "During", value: text("during") },
            { title: "Thread", value: text("thread") },
            { title: "Duration", value: Number(row["duration"] ?? 0), unit: "nanoseconds" },
            { title: "Pause", value: Number(row["pause"] ?? 0), unit: "nanoseconds", strong: true },
            {
              title: "Heap before",
              value: row["heap_before"] == null ? null : Number(row["heap_before"]),
              unit: "bytes",
            },
            { title: "Heap after", value: row["heap_after"] == null ? null : Number(row["heap_after"]), unit: "bytes" },
            { title: "Since the last one", value: start - before, unit: "nanoseconds" },
          ]}
        />
        <div>
          <Tabled table={classes && { ...classes, title: "Allocated since the last one, by class" }} rows={6} />
          <Tabled table={sites && { ...sites, title: "Allocated since the last one, by site" }} rows={6} />
        </div>
      </div>
    </section>
  );
}

function Body({ value }: { value: Tables }) {
  const all = find_table(value, "collections");
  const start = chosen_start();
  const row = all?.rows.find((r) => Number(r["start"]) === start);
  const histogram = find_table(value, "pause_histogram");
  const shown = ["collections", "pause_histogram", "mutator_utilisation"];
  const rest = value.tables.filter((t) => t.rows.length > 0 && !shown.includes(t.key));
  return (
    <div class="scroll">
      <div class="cols">
        {histogram && (
          <section>
            <div class="sect">Pauses by length</div>
            <Bars
              label="Pause histogram"
              values={histogram.rows.map((r) => Number(r["pauses"] ?? 0))}
              colour="paused"
              names={histogram.rows.map((r) => `${duration_text(Number(r["from"] ?? 0))}`)}
            />
          </section>
        )}
        <Tabled table={find_table(value, "mutator_utilisation")} rows={6} />
      </div>
      {row && all && <Why table={all} row={row} />}
      {all && (
        <section>
          <div class="sect">{all.title}</div>
          <Grid
            table={all}
            rows={16}
            bars={{ pause: "paused", duration: "paused" }}
            chosen={(r) => Number(r["start"]) === start}
            choose={(r) => go({ chosen: `gc:${Number(r["start"])}` }, true)}
          />
        </section>
      )}
      <div class="cols">
        {rest.map((t) => (
          <Tabled key={t.key} table={t} rows={8} />
        ))}
        {histogram && <Tabled table={histogram} rows={8} />}
      </div>
    </div>
  );
}

export function Collections() {
  const answer = useTables(["collections"], 10_000);
  return (
    <>
      <Head title="Collections" />
      <div class="body">
        <Content answer={answer}>
          {(value) =>
            value.tables.every((t) => t.rows.length === 0) ? (
              <Empty title="No collection in this selection" why={why_empty(value)} option="gc" />
            ) : (
              <Body value={value} />
            )
          }
        </Content>
      </div>
    </>
  );
}
