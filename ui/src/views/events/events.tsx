// SPDX-License-Identifier: Apache-2.0
// The events themselves, as they were read, in order.
import { useEffect, useState } from "preact/hooks";
import { post_lines } from "../../api";
import { Empty, Trouble, Skeleton } from "../../parts/content";
import { Grid } from "../../parts/grid/grid";
import { CopyButton } from "../../parts/section";
import { grouped } from "../../look/units";
import { Head } from "../../shell/head";
import { problem_of } from "../../state/ask";
import { offset_of } from "../../state/clock";
import { go, here, trace } from "../../state/page";
import { asked_of_tables as asked } from "../../state/pin";
import type { Problem, Row, Table } from "../../wire";

const kPage = 1000;
const kOwn = ["time", "thread", "kind"];

function event_row(e: Record<string, unknown>): Row {
  const rest = Object.entries(e)
    .filter(([key]) => !kOwn.includes(key))
    .map(([key, v]) => `${key}=${typeof v === "object" ? JSON.stringify(v) : String(v)}`);
  return {
    time: Number(e["time"]),
    thread: (e["thread"] as string) ?? null,
    kind: String(e["kind"]),
    fields: rest.join(" "),
  };
}

function events_table(rows: Row[]): Table {
  return {
    key: "events",
    section: "events",
    title: "Events",
    rows_left_out: 0,
    rows,
    columns: [
      { key: "time", title: "Time", unit: "time" },
      { key: "thread", title: "Thread", unit: "address" },
      { key: "kind", title: "Kind", unit: "none" },
      { key: "fields", title: "What", unit: "none" },
    ],
  };
}

export function Events() {
  const [rows, set_rows] = useState<Row[] | null>(null);
  const [problem, set_problem] = useState<Problem | null>(null);
  const [more, set_more] = useState(true);
  const [kind, set_kind] = useState("");
  const key = `${JSON.stringify(asked.value)} ${kind} ${trace.value?.id}`;
  const ask = (after: { number: number } | null, before: Row[], stop?: AbortSignal): void => {
    post_lines(
      here("/events"),
      { selection: asked.peek(), limit: kPage, ...(kind ? { kinds: [kind] } : {}), ...(after ? { after } : {}) },
      { signal: stop },
    ).then(
      (lines) => {
        set_more(lines.length === kPage);
        set_rows([...before, ...lines.map(event_row)]);
      },
      (error) => {
        if (!stop?.aborted) set_problem(problem_of(error));
      },
    );
  };
  useEffect(() => {
    const stop = new AbortController();
    set_problem(null);
    ask(null, [], stop.signal);
    return () => stop.abort();
  }, [key]);
  const next = (): void => {
    ask({ number: rows!.length }, rows!);
  };
  const kinds = Object.entries(trace.value?.events?.kinds ?? {});
  const table = events_table(rows ?? []);
  return (
    <>
      <Head title="Events" said={rows ? `${grouped(rows.length)}${more ? " so far" : ""}` : ""}>
        <select
          class="field wide-field"
          aria-label="Kind"
          value={kind}
          onChange={(e) => set_kind(e.currentTarget.value)}
        >
          <option value="">all kinds</option>
          {kinds.map(([k, n]) => (
            <option key={k} value={k}>
              {k} ({grouped(Number(n))})
            </option>
          ))}
        </select>
        <CopyButton table={table} />
      </Head>
      <div class="body">
        {problem ? (
          <Trouble problem={problem} />
        ) : !rows ? (
          <Skeleton />
        ) : rows.length === 0 ? (
          <Empty title="No event in this selection" />
        ) : (
          <div class="paned">
            <Grid
              table={table}
              order="time"
              open={(r) => go({ at: offset_of(Number(r["time"])), view: "timeline", mode: [] })}
              choose={(r) => go({ at: offset_of(Number(r["time"])) }, true)}
            />
            {more && (
              <p class="note">
                <button type="button" class="btn small" onClick={next}>
                  The next {grouped(kPage)}
                </button>
              </p>
            )}
          </div>
        )}
      </div>
    </>
  );
}
