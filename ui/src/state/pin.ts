// SPDX-License-Identifier: Apache-2.0
// A pinned view keeps its selection while the page's changes.
import { computed, signal } from "@preact/signals";
import type { Selection } from "../wire";
import { place } from "./page";
import { drop_rules, limits, selection } from "./selection";

export const pinned = signal<{ view: string; selection: Selection; limits: typeof limits.value } | null>(null);

export function turn_pin(): void {
  pinned.value = pinned.peek() ? null : { view: place.peek().view, selection: selection.peek(), limits: limits.peek() };
}

// What views ask with.
export const asked = computed(() =>
  pinned.value && pinned.value.view === place.value.view ? pinned.value.selection : selection.value,
);

// And tables, which rules do not change.
export const asked_of_tables = computed(() => drop_rules(asked.value));
