// SPDX-License-Identifier: Apache-2.0
// The heap of the last snapshot: classes, what retains most, what may leak, and why something is alive.
import { useState } from "preact/hooks";
import { Content, Empty, Trouble } from "../../parts/content";
import { useAnswer } from "../../state/ask";
import { go, place } from "../../state/page";
import { asked_of_tables as asked } from "../../state/pin";
import type { Row, Table, Tables } from "../../wire";
import { find_table, Tabled, why_empty } from "../tables/section_tables";

const kMost = 1000;

const useHeap = (question: string, what = ""): ReturnType<typeof useAnswer<Tables>> =>
  useAnswer<Tables>(question === "" ? "" : "/heap", { question, ...(what ? { what } : {}), limit: kMost });

// The chosen class or object, as `heap --path` takes it.
const chosen = (): string => (place.value.chosen.startsWith("object:") ? place.value.chosen.slice(7) : "");
const choose = (row: Row): void => {
  const object = row["object"] == null ? "" : String(row["object"]).split(" ")[0]!; // its class may stand behind it
  go({ chosen: `object:${object || String(row["class"] ?? "")}` }, true);
};

function Alive({ what }: { what: string }) {
  const [typed, set_typed] = useState(what);
  const path = useHeap(what === "" ? "" : "path", what);
  return (
    <section>
      <div class="sect">
        Why is it alive? <span class="small faint">from a root to a class or an object</span>
        <span class="grow" />
        <form
          onSubmit={(e) => {
            e.preventDefault();
            go({ chosen: typed ? `object:${typed}` : "" });
          }}
        >
          <input
            class="field wide-field"
            aria-label="Class or object"
            placeholder="a class, or 0x…"
            value={typed}
            onInput={(e) => set_typed(e.currentTarget.value)}
          />
        </form>
      </div>
      {path.problem ? (
        <Trouble problem={path.problem} />
      ) : (
        what !== "" && path.value?.tables.map((t) => <Tabled key={t.key} table={t} rows={12} />)
      )}
    </section>
  );
}

export function Heap() {
  const summary = useAnswer<Tables>("/tables", { selection: asked.value, sections: ["heap"], limit: kMost });
  const there = summary.value !== null && summary.value.tables.some((t) => t.rows.length > 0);
  const dominators = useHeap(there ? "dominators" : "");
  const suspects = useHeap(there ? "suspects" : "");
  const what = chosen();
  const of = (key: string): Table | undefined => find_table(summary.value, key);
  const others = (summary.value?.tables ?? []).filter(
    (t) =>
      t.rows.length > 0 &&
      !["heap_snapshots", "heap_growth", "heap_classes", "heap_dominators", "heap_suspects"].includes(t.key),
  );
  return (
    <Content answer={summary} what="Reading the heap">
      {(value) =>
        !there ? (
          <Empty title="No heap snapshot in this selection" why={why_empty(value)} option="heapdump=end" />
        ) : (
          <div class="scroll">
            <Tabled table={of("heap_snapshots")} rows={6} />
            <Tabled table={suspects.value?.tables[0]} rows={8} choose={choose} />
            <Alive key={what} what={what} />
            <div class="cols">
              <Tabled table={of("heap_classes")} rows={14} choose={choose} chosen={(r) => r["class"] === what} />
              <Tabled
                table={dominators.value?.tables[0]}
                rows={14}
                choose={choose}
                chosen={(r) => String(r["object"]) === what}
              />
              <Tabled table={of("heap_growth")} rows={10} />
              {others.map((t) => (
                <Tabled key={t.key} table={t} rows={10} />
              ))}
            </div>
          </div>
        )
      }
    </Content>
  );
}
