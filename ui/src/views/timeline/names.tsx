// SPDX-License-Identifier: Apache-2.0
// The names of the rows, at the left of the time line.
import { grouped } from "../../look/units";
import { shown } from "../../look/names";
import { open_menu } from "../../parts/menu";
import { time_text } from "../../state/clock";
import { chosen_threads, go, place } from "../../state/page";
import { number } from "../../wire";
import type { Layout, TrackRow } from "./rows";
import { filter, turn_deep, turn_track } from "./wishes";

export const kNames = 208;

function select_threads(row: TrackRow, more: boolean): void {
  const own = row.thread ? [row.thread.index] : row.members.map((t) => t.index);
  if (own.length === 0) return;
  const now = more ? (chosen_threads.peek() ?? []) : [];
  const next = own.every((i) => now.includes(i)) ? now.filter((i) => !own.includes(i)) : [...new Set([...now, ...own])];
  go({ threads: next.sort((a, b) => a - b).join(",") });
}

function track_menu(row: TrackRow, x: number, y: number): void {
  open_menu("Track", x, y, [
    ...(row.thread || row.members.length > 0
      ? [
          { title: "Select only this", run: () => select_threads(row, false) },
          { title: "Add to the selection", run: () => select_threads(row, true) },
        ]
      : []),
    { title: row.pinned ? "Unpin" : "Pin on top", run: () => turn_track("^", row.id) },
    ...(row.kind === "thread" || row.kind === "group"
      ? [{ title: row.collapsed ? "Expand" : "Collapse", run: () => turn_track("~", row.id) }]
      : []),
    ...(row.kind === "thread" ? [{ title: "All levels, or a few", run: () => turn_deep(row.thread!.index) }] : []),
    { title: "Hide", run: () => turn_track("-", row.id) },
    ...(place.peek().tracks.length > 0 ? [{ title: "Show all tracks", run: () => go({ tracks: [] }) }] : []),
  ]);
}

function Name({ row, twin }: { row: TrackRow; twin: boolean }) {
  const folds = row.kind === "thread" || row.kind === "group";
  const on = row.thread !== null && (chosen_threads.value?.includes(row.thread.index) ?? false);
  const name = shown(row.name);
  return (
    <div
      role="row"
      aria-label={name}
      data-track={row.id}
      aria-selected={on}
      class={`name ${row.kind} ${row.inside ? "in" : ""} ${on ? "on" : ""}`}
      style={{ top: `${row.y}px`, height: `${row.height}px` }}
      onContextMenu={(e) => {
        e.preventDefault();
        track_menu(row, e.clientX, e.clientY);
      }}
    >
      <div role="rowheader" class="name-in">
        {folds ? (
          <button
            type="button"
            class="tri"
            aria-label={`Collapse ${name}`}
            aria-expanded={!row.collapsed}
            onClick={() => turn_track("~", row.id)}
          >
            {row.collapsed ? "▸" : "▾"}
          </button>
        ) : (
          <span class="tri" />
        )}
        <button
          type="button"
          class="nm cut"
          title={name}
          onClick={(e) => select_threads(row, e.ctrlKey || e.metaKey || e.shiftKey)}
        >
          {name}
          {twin && row.thread ? (
            <span class="sub">from {time_text(number(row.thread.first))}</span>
          ) : (
            row.said && <span class="sub">{row.said}</span>
          )}
        </button>
        <span class="qty" title={row.kind === "thread" ? "calls, those of helpers too" : undefined}>{row.kind === "series" ? "" : grouped(row.count)}</span>
        <span class="row-acts">
          <button
            type="button"
            aria-label={`Pin ${name}`}
            aria-pressed={row.pinned}
            title="Pin on top"
            onClick={() => turn_track("^", row.id)}
          >
            {row.pinned ? "◆" : "◇"}
          </button>
          <button type="button" aria-label={`Hide ${name}`} title="Hide" onClick={() => turn_track("-", row.id)}>
            ×
          </button>
        </span>
      </div>
    </div>
  );
}

export function TrackNames({ layout, top }: { layout: Layout; top: number }) {
  const names = new Map<string, number>(); // threads of one name are told apart by when they begin
  for (const row of layout.rows) names.set(row.name, (names.get(row.name) ?? 0) + 1);
  return (
    <div class="names">
      <div class="names-head">
        <input
          type="text"
          aria-label="Filter threads"
          placeholder="Filter threads"
          title="Words; !word excludes"
          value={filter.value}
          onInput={(e) => (filter.value = e.currentTarget.value)}
        />
        {layout.hidden > 0 && (
          <button
            type="button"
            class="small"
            title="Show all tracks"
            onClick={() => {
              filter.value = "";
              go({ tracks: place.peek().tracks.filter((t) => !t.startsWith("-")) });
            }}
          >
            {layout.hidden} hidden
          </button>
        )}
      </div>
      <div class="names-clip">
        <div role="treegrid" aria-label="Tracks" class="names-all" style={{ transform: `translateY(${-top}px)` }}>
          {layout.rows.map((row) => (
            <Name key={row.id} row={row} twin={(names.get(row.name) ?? 0) > 1} />
          ))}
        </div>
      </div>
    </div>
  );
}
