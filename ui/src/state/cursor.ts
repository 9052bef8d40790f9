// SPDX-License-Identifier: Apache-2.0
// The time under the pointer, where it is over a time axis; else the cursor, else the middle of what is visible.
import { signal } from "@preact/signals";
import { place, visible } from "./page";

export const pointed = signal<number | null>(null);

export function pointer_time(): number {
  const v = visible.peek();
  const at = place.peek().at;
  if (pointed.peek() !== null) return pointed.peek()!;
  return at !== null && at >= v.from && at <= v.to ? at : (v.from + v.to) / 2;
}
