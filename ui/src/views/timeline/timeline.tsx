// SPDX-License-Identifier: Apache-2.0
// All threads on one time axis: exact calls, what threads waited for, pauses through everything.
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { draw_pointer, draw_timeline, kRuler, type Scene } from "../../canvas/timeline_draw";
import { useCanvas } from "../../canvas/surface";
import { spot_of } from "../../look/spot";
import { Head } from "../../shell/head";
import { matches } from "../../shell/search";
import { call_name } from "../../state/chosen";
import { time_text } from "../../state/clock";
import { pointed } from "../../state/cursor";
import { name_of, names_told } from "../../state/method_names";
import { chosen_threads, place, threads, trace, tracks, visible, whole } from "../../state/page";
import { number } from "../../wire";
import { useCall } from "../../shell/details_call";
import { asking, drawn, forget_tiles, tile_fault, want_tiles } from "../../tiles/cache";
import { marks_of, useOverview } from "../../tiles/overview";
import { series_drawn, want_series } from "../../tiles/series_cache";
import { ItemsMirror } from "./mirror";
import { kNames, TrackNames } from "./names";
import { useMoves } from "./moves";
import { deep_rows, layout_rows, track_words, type Layout } from "./rows";
import { deep_tracks, filter } from "./wishes";

const naming = {
  name: (id: number): string => name_of(id)?.name ?? "",
  package: (id: number): string => spot_of(name_of(id)?.name ?? "", name_of(id)?.package ?? ""),
  helper: (id: number): boolean => name_of(id)?.helper ?? false,
};

function useRows(): Layout {
  const words = place.value.tracks;
  const deep = deep_tracks.value;
  return useMemo(() => {
    const all = tracks.value?.tracks ?? [];
    return layout_rows(all, threads.value, {
      words: track_words(words),
      filter: filter.value,
      depths: deep_rows(all, threads.value.length, deep),
      open_at_first: 40,
    });
  }, [tracks.value, words, filter.value, deep]);
}

export function Timeline() {
  const rows = useRows();
  const overview = useOverview();
  const scroll = useRef<HTMLDivElement>(null);
  const [view, set_view] = useState({ top: 0, width: 0, height: 0 });
  const p = place.value;
  const span = visible.value;
  const items = drawn.value;
  const at = useCall(p.chosen);
  const name = call_name(p.chosen);
  const call = at?.call;
  const chosen =
    name && call && number(call.start) === name.start
      ? { track: name.track, row: name.row, start: name.start, end: number(call.end) }
      : null;
  useEffect(() => {
    const box = scroll.current!;
    const watch = new ResizeObserver(() =>
      set_view({ top: box.scrollTop, width: box.clientWidth - kNames, height: box.clientHeight }),
    );
    watch.observe(box);
    return () => watch.disconnect();
  }, []);
  useLayoutEffect(forget_tiles, [trace.value?.id, trace.value?.generation]);

  const body = Math.max(view.height - kRuler, 1);
  const near = rows.rows.filter((r) => r.y + r.height > view.top - body && r.y < view.top + 2 * body);
  // Before anything is drawn: the server answers meanwhile.
  useLayoutEffect(() => {
    if (view.width < 2) return;
    const wanted = near.flatMap((r) =>
      r.tracks
        .filter((t) => t.kind !== "series" && t.items > 0)
        .map((track) => ({ track, rows: Math.max(1, r.shown_rows) })),
    );
    want_tiles(wanted, span, view.width, whole.value);
    want_series(
      near.filter((r) => r.kind === "series").flatMap((r) => r.tracks),
      span,
      view.width,
    );
  }, [span.from, span.to, view, rows, trace.value?.generation]);

  const scene = (): Scene => ({
    axis: { span, width: view.width },
    layout: rows,
    top: view.top,
    height: body,
    items: (track) => items?.tracks.get(track),
    series: series_drawn.value,
    pauses: marks_of(overview, "pauses"),
    lost: marks_of(overview, "lost"),
    naming,
    range: p.range,
    threads: chosen_threads.value,
    chosen,
    at: p.at,
    moment: time_text,
    matches: matches.value,
  });
  const deps = [
    rows,
    view,
    span.from,
    span.to,
    items,
    series_drawn.value,
    overview,
    p.range,
    p.threads,
    p.at,
    chosen?.start,
    chosen?.end,
    names_told.value,
    matches.value,
    p.times,
  ];
  const canvas = useCanvas(view.width > 0 ? (g, _w, _h, t) => draw_timeline(g, scene(), t) : null, deps);
  const pointer = pointed.value;
  const overlay = useCanvas(
    pointer === null
      ? null
      : (g, _w, _h, t) => draw_pointer(g, { span, width: view.width }, body, pointer, time_text, t),
    [pointer, view, span.from, span.to],
  );
  const told = tracks.value?.tracks.some((t) => t.kind === "status");
  const moves = useMoves({ canvas, rows, view, scroll });
  return (
    <>
      <Head title="Timeline" said={asking.value ? "loading" : tile_fault.value || undefined}>
        {told && (
          <span class="states-legend" aria-hidden="true">
            {["running", "blocked", "waiting", "paused"].map((s) => (
              <span key={s}>
                <i class={`sw st-${s}`} />
                {s === "running" ? "running or unknown" : s}
              </span>
            ))}
          </span>
        )}
      </Head>
      <div class="body">
        <div
          class="tl-scroll"
          ref={scroll}
          onScroll={(e) => {
            const top = e.currentTarget.scrollTop;
            set_view((v) => ({ ...v, top }));
          }}
        >
          <div class="tl-tall" style={{ height: `${rows.height + kRuler}px` }}>
            <div class="tl-stuck" style={{ height: `${view.height}px` }}>
              <TrackNames layout={rows} top={view.top} />
              <div class="plot">
                <canvas
                  ref={canvas}
                  role="application"
                  aria-label="Timeline canvas"
                  tabIndex={0}
                  data-from={span.from}
                  data-to={span.to}
                  data-x0="0"
                  data-x1={view.width}
                  data-row-height="21"
                  data-top={view.top}
                  {...moves}
                />
                <canvas ref={overlay} class="overlay" aria-hidden="true" />
              </div>
            </div>
          </div>
        </div>
        <ItemsMirror layout={rows} span={span} />
      </div>
    </>
  );
}
