// SPDX-License-Identifier: Apache-2.0
// Each wait, longest first; the chosen one with its holders, and what they did in that time.
import { useAnswer } from "../../state/ask";
import { Section } from "../../parts/section";
import { duration_text } from "../../look/units";
import { shown } from "../../look/names";
import { time_text } from "../../state/clock";
import { go, place, threads } from "../../state/page";
import { asked_of_tables as asked } from "../../state/pin";
import { number, type Row, type Table, type Wide } from "../../wire";

interface Wait {
  waiter: number | string;
  lock: string;
  class?: string | null;
  start: Wide;
  end: Wide;
  holders: { thread: number | string; from: Wide; to: Wide; sure: boolean }[];
  site?: string | number | null;
}

const kMost = 1000;
const thread_name = (t: number | string): string =>
  threads.value.find((k) => k.index === Number(t))?.name ?? "(not told)";

function waits_table(waits: Wait[]): Table {
  const U = (key: string, title: string, unit = "none") => ({ key, title, unit });
  return {
    key: "waits",
    section: "monitors",
    title: "Waits",
    rows_left_out: 0,
    columns: [
      U("waiter", "Waited"),
      U("begin", "Start"),
      U("wait", "Wait", "nanoseconds"),
      U("holders", "Held by"),
      U("site", "In"),
    ],
    rows: waits
      .map((w, i): Row => ({
        index: i,
        waiter: thread_name(w.waiter),
        begin: time_text(number(w.start), 1000),
        wait: number(w.end) - number(w.start),
        holders: w.holders.map((h) => thread_name(h.thread) + (h.sure ? "" : "?")).join(", ") || null,
        site: w.site == null ? null : String(w.site),
      }))
      .sort((a, b) => Number(b["wait"]) - Number(a["wait"])),
  };
}

// K4: the calls of the holder in exactly that interval.
function holder_did(w: Wait, holder: number | string, from: number, to: number, view: string): void {
  const index = typeof holder === "number" ? holder : threads.peek().find((t) => t.name === holder)?.index;
  go({
    view,
    mode: view === "flame" ? ["heavy"] : [],
    range: { from, to: Math.max(to, from + 1) },
    threads: index === undefined ? "" : String(index),
    ...(view === "timeline"
      ? {
          visible: {
            from: number(w.start) - (number(w.end) - number(w.start)) * 0.2,
            to: number(w.end) + (number(w.end) - number(w.start)) * 0.2,
          },
        }
      : {}),
  });
}

function Holders({ wait }: { wait: Wait }) {
  return (
    <div class="holders">
      <p class="small">
        <b>{shown(thread_name(wait.waiter))}</b> waited {duration_text(number(wait.end) - number(wait.start))} for{" "}
        {shown(wait.class ?? "")} {shown(wait.lock)}
      </p>
      {wait.holders.map((h, i) => (
        <p key={i} class="small">
          held by <b>{shown(thread_name(h.thread))}</b>
          {h.sure ? "" : " (inferred)"} for {duration_text(number(h.to) - number(h.from))}
          <button
            type="button"
            class="btn small"
            onClick={() => holder_did(wait, h.thread, number(h.from), number(h.to), "calls")}
          >
            What the holder did
          </button>
          <button
            type="button"
            class="btn small"
            onClick={() => holder_did(wait, h.thread, number(h.from), number(h.to), "flame")}
          >
            Flame
          </button>
        </p>
      ))}
      {wait.holders.length === 0 && <p class="small faint">Who held it is not told.</p>}
      <button
        type="button"
        class="btn small"
        onClick={() => holder_did(wait, wait.waiter, number(wait.start), number(wait.end), "timeline")}
      >
        Show in timeline
      </button>
    </div>
  );
}

export function Waits() {
  const answer = useAnswer<{ waits?: Wait[]; rows?: Wait[] }>("/waits", { selection: asked.value, limit: kMost });
  const waits = answer.value?.waits ?? answer.value?.rows ?? [];
  if (waits.length === 0) return null;
  const index = Number(/^wait:(\d+)$/.exec(place.value.chosen)?.[1] ?? -1);
  const table = waits_table(waits);
  return (
    <div>
      <Section
        table={table}
        rows={11}
        said="longest first"
        bars={{ wait: "blocked" }}
        hide={["index"]}
        chosen={(r) => r["index"] === index}
        choose={(r) => go({ chosen: `wait:${r["index"]}` }, true)}
      />
      {waits[index] && <Holders wait={waits[index]} />}
    </div>
  );
}
