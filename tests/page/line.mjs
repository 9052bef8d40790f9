#!/usr/bin/env node
// SPDX-License-Identifier: Apache-2.0
// The time line shows the calls that `cat` prints: in any range each once, where it begins; and a call that is zoomed
// in on is found at every distance, at last with its exact start and end. Of a call that was slow the page says what the
// calls of its method say, counted here one by one.
import { cli, example, expect, expect_equal, with_page } from "./support/page.mjs";

// Calls of each thread that nest, at offsets from `first`; of others none.
function calls_by_thread(first) {
  const open = new Map();
  const calls = new Map();
  const broken = new Set();
  for (const line of cli("cat", "--jsonl", example).split("\n")) {
    if (line === "") continue;
    const event = JSON.parse(line);
    const stack = open.get(event.thread) ?? [];
    open.set(event.thread, stack);
    if (event.kind === "enter") {
      const call = { method: event.method, start: event.time - first, end: null, depth: stack.length };
      stack.push(call);
      calls.set(event.thread, [...(calls.get(event.thread) ?? []), call]);
    } else if (event.kind === "leave" || event.kind === "unwind") {
      const call = stack.pop();
      if (call?.method !== event.method) broken.add(event.thread);
      else call.end = event.time - first;
    }
  }
  for (const thread of broken) calls.delete(thread);
  return calls;
}

const by_depth = (calls, value) => {
  const sums = {};
  for (const call of calls) sums[call.depth] = (sums[call.depth] ?? 0) + value(call);
  return sums;
};

await with_page([example], async (page) => {
  await page.open("#/0/timeline");
  const tracks = await page.ask("/tracks");
  const told_trace = await page.ask("");
  const length = told_trace.end;
  const threads = calls_by_thread(Number(told_trace.first_offset));
  const at_hand = tracks.threads.filter((t) => threads.has(t.id) && t.calls > 2);
  expect(at_hand.length > 0, "a thread whose calls nest");

  const items = (thread) =>
    page.page.evaluate((name) => {
      const list = [...document.querySelectorAll("[role=listbox]")].find(
        (l) => l.getAttribute("aria-label") === `Items of ${name}`,
      );
      return {
        all: Number(list?.dataset.items ?? -1),
        shown: [...(list?.children ?? [])].map((i) => ({
          start: Number(i.dataset.start),
          end: Number(i.dataset.end),
          count: Number(i.dataset.count),
          depth: Number(i.dataset.row),
        })),
      };
    }, thread.name);

  // Ranges of few items: each call once, in its row.
  let compared = 0;
  const busiest = at_hand.reduce((a, b) => (b.calls > a.calls ? b : a));
  const calls = threads.get(busiest.id);
  const others = tracks.threads
    .filter((t) => t.index !== busiest.index)
    .map((t) => `-thread:${t.index}`)
    .join(",");
  for (let i = 0; i < 10; ++i) {
    const middle = calls[Math.floor(((i + 0.5) * calls.length) / 10)].start;
    const from = Math.max(0, middle - 20_000);
    const to = Math.min(length, middle + 30_000);
    await page.turn(`#/0/timeline?v=${from}-${to}&tr=${others}`);
    const seen = await items(busiest);
    if (seen.all > 200 || seen.all < 0) continue;
    // Those that began before are drawn, too; they are counted where they begin.
    const mine = seen.shown.filter((item) => item.start >= from && item.start < to);
    const theirs = calls.filter((call) => call.start >= from && call.start < to && call.depth < 64);
    expect_equal(by_depth(mine, (m) => m.count), by_depth(theirs, () => 1), `calls by depth of ${from}-${to}`);
    compared += theirs.length;
  }
  expect(compared > 50, `ranges with calls to compare: ${compared} calls`);

  // Zoomed in on one call, step by step.
  const call = calls.filter((c) => c.end !== null && c.end - c.start > 1000 && c.depth > 0)[0] ?? calls[0];
  let half = length / 2;
  const middle = (call.start + call.end) / 2;
  for (let step = 0; step < 25 && half > (call.end - call.start) * 1.5; ++step) {
    half = Math.max(half / 2, (call.end - call.start) * 1.5);
    const from = Math.max(0, Math.floor(middle - half));
    await page.turn(`#/0/timeline?v=${from}-${Math.min(length, Math.ceil(middle + half))}&tr=${others}`);
    const seen = await items(busiest);
    if (seen.all > 200) continue;
    const there = seen.shown.filter((i) => i.depth === call.depth && i.start <= call.start && i.end >= call.end);
    expect(there.length >= 1, `the call is under an item at ${half} ns around it`);
  }
  const seen = await items(busiest);
  const exact = seen.shown.filter((i) => i.depth === call.depth && i.start === call.start && i.end === call.end);
  expect_equal(exact.length, 1, "at last one item with its start and end");
  expect_equal(exact[0]?.count, 1, "which is one call");

  // Why was it slow: the slowest and the median of its method.
  const all = [...threads.values()].flat().filter((c) => c.method === call.method && c.end !== null);
  const lengths = all.map((c) => c.end - c.start).sort((a, b) => a - b);
  const slowest = all.find((c) => c.end - c.start === lengths.at(-1));
  const owner = at_hand.find((t) => threads.get(t.id).includes(slowest));
  await page.turn(`#/0/timeline?sel=calls:${owner.index}/${slowest.depth}/${slowest.start}`);
  const details = page.by("complementary", "Details");
  const told = (name) => details.getByRole("group", { name, exact: true }).getAttribute("data-value");
  expect_equal(await told("Start"), String(slowest.start), "where the call starts");
  expect_equal(await told("Duration"), String(lengths.at(-1)), "how long it took");
  if (lengths.length > 1) {
    expect_equal(await told("Longest"), String(lengths.at(-1)), "the longest of its method");
    await page.by("button", "Compare with typical call").click();
    await page.settled();
    const median = lengths[Math.floor((lengths.length - 1) / 2)];
    const range = /[?&]a=[^&]*?(\d+)-(\d+)/.exec(decodeURIComponent(page.address()));
    expect_equal(Number(range?.[2]) - Number(range?.[1]), median, "it is compared with the median call");
  }
});
