// SPDX-License-Identifier: Apache-2.0
// What the minimap and the strips of the overview draw: series and marks of the whole trace, asked for once.
import { signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { Fault, post_binary } from "../api";
import type { Span } from "../state/address";
import { here, trace, tracks, whole } from "../state/page";
import type { Track } from "../wire";
import { decode_series, decode_tiles, type SeriesAnswer } from "./decode";

export interface Line {
  from: number; // offset of the first bucket
  step: number;
  unit: string;
  values: Float64Array; // averages of the threads' series, else what was last told
  most: Float64Array;
  sum: Float64Array;
  count: Uint32Array;
}

export interface Mark {
  start: number;
  end: number;
  row: number;
  name: number;
  count: number;
}

export interface Overview {
  lines: Map<string, Line>;
  marks: Map<string, Mark[]>;
}

export const series_of = (o: Overview | null, id: string): Line | undefined => o?.lines.get(id);
export const marks_of = (o: Overview | null, id: string): Mark[] => o?.marks.get(id) ?? [];

const kPoints = 1600;
const kAveraged = /^series:(activity|threads\.)/;

export function lines_of(answer: SeriesAnswer, ids: Map<number, { id: string; unit?: string }>): Map<string, Line> {
  const step = 2 ** answer.level;
  return new Map(
    answer.series.map((s) => {
      const track = ids.get(s.track);
      const averaged = kAveraged.test(track?.id ?? "");
      const values = averaged ? s.sum.map((sum) => sum / step) : s.last;
      return [
        track?.id ?? String(s.track),
        {
          from: answer.base + s.first * step,
          step,
          unit: track?.unit ?? "",
          values,
          most: s.most,
          sum: s.sum,
          count: s.count,
        },
      ];
    }),
  );
}

const kMarks = ["pauses", "collections", "marks"];

async function ask(stop: AbortSignal): Promise<Overview> {
  const all = tracks.peek()!.tracks;
  const span = whole.peek();
  const ids = new Map(all.map((t) => [t.number, t]));
  const series = all.filter((t) => t.kind === "series").map((t) => t.number);
  const marked = all.filter((t) => kMarks.includes(t.kind) && t.items > 0);
  const lines =
    series.length === 0
      ? new Map<string, Line>()
      : lines_of(
          decode_series(
            await post_binary(
              here("/series"),
              { tracks: series, from: span.from, to: span.to, points: kPoints },
              { signal: stop },
            ),
          ),
          ids,
        );
  if (!lines.has("series:activity") && all.some((t) => t.kind === "calls"))
    lines.set("series:activity", await activity(all, span, stop));
  const marks = new Map<string, Mark[]>();
  if (marked.length > 0) {
    const tiles = decode_tiles(
      await post_binary(
        here("/tiles"),
        {
          tracks: marked.map((t) => ({ track: t.number, bands: [0] })),
          from: span.from,
          to: span.to,
          width: kPoints,
          budget: 20_000,
        },
        { signal: stop },
      ),
    );
    for (const row of tiles.rows) {
      const track = ids.get(row.track)!;
      for (let i = row.first; i < row.first + row.items; ++i) {
        const id = track.kind === "marks" ? (kMarkNames[tiles.row[i]!] ?? "marks") : track.kind;
        const list = marks.get(id) ?? [];
        list.push({
          start: tiles.base + tiles.start[i]!,
          end: tiles.base + tiles.end[i]!,
          row: tiles.row[i]!,
          name: tiles.name[i]!,
          count: tiles.count[i]!,
        });
        marks.set(id, list);
      }
    }
  }
  return { lines, marks };
}

const kBusiest = 64;

// Where no series tells it: threads in a call, from the outermost calls of the busiest threads.
async function activity(all: Track[], span: Span, stop: AbortSignal): Promise<Line> {
  const calls = all.filter((t) => t.kind === "calls" && t.items > 0).slice(0, kBusiest);
  const step = (span.to - span.from) / kPoints;
  const values = new Float64Array(kPoints);
  const tiles = decode_tiles(
    await post_binary(
      here("/tiles"),
      {
        tracks: calls.map((t) => ({ track: t.number, bands: [0] })),
        from: span.from,
        to: span.to,
        width: kPoints,
        budget: 100_000,
      },
      { signal: stop },
    ),
  );
  for (let i = 0; i < tiles.start.length; ++i) {
    if (tiles.row[i] !== 0) continue;
    const start = tiles.start[i]! + tiles.base - span.from;
    const length = Math.max(tiles.end[i]! - tiles.start[i]!, 1);
    const last = Math.min(kPoints - 1, Math.floor((start + length) / step));
    for (let k = Math.max(0, Math.floor(start / step)); k <= last; ++k) {
      const part = Math.min(start + length, (k + 1) * step) - Math.max(start, k * step);
      if (part > 0) values[k]! += (tiles.busy[i]! * part) / length / step;
    }
  }
  const none = new Float64Array(kPoints);
  return { from: span.from, step, unit: "count", values, most: values, sum: none, count: new Uint32Array(kPoints) };
}

const kMarkNames = ["exceptions", "samples", "annotations", "lost"];

const value = signal<Overview | null>(null);
export const useOverview = (): Overview | null => value.value;

// Asked once for the page: the minimap and the overview draw the same.
export function useOverviewSource(): void {
  const key = `${trace.value?.id} ${trace.value?.generation} ${trace.value?.state} ${tracks.value?.tracks.length}`;
  useEffect(() => {
    if (!tracks.peek()) return;
    const stop = new AbortController();
    ask(stop.signal).then(
      (v) => (value.value = v),
      (error) => {
        if (!stop.signal.aborted && !(error instanceof Fault)) throw error;
      },
    );
    return () => stop.abort();
  }, [key]);
}
