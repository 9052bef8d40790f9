// SPDX-License-Identifier: Apache-2.0
// The client of the server's endpoints. An answer is a value or a Fault that was thrown; a request is given up by its
// signal, which the server notices. Counts what is in flight in `busy`.
import { signal } from "@preact/signals";
import type { Problem } from "./wire";

export const busy = signal(0);
export const link = signal<"up" | "down" | "locked">("up");

export class Fault extends Error {
  constructor(
    readonly status: number,
    readonly problem: Problem,
  ) {
    super(problem.message);
  }
}

const kTokenName = "polytrace.token";

// Storage may be refused (private windows); then the token lives as long as the page.
let here: string | null = null;
export function token(): string | null {
  try {
    return here ?? localStorage.getItem(kTokenName);
  } catch {
    return here;
  }
}

export function keep_token(value: string): void {
  here = value;
  try {
    localStorage.setItem(kTokenName, value);
  } catch {
    // kept in memory
  }
}

// Until the server has taken it, so that a wrong one never replaces one that works.
export function try_token(value: string): void {
  here = value;
}
export function forget_trial(): void {
  here = null;
}

export interface Ask {
  signal?: AbortSignal | undefined;
  job?: string;
}

function headers(ask: Ask, has_body: boolean): Record<string, string> {
  const all: Record<string, string> = { Authorization: `Bearer ${token() ?? ""}` };
  if (has_body) all["Content-Type"] = "application/json";
  if (ask.job) all["Job"] = ask.job;
  return all;
}

async function fault_of(response: Response): Promise<Fault> {
  let problem: Problem = { code: "internal", message: `The server answered ${response.status}` };
  try {
    const body = await response.json();
    problem = { ...problem, ...(body.error ?? body) };
  } catch {
    // no JSON: what the status says
  }
  return new Fault(response.status, problem);
}

const kPatience = [100, 300, 1000];
const pause = (ms: number): Promise<void> => new Promise((done) => setTimeout(done, ms));

async function answered(method: string, path: string, body: unknown, ask: Ask): Promise<Response> {
  for (let tries = 0; ; ++tries) {
    const response = await fetch(`/api/1${path}`, {
      method,
      headers: headers(ask, body !== undefined),
      cache: "no-store",
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...(ask.signal ? { signal: ask.signal } : {}),
    });
    if (response.status !== 503 || tries >= kPatience.length) return response;
    await pause(kPatience[tries]!); // the queue is full: as often as it is worth
    ask.signal?.throwIfAborted();
  }
}

async function ask_server<T>(
  method: string,
  path: string,
  body: unknown,
  ask: Ask,
  read: (r: Response) => Promise<T>,
): Promise<T> {
  busy.value += 1;
  try {
    const response = await answered(method, path, body, ask);
    if (response.status === 401) link.value = "locked";
    if (!response.ok) throw await fault_of(response);
    if (link.peek() === "down") link.value = "up";
    return await read(response);
  } catch (error) {
    if (error instanceof TypeError) link.value = "down";
    throw error;
  } finally {
    busy.value -= 1;
  }
}

// Before something is asked: who waits for an answer waits for this as well.
export async function rest(ms: number): Promise<void> {
  busy.value += 1;
  await pause(ms);
  busy.value -= 1;
}

const as_json = (r: Response): Promise<never> => r.json() as Promise<never>;

export const get = <T>(path: string, ask: Ask = {}): Promise<T> => ask_server<T>("GET", path, undefined, ask, as_json);
export const post = <T>(path: string, body: unknown, ask: Ask = {}): Promise<T> =>
  ask_server<T>("POST", path, body, ask, as_json);
export const put = <T>(path: string, body: unknown): Promise<T> => ask_server<T>("PUT", path, body, {}, as_json);
export const post_binary = (path: string, body: unknown, ask: Ask = {}): Promise<ArrayBuffer> =>
  ask_server("POST", path, body, ask, (r) => r.arrayBuffer());
export const post_file = (path: string, body: unknown): Promise<{ blob: Blob; name: string }> =>
  ask_server("POST", path, body, {}, async (r) => ({ blob: await r.blob(), name: file_name(r) }));
export const post_lines = (path: string, body: unknown, ask: Ask = {}): Promise<Record<string, unknown>[]> =>
  ask_server("POST", path, body, ask, async (r) => json_lines(await r.text()));

const json_lines = (text: string): Record<string, unknown>[] =>
  text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line));

function file_name(response: Response): string {
  return /filename="([^"]+)"/.exec(response.headers.get("Content-Disposition") ?? "")?.[1] ?? "polytrace.out";
}

// Server-sent events over fetch: EventSource cannot send the token. Ends when the connection does.
export async function follow(told: (event: string, data: unknown) => void, stop: AbortSignal): Promise<void> {
  const response = await fetch("/api/1/stream", { headers: headers({}, false), signal: stop, cache: "no-store" });
  if (response.status === 401) link.value = "locked";
  if (!response.ok || !response.body) throw await fault_of(response);
  if (link.peek() === "down") link.value = "up";
  const lines = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  for (;;) {
    const { done, value } = await lines.read();
    if (done) return;
    text += value;
    for (let end = text.indexOf("\n\n"); end >= 0; end = text.indexOf("\n\n")) {
      tell(text.slice(0, end), told);
      text = text.slice(end + 2);
    }
  }
}

function tell(block: string, told: (event: string, data: unknown) => void): void {
  let event = "message";
  let data = "";
  for (const line of block.split("\n")) {
    if (line.startsWith("event:")) event = line.slice(6).trim();
    else if (line.startsWith("data:")) data += line.slice(5).trim();
  }
  if (data !== "") told(event, JSON.parse(data));
}
