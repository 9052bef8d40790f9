// SPDX-License-Identifier: Apache-2.0
// The chosen frame of the flame graph: its split, its figures, where its time goes, who called it.
import { useEffect } from "preact/hooks";
import type { FlameTree } from "../canvas/flame_tree";
import { path_of } from "../canvas/flame_tree";
import { shown, short_name } from "../look/names";
import { figure, grouped } from "../look/units";
import { Facts } from "../parts/facts";
import { Breakable, Num } from "../parts/figure";
import { choose_method } from "../state/chosen_method";
import { go } from "../state/page";
import { add_rule } from "../state/selection";
import { choose_node, chosen_node, shown_tree } from "../views/flame/flame_canvas";
import { StatesSplit } from "./states_split";

const kMost = 8;

function Below({ tree, node }: { tree: FlameTree; node: number }) {
  const n = tree.profile.nodes;
  const parts = [
    ...tree.children[node]!.map((c) => ({ node: c, value: n.total[c]! })),
    { node: -1, value: n.self[node]! },
  ]
    .filter((p) => p.value > 0)
    .sort((a, b) => b.value - a.value);
  if (parts.length < 2) return null;
  const most = parts[0]!.value || 1;
  return (
    <section>
      <div class="sect">Where it goes</div>
      <ul class="parts">
        {parts.slice(0, kMost).map((p) => (
          <li key={p.node}>
            <span class="bar" style={{ "--w": `${(p.value / most) * 100}%` } as preact.CSSProperties} />
            {p.node < 0 ? (
              <span class="faint">itself</span>
            ) : (
              <button
                type="button"
                class="cut"
                title={shown(tree.name(p.node))}
                onClick={() => choose_node(tree, p.node)}
              >
                {shown(short_name(tree.name(p.node)))}
              </button>
            )}
            <span>
              <Num of={figure(p.value, tree.profile.unit)} />
            </span>
          </li>
        ))}
        {parts.length > kMost && <li class="faint">{grouped(parts.length - kMost)} more</li>}
      </ul>
    </section>
  );
}

export function ChosenFrame() {
  const tree = shown_tree.value;
  const node = tree ? chosen_node(tree) : -1;
  const id = tree && node > 0 ? tree.id(node) : -1;
  useEffect(() => {
    choose_method(tree && node > 0 ? { id, name: tree.name(node) } : null);
  }, [tree, node]);
  if (!tree || node <= 0) return null;
  const n = tree.profile.nodes;
  const total = n.total[node]!;
  const counted = tree.profile.unit !== "count";
  const callers: number[] = [];
  for (let at = n.parent[node]!; at > 0 && callers.length < 100; at = n.parent[at]!) callers.push(at);
  return (
    <div role="complementary" aria-label="Details" class="stack">
      <section>
        <div class="kind">Chosen frame</div>
        <h3>
          <Breakable text={tree.name(node)} />
        </h3>
        {tree.states && tree.profile.weight === "time" && (
          <StatesSplit
            of={{
              total,
              blocked: tree.blocked[node]!,
              waiting: tree.waiting[node]!,
              paused: tree.pauses ? tree.paused[node]! : null,
            }}
          />
        )}
        <Facts
          all={[
            { title: "Total", value: total, unit: tree.profile.unit, strong: true },
            { title: "Share of all", value: (total / (n.total[0] || 1)) * 100, unit: "percent" },
            { title: "Self", value: n.self[node]!, unit: tree.profile.unit },
            ...(counted ? [{ title: tree.profile.unit === "bytes" ? "Objects" : "Calls", value: n.count[node]! }] : []),
            ...(counted && n.count[node]! > 0
              ? [{ title: "Average", value: total / n.count[node]!, unit: tree.profile.unit }]
              : []),
          ]}
        />
        <div class="acts">
          <button
            type="button"
            class="btn primary"
            onClick={() => add_rule({ op: "only", how: "method", text: String(id) })}
          >
            Only inside it <span class="key">Y</span>
          </button>
          <button type="button" class="btn" onClick={() => add_rule({ op: "not", how: "method", text: String(id) })}>
            Exclude <span class="key">X</span>
          </button>
          <button type="button" class="btn" onClick={() => go({ x: path_of(tree, node) })}>
            Focus
          </button>
          <button
            type="button"
            class="btn"
            onClick={() => go({ view: "calls", mode: ["sandwich"], x: String(id), sort: "" })}
          >
            Callers and callees
          </button>
        </div>
      </section>
      <Below tree={tree} node={node} />
      {callers.length > 0 && (
        <section>
          <div class="sect">Callers</div>
          <ol class="path" aria-label="Callers">
            {callers.map((c) => (
              <li key={c}>
                <button type="button" class="cut" title={shown(tree.name(c))} onClick={() => choose_node(tree, c)}>
                  {shown(short_name(tree.name(c)))}
                </button>
              </li>
            ))}
          </ol>
        </section>
      )}
    </div>
  );
}
