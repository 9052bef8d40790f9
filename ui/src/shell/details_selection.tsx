// SPDX-License-Identifier: Apache-2.0
// The selection in figures: how long, whose, and where its time went.
import { grouped, duration_text } from "../look/units";
import { Facts } from "../parts/facts";
import { useAnswer } from "../state/ask";
import { chosen_threads, place, range, thread_count, threads } from "../state/page";
import { selection } from "../state/selection";
import { weights } from "../state/weights";
import { number, type Profile } from "../wire";
import { type Split, StatesSplit } from "./states_split";

const question = (weight: string): Record<string, unknown> => ({
  selection: selection.value,
  weight,
  shape: "down",
  by_thread: false,
  most: 100_000,
  least_share: 0,
});

function split_of(profile: Profile): Split | null {
  const n = profile.nodes;
  if (!n.blocked || !n.waiting || (profile.cut?.nodes ?? 0) > 0) return null;
  const sum = (column: number[]): number => column.reduce((a, b) => a + b, 0);
  return {
    total: sum(n.self),
    blocked: sum(n.blocked),
    waiting: sum(n.waiting),
    paused: n.paused ? sum(n.paused) : null,
  };
}

// Those that the time line draws, with helpers of the runtime; 0 where the selection is more than threads.
function drawn_calls(): number {
  const p = place.value;
  if (p.range !== null || p.rules.length > 0 || p.mode.includes("fold")) return 0;
  const chosen = chosen_threads.value;
  return threads.value.filter((t) => chosen?.includes(t.index) ?? true).reduce((sum, t) => sum + t.calls, 0);
}

export function SelectionPanel() {
  const has = (key: string): boolean => weights.value.some((w) => w.key === key);
  const time = useAnswer<Profile>(has("time") ? "/profile" : "", question("time"));
  const bytes = useAnswer<Profile>(has("bytes") ? "/profile" : "", question("bytes"));
  const span = range.value;
  const many = chosen_threads.value?.length ?? thread_count.value;
  const split = time.value ? split_of(time.value) : null;
  const calls = time.value ? calls_of(time.value) : null;
  const drawn = drawn_calls();
  const limited = place.value.range !== null || place.value.threads !== "" || place.value.rules.length > 0;
  return (
    <section role="complementary" aria-label="Selection">
      <div class="kind">{limited ? "Selection" : "Whole trace"}</div>
      <h3>
        {duration_text(span.to - span.from)}, {grouped(many)} {many === 1 ? "thread" : "threads"}
      </h3>
      {split && split.total > 0 && <StatesSplit of={split} />}
      <Facts
        all={[
          { title: "Duration", value: span.to - span.from, unit: "nanoseconds" },
          { title: "Threads", value: many },
          { title: "Calls", value: calls },
          ...(calls !== null && drawn > calls ? [{ title: "Calls with helpers", value: drawn }] : []),
          {
            title: "Self time",
            value: time.value ? number(time.value.selected_total ?? time.value.total) : null,
            unit: "nanoseconds",
          },
          {
            title: "Allocated",
            value: bytes.value ? number(bytes.value.selected_total ?? bytes.value.total) : null,
            unit: "bytes",
          },
        ]}
      />
    </section>
  );
}

function calls_of(profile: Profile): number | null {
  if ((profile.cut?.nodes ?? 0) > 0) return null;
  return profile.nodes.count.slice(1).reduce((a, b) => a + b, 0);
}
