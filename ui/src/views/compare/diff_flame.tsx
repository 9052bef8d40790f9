// SPDX-License-Identifier: Apache-2.0
// An icicle of one side, coloured by the change in B.
import { useMemo, useRef, useState, useEffect } from "preact/hooks";
import { box_at, layout } from "../../canvas/flame_layout";
import { flame_tree, type FlameTree, node_at, path_of } from "../../canvas/flame_tree";
import { measure_with, rounded, useCanvas, type Brush } from "../../canvas/surface";
import { label, shown } from "../../look/names";
import { mix, type Tones } from "../../look/theme";
import { figure, text_of } from "../../look/units";
import { tip } from "../../parts/tooltip";
import { go, place } from "../../state/page";
import type { Profile } from "../../wire";

const kRow = 24;
const kMostRows = 40;

// Between -1 (gone) and 1 (new), of the larger side.
export function change_part(before: number, after: number): number {
  const most = Math.max(before, after);
  return most === 0 ? 0 : (after - before) / most;
}

function colour(part: number, t: Tones): string {
  const base = mix(t.same, t.ground, 0.8);
  return part === 0 ? base : mix(part < 0 ? t.less : t.more, base, Math.min(0.62, 0.12 + Math.abs(part) * 0.5));
}

const signed = (value: number, unit: string): string => (value > 0 ? "+" : "") + text_of(figure(value, unit));

function draw(
  g: Brush,
  tree: FlameTree,
  l: ReturnType<typeof layout>,
  before: number[],
  after: number[],
  t: Tones,
): void {
  g.font = `12px ${t.sans}`;
  const measure = measure_with(g);
  for (const b of l.boxes) {
    if (b.rest > 0 || b.depth >= kMostRows) continue;
    const y = b.depth * kRow;
    g.fillStyle = colour(change_part(before[b.node]!, after[b.node]!), t);
    rounded(g, b.x, y, Math.max(b.width - 0.75, 0.5), kRow - 1, 2);
    g.fill();
    if (b.width < 24) continue;
    const change = signed(after[b.node]! - before[b.node]!, tree.profile.unit);
    const room = b.width > 160 ? measure(change) + 14 : 0;
    g.fillStyle = t.text;
    const text = label(shown(tree.name(b.node)), b.width - 12 - room, measure);
    if (text) g.fillText(text, b.x + 6, y + kRow / 2);
    if (room > 0) g.fillText(change, b.x + b.width - measure(change) - 7, y + kRow / 2);
  }
}

export function DiffFlame({ profile, width_of }: { profile: Profile; width_of: "a" | "b" }) {
  const box = useRef<HTMLDivElement>(null);
  const [width, set_width] = useState(800);
  useEffect(() => {
    const watch = new ResizeObserver(() => box.current && set_width(box.current.clientWidth));
    watch.observe(box.current!);
    return () => {
      watch.disconnect();
      tip.value = null;
    };
  }, []);
  const after = profile.nodes.total;
  const before = profile.nodes.total_before ?? after;
  const tree = useMemo(
    () =>
      flame_tree(
        width_of === "a"
          ? {
              ...profile,
              nodes: { ...profile.nodes, total: before, self: profile.nodes.self_before ?? profile.nodes.self },
            }
          : profile,
      ),
    [profile, width_of],
  );
  const zoomed = node_at(tree, place.value.x);
  const l = useMemo(() => layout(tree, zoomed, width, true), [tree, zoomed, width]);
  const ref = useCanvas((g, _w, _h, t) => draw(g, tree, l, before, after, t), [l]);
  const at = (e: MouseEvent) => {
    const r = ref.current!.getBoundingClientRect();
    return box_at(l, e.clientX - r.left, Math.floor((e.clientY - r.top) / kRow));
  };
  const amount = (v: number): string => text_of(figure(v, profile.unit));
  return (
    <div ref={box}>
      <canvas
        ref={ref}
        class="diff"
        role="application"
        aria-label="Flame canvas"
        style={{ height: `${Math.min(l.depth, kMostRows) * kRow}px` }}
        onPointerMove={(e) => {
          const b = at(e);
          tip.value =
            b && b.rest === 0
              ? {
                  title: tree.name(b.node),
                  x: e.clientX,
                  y: e.clientY,
                  rows: [
                    ["A", amount(before[b.node]!)],
                    ["B", amount(after[b.node]!)],
                    ["Change", signed(after[b.node]! - before[b.node]!, profile.unit)],
                  ],
                }
              : null;
        }}
        onPointerLeave={() => (tip.value = null)}
        onDblClick={(e) => {
          const b = at(e);
          if (b) go({ x: path_of(tree, b.node) });
        }}
      />
      {l.depth > kMostRows && (
        <p class="note">{l.depth - kMostRows} levels more: double click a frame to see what is below it.</p>
      )}
    </div>
  );
}
