// SPDX-License-Identifier: Apache-2.0
// The series under the time line, for what is visible.
import { signal } from "@preact/signals";
import { post_binary } from "../api";
import type { Span } from "../state/address";
import { here, trace } from "../state/page";
import type { Track } from "../wire";
import { decode_series } from "./decode";
import { type Line, lines_of } from "./overview";

export const series_drawn = signal<Map<string, Line>>(new Map());
let asked = "";
let stop: AbortController | null = null;

export function want_series(tracks: Track[], span: Span, width: number): void {
  const points = Math.max(16, Math.round(width / 2));
  const key = `${trace.peek()?.id} ${trace.peek()?.generation} ${tracks.map((t) => t.number)} ${span.from} ${span.to} ${points}`;
  if (tracks.length === 0 || width < 2 || key === asked) return;
  asked = key;
  stop?.abort();
  stop = new AbortController();
  const mine = stop;
  const ids = new Map(tracks.map((t) => [t.number, t]));
  post_binary(
    here("/series"),
    { tracks: tracks.map((t) => t.number), from: span.from, to: span.to, points },
    { signal: mine.signal },
  ).then(
    (bytes) => (series_drawn.value = lines_of(decode_series(bytes), ids)),
    () => {
      if (!mine.signal.aborted) asked = "";
    },
  );
}
