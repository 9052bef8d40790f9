// SPDX-License-Identifier: Apache-2.0
// The question: when, which processes, compared with which.
import { useEffect, useState } from "preact/hooks";
import { alert, place } from "../../state/page";
import { ask_again, fleet_range, set_fleet } from "../../state/fleet";
import { parse_utc, utc_text } from "../../state/utc";
import { wrong_where } from "./asked";

const kLast = [
  ["15min", "last 15 min"],
  ["1h", "last hour"],
  ["6h", "last 6 h"],
  ["1d", "last day"],
  ["7d", "last 7 d"],
] as const;

function Range() {
  const f = place.value.fleet;
  const usual = kLast.some(([word]) => word === f.last);
  return (
    <select
      class="field fleet-range"
      aria-label="Range"
      value={f.range ? "own" : f.last}
      onChange={(e) => {
        const word = e.currentTarget.value;
        if (word === "own") set_fleet({ range: { ...fleet_range.peek() } });
        else {
          set_fleet({ range: null, last: word });
          ask_again();
        }
      }}
    >
      {kLast.map(([word, title]) => (
        <option key={word} value={word}>
          {title}
        </option>
      ))}
      {!usual && <option value={f.last}>last {f.last}</option>}
      <option value="own">from … to, UTC</option>
    </select>
  );
}

function End({ label, value, set }: { label: string; value: number; set: (seconds: number) => void }) {
  const text = utc_text(value);
  const [typed, set_typed] = useState(text);
  useEffect(() => set_typed(text), [text]);
  const take = (): void => {
    if (typed === text) return;
    const time = parse_utc(typed);
    if (time === null) {
      alert.value = `"${typed}" is no time. Try ${text}, in UTC, or seconds since 1970.`;
      set_typed(text);
    } else set(time);
  };
  return (
    <input
      class="field fleet-end"
      type="text"
      aria-label={label}
      value={typed}
      spellcheck={false}
      onInput={(e) => set_typed(e.currentTarget.value)}
      onBlur={take}
      onKeyDown={(e) => e.key === "Enter" && take()}
    />
  );
}

function set_end(change: { from?: number; to?: number }): void {
  const range = { ...fleet_range.peek(), ...change };
  if (range.from < range.to) set_fleet({ range });
  else alert.value = "The range would be empty.";
}

function Condition({ member, label, hint }: { member: "where" | "base"; label: string; hint: string }) {
  const value = place.value.fleet[member];
  const [typed, set_typed] = useState(value);
  useEffect(() => set_typed(value), [value]);
  const wrong = wrong_where.value?.frame === member && typed === value ? wrong_where.value : null;
  const take = (): void => {
    if (typed !== value) set_fleet({ [member]: typed.trim() });
  };
  return (
    <span class="fleet-condition">
      <input
        class={wrong ? "field wrong" : "field"}
        type="text"
        aria-label={label}
        aria-invalid={wrong !== null}
        placeholder={hint}
        value={typed}
        maxLength={4000}
        spellcheck={false}
        autocomplete="off"
        onInput={(e) => set_typed(e.currentTarget.value)}
        onBlur={take}
        onKeyDown={(e) => e.key === "Enter" && take()}
      />
      {wrong && (
        <span class="fleet-wrong" role="alert" aria-label="Problem">
          <code>
            {value.slice(0, (wrong.column ?? 1) - 1)}
            <mark>{value.slice((wrong.column ?? 1) - 1, wrong.column ?? 1) || "⟨end⟩"}</mark>
            {value.slice(wrong.column ?? 1)}
          </code>
          {wrong.column ? `column ${wrong.column}: ` : ""}
          {wrong.message}; {wrong.hint}
        </span>
      )}
    </span>
  );
}

export function Bar({ compares, groups }: { compares: boolean; groups: boolean }) {
  const f = place.value.fleet;
  return (
    <div class="fleet-bar" role="toolbar" aria-label="Question">
      <Range />
      {f.range && <End label="From" value={f.range.from} set={(from) => set_end({ from })} />}
      {f.range && <End label="To" value={f.range.to} set={(to) => set_end({ to })} />}
      {compares && <Condition member="base" label="Before" hint="before: version=1" />}
      <Condition
        member="where"
        label="Condition"
        hint={compares ? "after: version=2" : 'all processes; or service="shop" and version in ("1", "2")'}
      />
      {groups && (
        <label class="small faint">
          by{" "}
          <select class="field fleet-by" aria-label="Group by" value={f.by} onChange={(e) => set_fleet({ by: e.currentTarget.value })}>
            {[...new Set(["service", "version", "host", "runtime", f.by])].map((by) => (
              <option key={by} value={by}>
                {by}
              </option>
            ))}
          </select>
        </label>
      )}
      <button type="button" class="btn" title="Ask again, up to now" onClick={ask_again}>
        Ask again
      </button>
    </div>
  );
}
