// SPDX-License-Identifier: Apache-2.0
// The chosen call: when, how long, what it did meanwhile, who called it.
import { useEffect } from "preact/hooks";
import { shown } from "../look/names";
import { grouped } from "../look/units";
import { Facts } from "../parts/facts";
import { Breakable } from "../parts/figure";
import { useAnswer } from "../state/ask";
import type { Slot } from "../state/address";
import { call_name, show_call } from "../state/chosen";
import { choose_method } from "../state/chosen_method";
import { time_text } from "../state/clock";
import { name_of, names_told } from "../state/method_names";
import { go, place, threads } from "../state/page";
import { show } from "../state/selection";
import { kWords } from "../views";
import { type Call, number, type Wide } from "../wire";
import { StatesSplit } from "./states_split";

export interface At {
  call: Call | null;
  callers?: Call[];
}

export function useCall(text: string): At | null {
  const answer = useAnswer<At>(call_name(text) ? "/at" : "", { call: text });
  return answer.value;
}

export const method_text = (id: number): string => {
  void names_told.value;
  return name_of(id)?.name ?? "…";
};

export function thread_of(call: Call): number {
  return Number(/^calls:(\d+)/.exec(call.track ?? call.call)?.[1] ?? -1);
}

function select_call(call: Call): void {
  go({
    range: { from: number(call.start), to: number(call.end) },
    threads: String(thread_of(call)),
    rules: [{ op: "root", how: "method", text: String(call.method) }],
  });
}

interface Durations {
  methods: { method: number; calls: number; p50?: Wide; p95?: Wide; most?: Wide; median: Call | null }[];
}

const slot_of = (call: Call): Slot => ({
  trace: place.peek().trace,
  range: { from: number(call.start), to: Math.max(number(call.end), number(call.start) + 1) },
  threads: String(thread_of(call)),
});

// K3: this call beside the median call of the same method.
function Typical({ call }: { call: Call }) {
  const answer = useAnswer<Durations>("/durations", { methods: [call.method] });
  const made = answer.value?.methods[0];
  if (!made || made.calls < 2 || !made.median) return null;
  const median = made.median;
  return (
    <section>
      <div class="sect">Among {grouped(made.calls)} calls</div>
      <Facts
        all={[
          { title: "Median", value: number(made.p50), unit: "nanoseconds" },
          { title: "p95", value: number(made.p95), unit: "nanoseconds" },
          { title: "Longest", value: number(made.most), unit: "nanoseconds" },
          {
            title: "Times the median",
            value: (number(call.end) - number(call.start)) / Math.max(1, number(made.p50)),
            unit: "number",
          },
        ]}
      />
      <div class="acts">
        {kWords.includes("compare") && (
          <button
            type="button"
            class="btn"
            onClick={() => go({ view: "compare", mode: [], a: slot_of(median), b: slot_of(call), x: "" })}
          >
            Compare with typical call
          </button>
        )}
        <button type="button" class="btn" onClick={() => show_call(median)}>
          Show the median call
        </button>
      </div>
    </section>
  );
}

export function ChosenCall() {
  const at = useCall(place.value.chosen);
  const call = at?.call ?? null;
  const name = call ? (call.name ?? method_text(call.method)) : "";
  useEffect(() => choose_method(call ? { id: call.method, name } : null), [call, name]);
  if (!call) return null;
  const from = number(call.start);
  const to = number(call.end);
  const thread = threads.value.find((t) => t.index === thread_of(call));
  const told = (v: Call["blocked"]): number | null => (v === null || v === undefined ? null : number(v));
  const split = call.blocked != null && call.waiting != null;
  return (
    <div role="complementary" aria-label="Details" class="stack">
      <section>
        <div class="kind">Chosen call</div>
        <h3>
          <Breakable text={name} />
        </h3>
        <p class="who">
          {shown(thread?.name ?? "")}
          {call.open ? ", has no end in the trace" : ""}
        </p>
        {split && (
          <StatesSplit
            of={{
              total: to - from,
              blocked: number(call.blocked),
              waiting: number(call.waiting),
              paused: told(call.paused),
            }}
          />
        )}
        <Facts
          all={[
            { title: "Start", value: from, text: time_text(from, 1000) },
            { title: "End", value: to, text: time_text(to, 1000) },
            { title: "Duration", value: to - from, unit: "nanoseconds", strong: true },
            { title: "Self", value: told(call.self), unit: "nanoseconds" },
            { title: "Calls inside", value: call.calls_inside },
            { title: "Allocated", value: call.bytes, unit: "bytes" },
            ...(split
              ? []
              : [
                  { title: "Blocked", value: told(call.blocked), unit: "nanoseconds" },
                  { title: "Waiting", value: told(call.waiting), unit: "nanoseconds" },
                  { title: "Paused", value: told(call.paused), unit: "nanoseconds" },
                ]),
            { title: "Thread", value: thread?.index ?? null, text: thread?.name ?? "" },
          ]}
        />
        <div class="acts">
          <button type="button" class="btn primary" onClick={() => select_call(call)}>
            Select it
          </button>
          <button
            type="button"
            class="btn"
            onClick={() => {
              if (place.peek().view !== "timeline") go({ view: "timeline", mode: [] });
              show(from - (to - from) * 0.2, to + (to - from) * 0.2, false);
            }}
          >
            Show in timeline
          </button>
          <button
            type="button"
            class="btn"
            onClick={() => go({ view: "calls", mode: ["sandwich"], x: String(call.method), sort: "" })}
          >
            Callers and callees
          </button>
        </div>
      </section>
      <Typical call={call} />
      {(at?.callers?.length ?? 0) > 0 && (
        <section>
          <div class="sect">Callers</div>
          <ol class="path" aria-label="Callers">
            {at!.callers!.map((c) => (
              <li key={c.call}>
                <button type="button" class="cut" onClick={() => go({ chosen: c.call })}>
                  {shown(c.name ?? method_text(c.method))}
                </button>
              </li>
            ))}
          </ol>
        </section>
      )}
    </div>
  );
}
