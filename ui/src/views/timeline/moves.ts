// SPDX-License-Identifier: Apache-2.0
// Pointer and wheel over the time line: drag in rows selects time and threads, on the ruler zooms, with Shift pans;
// a click chooses, a double click fits.
import type { RefObject } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { kRuler } from "../../canvas/timeline_draw";
import { time_of, x_of, type Axis } from "../../canvas/axis";
import { duration_text, grouped } from "../../look/units";
import { tip } from "../../parts/tooltip";
import { open_menu } from "../../parts/menu";
import { commit } from "../../shell/rangebar";
import { time_text } from "../../state/clock";
import { pointed } from "../../state/cursor";
import { name_of } from "../../state/method_names";
import { go, place, say, visible, whole } from "../../state/page";
import { pan, show, zoom } from "../../state/selection";
import { frame_menu } from "../flame/frame_menu";
import { choose_at } from "./choose";
import { hit_end, hit_merged, hit_start, pick, type Hit } from "./pick";
import type { Layout } from "./rows";

interface Plot {
  canvas: RefObject<HTMLCanvasElement | null>;
  rows: Layout;
  view: { top: number; width: number; height: number };
  scroll: RefObject<HTMLDivElement | null>;
}

type Drag =
  | { kind: "select"; time: number; y: number; moved: boolean }
  | { kind: "zoom"; time: number; moved: boolean }
  | { kind: "edge"; fixed: number; moved: boolean }
  | { kind: "pan"; x: number; from: number; moved: boolean };

const kEdge = 5;
const kStart = 3; // pixels before a press is a drag
const kStates = ["running or unknown", "blocked", "waiting", "paused"];

function tip_of(h: Hit): { title: string; rows: [string, string][] } | null {
  if (h.item < 0 || !h.items || !h.track) return null;
  const duration = duration_text(h.items.longest[h.item]!);
  if (h.track.kind === "status")
    return {
      title: kStates[h.items.name[h.item]!] ?? "",
      rows: [
        ["for", duration],
        ["thread", h.row.name],
      ],
    };
  if (h.track.kind !== "calls")
    return {
      title: h.row.name,
      rows: [
        ["from", time_text(hit_start(h), 1000)],
        ["for", duration],
      ],
    };
  const name = name_of(h.items.name[h.item]!)?.name ?? "…";
  if (hit_merged(h)) {
    return {
      title: `${grouped(h.items.count[h.item]!)} calls`,
      rows: [
        ["longest", `${duration}`],
        ["of", name],
        ["all together", duration_text(h.items.busy[h.item]!)],
      ],
    };
  }
  return {
    title: name,
    rows: [
      ["from", time_text(hit_start(h), 1000)],
      ["for", duration],
      ["thread", h.row.name],
    ],
  };
}

export function useMoves({ canvas, rows, view, scroll }: Plot) {
  const drag = useRef<Drag | null>(null);
  const pressed = useRef({ x: 0, y: 0 });
  const axis = (): Axis => ({ span: visible.peek(), width: view.width });
  const point = (e: MouseEvent): { x: number; y: number } => {
    const box = canvas.current!.getBoundingClientRect();
    return { x: e.clientX - box.left, y: e.clientY - box.top };
  };
  const hit = (e: MouseEvent): Hit | null => {
    const { x, y } = point(e);
    return y < kRuler ? null : pick(rows, axis(), x, y - kRuler + view.top);
  };

  useEffect(() => {
    const box = scroll.current!;
    const wheel = (e: WheelEvent): void => {
      if (e.ctrlKey || e.metaKey) {
        e.preventDefault();
        zoom(
          Math.exp(Math.max(-80, Math.min(80, e.deltaY)) * 0.006),
          pointed.peek() ?? (visible.peek().from + visible.peek().to) / 2,
        );
      } else if (e.shiftKey || Math.abs(e.deltaX) > Math.abs(e.deltaY)) {
        e.preventDefault();
        pan(((e.shiftKey && e.deltaX === 0 ? e.deltaY : e.deltaX) / Math.max(view.width, 1)) * 0.8);
      }
    };
    box.addEventListener("wheel", wheel, { passive: false });
    return () => box.removeEventListener("wheel", wheel);
  }, [view.width]);
  useEffect(
    () => () => {
      pointed.value = null;
      tip.value = null;
    },
    [],
  );

  const onPointerDown = (e: PointerEvent): void => {
    if (e.button !== 0) return;
    const { x, y } = point(e);
    const time = time_of(axis(), x);
    const r = place.peek().range;
    pressed.current = { x, y };
    if (e.shiftKey) drag.current = { kind: "pan", x, from: visible.peek().from, moved: false };
    else if (y < kRuler) drag.current = { kind: "zoom", time, moved: false };
    else if (r && Math.abs(x_of(axis(), r.from) - x) < kEdge)
      drag.current = { kind: "edge", fixed: r.to, moved: false };
    else if (r && Math.abs(x_of(axis(), r.to) - x) < kEdge)
      drag.current = { kind: "edge", fixed: r.from, moved: false };
    else drag.current = { kind: "select", time, y: y - kRuler + view.top, moved: false };
    canvas.current!.setPointerCapture(e.pointerId);
  };

  const select = (a: number, b: number, y0: number, y1: number, first: boolean): void => {
    const all = whole.peek();
    const from = Math.max(all.from, Math.round(Math.min(a, b)));
    const to = Math.min(all.to, Math.max(from + 1, Math.round(Math.max(a, b))));
    const [top, bottom] = [Math.min(y0, y1), Math.max(y0, y1)];
    const touched = rows.rows.filter((r) => r.y < bottom + 1 && r.y + r.height > top);
    const own = touched.flatMap((r) =>
      r.thread ? [r.thread.index] : r.kind === "group" && r.collapsed ? r.members.map((t) => t.index) : [],
    );
    go({ range: { from, to }, threads: [...new Set(own)].sort((p, q) => p - q).join(",") }, !first);
  };

  const onPointerMove = (e: PointerEvent): void => {
    const { x, y } = point(e);
    const time = time_of(axis(), x);
    pointed.value = time;
    const d = drag.current;
    if (!d) {
      const h = hit(e);
      const told = h && tip_of(h);
      tip.value = told ? { ...told, x: e.clientX, y: e.clientY } : null;
      const r = place.peek().range;
      const edge = r !== null && y >= kRuler && [r.from, r.to].some((t) => Math.abs(x_of(axis(), t) - x) < kEdge);
      canvas.current!.style.cursor = edge ? "ew-resize" : y < kRuler ? "col-resize" : "default";
      return;
    }
    tip.value = null;
    if (!d.moved && Math.abs(x - pressed.current.x) < kStart) return;
    const first = !d.moved;
    d.moved = true;
    if (d.kind === "select") select(d.time, time, d.y, y - kRuler + view.top, first);
    else if (d.kind === "edge")
      go(
        {
          range: {
            from: Math.round(Math.min(d.fixed, time)),
            to: Math.max(Math.round(Math.min(d.fixed, time)) + 1, Math.round(Math.max(d.fixed, time))),
          },
        },
        !first,
      );
    else if (d.kind === "pan") {
      const v = visible.peek();
      const shift = ((d.x - x) / view.width) * (v.to - v.from);
      show(d.from + shift, d.from + shift + v.to - v.from);
    }
  };

  const onPointerUp = (e: PointerEvent): void => {
    const d = drag.current;
    drag.current = null;
    if (!d) return;
    if (d.kind === "zoom" && d.moved) {
      const time = time_of(axis(), point(e).x);
      const next = { from: Math.min(d.time, time), to: Math.max(d.time, time) };
      commit(visible.peek());
      commit(next);
      show(next.from, next.to, false);
    } else if (!d.moved) void click(e);
    else if (place.peek().range && d.kind !== "pan")
      say(`Selected ${duration_text(place.peek().range!.to - place.peek().range!.from)}`);
  };

  const click = async (e: MouseEvent): Promise<void> => {
    const h = hit(e);
    if (!h) return;
    if (h.item < 0 || h.depth < 0) return go({ at: Math.round(h.time), chosen: "" });
    if (hit_merged(h))
      return go({
        range: { from: hit_start(h), to: Math.max(hit_end(h), hit_start(h) + 1) },
        threads: String(h.row.thread!.index),
        chosen: "",
      });
    await choose_at(h.track!, Math.min(Math.max(h.time, hit_start(h)), hit_end(h) - 1), h.depth, Math.round(h.time));
  };

  const onDblClick = (e: MouseEvent): void => {
    const h = hit(e);
    if (!h || h.item < 0) return;
    const margin = (hit_end(h) - hit_start(h)) * 0.05;
    commit(visible.peek());
    show(hit_start(h) - margin, hit_end(h) + margin, false);
  };
  const onContextMenu = (e: MouseEvent): void => {
    const h = hit(e);
    e.preventDefault();
    if (!h || h.item < 0 || h.depth < 0) return;
    const id = h.items!.name[h.item]!;
    const name = name_of(id)?.name ?? "";
    open_menu("Frame", e.clientX, e.clientY, [
      {
        title: "Select its time and thread",
        run: () => go({ range: { from: hit_start(h), to: hit_end(h) }, threads: String(h.row.thread!.index) }),
      },
      ...frame_menu(id, name),
    ]);
  };
  const onPointerLeave = (): void => {
    pointed.value = null;
    tip.value = null;
  };
  const onKeyDown = (e: KeyboardEvent): void => {
    const by = { ArrowUp: -63, ArrowDown: 63 }[e.key];
    if (!by || e.ctrlKey || e.altKey) return;
    scroll.current!.scrollTop += by;
    e.preventDefault();
    e.stopPropagation();
  };
  return { onPointerDown, onPointerMove, onPointerUp, onPointerLeave, onDblClick, onContextMenu, onKeyDown };
}
