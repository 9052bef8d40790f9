// SPDX-License-Identifier: Apache-2.0
// Calls as the events tell them one by one, without any of the program's own figures.

// Those of all threads by their starts, as {thread, method, name, above: names of callers, depth, start, end,
// open}, at offsets from the first event. What has no end is open and lasts to the last event of its thread; a leave that
// fits no call ends none.
export function calls_of_threads(cli, file) {
  const names = new Map();
  const open = new Map();
  const last = new Map();
  const calls = [];
  let first = null;
  for (const line of cli("cat", "--jsonl", file).split("\n")) {
    if (line === "") continue;
    const event = JSON.parse(line);
    if (event.kind === "method") names.set(event.method, event.name);
    if (event.time === undefined || event.time === null) continue;
    first ??= event.time;
    const time = event.time - first;
    if (event.thread === undefined) continue;
    last.set(event.thread, Math.max(last.get(event.thread) ?? time, time));
    const stack = open.get(event.thread) ?? [];
    open.set(event.thread, stack);
    if (event.kind === "enter") {
      const { thread, method } = event;
      const call = { thread, method, above: stack.map((c) => c.method), depth: stack.length, start: time, end: null };
      stack.push(call);
      calls.push(call);
    } else if (event.kind === "leave" || event.kind === "unwind") {
      const at = stack.findLastIndex((c) => c.method === event.method);
      if (at < 0) continue;
      for (const call of stack.splice(at)) call.end = time;
    }
  }
  for (const call of calls) {
    call.open = call.end === null;
    call.end ??= last.get(call.thread);
    call.name = names.get(call.method) ?? "";
    call.above = call.above.map((m) => names.get(m) ?? "");
  }
  return calls.sort((a, b) => a.start - b.start || a.depth - b.depth);
}
