// SPDX-License-Identifier: Apache-2.0
// The rows of the time line: which tracks, how high, where. Pure: data in, places out.
import type { Thread, Track } from "../../wire";

export type RowKind = "pauses" | "collections" | "thread" | "group" | "marks" | "series";

export interface TrackRow {
  id: string; // as in the address
  kind: RowKind;
  name: string;
  said: string;
  count: number;
  y: number;
  height: number;
  thread: Thread | null;
  tracks: Track[]; // that it draws
  collapsed: boolean;
  pinned: boolean;
  members: Thread[]; // of a group
  shown_rows: number; // call rows
  inside: boolean; // stands in a group
}

export interface TrackWords {
  hidden: Set<string>;
  pinned: Set<string>;
  collapsed: Set<string>;
}

export function track_words(list: readonly string[]): TrackWords {
  const of = (sign: string): Set<string> => new Set(list.filter((t) => t.startsWith(sign)).map((t) => t.slice(1)));
  return { hidden: of("-"), pinned: of("^"), collapsed: of("~") };
}

export function turn_word(list: readonly string[], sign: "-" | "^" | "~", id: string): string[] {
  const word = sign + id;
  return list.includes(word) ? list.filter((t) => t !== word) : [...list, word];
}

export const kCallRow = 21;
const kStrip = 12; // status strip and the space around
const kFoot = 6;
const kSmall = 24;
const kSeries = 64;
const kCollapsedThread = 28;
export const kMostRows = 64; // call rows of a thread at first; the rest is said

// "worker-3" and "worker-12" are one family.
export const family = (name: string): string => name.replace(/[\s#_-]*\d+(?=\D*$)/, "-*");

const kLeastFamily = 4;

export interface Group {
  name: string; // "" : threads on their own
  threads: Thread[];
}

// Threads in the order of the answer; families of many stand together where their busiest one stands.
export function groups_of(threads: readonly Thread[]): Group[] {
  const sizes = new Map<string, number>();
  for (const t of threads) sizes.set(family(t.name), (sizes.get(family(t.name)) ?? 0) + 1);
  const groups: Group[] = [];
  for (const t of threads) {
    const name = family(t.name);
    const own = t.main || (sizes.get(name) ?? 0) < kLeastFamily;
    const there = own ? undefined : groups.find((g) => g.name === name);
    if (there) there.threads.push(t);
    else groups.push({ name: own ? "" : name, threads: [t] });
  }
  return groups;
}

// "!" excludes; words are all to be there.
export function matches_filter(name: string, filter: string): boolean {
  return filter
    .toLowerCase()
    .split(/\s+/)
    .filter(Boolean)
    .every((word) =>
      word.startsWith("!")
        ? word === "!" || !name.toLowerCase().includes(word.slice(1))
        : name.toLowerCase().includes(word),
    );
}

export interface Layout {
  rows: TrackRow[];
  height: number;
  hidden: number; // rows that are hidden or filtered out
}

export interface Wish {
  words: TrackWords;
  filter: string;
  depths: Map<number, number>; // rows in view of a thread's calls, by track
  open_at_first: number; // threads
}

export function layout_rows(tracks: readonly Track[], threads: readonly Thread[], wish: Wish): Layout {
  const rows: TrackRow[] = [];
  let hidden = 0;
  const { words } = wish;
  const add = (row: Omit<TrackRow, "y" | "pinned"> & { filtered?: boolean }): void => {
    if (words.hidden.has(row.id) || (row.filtered && !matches_filter(row.name, wish.filter))) hidden += 1;
    else rows.push({ ...row, y: 0, pinned: words.pinned.has(row.id) });
  };
  const plain = (kind: RowKind, t: Track, name: string, height: number, said = ""): void =>
    add({
      id: t.id,
      kind,
      name,
      said,
      count: t.items,
      height,
      thread: null,
      tracks: [t],
      collapsed: false,
      members: [],
      shown_rows: 1,
      inside: false,
    });
  for (const t of tracks) {
    if (t.kind === "collections" && t.items > 0) plain("collections", t, "Collections", kSmall + 4);
    if (t.kind === "pauses" && t.items > 0 && !tracks.some((k) => k.kind === "collections" && k.items > 0))
      plain("pauses", t, "Pauses", kSmall + 4);
  }
  let opened = 0;
  // Threads stand as their calls do: the main one, then by how busy they were; then those without calls.
  const place = (t: Thread): number => {
    const at = tracks.findIndex((k) => k.kind === "calls" && k.thread === t.index);
    return at < 0 ? tracks.length + t.index : at;
  };
  const ordered_threads = [...threads].sort((a, b) => place(a) - place(b));
  for (const group of groups_of(ordered_threads)) {
    const in_group = group.name !== "";
    const id = `group:${group.name}`;
    const folded = in_group && words.collapsed.has(id);
    if (in_group) {
      add({
        id,
        kind: "group",
        name: group.name,
        said: "",
        count: group.threads.length,
        height: kSmall,
        thread: null,
        tracks: of_threads(tracks, group.threads, ["status"]),
        collapsed: folded,
        members: group.threads,
        shown_rows: 0,
        inside: false,
      });
    }
    if (folded) continue;
    for (const thread of group.threads) {
      const own = of_threads(tracks, [thread], ["status", "calls", "marks", "compile"]);
      const calls = own.find((t) => t.kind === "calls");
      if (own.every((t) => t.items === 0)) continue;
      const row_id = `thread:${thread.index}`;
      const late = opened >= wish.open_at_first;
      const collapsed = words.collapsed.has(row_id) !== late; // the address turns what is usual
      const deep = Math.min(kMostRows, calls ? (wish.depths.get(calls.number) ?? Math.min(calls.rows, 8)) : 0);
      opened += 1;
      add({
        id: row_id,
        kind: "thread",
        name: thread.name || `thread ${thread.index}`,
        said: "",
        count: calls?.items ?? 0,
        height: collapsed ? kCollapsedThread : kStrip + Math.max(1, deep) * kCallRow + kFoot,
        thread,
        tracks: own,
        collapsed,
        members: [],
        shown_rows: collapsed ? 0 : deep,
        inside: in_group,
        filtered: true,
      });
    }
  }
  for (const t of tracks) {
    if (t.kind === "marks" && t.thread === null && t.items > 0) plain("marks", t, t.name || "Marks", kSmall + 4);
    if (t.kind === "series" && t.id !== "series:activity") plain("series", t, t.name, kSeries, t.unit ?? "");
  }
  const ordered = [...rows.filter((r) => r.pinned), ...rows.filter((r) => !r.pinned)];
  let y = 0;
  for (const row of ordered) {
    row.y = y;
    y += row.height;
  }
  return { rows: ordered, height: y, hidden };
}

function of_threads(tracks: readonly Track[], threads: readonly Thread[], kinds: string[]): Track[] {
  const indexes = new Set(threads.map((t) => t.index));
  return tracks.filter((t) => t.thread !== null && indexes.has(t.thread) && kinds.includes(t.kind));
}

export const strip_y = (row: TrackRow): number => row.y + 4;
export const call_y = (row: TrackRow, depth: number): number => row.y + kStrip + depth * kCallRow;

export function row_at(l: Layout, y: number): TrackRow | null {
  return l.rows.find((r) => y >= r.y && y < r.y + r.height) ?? null;
}

// Few threads show more levels than many.
export function deep_rows(tracks: readonly Track[], threads: number, deep: ReadonlySet<number>): Map<number, number> {
  const cap = threads <= 2 ? 32 : threads <= 8 ? 12 : 6;
  return new Map(
    tracks
      .filter((t) => t.kind === "calls")
      .map((t) => [t.number, Math.min(t.rows, t.thread !== null && deep.has(t.thread) ? kMostRows : cap)]),
  );
}
