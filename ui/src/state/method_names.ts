// SPDX-License-Identifier: Apache-2.0
// Names of methods by id and ids by name. Names never change within a trace; each is asked for once.
import { signal } from "@preact/signals";
import { useEffect, useState } from "preact/hooks";
import { post } from "../api";
import type { Found, Name, Names } from "../wire";
import { here, trace } from "./page";

const names = new Map<number, Name>();
export const names_told = signal(0); // grows with each answer: what draws names depends on it
let of_trace = "";
let wanted = new Set<number>();
let waiting: ReturnType<typeof setTimeout> | undefined;
const kMost = 10_000;

function forget_others(): void {
  const id = trace.peek()?.id ?? "";
  if (id === of_trace) return;
  of_trace = id;
  names.clear();
  wanted = new Set();
}

async function ask(): Promise<void> {
  const ids = [...wanted].slice(0, kMost);
  wanted = new Set();
  const answer = await post<Names>(here("/names"), { methods: ids }).catch(() => null);
  for (const name of answer?.methods ?? []) names.set(name.id, name);
  names_told.value += 1;
}

// Null where it is not known yet; it is then asked for.
export function name_of(id: number): Name | null {
  forget_others();
  const known = names.get(id);
  if (known) return known;
  if (!wanted.has(id)) {
    wanted.add(id);
    clearTimeout(waiting);
    waiting = setTimeout(() => void ask(), 4);
  }
  return null;
}

export async function method_named(name: string): Promise<number | null> {
  forget_others();
  for (const known of names.values()) if (known.name === name) return known.id;
  const found = await post<Found>(here("/search"), { text: name, case: true, kind: "method" }).catch(() => null);
  if (!found || found.ids.length === 0) return null;
  const answer = await post<Names>(here("/names"), { methods: found.ids.slice(0, 1000) }).catch(() => null);
  for (const told of answer?.methods ?? []) names.set(told.id, told);
  return [...names.values()].find((n) => n.name === name)?.id ?? found.ids[0]!;
}

export function useMethodId(x: string): { id: number; name: string } | null {
  void names_told.value;
  const [id, set_id] = useState<number | null>(null);
  useEffect(() => set_id(/^\d+$/.test(x) ? Number(x) : null), [x]);
  return id === null ? null : { id, name: name_of(id)?.name ?? "" };
}
