// SPDX-License-Identifier: Apache-2.0
// The chosen method of a table: its figures in the selection, its callers and callees.
import { useEffect, useState } from "preact/hooks";
import { shown, short_name } from "../look/names";
import { figure } from "../look/units";
import { Facts } from "../parts/facts";
import { Breakable, Num } from "../parts/figure";
import { useAnswer } from "../state/ask";
import { methods_of, useMethods } from "../state/methods";
import { choose_method } from "../state/chosen_method";
import { method_named } from "../state/method_names";
import { go, place } from "../state/page";
import { asked_of_tables as asked } from "../state/pin";
import { add_rule } from "../state/selection";
import type { Row, Tables } from "../wire";

const kMost = 8;

function Neighbours({ title, rows }: { title: string; rows: Row[] }) {
  if (rows.length === 0) return null;
  return (
    <section>
      <div class="sect">{title}</div>
      <ul class="parts">
        {rows.slice(0, kMost).map((r) => {
          const name = String(r["method"] ?? r["name"] ?? "");
          return (
            <li key={name + String(r["depth"])}>
              <button type="button" class="cut" title={shown(name)} onClick={() => go({ chosen: `method:${name}` })}>
                {shown(short_name(name))}
              </button>
              <span class="faint">
                <Num of={figure(Number(r["calls"] ?? 0), "count")} />
              </span>
            </li>
          );
        })}
      </ul>
    </section>
  );
}

const first_level = (t: { rows: Row[] } | undefined): Row[] => {
  const rows = t?.rows ?? [];
  const least = Math.min(...rows.map((r) => Number(r["depth"] ?? 0)));
  return rows.filter((r) => Number(r["depth"] ?? 0) === least + (least === 0 && rows.length > 1 ? 1 : 0));
};

export function ChosenMethodPanel() {
  const name = place.value.chosen.slice(7);
  const [id, set_id] = useState<number | null>(null);
  useEffect(() => {
    let here = true;
    set_id(null);
    method_named(name).then(
      (found) => {
        if (!here) return;
        set_id(found);
        choose_method(found === null ? null : { id: found, name });
      },
      () => undefined,
    );
    return () => {
      here = false;
    };
  }, [name]);
  const methods = useMethods();
  const around = useAnswer<Tables>(id === null ? "" : "/tables", {
    selection: asked.value,
    sections: ["sandwich"],
    limit: 200,
    method: id,
  });
  const row = methods_of(methods.value)?.rows.find((r) => r["method"] === name);
  const value = (key: string): number | null => (row?.[key] == null ? null : Number(row[key]));
  return (
    <div role="complementary" aria-label="Details" class="stack">
      <section>
        <div class="kind">Chosen method</div>
        <h3>
          <Breakable text={name} />
        </h3>
        <Facts
          all={[
            { title: "Self", value: value("self"), unit: "nanoseconds" },
            { title: "Total", value: value("elapsed"), unit: "nanoseconds", strong: true },
            { title: "Calls", value: value("calls") },
            { title: "Average", value: value("average"), unit: "nanoseconds" },
            { title: "Median", value: value("p50"), unit: "nanoseconds" },
            { title: "Longest", value: value("most"), unit: "nanoseconds" },
          ]}
        />
        {id !== null && (
          <div class="acts">
            <button
              type="button"
              class="btn primary"
              onClick={() => go({ view: "calls", mode: ["sandwich"], x: String(id), sort: "" })}
            >
              Callers and callees
            </button>
            <button type="button" class="btn" onClick={() => add_rule({ op: "only", how: "method", text: String(id) })}>
              Only inside it <span class="key">Y</span>
            </button>
            <button type="button" class="btn" onClick={() => add_rule({ op: "not", how: "method", text: String(id) })}>
              Exclude <span class="key">X</span>
            </button>
          </div>
        )}
      </section>
      <Neighbours title="Callers" rows={first_level(around.value?.tables.find((t) => t.key === "method_callers"))} />
      <Neighbours title="Callees" rows={first_level(around.value?.tables.find((t) => t.key === "method_callees"))} />
    </div>
  );
}
