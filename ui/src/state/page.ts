// SPDX-License-Identifier: Apache-2.0
// The page's one state: the place that its address says, and what the server told of the trace there.
import { computed, signal } from "@preact/signals";
import { kViewWords } from "../view_words";
import type { Session, Thread, Trace, Tracks } from "../wire";
import { number } from "../wire";
import { thread_list } from "./threads";
import { type Place, type Span, nowhere, parse_address, print_address } from "./address";

export const place = signal<Place>(nowhere());
export const session = signal<Session | null>(null);
export const trace = signal<Trace | null>(null);
export const tracks = signal<Tracks | null>(null);
export const status = signal("");
export const alert = signal("");

// The offset of the trace's earliest event. Offset 0 is the first one in the order of the file, or what heads it.
export const start = computed<number>(() => {
  const t = trace.value;
  return t?.span?.first != null ? number(t.span.first) - number(t.first_offset) : 0;
});

// The whole of the trace, as offsets. A trace without events has an empty whole.
export const whole = computed<Span>(() => ({
  from: start.value,
  to: Math.max(trace.value?.end ?? 1, start.value + 1),
}));

export const range = computed<Span>(() => place.value.range ?? whole.value);
export const visible = computed<Span>(() => place.value.visible ?? whole.value);
export const threads = computed<Thread[]>(() => tracks.value?.threads ?? []);

// Events of no thread have a row of their own and are no thread's.
const kNoThread = "0xffffffffffffffff";
export const thread_count = computed(() => threads.value.filter((t) => t.id !== kNoThread).length);

export const chosen_threads = computed(() => thread_list(place.value.threads, threads.value));

const addressed = (next: Place): string => print_address(next);

// Each finished change is an entry of the browser's history; moving replaces it.
export function go(change: Partial<Place>, replace = false): void {
  const next = { ...place.peek(), ...change };
  const address = addressed(next);
  if (address !== location.hash) {
    if (replace) history.replaceState(null, "", address);
    else history.pushState(null, "", address);
  }
  place.value = next;
}

export function read_address(): void {
  const { place: next, wrong } = parse_address(location.hash, kViewWords);
  place.value = next;
  alert.value = wrong.length > 0 ? `Not understood in the address: ${wrong.join(", ")}` : "";
}

let said = 0;
let waiting: ReturnType<typeof setTimeout> | undefined;

// At most one message a second: screen readers read each of them.
export function say(text: string): void {
  clearTimeout(waiting);
  const wait = Math.max(0, said + 1000 - performance.now());
  waiting = setTimeout(() => {
    said = performance.now();
    status.value = text;
  }, wait);
}

export const here = (path: string): string => `/traces/${trace.peek()?.id ?? place.peek().trace}${path}`;
