// SPDX-License-Identifier: Apache-2.0
// Two selections side by side: ranges, threads or traces. Blue is less, orange is more, and signs say so too.
import { useEffect, useMemo, useState } from "preact/hooks";
import { Choice } from "../../parts/choice";
import { Content, Empty } from "../../parts/content";
import { moment_text } from "../../look/units";
import { shown } from "../../look/names";
import { Head } from "../../shell/head";
import { useAnswer } from "../../state/ask";
import { mode_of, set_mode } from "../../state/mode";
import { go, place, session, trace, whole } from "../../state/page";
import { slot_selection } from "../../state/selection";
import { weight, weights } from "../../state/weights";
import { parse_time } from "../../state/time_text";
import type { Slot } from "../../state/address";
import type { Profile, Tables } from "../../wire";
import { Tabled } from "../tables/section_tables";
import { DiffFlame } from "./diff_flame";

const kMost = 200;
const kWidths = ["a", "b"] as const;

type Answer = Tables & Profile;

const trace_id = (slot: Slot): string => (slot.trace === "0" ? (session.value?.traces[0]?.id ?? "") : slot.trace);
const file_of = (slot: Slot): string =>
  session.value?.traces
    .find((t) => t.id === trace_id(slot))
    ?.file.split("/")
    .pop() ?? "";

function Field({ label, value, set }: { label: string; value: number; set: (v: number) => void }) {
  const text = moment_text(value - whole.value.from);
  const [typed, set_typed] = useState(text);
  useEffect(() => set_typed(text), [text]);
  const take = (): void => {
    const time = parse_time(typed, { first: whole.peek().from, last: whole.peek().to, wall: null });
    if (typed !== text && time !== null) set(time);
    else set_typed(text);
  };
  return (
    <input
      class="field"
      type="text"
      aria-label={label}
      value={typed}
      onInput={(e) => set_typed(e.currentTarget.value)}
      onBlur={take}
      onKeyDown={(e) => e.key === "Enter" && take()}
    />
  );
}

function SlotBox({ name, slot }: { name: "a" | "b"; slot: Slot }) {
  const letter = name.toUpperCase();
  const set = (change: Partial<Slot>): void => go({ [name]: { ...slot, ...change } });
  const span = slot.range ?? whole.value;
  const threads = slot.threads === "" ? "all threads" : `threads ${slot.threads}`;
  return (
    <div class="slot" role="group" aria-label={`Slot ${letter}`}>
      <b>{letter}</b>
      {(session.value?.traces.length ?? 0) > 1 ? (
        <select
          aria-label={`Trace of ${letter}`}
          value={trace_id(slot)}
          onChange={(e) => set({ trace: e.currentTarget.value, range: null, threads: "" })}
        >
          {session.value!.traces.map((t) => (
            <option key={t.id} value={t.id}>
              {t.file.split("/").pop()}
            </option>
          ))}
        </select>
      ) : (
        <span class="cut">{shown(file_of(slot))}</span>
      )}
      <span class="grow" />
      <span class="faint small">{threads}</span>
      <Field
        label={`${letter} from`}
        value={span.from}
        set={(from) => from < span.to && set({ range: { from, to: span.to } })}
      />
      <Field
        label={`${letter} to`}
        value={span.to}
        set={(to) => span.from < to && set({ range: { from: span.from, to } })}
      />
      <button
        type="button"
        class="btn small"
        title="Put the page's selection here"
        onClick={() => set({ trace: place.peek().trace, range: place.peek().range, threads: place.peek().threads })}
      >
        Selection
      </button>
    </div>
  );
}

function halves(): { a: Slot; b: Slot } {
  const w = whole.peek();
  const middle = Math.floor((w.from + w.to) / 2);
  return {
    a: { trace: place.peek().trace, range: { from: w.from, to: middle }, threads: "" },
    b: { trace: place.peek().trace, range: { from: middle, to: w.to }, threads: "" },
  };
}

function Nothing({ a, b }: { a: Slot | null; b: Slot | null }) {
  const others = (session.value?.traces ?? []).filter((t) => t.id !== trace.value?.id);
  return (
    <Empty
      title={a || b ? `Slot ${a ? "B" : "A"} is empty` : "Nothing to compare yet"}
      why="Select a range and press Shift 1, select another and press Shift 2."
    >
      <div class="acts">
        <button type="button" class="btn primary" onClick={() => go(halves())}>
          First half with second half
        </button>
        {others[0] && (
          <button
            type="button"
            class="btn"
            onClick={() =>
              go({
                a: { trace: trace.peek()!.id, range: null, threads: "" },
                b: { trace: others[0]!.id, range: null, threads: "" },
              })
            }
          >
            With {shown(others[0].file.split("/").pop() ?? "")}
          </button>
        )}
      </div>
    </Empty>
  );
}

function Body({ value }: { value: Answer }) {
  const width = mode_of(kWidths);
  const tables = useMemo(() => value.tables.filter((t) => t.rows.length > 0), [value]);
  const totals = tables.find((t) => t.key === "diff_totals");
  return (
    <>
      <Tabled table={totals} rows={10} />
      {value.nodes.parent.length > 1 && (
        <section>
          <div class="sect">
            Call tree <span class="small faint">colour: the change in B</span>
            <span class="grow" />
            <Choice
              label="Scale"
              value={width}
              pick={(w) => set_mode(kWidths, w)}
              options={[
                { word: "a", title: "Width of A" },
                { word: "b", title: "Width of B" },
              ]}
            />
          </div>
          <DiffFlame profile={value} width_of={width} />
        </section>
      )}
      <div class="stack">
        {tables
          .filter((t) => t !== totals)
          .map((t) => (
            <Tabled key={t.key} table={t} rows={10} />
          ))}
      </div>
    </>
  );
}

export function Compare() {
  const { a, b } = place.value;
  const answer = useAnswer<Answer>(
    a && b ? "//compare" : "",
    a && b
      ? {
          a: { trace: trace_id(a), selection: slot_selection(a) },
          b: { trace: trace_id(b), selection: slot_selection(b) },
          weight: weight.value.key,
          limit: kMost,
        }
      : {},
  );
  const said =
    a && b ? (file_of(a) === file_of(b) ? "two selections of one trace" : `${file_of(a)} with ${file_of(b)}`) : "";
  return (
    <>
      <Head title="Compare" free said={said}>
        {weights.value.length > 1 && (
          <Choice
            label="Weight"
            value={weight.value.key}
            pick={(w) => go({ weight: w })}
            options={weights.value.map((w) => ({ word: w.key, title: w.title }))}
          />
        )}
      </Head>
      <div class="body">
        {!a || !b ? (
          <Nothing a={a} b={b} />
        ) : (
          <div class="scroll">
            <div class="slots">
              <SlotBox name="a" slot={a} />
              <button type="button" class="btn" onClick={() => go({ a: b, b: a })}>
                Swap
              </button>
              <SlotBox name="b" slot={b} />
            </div>
            <Content answer={answer}>
              {(value) => (
                <div class="stack">
                  <Body value={value} />
                </div>
              )}
            </Content>
          </div>
        )}
      </div>
    </>
  );
}
