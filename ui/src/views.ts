// SPDX-License-Identifier: Apache-2.0
// Every view, once: its word in addresses, its title, its key, and what a trace must have for it.
import type { ComponentType } from "preact";
import type { kViewWords } from "./view_words";
import { session, trace } from "./state/page";
import { Calls } from "./views/calls/calls";
import { Collections } from "./views/collections/collections";
import { Compare } from "./views/compare/compare";
import { Events } from "./views/events/events";
import { Fleet } from "./views/fleet/fleet";
import { Flame } from "./views/flame/flame";
import { Info } from "./views/info/info";
import { Locks } from "./views/locks/locks";
import { Memory } from "./views/memory/memory";
import { Overview } from "./views/overview/overview";
import { Sql } from "./views/sql/sql";
import { States } from "./views/states/states";
import { Compilation, Counters, Exceptions, Threads } from "./views/tables/plain";
import { Timeline } from "./views/timeline/timeline";

export interface View {
  word: (typeof kViewWords)[number];
  title: string;
  key: string;
  show: ComponentType;
  wide?: boolean; // no details beside it
  weights?: boolean; // needs a weight
  sections?: string[]; // needs one of these sections
  while_indexing?: boolean;
  fleet?: boolean; // about no trace: the page's range and selection are not its own
}

export const kViews: View[] = [
  { word: "overview", title: "Overview", key: "1", show: Overview, wide: true },
  { word: "timeline", title: "Timeline", key: "2", show: Timeline },
  { word: "flame", title: "Flame", key: "3", show: Flame, weights: true },
  { word: "calls", title: "Calls", key: "4", show: Calls, sections: ["calls", "samples", "cpu"] },
  {
    word: "memory",
    title: "Memory",
    key: "5",
    show: Memory,
    wide: true,
    sections: ["allocations", "survival", "heap", "roots", "handles"],
  },
  { word: "collections", title: "Collections", key: "6", show: Collections, wide: true, sections: ["collections"] },
  { word: "locks", title: "Locks", key: "7", show: Locks, wide: true, sections: ["monitors"] },
  { word: "states", title: "States", key: "8", show: States, wide: true },
  { word: "compare", title: "Compare", key: "9", show: Compare, wide: true, weights: true },
  { word: "exceptions", title: "Exceptions", key: "", show: Exceptions, wide: true, sections: ["exceptions"] },
  { word: "threads", title: "Threads", key: "", show: Threads, wide: true, sections: ["threads"] },
  { word: "compilation", title: "Compilation", key: "", show: Compilation, wide: true, sections: ["jit"] },
  { word: "counters", title: "Counters", key: "", show: Counters, wide: true, sections: ["counters", "domains"] },
  { word: "events", title: "Events", key: "", show: Events, wide: true },
  { word: "sql", title: "SQL", key: "", show: Sql, wide: true },
  { word: "info", title: "Info", key: "", show: Info, wide: true, while_indexing: true },
  { word: "fleet", title: "Fleet", key: "", show: Fleet, wide: true, fleet: true },
];

export const kWords: readonly string[] = kViews.map((v) => v.word);

export const is_fleet = (word: string): boolean => kViews.some((v) => v.fleet && v.word === word);

// Why a view has nothing to show; "" where it has, or where that is not known yet.
export function lack_of(view: View): string {
  const t = trace.value;
  const told = session.value;
  if (view.fleet) return told && !told.fleet ? "no store: start polytrace ui with --store URL" : "";
  if (!t && told?.traces.length === 0) return "no trace is open here";
  if (!t || t.state === "indexing" || t.state === "opening") return "";
  if (view.weights && t.weights && t.weights.length === 0) return "nothing was recorded that stacks have";
  if (!view.sections || !t.sections) return "";
  const known = t.sections.filter((s) => view.sections!.includes(s.key));
  return known.length === 0 || known.some((s) => s.has_events) ? "" : "not recorded";
}
