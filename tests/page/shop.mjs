#!/usr/bin/env node
// SPDX-License-Identifier: Apache-2.0
// The four planted faults of the example shop are found from Overview, each in at most three clicks, and by keyboard
// alone; and what the page says of its locks, of who held them meanwhile and of a method with very many calls is what
// the commands and the events say.
import { cli, cli_json, expect, expect_equal, with_page } from "./support/page.mjs";
import { record_shop } from "./support/shop.mjs";

const shop = record_shop();
const report = (sections, ...more) => cli_json("report", "--sections", sections, "--limit", "0", ...more, shop).tables;
const table = (tables, key) => tables.find((t) => t.key === key) ?? { rows: [], columns: [], title: key };

// Counts what a person would click.
class Hand {
  constructor(page) {
    this.page = page;
    this.clicks = 0;
  }
  async click(target) {
    this.clicks += 1;
    await target.click();
    await this.page.settled();
  }
  async suspect(fault) {
    await this.page.turn("#/0/overview");
    this.clicks = 0;
    await this.click(this.page.by("list", "Suspects").getByRole("link", { name: new RegExp(`^${fault}: `) }).first());
  }
  done(fault) {
    expect(this.clicks <= 3, `${fault} takes ${this.clicks} clicks`);
  }
}

const texts = (rows, keys) => rows.map((row) => keys.map((key) => String(row[key])).join("\t")).sort();

// All columns that the page shows, row by row, whatever their order.
async function same_table(page, told) {
  const shown = await page.rows(told.title);
  const keys = Object.keys(shown[0] ?? {}).filter((key) => told.columns.some((c) => c.key === key));
  expect(keys.length > 1, `columns of ${told.title}`);
  expect_equal(texts(shown, keys), texts(told.rows, keys), told.title);
}

// Those of a method, where its thread's calls nest; offsets from `first`.
function calls_of(name, first) {
  const said = cli("cat", "--jsonl", "--kind", "method", "--name", name, shop).trim().split("\n").map((l) => JSON.parse(l));
  const method = said.find((m) => m.name.includes(name)).method;
  const open = new Map();
  const found = [];
  for (const line of cli("cat", "--jsonl", "--kind", "enter,leave,unwind", shop).split("\n")) {
    if (line === "") continue;
    const event = JSON.parse(line);
    const stack = open.get(event.thread) ?? [];
    open.set(event.thread, stack);
    if (event.kind === "enter") stack.push(Number(event.time) - first);
    else {
      const start = stack.pop();
      if (event.method === method)
        found.push({ thread: event.thread, depth: stack.length, start, end: Number(event.time) - first });
    }
  }
  return found;
}

await with_page([shop], async (page) => {
  await page.open("#/0/overview");
  const suspects = table(report("suspects"), "suspects").rows.map((row) => `${row.fault}: ${row.what}`);
  const links = await page.by("list", "Suspects").getByRole("link").all();
  expect_equal(await Promise.all(links.map((l) => l.getAttribute("aria-label"))), suspects, "suspects");
  const hand = new Hand(page);

  await hand.suspect("hot method");
  const callers = (await page.rows("Callers", "treegrid")).map((row) => row.method);
  expect(
    callers.some((name) => name.includes("Catalog.find")),
    `Catalog.find is among the callers of the hot method: ${callers}`,
  );
  hand.done("hot method");

  await hand.suspect("exception storm");
  const throw_sites = table(report("exceptions"), "throw_sites");
  const sites = await page.rows(throw_sites.title);
  expect(sites.length > 0 && sites[0].class.includes("NumberFormatException"), `thrown first: ${sites[0]?.class}`);
  await same_table(page, throw_sites);
  const bursts = await page.rows(table(report("exceptions"), "throw_bursts").title);
  expect(bursts[0]?.method.includes("Till.amountOf"), `Till.amountOf is where they come from: ${bursts[0]?.method}`);
  hand.done("exception storm");

  await hand.suspect("leak");
  const [told_path] = cli_json("heap", "--path", "Order", "--limit", "0", shop).tables;
  const path = (await page.rows(told_path.title)).map((row) => row.class);
  expect(path.includes("Till") && path.at(-1) === "Order", `Till keeps the orders: ${path}`);
  await same_table(page, told_path);
  hand.done("leak");

  await hand.suspect("lock convoy");
  const monitors = report("monitors");
  for (const key of ["lock_queues", "lock_blockers"]) await same_table(page, table(monitors, key));
  const queues = await page.rows(table(monitors, "lock_queues").title);
  expect(queues[0]?.lock.startsWith("Till"), `they wait for the till: ${queues[0]?.lock}`);
  // Of whose holder the recorder knew nothing the page has nothing to tell.
  const held = page.by("grid", "Waits").locator('tr[aria-rowindex]:has([data-column="holders"][data-value^="customer"])');
  await hand.click(held.first());
  await hand.click(page.by("button", "What the holder did").first());
  const holder = await page.rows("Methods");
  expect(
    holder.some((row) => row.method.includes("Till.print")),
    `the holder prints: ${holder.map((row) => row.method)}`,
  );
  hand.done("lock convoy");

  // What it did is what the command says of that thread and time.
  const { first_offset } = await page.ask("");
  const limits = new URLSearchParams(page.address().split("?")[1]);
  const [from, to] = limits.get("r").split("-").map(Number);
  const thread = (await page.ask("/tracks")).threads.find((t) => String(t.index) === limits.get("th"));
  const times = ["--from", from, "--to", to].map((v) => (typeof v === "number" ? String(Number(first_offset) + v) : v));
  const theirs = table(report("calls", "--thread", thread.id, ...times), "methods").rows;
  const keys = ["method", "calls", "self", "total"];
  expect_equal(texts(holder, keys), texts(theirs, keys), `calls of ${thread.name} from ${from} to ${to}`);

  // Of very many calls the slowest and the median one are those that the events say.
  const calls = calls_of("similarity", Number(first_offset));
  const lengths = calls.map((c) => c.end - c.start).sort((a, b) => a - b);
  expect(lengths.length > 10_000, `calls of the method: ${lengths.length}`);
  const slowest = calls.find((c) => c.end - c.start === lengths.at(-1));
  const owner = (await page.ask("/tracks")).threads.find((t) => t.id === slowest.thread);
  await page.turn(`#/0/timeline?sel=calls:${owner.index}/${slowest.depth}/${slowest.start}`);
  const told = (name) =>
    page.by("complementary", "Details").getByRole("group", { name, exact: true }).getAttribute("data-value");
  expect_equal(await told("Duration"), String(lengths.at(-1)), "how long the slowest took");
  expect_equal(await told("Longest"), String(lengths.at(-1)), "the longest of its method");
  await page.by("button", "Compare with typical call").click();
  await page.settled();
  const spans = ["a", "b"].map((slot) => {
    const [from, to] = new URLSearchParams(page.address().split("?")[1]).get(slot).split(":")[1].split("-");
    return Number(to) - Number(from);
  });
  expect_equal(spans, [lengths[Math.floor((lengths.length - 1) / 2)], lengths.at(-1)], "the median beside the slowest");

  // By keyboard alone, from a suspect to a call to its comparison with a typical one; the focus is always seen.
  await page.turn("#/0/overview");
  const press = async (...keys) => {
    for (const key of keys) await page.page.keyboard.press(key);
    await page.settled();
  };
  // A field may show it by what is around it.
  const focused = () =>
    page.page.evaluate(() => {
      const at = document.activeElement;
      const around = [at, at.parentElement, at.parentElement?.parentElement].filter((e) => e && e !== document.body);
      const seen = around.some((e) => {
        const style = getComputedStyle(e);
        return style.outlineStyle !== "none" || style.boxShadow !== "none";
      });
      const name = at.getAttribute("aria-label") ?? at.textContent ?? "";
      return { name: name.trim().slice(0, 60), seen: seen || at === document.body, tag: at.tagName };
    });
  const tab_to = async (fits, what) => {
    for (let i = 0; i < 120; ++i) {
      await page.page.keyboard.press("Tab");
      const at = await focused();
      expect(at.seen, `the focus is seen at ${at.name}`);
      if (fits(at)) return;
    }
    expect(false, `Tab reaches ${what}`);
  };
  // Which one stands first depends on how fast the program ran; others lead to a part of its time.
  await tab_to((at) => at.tag === "A" && at.name.startsWith("hot method: "), "the hot method");
  await press("Enter");
  expect(!page.address().startsWith("#/0/overview"), `Enter follows it: ${page.address()}`);
  await press("/");
  await page.page.keyboard.type("Catalog.similarity");
  await page.page.waitForFunction(() => document.querySelector("[aria-label=Matches]"));
  await press("Enter");
  await page.page.waitForFunction(() => /[?&]sel=calls:/.test(location.hash));
  await press("Escape", "4");
  expect(page.address().startsWith("#/0/calls"), `4 opens Calls: ${page.address()}`);
  await tab_to((at) => at.name === "Compare with typical call", "the comparison with a typical call");
  await press("Enter");
  expect(/^#\/0\/compare.*[?&]a=.*&b=/.test(page.address()), `which fills both slots: ${page.address()}`);
  expect(await page.by("group", "Slot A").isVisible(), "and shows them");
  await press("Shift+Digit1", "9");
  expect(page.address().startsWith("#/0/compare"), "9 compares, too");
});
