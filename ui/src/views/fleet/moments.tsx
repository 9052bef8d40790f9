// SPDX-License-Identifier: Apache-2.0
// What is worth a look, one by one: of a method or of all; and the way from there to the events around it.
import { useMemo, useState } from "preact/hooks";
import { shown } from "../../look/names";
import { duration_text } from "../../look/units";
import { Empty, Trouble } from "../../parts/content";
import { Section } from "../../parts/section";
import { copy_text } from "../../parts/grid/copy";
import { problem_of, useAnswer } from "../../state/ask";
import { asked_of_fleet, set_fleet } from "../../state/fleet";
import { quoted } from "../../state/utc";
import { open_moment } from "../../state/moment";
import { go, place, session } from "../../state/page";
import type { FleetTables, Problem, Row, Table } from "../../wire";
import { Asked, table_of } from "./asked";

const kMost = 100;
// What it was stands last, which grids show first.
const kOrder = ["took", "kind", "service", "version", "host", "instance", "thread", "moment", "subject"];

const chosen_moment = (): string => /^moment:(.+)$/.exec(place.value.chosen)?.[1] ?? "";

function command_of(moment: string): string {
  const store = session.value?.fleet?.store ?? "";
  return `polytrace fleet get ${moment} --store ${quoted(store)} --token-file token -o moment.ptrace`;
}

function OpenMoment({ row }: { row: Row }) {
  const [problem, set_problem] = useState<Problem | null>(null);
  const [opening, set_opening] = useState(false);
  const moment = String(row["moment"]);
  const edge = session.value?.fleet?.edge ?? false;
  const open = (): void => {
    set_opening(true);
    set_problem(null);
    open_moment(moment)
      .catch((error) => set_problem(problem_of(error)))
      .finally(() => set_opening(false));
  };
  const command = command_of(moment);
  return (
    <div class="fleet-moment" role="group" aria-label="Moment">
      <b>
        {shown(String(row["kind"]))} of {duration_text(Number(row["took"]))}
      </b>{" "}
      <span class="faint">
        {[row["subject"], row["service"], row["version"], row["host"], row["instance"]]
          .filter((part) => part)
          .map((part) => shown(String(part)))
          .join(" · ")}
      </span>
      <div class="acts">
        {edge && (
          <button type="button" class="btn primary" disabled={opening} onClick={open}>
            {opening ? "Fetching …" : "Open the trace"}
          </button>
        )}
        <code class="cmd">{command}</code>
        <button type="button" class="btn" onClick={() => copy_text(command, "the command")}>
          Copy the command
        </button>
      </div>
      {!edge && <p class="note">With --edge URL --token-file FILE polytrace ui opens it here.</p>}
      {problem && <Trouble problem={problem} again={open} />}
    </div>
  );
}

function List({ table, method, title = table.title }: { table: Table; method: string; title?: string }) {
  // The same table as long as the answer is the same: a grid keeps its place in it.
  const ordered = useMemo(() => {
    const columns = [...table.columns].sort((a, b) => kOrder.indexOf(a.key) - kOrder.indexOf(b.key));
    return { ...table, columns, title };
  }, [table, title]);
  const chosen = table.rows.find((row) => row["moment"] === chosen_moment());
  if (table.rows.length === 0)
    return (
      <Empty
        title={method ? "The store has no moment of this method then" : "No moments then"}
        why="Of each process and 10 s it has the slowest calls, the longest pauses and waits."
      />
    );
  return (
    <>
      <Section
        table={ordered}
        rows={14}
        chosen={(row) => row === chosen}
        choose={(row) => go({ chosen: `moment:${row["moment"]}` }, true)}
      />
      {chosen && <OpenMoment key={String(chosen["moment"])} row={chosen} />}
    </>
  );
}

// Below the table that a method was chosen in.
export function MomentsOf({ method }: { method: string }) {
  const answer = useAnswer<FleetTables>("//fleet/moments", asked_of_fleet({ method, kind: "call", limit: kMost }));
  if (answer.problem) return <Trouble problem={answer.problem} again={answer.again} />;
  if (!answer.value) return null;
  return <List table={table_of(answer.value, "moments")} method={method} title={`Moments of ${shown(method)}`} />;
}

export function Moments() {
  const method = place.value.fleet.method;
  const answer = useAnswer<FleetTables>("//fleet/moments", asked_of_fleet({ method, limit: kMost }));
  return (
    <Asked answer={answer}>
      {(value) => (
        <>
          {method && (
            <p class="fleet-filter">
              of <b>{shown(method)}</b>{" "}
              <button type="button" class="btn small" onClick={() => set_fleet({ method: "" })}>
                All moments
              </button>
            </p>
          )}
          <List table={table_of(value, "moments")} method={method} />
        </>
      )}
    </Asked>
  );
}
