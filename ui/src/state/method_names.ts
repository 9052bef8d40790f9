// SPDX-License-Identifier: Apache-2.0
// Names of methods by id and ids by name. Names never change within a trace; each is asked for once.
import { signal } from "@preact/signals";
import { useEffect, useState } from "preact/hooks";
import { post, rest } from "../api";
import type { Found, Name, Names } from "../wire";
import { here, trace } from "./page";

const names = new Map<number, Name>();
export const names_told = signal(0); // grows with each answer: what draws names depends on it
let of_trace = "";
let wanted = new Set<number>();
const asked = new Set<number>();
const kMost = 10_000;

function forget_others(): void {
  const id = trace.peek()?.id ?? "";
  if (id === of_trace) return;
  of_trace = id;
  names.clear();
  asked.clear();
  wanted = new Set();
}

async function ask(): Promise<void> {
  const ids = [...wanted].slice(0, kMost);
  wanted = new Set();
  for (const id of ids) asked.add(id);
  const answer = await post<Names>(here("/names"), { methods: ids }).catch(() => null);
  if (!answer) for (const id of ids) asked.delete(id); // the next drawing asks again
  for (const name of answer?.methods ?? []) names.set(name.id, name);
  names_told.value += 1;
}

// Null where it is not known yet; it is then asked for.
export function name_of(id: number): Name | null {
  forget_others();
  const known = names.get(id);
  if (known) return known;
  if (!wanted.has(id) && !asked.has(id)) {
    // Those of one drawing are asked for together.
    if (wanted.size === 0) void rest(4).then(ask);
    wanted.add(id);
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
