// SPDX-License-Identifier: Apache-2.0
// The items of one thread that are visible, for those who do not see the canvas.
import type { Span } from "../../state/address";
import { shown } from "../../look/names";
import { duration_text, grouped } from "../../look/units";
import { call_name } from "../../state/chosen";
import { time_text } from "../../state/clock";
import { name_of, names_told } from "../../state/method_names";
import { place } from "../../state/page";
import { asking, drawn, is_merged } from "../../tiles/cache";
import type { Layout } from "./rows";
import { choose_at } from "./choose";

const kMost = 200;

export function ItemsMirror({ layout, span }: { layout: Layout; span: Span }) {
  void names_told.value;
  const wanted = call_name(place.value.chosen)?.track;
  const rows = layout.rows.filter((r) => r.kind === "thread");
  const row = rows.find((r) => r.tracks.some((t) => t.id === wanted)) ?? rows[0];
  const track = row?.tracks.find((t) => t.kind === "calls");
  const items = track && drawn.value?.tracks.get(track.number);
  if (!row || !track || !items) return null;
  const seen: number[] = [];
  for (let i = 0; i < items.size; ++i) if (items.end[i]! > span.from && items.start[i]! < span.to) seen.push(i);
  const name = (i: number): string => shown(name_of(items.name[i]!)?.name ?? "");
  return (
    <ul
      class="hidden-for-eyes"
      role="listbox"
      aria-label={`Items of ${shown(row.name)}`}
      data-items={seen.length}
      aria-busy={asking.value}
    >
      {seen.slice(0, kMost).map((i) => (
        <li
          key={i}
          role="option"
          aria-selected="false"
          data-start={items.start[i]}
          data-end={items.end[i]}
          data-count={items.count[i]}
          data-busy={items.busy[i]}
          data-row={items.row[i]}
          onClick={() => void choose_at(track, items.start[i]!, items.row[i]!, null)}
          aria-label={
            is_merged(items, i)
              ? `${grouped(items.count[i]!)} calls, longest ${name(i)}`
              : `${name(i)}, ${time_text(items.start[i]!)}, ${duration_text(items.end[i]! - items.start[i]!)}`
          }
        />
      ))}
    </ul>
  );
}
