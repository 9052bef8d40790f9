// SPDX-License-Identifier: Apache-2.0
// Opening: the token from the address, the session, the trace and its tracks; then the stream keeps them current.
import { effect } from "@preact/signals";
import { Fault, follow, forget_trial, get, keep_token, link, token, try_token } from "../api";
import type { Progress, Session, Trace, Tracks } from "../wire";
import { parse_launch } from "./address";
import { forget_answers, problem_of } from "./ask";
import { alert, go, place, read_address, session, trace, tracks } from "./page";
import { signal } from "@preact/signals";
import type { Problem } from "../wire";

export const progress = signal<Progress | null>(null);
export const fault = signal<Problem | null>(null);
const kApi = 1;

export async function greet(): Promise<Session> {
  const told = await get<Session>("/session");
  if (told.api !== kApi) alert.value = "Reload: the server is another version";
  return told;
}

// A token in the address is tried first; one that the server refuses never replaces one that works.
async function enter(offered: string | null): Promise<Session> {
  if (!offered) return greet();
  try_token(offered);
  try {
    const told = await greet();
    keep_token(offered);
    return told;
  } catch (error) {
    forget_trial();
    if (!(error instanceof Fault) || error.status !== 401 || !token()) throw error;
    link.value = "up";
    return greet();
  }
}

// Before anything is drawn: the token leaves the address, which then says what to draw. Returns the token.
export function read_launch(): string | null {
  const launch = parse_launch(location.hash);
  if (launch.token) history.replaceState(null, "", launch.address || location.pathname);
  read_address();
  return launch.token;
}

export async function open(offered: string | null): Promise<void> {
  addEventListener("popstate", read_address);
  addEventListener("hashchange", read_address);
  try {
    session.value = await enter(offered);
    if (session.value.traces.length === 0 && session.value.fleet && place.peek().view === "overview")
      go({ view: "fleet" }, true);
  } catch (error) {
    if (link.peek() !== "locked") fault.value = problem_of(error);
  }
  effect(() => void load(place.value.trace, session.value));
  void listen();
}

let loaded = "";

async function load(wanted: string, told: Session | null): Promise<void> {
  const id = wanted === "0" ? told?.traces[0]?.id : wanted;
  if (!id || id === loaded) return;
  loaded = id;
  await reload(id);
}

const told_of = (id: string): Trace | undefined => session.peek()?.traces.find((t) => t.id === id);
const kUnready: readonly string[] = ["opening", "indexing"];
const is_unready = (id: string): boolean => kUnready.includes(told_of(id)?.state ?? "");
const streamed = new Map<string, string>(); // states of traces, as the stream said last

// Until a trace is ready, all that is known of it stands in the session.
function show_unready(id: string): void {
  const told = told_of(id);
  trace.value = told ?? null;
  fault.value =
    told?.state === "failed"
      ? { code: "trace-failed", message: String(told.error ?? "cannot be opened"), file: told.file }
      : null;
  // What became ready while the session was on its way says so once only.
  const last = streamed.get(id);
  if (is_unready(id) && last && !kUnready.includes(last)) void reload(id);
}

async function reload(id: string): Promise<void> {
  try {
    // What the session said may be old.
    if (is_unready(id)) session.value = await greet();
    if (is_unready(id)) return show_unready(id);
    const [next, told] = await Promise.all([get<Trace>(`/traces/${id}`), get<Tracks>(`/traces/${id}/tracks`)]);
    tracks.value = told;
    trace.value = next;
    fault.value = null;
  } catch (error) {
    if (!(error instanceof Fault && error.status === 409)) {
      fault.value = problem_of(error);
      return;
    }
    session.value = await greet();
    show_unready(id);
  }
}

export const retry = (): void => {
  forget_answers();
  if (loaded !== "") void reload(loaded);
  else location.reload();
};

// The stream begins with the state of each trace, which is no news.
function told(event: string, data: { trace?: string; state?: string } & Partial<Progress>): void {
  if (event === "state" && data.trace && data.state) streamed.set(data.trace, data.state);
  if (data.trace && data.trace !== loaded) return;
  if (event === "progress") progress.value = data as Progress;
  if (event === "sealed" || (event === "state" && trace.peek() && data.state !== trace.peek()!.state)) {
    progress.value = null;
    forget_answers();
    void reload(loaded);
  }
}

const kLongest = 30_000;

// Connects again after 1, 2, 4 .. 30 s; what was missed is asked anew.
async function listen(): Promise<void> {
  for (let wait = 1000; ; wait = Math.min(wait * 2, kLongest)) {
    const begin = performance.now();
    try {
      await follow(
        (event, data) => told(event, data as Partial<Progress> & { state?: string }),
        new AbortController().signal,
      );
    } catch (error) {
      if (error instanceof Fault && error.status === 404) return;
      if (error instanceof Fault && error.status === 401) return;
      if (error instanceof TypeError) link.value = "down";
    }
    if (performance.now() - begin > 5000) wait = 1000;
    await new Promise((done) => setTimeout(done, wait));
    if (link.peek() === "locked") return;
    try {
      session.value = await greet();
      if (!trace.peek()) loaded = "";
      else if (trace.peek()!.state === "indexing") void reload(loaded);
    } catch {
      // said by `link`
    }
  }
}
