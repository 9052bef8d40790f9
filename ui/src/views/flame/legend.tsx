// SPDX-License-Identifier: Apache-2.0
// Which colour is which package: those with the most of their own.
import { useMemo, useState } from "preact/hooks";
import type { FlameTree } from "../../canvas/flame_tree";
import { package_colour, mix, tones } from "../../look/theme";
import { shown } from "../../look/names";
import { figure } from "../../look/units";
import { Num } from "../../parts/figure";

const kMost = 7;

export function Legend({ tree }: { tree: FlameTree }) {
  const [open, set_open] = useState(true);
  const t = tones.value;
  const top = useMemo(() => {
    const sums = new Map<string, number>();
    tree.profile.nodes.self.forEach((self, node) => {
      if (node > 0) sums.set(tree.package(node), (sums.get(tree.package(node)) ?? 0) + self);
    });
    return [...sums].filter(([, v]) => v > 0).sort((a, b) => b[1] - a[1]);
  }, [tree]);
  if (top.length < 2) return null;
  const rest = top.slice(kMost).reduce((s, [, v]) => s + v, 0);
  return (
    <div class="legend">
      <button type="button" aria-expanded={open} onClick={() => set_open(!open)}>
        Colour: package or type <span>{open ? "▾" : "▴"}</span>
      </button>
      {open && (
        <dl>
          {top.slice(0, kMost).map(([name, value]) => (
            <div key={name}>
              <dt>
                <i class="sw" style={{ background: mix(package_colour(name, t), t.ground, t.fill + 0.2) }} />
                <span class="cut" title={shown(name)}>
                  {shown(name) || "no package"}
                </span>
              </dt>
              <dd>
                <Num of={figure(value, tree.profile.unit)} />
              </dd>
            </div>
          ))}
          {rest > 0 && (
            <div>
              <dt>
                <i class="sw ended" />
                <span>other</span>
              </dt>
              <dd>
                <Num of={figure(rest, tree.profile.unit)} />
              </dd>
            </div>
          )}
        </dl>
      )}
    </div>
  );
}
