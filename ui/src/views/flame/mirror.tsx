// SPDX-License-Identifier: Apache-2.0
// The frames that are drawn, as a tree for those who do not see them.
import type { FlameLayout } from "../../canvas/flame_layout";
import type { FlameTree } from "../../canvas/flame_tree";
import { shown } from "../../look/names";
import { percent, text_of } from "../../look/units";

const kMost = 400;

export function Mirror({
  tree,
  layout,
  chosen,
  choose,
}: {
  tree: FlameTree;
  layout: FlameLayout;
  chosen: number;
  choose: (node: number) => void;
}) {
  const n = tree.profile.nodes;
  const all = n.total[0] || 1;
  const boxes = layout.boxes.filter((b) => b.rest === 0);
  return (
    <div class="hidden-for-eyes" role="tree" aria-label="Frames" data-items={boxes.length} data-total={n.total[0]}>
      {boxes.slice(0, kMost).map((b) => (
        <div
          key={b.node}
          role="treeitem"
          aria-level={b.depth + 1}
          aria-selected={b.node === chosen}
          data-node={b.node}
          data-self={n.self[b.node]}
          data-total={n.total[b.node]}
          data-count={n.count[b.node]}
          onClick={() => choose(b.node)}
          aria-label={`${shown(tree.name(b.node))}, ${text_of(percent((n.total[b.node]! / all) * 100))}`}
        />
      ))}
    </div>
  );
}
