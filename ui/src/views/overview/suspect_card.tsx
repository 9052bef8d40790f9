// SPDX-License-Identifier: Apache-2.0
// One suspect: fault, one figure, where, why, evidence drawn from the trace, and the next step.
import { useCanvas } from "../../canvas/surface";
import { mix, type Tones } from "../../look/theme";
import { shown } from "../../look/names";
import { class_of, clauses_of, fact_parts } from "../../look/said";
import { method_named } from "../../state/method_names";
import { go, trace, whole } from "../../state/page";
import { marks_of, series_of, useOverview } from "../../tiles/overview";
import { kViews, lack_of } from "../../views";
import type { Row } from "../../wire";

interface Fault {
  colour: keyof Tones & string;
  next: string;
  view: string;
  series?: string;
  marks?: string;
}

const kFaults: Record<string, Fault> = {
  "lock convoy": {
    colour: "blocked",
    next: "See who waited for whom",
    view: "locks",
    series: "series:threads.blocked",
  },
  "hot method": { colour: "c3", next: "Open its callers in Calls", view: "calls", series: "series:activity" },
  "exception storm": { colour: "c1", next: "Where they are thrown", view: "exceptions", marks: "exceptions" },
  leak: { colour: "c5", next: "What is alive, and why", view: "memory", series: "series:heap.used" },
  "full heap": { colour: "c5", next: "What is alive, and why", view: "memory", series: "series:heap.used" },
};

const kBins = 60;

export function bins(times: { start: number; count: number }[], from: number, to: number): number[] {
  const all = new Array<number>(kBins).fill(0);
  for (const t of times) {
    const i = Math.floor(((t.start - from) / (to - from)) * kBins);
    if (i >= 0 && i < kBins) all[i]! += t.count;
  }
  return all;
}

function Evidence({ fault }: { fault: Fault }) {
  const overview = useOverview();
  const span = whole.value;
  const line = fault.series ? series_of(overview, fault.series) : undefined;
  const times = fault.marks ? marks_of(overview, fault.marks) : [];
  const values = line ? Array.from(line.values) : times.length > 0 ? bins(times, span.from, span.to) : [];
  const ref = useCanvas(
    (g, w, h, t) => {
      const most = Math.max(...values, 1e-9);
      const colour = t[fault.colour] as string;
      const step = w / values.length;
      const base = h - 2;
      for (let i = 0; i < values.length; ++i) {
        const y = (values[i]! / most) * (base - 6);
        if (y <= 0) continue;
        g.fillStyle = mix(colour, t.ground, 0.38);
        g.fillRect(i * step, base - y, Math.max(step - (step > 4 ? 1 : 0), 0.5), y);
        g.fillStyle = mix(colour, t.ground, 0.85);
        if (line) g.fillRect(i * step, base - y, Math.max(step, 0.5), 1.25);
      }
      g.fillStyle = t.line;
      g.fillRect(0, base, w, 1);
    },
    [values.length, overview],
  );
  return values.length > 0 ? (
    <div class="ev">
      <canvas ref={ref} aria-hidden="true" />
    </div>
  ) : (
    <div class="ev none" />
  );
}

async function follow(row: Row, fault: Fault): Promise<void> {
  const what = String(row["what"] ?? "");
  // Its class, and why the objects are alive, where a snapshot can tell.
  const has_heap = trace.peek()?.sections?.some((s) => s.key === "heap" && s.has_events) ?? false;
  if (fault.view === "memory" && has_heap)
    return go({ view: "memory", mode: ["heap"], chosen: `object:${class_of(what)}` });
  if (fault.view === "calls") {
    const id = await method_named(what);
    if (id !== null) return go({ view: "calls", mode: ["sandwich"], x: String(id), sort: "" });
  }
  go({ view: fault.view, mode: [] });
}

export function SuspectCard({ row }: { row: Row }) {
  const name = String(row["fault"] ?? "");
  const fault = kFaults[name];
  const why = String(row["why"] ?? "");
  const parts = fact_parts(why);
  const [beside, ...more] = clauses_of(parts.rest);
  const view = kViews.find((v) => v.word === fault?.view && lack_of(v) === "");
  return (
    <li class="card">
      <div class="fault">
        <i class={`sw cc-${fault?.colour ?? "ended"}`} />
        {name.replace(/^./, (c) => c.toUpperCase())}
      </div>
      {parts.figure && (
        <div class="figure">
          {parts.figure}{" "}
          <small>
            {parts.unit} {shown(beside!)}
          </small>
        </div>
      )}
      <div class="what cut" title={shown(String(row["what"] ?? ""))}>
        {shown(String(row["what"] ?? ""))}
      </div>
      <div class="why">{shown(parts.figure ? more.join(", ") : why)}</div>
      {fault && <Evidence fault={fault} />}
      {fault && view && (
        <div class="next">
          <a
            class="go"
            href={`#/0/${view.word}`}
            aria-label={`${name}: ${shown(String(row["what"] ?? ""))}`}
            onClick={(e) => {
              e.preventDefault();
              void follow(row, fault);
            }}
          >
            {fault.next}
          </a>
          {view.key && <span class="key">{view.key}</span>}
        </div>
      )}
    </li>
  );
}
