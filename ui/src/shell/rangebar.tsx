// SPDX-License-Identifier: Apache-2.0
// The selection as typed, the zoom, and where it came from.
import { signal } from "@preact/signals";
import { useEffect, useState } from "preact/hooks";
import type { Span } from "../state/address";
import { wall_origin, time_text } from "../state/clock";
import { alert, go, place, range, trace, visible, whole } from "../state/page";
import { range_text, select_whole, show } from "../state/selection";
import { parse_time } from "../state/time_text";
import { Search } from "./search";

function Field({ label, value, set }: { label: string; value: number; set: (offset: number) => void }) {
  const shown = time_text(value);
  const [text, set_text] = useState(shown);
  useEffect(() => set_text(shown), [shown]);
  const take = (): void => {
    if (text === shown) return;
    const all = whole.peek();
    const time = parse_time(text, { first: all.from, last: all.to, wall: wall_origin() });
    if (time === null) {
      alert.value = `"${text}" is no time. Try 85.3ms, 50%, +200ms, -1s or nanoseconds.`;
      set_text(shown);
    } else {
      alert.value = "";
      set(time);
    }
  };
  return (
    <input
      class="field"
      type="text"
      aria-label={label}
      value={text}
      title={`${value} ns`}
      spellcheck={false}
      onInput={(e) => set_text(e.currentTarget.value)}
      onBlur={take}
      onFocus={(e) => e.currentTarget.select()}
      onKeyDown={(e) => {
        if (e.key === "Enter") take();
        if (e.key === "Escape") {
          set_text(shown);
          e.currentTarget.blur();
        }
      }}
    />
  );
}

// A typed end before the other one moves the other one along.
function set_range(change: Partial<Span>): void {
  const now = range.peek();
  const next = { ...now, ...change };
  if (next.to <= next.from)
    next[change.from !== undefined ? "to" : "from"] = change.from !== undefined ? whole.peek().to : whole.peek().from;
  if (next.to <= next.from) {
    alert.value = "The range would be empty.";
    return;
  }
  const all = whole.peek();
  go({ range: next.from <= all.from && next.to >= all.to ? null : next });
}

export const committed = signal<Span[]>([]);

// A range that was zoomed to from within the last one is one crumb deeper.
export function commit(span: Span): void {
  committed.value = [
    ...committed.peek().filter((c) => c.from <= span.from && c.to >= span.to && (c.from < span.from || c.to > span.to)),
    span,
  ].slice(-4);
}

function Breadcrumbs() {
  const current = place.value.visible;
  const inside = committed.value.filter((c) => current && c.from <= current.from && c.to >= current.to);
  return (
    <nav class="crumbs">
      <ol aria-label="Breadcrumbs">
        <li>
          {current ? (
            <button type="button" onClick={() => show(whole.peek().from, whole.peek().to, false)}>
              whole
            </button>
          ) : (
            <b>whole trace</b>
          )}
        </li>
        {inside
          .filter((c) => c.from !== current!.from || c.to !== current!.to)
          .map((c) => (
            <li key={`${c.from}-${c.to}`}>
              ›{" "}
              <button type="button" onClick={() => show(c.from, c.to, false)}>
                {range_text(c)}
              </button>
            </li>
          ))}
        {current && (
          <li>
            › <b>{range_text(current)}</b>
          </li>
        )}
      </ol>
    </nav>
  );
}

export function zoom_to_selection(): void {
  const r = place.peek().range;
  if (!r) return;
  commit(visible.peek());
  commit(r);
  show(r.from, r.to, false);
}

export function RangeBar() {
  const span = range.value;
  void trace.value;
  return (
    <div class="rangebar" role="toolbar" aria-label="Range">
      <label>From</label>
      <Field label="From" value={span.from} set={(from) => set_range({ from })} />
      <label>to</label>
      <Field label="To" value={span.to} set={(to) => set_range({ to })} />
      <span class="seg">
        <button
          type="button"
          aria-label="Zoom to selection"
          title="Make the selection the visible range (V)"
          disabled={!place.value.range}
          onClick={zoom_to_selection}
        >
          Zoom
        </button>
        <button
          type="button"
          aria-label="Whole trace"
          title="Select and show the whole trace (0)"
          onClick={() => {
            select_whole();
            show(whole.peek().from, whole.peek().to, true);
          }}
        >
          Whole
        </button>
        <button type="button" aria-label="Back" onClick={() => history.back()}>
          ‹
        </button>
        <button type="button" aria-label="Forward" onClick={() => history.forward()}>
          ›
        </button>
      </span>
      <Breadcrumbs />
      <span class="grow" />
      <Search />
    </div>
  );
}
