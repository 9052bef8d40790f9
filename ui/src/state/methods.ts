// SPDX-License-Identifier: Apache-2.0
// The methods of the selection. What sums tell is there at once; how long the shortest, the median and the longest
// call took needs a look at each of them, and comes when it is known.
import type { Table, Tables } from "../wire";
import { useAnswer, type Answer } from "./ask";
import { asked_of_tables as asked } from "./pin";

export const kComputed = ["least", "p50", "p95", "most"];
const kMost = 10_000;

export const methods_of = (answer: Tables | null): Table | undefined =>
  answer?.tables.find((t) => t.key === "methods");

export interface MethodsAnswer extends Answer<Tables> {
  computing: boolean; // kComputed are still to come
}

function has_durations(answer: Tables | null): boolean {
  const row = methods_of(answer)?.rows[0];
  return row === undefined || row["most"] != null;
}

export function useMethods(wanted = true): MethodsAnswer {
  const question = { selection: asked.value, sections: ["calls"], limit: kMost };
  const quick = useAnswer<Tables>(wanted ? "/tables" : "", { ...question, durations: false });
  const enough = !quick.loading && has_durations(quick.value);
  const full = useAnswer<Tables>(wanted && !quick.loading && quick.value && !enough ? "/tables" : "", question);
  if (quick.loading) return { ...quick, value: full.value ?? quick.value, computing: false };
  if (enough || quick.problem) return { ...quick, computing: false };
  if (full.value && !full.loading) return { ...full, computing: false };
  return { ...quick, computing: full.problem === null };
}
