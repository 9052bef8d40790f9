// SPDX-License-Identifier: Apache-2.0
// Methods, the call tree, who called them, and one method between its callers and callees.
import { Check, Choice } from "../../parts/choice";
import { Content, Empty } from "../../parts/content";
import { Grid } from "../../parts/grid/grid";
import { CopyButton, Notes } from "../../parts/section";
import { open_menu } from "../../parts/menu";
import { name_parts } from "../../look/names";
import { Head } from "../../shell/head";
import { useAnswer } from "../../state/ask";
import { kComputed, useMethods } from "../../state/methods";
import { choose_method } from "../../state/chosen_method";
import { has_mode, mode_of, set_mode, turn_mode } from "../../state/mode";
import { go, place } from "../../state/page";
import { asked_of_tables as asked } from "../../state/pin";
import { useMethodId, method_named } from "../../state/method_names";
import type { Row, Table, Tables } from "../../wire";
import { frame_menu } from "../flame/frame_menu";

export const kModes = ["methods", "tree", "up", "sandwich"] as const;
type Mode = (typeof kModes)[number];
const kSections: Record<Mode, string> = { methods: "calls", tree: "tree", up: "sandwich", sandwich: "sandwich" };
const kTables: Record<Mode, string[]> = {
  methods: ["methods"],
  tree: ["call_tree"],
  up: ["bottom_up"],
  sandwich: ["method_callers", "method_callees"],
};
const kMost = 10_000;

export const row_name = (row: Row): string => String(row["method"] ?? row["name"] ?? "");

async function on_method(row: Row, act: (id: number, name: string) => void): Promise<void> {
  const name = row_name(row);
  const id = await method_named(name);
  if (id !== null) act(id, name);
}

function CallGrid({ table, computing = false }: { table: Table; computing?: boolean }) {
  const p = place.value;
  const chosen = p.chosen.startsWith("method:") ? p.chosen.slice(7) : "";
  return (
    <Grid
      table={table}
      order={p.sort}
      reorder={(sort) => go({ sort }, true)}
      bars={{ self: "less", total: "ended", time: "less", elapsed: "ended" }}
      computing={computing ? kComputed : []}
      chosen={(row) => chosen !== "" && row_name(row) === chosen}
      choose={(row) => {
        go({ chosen: `method:${row_name(row)}` }, true);
        void on_method(row, (id, name) => choose_method({ id, name }));
      }}
      open={(row) =>
        void on_method(row, (id) =>
          go({ mode: [...p.mode.filter((m) => !kModes.includes(m as Mode)), "sandwich"], x: String(id), sort: "" }),
        )
      }
      menu={(row, x, y) => void on_method(row, (id, name) => open_menu("Row", x, y, frame_menu(id, name)))}
    />
  );
}

function Sandwich({ tables }: { tables: Table[] }) {
  const titles: Record<string, string> = { method_callers: "Callers", method_callees: "Callees" };
  return (
    <div class="halves">
      {tables.map((t) => (
        <section key={t.key} class="paned">
          <div class="sect pad-x">
            {titles[t.key]}
            <span class="small faint">{t.rows.length}</span>
            <span class="grow" />
            <CopyButton table={t} />
          </div>
          <CallGrid table={{ ...t, title: titles[t.key]! }} />
        </section>
      ))}
    </div>
  );
}

function Body({ mode, answer, computing }: { mode: Mode; answer: Tables; computing: boolean }) {
  const tables = kTables[mode].map((key) => answer.tables.find((t) => t.key === key)).filter((t) => t !== undefined);
  if (tables.every((t) => t.rows.length === 0)) {
    const why = answer.empty_sections?.find((s) => s.section === kSections[mode])?.text;
    if (mode === "sandwich") return <Empty title="No call of it in this selection" />;
    return <Empty title="No call in this selection" {...(why ? { why } : {})} option="calls" />;
  }
  if (mode === "sandwich") return <Sandwich tables={tables} />;
  return (
    <div class="paned">
      <CallGrid table={tables[0]!} computing={computing} />
      <Notes table={tables[0]!} />
    </div>
  );
}

function PickFirst() {
  return <Empty title="No method is chosen" why="Choose a method in Methods or Flame, then Callers and callees." />;
}

export function Calls() {
  const mode = mode_of(kModes);
  const method = useMethodId(mode === "sandwich" ? place.value.x : "");
  const missing = mode === "sandwich" && place.value.x === "";
  const wanting = mode === "sandwich" && !method;
  const methods = useMethods(mode === "methods");
  const others = useAnswer<Tables>(wanting || mode === "methods" ? "" : "/tables", {
    selection: asked.value,
    sections: [kSections[mode]],
    limit: kMost,
    ...(mode === "sandwich" && method ? { method: method.id } : {}),
  });
  const answer = mode === "methods" ? methods : others;
  const said = method ? name_parts(method.name).method : undefined;
  const table = answer.value?.tables.find((t) => kTables[mode].includes(t.key));
  return (
    <>
      <Head title="Calls" said={said}>
        <Choice
          label="Mode"
          value={mode}
          pick={(word) => set_mode(kModes, word)}
          options={[
            { word: "methods", title: "Methods" },
            { word: "tree", title: "Tree" },
            { word: "up", title: "Bottom-up" },
            { word: "sandwich", title: "Sandwich" },
          ]}
        />
        <Check
          label="Show helpers"
          on={has_mode("helpers")}
          turn={(on) => turn_mode("helpers", on)}
          title="Calls of the runtime's own wrappers"
        />
        {mode === "tree" && (
          <Check
            label="Fold recursion"
            on={has_mode("fold")}
            turn={(on) => turn_mode("fold", on)}
            title="A method that calls itself, directly or not, is one row"
          />
        )}
        {table && mode !== "sandwich" && <CopyButton table={table} />}
      </Head>
      <div class="body">
        {missing ? <PickFirst /> : <Content answer={answer}>{(value) => <Body mode={mode} answer={value} computing={mode === "methods" && methods.computing} />}</Content>}
      </div>
    </>
  );
}
