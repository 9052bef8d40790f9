// SPDX-License-Identifier: Apache-2.0
// The canvas of the flame graph: virtual rows, hover, choice, zoom into a frame, and its mirror for screen readers.
import { signal } from "@preact/signals";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { draw_flame, type FlameLook, row_height, row_y } from "../../canvas/flame_draw";
import { type Box, box_at, layout } from "../../canvas/flame_layout";
import { type FlameTree, node_at, path_of } from "../../canvas/flame_tree";
import { useCanvas } from "../../canvas/surface";
import { shown } from "../../look/names";
import { figure, grouped, percent, text_of } from "../../look/units";
import { type Item, open_menu } from "../../parts/menu";
import { tip } from "../../parts/tooltip";
import { matches } from "../../shell/search";
import { go, place } from "../../state/page";
import { frame_menu } from "./frame_menu";
import { Mirror } from "./mirror";
import { Legend } from "./legend";

export const shown_tree = signal<FlameTree | null>(null);

export function chosen_node(tree: FlameTree): number {
  const path = /^frame:([\d.]+)$/.exec(place.value.chosen)?.[1];
  if (!path) return -1;
  const node = node_at(tree, path);
  return path_of(tree, node) === path ? node : -1;
}

export function choose_node(tree: FlameTree, node: number): void {
  go({ chosen: node > 0 ? `frame:${path_of(tree, node)}` : "" });
}

interface Props {
  tree: FlameTree;
  flipped: boolean;
  heavy: boolean;
  split: boolean;
  items?: (node: number) => Item[]; // of a frame's menu
}

export function FlameCanvas({ tree, flipped, heavy, split, items }: Props) {
  const scroll = useRef<HTMLDivElement>(null);
  const [view, set_view] = useState({ top: 0, width: 0, height: 0 });
  const [hovered, set_hovered] = useState(-1);
  const zoomed = node_at(tree, place.value.x);
  const l = useMemo(() => layout(tree, zoomed, Math.max(view.width, 10), heavy), [tree, zoomed, view.width, heavy]);
  const chosen = chosen_node(tree);
  const look: FlameLook = {
    top: view.top,
    height: view.height,
    flipped,
    split,
    matches: matches.value,
    chosen,
    hovered,
  };
  const canvas = useCanvas(
    (g, _w, _h, t) => view.width > 0 && draw_flame(g, tree, l, look, t),
    [l, view, look.matches, chosen, hovered, flipped, split],
  );
  const h = row_height(split);
  useEffect(() => {
    shown_tree.value = tree;
    const box = scroll.current!;
    const watch = new ResizeObserver(() =>
      set_view({ top: box.scrollTop, width: box.clientWidth - 32, height: box.clientHeight - 16 }),
    );
    watch.observe(box);
    return () => {
      watch.disconnect();
      tip.value = null;
      shown_tree.value = null;
    };
  }, [tree]);
  useEffect(() => {
    if (flipped && scroll.current) scroll.current.scrollTop = scroll.current.scrollHeight;
  }, [flipped, tree, l.depth > 0, view.height]);

  const at = (e: MouseEvent): Box | null => {
    const box = canvas.current!.getBoundingClientRect();
    const y = e.clientY - box.top;
    const first = row_y(0, l, look);
    const depth = flipped ? Math.floor((first + h - y) / h) : Math.floor((y - first) / h);
    return box_at(l, e.clientX - box.left, depth);
  };
  const hover = (e: PointerEvent): void => {
    const box = at(e);
    set_hovered(box && box.rest === 0 ? box.node : -1);
    tip.value = box ? { ...tip_of(tree, box), x: e.clientX, y: e.clientY } : null;
  };
  const key = (e: KeyboardEvent): void => {
    const n = tree.profile.nodes;
    const now = chosen < 0 ? 0 : chosen;
    const sideways = (by: number): number => {
      const box = l.boxes.find((b) => b.node === now && b.rest === 0);
      const row = (l.rows[box?.depth ?? 0] ?? []).filter((b) => b.rest === 0);
      return row[row.findIndex((b) => b.node === now) + by]?.node ?? now;
    };
    const child = tree.children[now]!.reduce((best, c) => (best < 0 || n.total[c]! > n.total[best]! ? c : best), -1);
    const [deeper, higher] = flipped ? ["ArrowUp", "ArrowDown"] : ["ArrowDown", "ArrowUp"];
    if (e.key === deeper) choose_node(tree, child < 0 ? now : child);
    else if (e.key === higher) choose_node(tree, now > 0 ? n.parent[now]! : 0);
    else if (e.key === "ArrowRight") choose_node(tree, sideways(1));
    else if (e.key === "ArrowLeft") choose_node(tree, sideways(-1));
    else if (e.key === "Enter" && chosen >= 0) go({ x: path_of(tree, chosen) });
    else if (e.key === "F10" && e.shiftKey && chosen >= 0) menu(chosen, 240, 240);
    else return;
    e.preventDefault();
    e.stopPropagation();
  };
  const menu = (node: number, x: number, y: number): void =>
    open_menu("Frame", x, y, items?.(node) ?? frame_menu(tree.id(node), tree.name(node), path_of(tree, node)));
  return (
    <div class="flame-box">
      <div
        class="flame"
        ref={scroll}
        onScroll={(e) => set_view((v) => ({ ...v, top: e.currentTarget?.scrollTop ?? scroll.current!.scrollTop }))}
      >
        <div class="flame-tall" style={{ height: `${Math.max(l.depth * h, view.height)}px` }}>
          <canvas
            ref={canvas}
            class="flame-canvas"
            role="application"
            aria-label="Flame canvas"
            tabIndex={0}
            style={{ height: `${view.height}px` }}
            data-row-height={h}
            data-x0="0"
            data-x1={view.width}
            onPointerMove={hover}
            onPointerLeave={() => {
              tip.value = null;
              set_hovered(-1);
            }}
            onKeyDown={key}
            onClick={(e) => choose_node(tree, at(e)?.node ?? 0)}
            onDblClick={(e) => {
              const b = at(e);
              if (b) go({ x: path_of(tree, b.node) });
            }}
            onContextMenu={(e) => {
              const b = at(e);
              e.preventDefault();
              if (b && b.node > 0) {
                choose_node(tree, b.node);
                menu(b.node, e.clientX, e.clientY);
              }
            }}
          />
        </div>
        <Mirror tree={tree} layout={l} chosen={chosen} choose={(node) => choose_node(tree, node)} />
      </div>
      <Legend tree={tree} />
    </div>
  );
}

function tip_of(tree: FlameTree, box: Box): { title: string; rows: [string, string][] } {
  const n = tree.profile.nodes;
  const unit = tree.profile.unit;
  if (box.rest > 0)
    return {
      title: `${grouped(box.rest)} more`,
      rows: [
        ["below", shown(tree.name(box.node))],
        ["", "double click to see them"],
      ],
    };
  const amount = (v: number): string => text_of(figure(v, unit));
  const share = text_of(percent((n.total[box.node]! / (n.total[0] || 1)) * 100));
  const rows: [string, string][] = [
    ["Total", `${amount(n.total[box.node]!)} (${share})`],
    ["Self", amount(n.self[box.node]!)],
  ];
  if (unit !== "count") rows.push([unit === "bytes" ? "Objects" : "Calls", grouped(n.count[box.node]!)]);
  if (tree.blocked[box.node]! > 0) rows.push(["Blocked", amount(tree.blocked[box.node]!)]);
  if (tree.waiting[box.node]! > 0) rows.push(["Waiting", amount(tree.waiting[box.node]!)]);
  if (tree.paused[box.node]! > 0) rows.push(["Paused", amount(tree.paused[box.node]!)]);
  return { title: tree.name(box.node), rows };
}
