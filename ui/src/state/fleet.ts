// SPDX-License-Identifier: Apache-2.0
// What is asked of a fleet: all panels of the view ask about the same stretch of time, up to a moment that stands until
// somebody wants a later one.
import { computed, signal } from "@preact/signals";
import type { FleetPlace, Span } from "./address";
import { forget_answers } from "./ask";
import { go, place } from "./page";
import { seconds_of } from "./utc";

const clock = (): number => Math.floor(Date.now() / 1000);

export const now = signal(clock()); // seconds since 1970

export function ask_again(): void {
  forget_answers();
  now.value = Math.max(clock(), now.peek() + 1);
}

export const fleet_range = computed<Span>(() => {
  const f = place.value.fleet;
  return f.range ?? { from: now.value - seconds_of(f.last), to: now.value };
});

export const set_fleet = (change: Partial<FleetPlace>, replace = false): void =>
  go({ fleet: { ...place.peek().fleet, ...change } }, replace);

// The members that all questions have.
export function asked_of_fleet(more: Record<string, unknown> = {}): Record<string, unknown> {
  const { from, to } = fleet_range.value;
  return { where: place.value.fleet.where, from: String(from), to: String(to), ...more };
}
