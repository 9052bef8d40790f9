// SPDX-License-Identifier: Apache-2.0
// What can be asked of a fleet, each with the answer of one command.
import { useMemo } from "preact/hooks";
import { flame_tree, path_of } from "../../canvas/flame_tree";
import { Choice } from "../../parts/choice";
import { Empty, Said } from "../../parts/content";
import { copy_text } from "../../parts/grid/copy";
import type { Item } from "../../parts/menu";
import { Section } from "../../parts/section";
import { useAnswer } from "../../state/ask";
import { asked_of_fleet, set_fleet } from "../../state/fleet";
import { mode_of, set_mode } from "../../state/mode";
import { go, place } from "../../state/page";
import { type FleetFlame, type FleetTables, number, type Table } from "../../wire";
import { DiffFlame } from "../compare/diff_flame";
import { FlameCanvas } from "../flame/flame_canvas";
import { Asked, table_of } from "./asked";
import { MomentsOf } from "./moments";
import { by_regression } from "./rows";

const kMost = 500;

// A table whose rows are methods: below it the moments of the chosen one.
function ByMethod({ table, hide }: { table: Table; hide?: string[] }) {
  const method = place.value.fleet.method;
  const has = table.rows.some((row) => row["method"] === method);
  const order = place.value.sort;
  if (table.rows.length === 0) return <Empty title="No calls of these processes then" />;
  return (
    <>
      <Section
        table={table}
        rows={method && has ? 12 : 24}
        chosen={(row) => row["method"] === method}
        choose={(row) => set_fleet({ method: String(row["method"]) }, true)}
        order={order}
        reorder={(sort) => go({ sort })}
        {...(hide ? { hide } : {})}
      />
      {method && has && <MomentsOf method={method} />}
    </>
  );
}

// The server cuts the table: by the column that it is sorted by.
const sort_word = (): string => place.value.sort.replace("-", "");

export function Methods() {
  const answer = useAnswer<FleetTables>("//fleet/methods", asked_of_fleet({ sort: sort_word(), limit: kMost }));
  return <Asked answer={answer}>{(value) => <ByMethod table={table_of(value, "methods")} />}</Asked>;
}

const kWeights = [
  { word: "time", title: "Time" },
  { word: "calls", title: "Calls" },
  { word: "bytes", title: "Bytes" },
  { word: "objects", title: "Objects" },
  { word: "wait", title: "Wait" },
  { word: "exceptions", title: "Thrown" },
  { word: "samples", title: "Samples" },
  { word: "cpu", title: "CPU" },
];
const weight_word = (): string => kWeights.find((w) => w.word === place.value.weight)?.word ?? "time";

export function WeightChoice() {
  return (
    <Choice
      label="Weight"
      value={weight_word()}
      pick={(word) => go({ weight: word === "time" ? "" : word, x: "", chosen: "" })}
      options={kWeights}
    />
  );
}

function FlameBody({ profile }: { profile: FleetFlame }) {
  const tree = useMemo(() => flame_tree(profile), [profile]);
  const items = (node: number): Item[] => [
    { title: "Focus on this method", key: "Enter", run: () => go({ x: path_of(tree, node) }) },
    {
      title: "Its moments",
      run: () => go({ fleet: { ...place.peek().fleet, method: tree.name(node) }, mode: ["moments"], chosen: "" }),
    },
    { title: "Copy name", run: () => copy_text(tree.name(node), "the name") },
  ];
  return (
    <div class="fleet-flame" role="group" aria-label="Flame of the fleet" data-total={String(profile.total)}>
      <FlameCanvas tree={tree} flipped={false} heavy split={false} items={items} />
    </div>
  );
}

export function FleetFlamePanel() {
  const answer = useAnswer<FleetFlame>("//fleet/flame", asked_of_fleet({ weight: weight_word() }));
  const none = answer.problem?.code === "request-invalid";
  if (none) return <Empty title="Nothing of this weight" why={answer.problem!.message} />;
  return <Asked answer={answer}>{(value) => <FlameBody profile={value} />}</Asked>;
}

const kWidths = ["b", "a"] as const;

function DiffBody({ value }: { value: FleetTables }) {
  const table = useMemo(() => {
    const told = table_of(value, "methods");
    return { ...told, title: "Methods, what got slower first", rows: by_regression(told.rows) };
  }, [value]);
  const flame = useAnswer<FleetFlame>(
    "//fleet/flame",
    asked_of_fleet({ base: place.value.fleet.base, weight: weight_word() }),
  );
  const width = mode_of(kWidths);
  return (
    <>
      <ByMethod table={table} />
      {flame.value && number(flame.value.total) > 0 && (
        <section>
          <div class="sect">
            Call tree <span class="small faint">all of both sides, as they were recorded; colour: the change after</span>
            <span class="grow" />
            <Choice
              label="Scale"
              value={width}
              pick={(w) => set_mode(kWidths, w)}
              options={[
                { word: "a", title: "Width before" },
                { word: "b", title: "Width after" },
              ]}
            />
          </div>
          <DiffFlame profile={flame.value} width_of={width} />
        </section>
      )}
    </>
  );
}

export function Diff() {
  const base = place.value.fleet.base;
  const answer = useAnswer<FleetTables>(base ? "//fleet/diff" : "", asked_of_fleet({ base, limit: kMost }));
  if (!base)
    return (
      <Said title="Compared with what?" icon="g-range">
        <p>Type above which processes are before, such as version=1, and which after, such as version=2.</p>
      </Said>
    );
  return <Asked answer={answer}>{(value) => <DiffBody value={value} />}</Asked>;
}

const kFigures = ["pauses", "self", "alloc"] as const;

export function Hosts() {
  const what = mode_of(kFigures);
  const answer = useAnswer<FleetTables>("//fleet/hosts", asked_of_fleet({ what, limit: kMost }));
  return (
    <Asked answer={answer}>
      {(value) => {
        const table = table_of(value, "hosts");
        return table.rows.length > 0 ? (
          <Section table={table} rows={24} choose={(row) => go({ chosen: `host:${row["host"]}` }, true)} chosen={(row) => place.value.chosen === `host:${row["host"]}`} />
        ) : (
          <Empty title="No host is unlike the others of its group" why="Groups of fewer than three hosts are not compared." />
        );
      }}
    </Asked>
  );
}

export function FigureChoice() {
  return (
    <Choice
      label="Figure"
      value={mode_of(kFigures)}
      pick={(word) => set_mode(kFigures, word)}
      options={[
        { word: "pauses", title: "Pauses" },
        { word: "self", title: "Self time" },
        { word: "alloc", title: "Allocation" },
      ]}
    />
  );
}

export function Processes() {
  const services = useAnswer<FleetTables>("//fleet/services", asked_of_fleet({ limit: kMost }));
  const series = useAnswer<FleetTables>("//fleet/series", asked_of_fleet({ limit: kMost }));
  return (
    <Asked answer={services}>
      {(value) => (
        <>
          <Section table={table_of(value, "services")} rows={10} />
          {series.value && <Section table={table_of(series.value, "series")} rows={16} />}
        </>
      )}
    </Asked>
  );
}
