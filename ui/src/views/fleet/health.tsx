// SPDX-License-Identifier: Apache-2.0
// What processes did over time, by the values of a label: small charts of one axis, and the rows that they are made of.
import { useMemo } from "preact/hooks";
import { shown } from "../../look/names";
import { Empty } from "../../parts/content";
import { Section } from "../../parts/section";
import { asked_of_fleet, fleet_range } from "../../state/fleet";
import { useAnswer } from "../../state/ask";
import { place } from "../../state/page";
import type { FleetTables, Table } from "../../wire";
import { ChartBox, tone_of } from "./chart";
import { charts_of, step_of } from "./rows";
import { Asked, table_of } from "./asked";

function Names({ names, by }: { names: string[]; by: string }) {
  return (
    <ul class="fleet-names" aria-label={`Colours by ${by}`}>
      {names.map((name, i) => (
        <li key={name}>
          <i class="sw" style={{ background: `var(--${tone_of(i)})` }} />
          {shown(name) || "(none)"}
        </li>
      ))}
    </ul>
  );
}

function Body({ table }: { table: Table }) {
  const by = place.value.fleet.by;
  const charts = useMemo(() => charts_of(table, by), [table, by]);
  const step = step_of(table);
  if (table.rows.length === 0)
    return <Empty title="Nothing was recorded of these processes then" why="Another range, or another condition?" />;
  return (
    <>
      <Names names={charts[0]?.lines.map((l) => l.name) ?? []} by={by} />
      <div class="fleet-charts">
        {charts.map((chart) => (
          <ChartBox key={chart.key} chart={chart} span={fleet_range.value} step={step} />
        ))}
      </div>
      <Section table={table} rows={14} flat />
    </>
  );
}

export function Health() {
  const answer = useAnswer<FleetTables>(
    "//fleet/timeline",
    asked_of_fleet({ group_by: place.value.fleet.by, limit: 0 }),
  );
  return <Asked answer={answer}>{(value) => <Body table={table_of(value, "timeline")} />}</Asked>;
}
