// SPDX-License-Identifier: Apache-2.0
// Search over all threads: how many names match, their calls, their share of the selection's time.
import { signal } from "@preact/signals";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { post } from "../api";
import { grouped, percent, text_of } from "../look/units";
import { useAnswer } from "../state/ask";
import { go, here, place, say } from "../state/page";
import { without_rules } from "../state/selection";
import type { Call, Found } from "../wire";
import { show_call } from "../state/chosen";

export const matches = signal<ReadonlySet<number>>(new Set());
export const search_box = { focus: (): void => undefined as void };

// Steps through the calls of all names that match, in time order.
export async function step_match(by: 1 | -1): Promise<void> {
  const methods = [...matches.peek()];
  if (methods.length === 0) return;
  const p = place.peek();
  const at =
    /^calls:\d+\/\d+\/(-?\d+)/.exec(p.chosen)?.[1] ??
    String(p.at ?? (by > 0 ? Number.MIN_SAFE_INTEGER : Number.MAX_SAFE_INTEGER));
  const body = { methods, [by > 0 ? "after" : "before"]: Number(at), selection: without_rules.peek() };
  const answer = await post<{ call: Call | null }>(here("/seek"), body).catch(() => null);
  if (answer?.call) show_call(answer.call);
  else say(by > 0 ? "No later match" : "No earlier match");
}

const share_text = (found: Found): string => text_of(percent((found.share ?? 0) * 100));

// Where no call is recorded all names of the trace count, which samples or allocations may have.
const names_of = (found: Found): number => (found.share === null ? found.names : found.called);
const names_text = (found: Found): string => `${grouped(names_of(found))} ${names_of(found) === 1 ? "name" : "names"}`;

function Count({ found }: { found: Found | null }) {
  if (!found) return <span class="hits" />;
  return (
    <span
      class="hits"
      role="group"
      aria-label="Matches"
      title={`${grouped(found.names)} of the trace, ${grouped(found.called)} called in the selection`}
      data-value={names_of(found)}
      data-calls={found.calls}
      data-time={String(found.time)}
    >
      {names_text(found)}, {share_text(found)}
    </span>
  );
}

export function Search() {
  const p = place.value;
  const input = useRef<HTMLInputElement>(null);
  const [text, set_text] = useState(p.search);
  useEffect(() => set_text(p.search), [p.search]);
  const typed = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => {
    search_box.focus = () => input.current?.select();
  }, []);
  const type = (next: string): void => {
    set_text(next);
    clearTimeout(typed.current);
    typed.current = setTimeout(() => go({ search: next }, true), 120);
  };
  const regex = p.searchFlags.includes("r");
  const answer = useAnswer<Found>(p.search === "" ? "" : "/search", {
    text: p.search,
    regex,
    case: p.searchFlags.includes("c"),
    kind: "method",
    selection: without_rules.value,
  });
  const found = p.search === "" ? null : answer.value;
  // With what is shown: who sees that something matches may step there.
  useLayoutEffect(() => {
    matches.value = new Set(found?.ids ?? []);
    if (!found) return;
    const verb = names_of(found) === 1 ? "matches" : "match";
    say(`${names_text(found)} ${verb}: ${grouped(found.calls)} calls, ${share_text(found)} of the time`);
  }, [found]);
  // Who presses Enter before the answer is there means what was typed.
  const meant = useRef<1 | -1 | 0>(0);
  useLayoutEffect(() => {
    if (meant.current !== 0 && found && !answer.loading) void step_match(meant.current);
    if (!answer.loading) meant.current = 0;
  }, [found, answer.loading]);
  const step = (by: 1 | -1): void => {
    const waits = text !== p.search;
    clearTimeout(typed.current);
    if (waits) go({ search: text }, true);
    if (waits || answer.loading) meant.current = by;
    else void step_match(by);
  };
  const flag = (c: string, on: boolean): void => {
    const flags = [...["c", "r"].filter((f) => (f === c ? on : p.searchFlags.includes(f)))].join("");
    go({ searchFlags: flags });
  };
  return (
    <div class="search" role="search" aria-label="Search">
      <svg width="14" height="14" viewBox="0 0 14 14" class="lens" aria-hidden="true">
        <circle cx="6" cy="6" r="4.25" />
        <path d="M9.3 9.3 13 13" />
      </svg>
      <input
        type="search"
        role="searchbox"
        aria-label="Search names"
        placeholder="Search names"
        ref={input}
        value={text}
        spellcheck={false}
        onInput={(e) => type(e.currentTarget.value)}
        title={answer.problem?.message}
        onKeyDown={(e) => {
          if (e.key === "Enter") step(e.shiftKey ? -1 : 1);
          if (e.key === "Escape") {
            clearTimeout(typed.current);
            set_text("");
            go({ search: "" }, true);
            e.currentTarget.blur();
          }
        }}
      />
      {answer.problem && p.search !== "" ? (
        <span class="hits" role="alert" title={answer.problem.message}>
          {answer.problem.code}
        </span>
      ) : (
        <Count found={found} />
      )}
      {found && (
        <>
          <button type="button" aria-label="Previous match" onClick={() => void step_match(-1)}>
            ‹
          </button>
          <button type="button" aria-label="Next match" onClick={() => void step_match(1)}>
            ›
          </button>
        </>
      )}
      {!found && (
        <span class="key wordy" aria-hidden="true">
          /
        </span>
      )}
      <label class="opt" title="Match case">
        <input
          type="checkbox"
          aria-label="Match case"
          checked={p.searchFlags.includes("c")}
          onChange={(e) => flag("c", e.currentTarget.checked)}
        />
        Aa
      </label>
      <label class="opt" title="Regular expression">
        <input
          type="checkbox"
          aria-label="Regular expression"
          checked={regex}
          onChange={(e) => flag("r", e.currentTarget.checked)}
        />
        .*
      </label>
    </div>
  );
}
