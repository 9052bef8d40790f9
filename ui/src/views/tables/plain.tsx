// SPDX-License-Identifier: Apache-2.0
// Views that are tables and nothing else.
import { Head } from "../../shell/head";
import { TablesBody, useTables, type Shape } from "./section_tables";

interface Plain {
  title: string;
  sections: string[];
  option: string;
  shape: Shape;
}

function plain(p: Plain) {
  return function PlainView() {
    const answer = useTables(p.sections);
    return (
      <>
        <Head title={p.title} />
        <div class="body">
          <TablesBody answer={answer} shape={p.shape} option={p.option} />
        </div>
      </>
    );
  };
}

export const Exceptions = plain({
  title: "Exceptions",
  sections: ["exceptions"],
  option: "exceptions",
  shape: { whole: ["throw_sites"], halves: ["thrown_classes", "throw_bursts", "clauses"] },
});
export const Threads = plain({
  title: "Threads",
  sections: ["threads"],
  option: "calls",
  shape: { whole: ["threads", "thread_states"], halves: ["thread_times"] },
});
export const Compilation = plain({
  title: "Compilation",
  sections: ["jit"],
  option: "jit",
  shape: { whole: ["compilation"], halves: ["compiled_methods", "code_helpers"] },
});
export const Counters = plain({
  title: "Counters",
  sections: ["counters", "domains"],
  option: "counters",
  shape: { whole: ["counters"], halves: ["metadata", "domains", "assemblies", "images"] },
});
