// SPDX-License-Identifier: Apache-2.0
// A question to the server that follows what it depends on: a newer one stops the older, what was answered stays
// until the next answer is there, and answers of the last selections are kept.
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { Fault, get, post, rest } from "../api";
import type { Problem } from "../wire";
import { here, trace } from "./page";

export interface Answer<T> {
  value: T | null;
  problem: Problem | null;
  loading: boolean;
  slow: boolean; // loading for more than 150 ms
  again: () => void;
}

const kMostKept = 40;
const kDragging = 200; // ms between changes
const kRest = 80;
const kept = new Map<string, unknown>();

function keep(key: string, value: unknown): void {
  kept.set(key, value);
  if (kept.size > kMostKept) kept.delete(kept.keys().next().value!);
}

export const forget_answers = (): void => kept.clear();

export function problem_of(error: unknown): Problem {
  if (error instanceof Fault) return error.problem;
  const message = error instanceof TypeError ? "polytrace does not answer" : String(error);
  return { code: "no-answer", message };
}

// What a path is on the server; "" while the trace that it is about is not known.
function target_of(path: string): string {
  if (path.startsWith("//")) return path.slice(1);
  return path === "" || trace.value === null ? "" : here(path);
}

// path "" : no question. A path from the root of the server begins with "//".
export function useAnswer<T>(path: string, body?: unknown): Answer<T> {
  const target = target_of(path);
  const generation = trace.value?.generation ?? 0;
  const key = `${target} ${generation} ${body === undefined ? "" : JSON.stringify(body)}`;
  const [turn, set_turn] = useState(0);
  const [state, set_state] = useState<{ key: string; value: T | null; problem: Problem | null; slow: boolean }>({
    key: "",
    value: null,
    problem: null,
    slow: false,
  });
  const path_before = useRef("");
  const asked_before = useRef(-Infinity);
  // Before anything is drawn: the server answers meanwhile.
  useLayoutEffect(() => {
    if (target === "") return;
    const known = kept.get(key) as T | undefined;
    const same = path_before.current === target;
    path_before.current = target;
    if (known !== undefined && turn === 0) return set_state({ key, value: known, problem: null, slow: false });
    const stop = new AbortController();
    const timer = setTimeout(() => set_state((s) => ({ ...s, slow: true })), 150);
    if (!same) set_state((s) => ({ ...s, value: null, problem: null }));
    const ask = { signal: stop.signal };
    // While something is dragged, only where it rests is asked about.
    const wait = performance.now() - asked_before.current < kDragging ? kRest : 0;
    asked_before.current = performance.now();
    const asked = (wait > 0 ? rest(wait) : Promise.resolve()).then(() => {
      stop.signal.throwIfAborted();
      return body === undefined ? get<T>(target, ask) : post<T>(target, body, ask);
    });
    asked
      .then(
        (value) => {
          if (stop.signal.aborted) return;
          keep(key, value);
          set_state({ key, value, problem: null, slow: false });
        },
        (error) => {
          if (!stop.signal.aborted) set_state({ key, value: null, problem: problem_of(error), slow: false });
        },
      )
      .finally(() => clearTimeout(timer));
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
  }, [key, turn]);
  const loading = target !== "" && state.key !== key;
  return {
    value: state.value,
    problem: loading ? null : state.problem,
    loading,
    slow: loading && state.slow,
    again: () => set_turn(turn + 1),
  };
}
