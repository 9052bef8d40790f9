#!/usr/bin/env node
// SPDX-License-Identifier: Apache-2.0
// The time line shows the calls that `cat` prints: in any range each once, where it begins; and a call that is zoomed
// in on is found at every distance, at last with its exact start and end. Of a call that was slow the page says what the
// calls of its method say, counted here one by one.
import { cli, example, expect, expect_equal, with_page } from "./support/page.mjs";
import { calls_of_threads } from "./support/calls.mjs";

const by_depth = (calls, value) => {
  const sums = {};
  for (const call of calls) sums[call.depth] = (sums[call.depth] ?? 0) + value(call);
  return sums;
};

// What is wrong with the items of one row, in order, by its calls: each that begins between the first and the last of them
// counts once; one alone has its own start and end, unless it goes on from before; several are from the first of them to
// the last end, as busy as all of them, and named by the longest.
function wrong_items(items, calls) {
  const wrong = [];
  let next = -1;
  for (const item of items) {
    if (item.count === 0) continue; // what began before the tile
    const at = next >= 0 ? next : calls.findIndex((c) => c.start === item.start);
    const its = calls.slice(at, at + item.count);
    next = at + item.count;
    if (at < 0 || its.length < item.count || its[0].start !== item.start) wrong.push(`no call begins at ${item.start}`);
    else if (item.count > 1) {
      const longest = its.reduce((a, b) => (b.end - b.start > a.end - a.start ? b : a));
      const busy = its.reduce((sum, c) => sum + c.end - c.start, 0);
      if (item.end !== Math.max(...its.map((c) => c.end))) wrong.push(`${item.start} ends at ${item.end}`);
      if (item.busy !== busy) wrong.push(`${item.start} is busy for ${item.busy}, not ${busy}`);
      if (!item.name.endsWith(`longest ${longest.name}`)) wrong.push(`${item.name}, not ${longest.name}`);
    } else if (item.end > its[0].end || item.busy !== item.end - item.start) wrong.push(`${item.start} to ${item.end}`);
  }
  return wrong;
}

await with_page([example], async (page) => {
  await page.open("#/0/timeline");
  const tracks = await page.ask("/tracks");
  const told_trace = await page.ask("");
  const length = told_trace.end;
  const threads = Map.groupBy
    ? Map.groupBy(calls_of_threads(cli, example), (c) => c.thread)
    : calls_of_threads(cli, example).reduce((all, c) => all.set(c.thread, [...(all.get(c.thread) ?? []), c]), new Map());
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
          busy: Number(i.dataset.busy),
          name: i.ariaLabel,
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
  const call = calls.find((c) => !c.open && c.start > 0 && c.end - c.start > 1000 && c.end - c.start < 50_000 && c.depth > 0);
  let half = length / 2;
  let [levels, checked] = [0, 0];
  const middle = (call.start + call.end) / 2;
  for (let step = 0; step < 25 && half > (call.end - call.start) * 1.5; ++step) {
    half = Math.max(half / 2, (call.end - call.start) * 1.5);
    const from = Math.max(0, Math.floor(middle - half));
    await page.turn(`#/0/timeline?v=${from}-${Math.min(length, Math.ceil(middle + half))}&tr=${others}`);
    const seen = await items(busiest);
    levels += 1;
    if (seen.all <= 200)
      for (const depth of new Set(seen.shown.map((i) => i.depth))) {
        const row = seen.shown.filter((i) => i.depth === depth).sort((a, b) => a.start - b.start);
        const wrong = wrong_items(row, calls.filter((c) => c.depth === depth));
        expect_equal(wrong.slice(0, 3), [], `items at depth ${depth}, ${half} ns around the call`);
        checked += row.length;
      }
    const there = seen.shown.filter((i) => i.depth === call.depth && i.start <= call.start && i.end >= call.end);
    expect(there.length >= 1, `the call is under an item at ${half} ns around it`);
  }
  expect(levels > 8 && checked > 100, `${checked} items on ${levels} levels`);
  const seen = await items(busiest);
  const exact = seen.shown.filter((i) => i.depth === call.depth && i.start === call.start && i.end === call.end);
  expect_equal(exact.length, 1, "at last one item with its start and end");
  expect_equal(exact[0]?.count, 1, "which is one call");

  // Why was it slow: the slowest and the median of its method.
  const all = [...threads.values()].flat().filter((c) => c.method === call.method && !c.open);
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
