#!/usr/bin/env node
// SPDX-License-Identifier: Apache-2.0
// Calls are what the command says: of the whole trace, of ranges that cut calls, are empty or a nanosecond long, and of
// two threads together.
import { cli_json, example, expect, expect_equal, with_page } from "./support/page.mjs";

const kKeys = ["self", "self_share", "elapsed", "total", "calls", "average", "least", "p50", "p95", "most", "method"];

function table(report, key) {
  return report.tables.find((t) => t.key === key)?.rows ?? [];
}
const texts = (rows, keys) =>
  rows
    .map((row) => Object.fromEntries(keys.map((key) => [key, String(row[key])])))
    .sort((a, b) => (a.method < b.method ? -1 : a.method > b.method ? 1 : Number(a.total) - Number(b.total)));

await with_page([example], async (page) => {
  const info = cli_json("info", example);
  const first = info.span.first;
  const length = info.span.last - first;

  await page.open("#/0/calls");
  const whole = cli_json("report", "--sections", "calls,tree", "--limit", "0", example);
  expect_equal(
    texts(await page.rows("Methods"), kKeys),
    texts(table(whole, "methods"), kKeys),
    "methods of the whole trace",
  );
  expect(table(whole, "methods").length > 3, "the example has methods");

  const same_tree = async (report, what) => {
    await page.turn(`${page.address()}${page.address().includes("?") ? "&" : "?"}m=tree`);
    await page.unfold("Call tree");
    const row = (r) => [r.method, r.total, r.self, r.calls].join("\t");
    const shown = (await page.rows("Call tree", "treegrid")).map(row);
    expect_equal(shown.sort(), table(report, "call_tree").map(row).sort(), `call tree of ${what}`);
  };
  await same_tree(whole, "the whole trace");

  const zero = first - Number((await page.ask("")).first_offset);
  const third = Math.floor(length / 3);
  for (const [from, to] of [
    [third, 2 * third],
    [0, 1],
    [third, third + 1],
  ]) {
    await page.turn("#/0/calls");
    for (const [label, value] of [
      ["From", from],
      ["To", to],
    ]) {
      const field = page.by("textbox", label);
      await field.fill(String(value));
      await field.press("Enter");
    }
    await page.settled();
    // Typed times count from the first event, as the command's do; addresses have the server's offsets.
    const range = `r=${from + zero}-${to + zero}`;
    expect(page.address().includes(range), `the address has ${range}: ${page.address()}`);
    const part = cli_json(
      "report",
      "--sections",
      "calls,tree",
      "--limit",
      "0",
      "--from",
      String(first + from),
      "--to",
      String(first + to),
      example,
    );
    const rows = table(part, "methods");
    if (rows.length === 0)
      expect(await page.page.getByText("No call in this selection").isVisible(), `${from}-${to} is empty and says so`);
    else expect_equal(texts(await page.rows("Methods"), kKeys), texts(rows, kKeys), `methods of ${from}-${to}`);
    if (rows.length > 0) await same_tree(part, `${from}-${to}`);
  }

  // Two threads are what each of them is, together.
  const threads = (await page.ask("/tracks")).threads.filter((t) => t.calls > 0);
  const two = threads.slice(0, 2);
  const sums = new Map();
  for (const thread of two) {
    for (const row of table(
      cli_json("report", "--sections", "calls", "--limit", "0", "--thread", thread.id, example),
      "methods",
    )) {
      const sum = sums.get(row.method) ?? { self: 0, calls: 0 };
      sums.set(row.method, { self: sum.self + row.self, calls: sum.calls + row.calls });
    }
  }
  await page.turn(
    `#/0/calls?th=${two
      .map((t) => t.index)
      .sort((a, b) => a - b)
      .join(",")}`,
  );
  const got = await page.rows("Methods");
  const keys = ["self", "calls", "method"];
  expect_equal(
    texts(got, keys),
    texts(
      [...sums].map(([method, sum]) => ({ ...sum, method })),
      keys,
    ),
    "two threads are the sum of each",
  );
});
