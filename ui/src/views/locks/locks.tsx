// SPDX-License-Identifier: Apache-2.0
// Queues at locks, who waited for whom, each wait, and what its holder did meanwhile.
import { Choice } from "../../parts/choice";
import { Content, Empty } from "../../parts/content";
import { Head } from "../../shell/head";
import { mode_of, set_mode } from "../../state/mode";
import type { Table, Tables } from "../../wire";
import { find_table, Tabled, useTables, why_empty } from "../tables/section_tables";
import { Matrix } from "./matrix";
import { Waits } from "./waits";

const kModes = ["matrix", "chains", "sites"] as const;

function Body({ mode, value }: { mode: (typeof kModes)[number]; value: Tables }) {
  const of = (...keys: string[]): (Table | undefined)[] => keys.map((key) => find_table(value, key));
  if (mode === "chains")
    return (
      <div class="scroll">
        {of("lock_chains", "lock_queues").map((t) => (
          <Tabled key={t?.key} table={t} rows={16} />
        ))}
      </div>
    );
  if (mode === "sites") {
    return (
      <div class="scroll">
        {of("monitor_sites").map((t) => (
          <Tabled key={t?.key} table={t} rows={14} />
        ))}
        <div class="cols">
          {of("monitors", "monitor_classes", "monitor_threads", "monitor_totals", "monitor_stacks").map((t) => (
            <Tabled key={t?.key} table={t} rows={10} />
          ))}
        </div>
      </div>
    );
  }
  const blockers = find_table(value, "lock_blockers");
  return (
    <div class="scroll">
      <Tabled table={find_table(value, "lock_queues")} rows={5} />
      <div class="cols">
        {blockers && <Matrix table={blockers} />}
        <Waits />
      </div>
      <Tabled table={blockers} rows={10} />
    </div>
  );
}

export function Locks() {
  const mode = mode_of(kModes);
  const answer = useTables(["monitors"], 10_000);
  return (
    <>
      <Head title="Locks">
        <Choice
          label="Mode"
          value={mode}
          pick={(w) => set_mode(kModes, w)}
          options={[
            { word: "matrix", title: "Matrix" },
            { word: "chains", title: "Chains" },
            { word: "sites", title: "Sites" },
          ]}
        />
      </Head>
      <div class="body">
        <Content answer={answer}>
          {(value) =>
            value.tables.every((t) => t.rows.length === 0) ? (
              <Empty title="No wait for a lock in this selection" why={why_empty(value)} option="monitors" />
            ) : (
              <Body mode={mode} value={value} />
            )
          }
        </Content>
      </div>
    </>
  );
}
