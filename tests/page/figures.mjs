#!/usr/bin/env node
// SPDX-License-Identifier: Apache-2.0
// Suspects, search, weights of the flame graph, states and what damaged traces say are what the command says.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { cli, cli_json, example, expect, expect_equal, scratch, with_page } from "./support/page.mjs";
import { calls_of_threads } from "./support/calls.mjs";

const place = scratch();
const cut = join(place, "cut.mlpd");
const bytes = readFileSync(example);
writeFileSync(cut, bytes.subarray(0, Math.floor(bytes.length * 0.7)));

const kWalked = ["Program:", "Thread:", "Fin:", "EqualityComparer", "MonoIO"];

await with_page([example, cut], async (page) => {
  await page.open("#/0/overview");
  const suspects = cli_json("report", "--sections", "suspects", example).tables[0].rows;
  const cards = await page.by("list", "Suspects").getByRole("listitem").allTextContents();
  expect_equal(cards.length, suspects.length, "as many suspects");
  suspects.forEach((s, i) =>
    expect(cards[i].toLowerCase().includes(s.fault) && cards[i].includes(s.what), `suspect ${s.fault}: ${s.what}`),
  );

  // Search: names that are called, their calls, and the time of those that are inside no other of them. Helpers count.
  const shown = ["--show-helpers", "--limit", "0", example];
  const methods = cli_json("report", "--sections", "calls", ...shown).tables[0].rows;
  const whole = methods.reduce((sum, m) => sum + m.self, 0);
  const all_calls = calls_of_threads(cli, example);
  const search = async (word) => {
    await page.by("searchbox", "Search names").fill(word);
    await page.page.waitForFunction((q) => new URLSearchParams(location.hash.split("?")[1]).get("q") === q, word);
    await page.settled();
    return page.by("group", "Matches").evaluate((e) => ({
      names: Number(e.dataset.value),
      calls: Number(e.dataset.calls),
      time: Number(e.dataset.time),
      said: e.textContent,
    }));
  };
  const fits = (word) => (name) => name.toLowerCase().includes(word.toLowerCase());
  await page.turn("#/0/calls");
  for (const word of ["String", "pro", "get", "Program:", "no such name"]) {
    const found = await search(word);
    const called = methods.filter((m) => fits(word)(m.method));
    const mine = all_calls.filter((c) => fits(word)(c.name));
    const outermost = mine.filter((c) => !c.above.some(fits(word)));
    const time = outermost.reduce((sum, c) => sum + c.end - c.start, 0);
    expect_equal(found.names, new Set(called.map((m) => m.method)).size, `names with "${word}"`);
    expect_equal(found.calls, called.reduce((sum, m) => sum + m.calls, 0), `calls of names with "${word}"`);
    expect_equal(found.calls, mine.length, `calls of names with "${word}" among the events`);
    expect_equal(found.time, time, `time of names with "${word}"`);
    const share = Number(/([\d.]+)\s*%/.exec(found.said)?.[1]);
    expect(Math.abs(share - (time / whole) * 100) < 0.06, `"${word}" has ${(time / whole) * 100} %, said: ${found.said}`);
  }

  // n and N walk through all calls of all names that match, in order of time and back.
  const walk = kWalked.find((word) => {
    const mine = all_calls.filter((c) => fits(word)(c.name));
    return mine.length > 4 && mine.length < 24 && new Set(mine.map((c) => c.name)).size > 1;
  });
  const mine = all_calls.filter((c) => fits(walk)(c.name)).map((c) => c.start);
  await page.turn(`#/0/timeline?q=${encodeURIComponent(walk)}`);
  await page.page.evaluate(() => document.activeElement.blur()); // keys are commands again
  const step = async (key) => {
    const before = page.address();
    await page.page.keyboard.press(key);
    await page.page.waitForFunction(
      (b) => location.hash !== b || /No (later|earlier) match/.test(document.body.textContent),
      before,
    );
    await page.settled();
    return Number(/[?&]sel=calls:\d+\/\d+\/(-?\d+)/.exec(page.address())?.[1]);
  };
  const there = [];
  for (let i = 0; i < mine.length; ++i) there.push(await step("n"));
  expect_equal(there, mine, `n goes through all calls with "${walk}" in order of time`);
  const end = page.address();
  await page.page.keyboard.press("n");
  await page.page.getByText("No later match").waitFor();
  expect_equal(page.address(), end, "behind the last there is none");
  const back = [];
  for (let i = 1; i < mine.length; ++i) back.push(await step("Shift+N"));
  expect_equal(back, mine.slice(0, -1).reverse(), "N goes back");

  // Flame: the total of each weight.
  const out = join(place, "out.folded");
  for (const weight of ["time", "calls", "bytes", "objects"]) {
    const told = JSON.parse(
      cli("export", "--to", "folded", "--weight", weight, "--json", "--force", "-o", out, example),
    );
    await page.turn(`#/0/flame${weight === "time" ? "" : `?w=${weight}`}`);
    const total = await page.by("tree", "Frames").getAttribute("data-total");
    expect_equal(Number(total), told.outputs[0].total, `total of ${weight}`);
  }

  // States at the middle.
  const states = cli_json("state", "--no-cache", "--at", "50%", example).states;
  await page.turn("#/0/states");
  await page.page.keyboard.press("g");
  await page.by("textbox", "Time").fill("50%");
  await page.page.keyboard.press("Enter");
  await page.settled();
  expect(/[?&]at=\d+/.test(page.address()), `the address has the cursor: ${page.address()}`);
  const rows = await page.rows("State at cursor");
  expect_equal(
    rows.map((r) => [r.path, r.value]),
    states.map((s) => [s.path ?? "", String(s.value)]),
    "states at the cursor",
  );

  // Two traces beside each other are what the command says of them.
  const ids = (await page.ask("//session")).traces.map((t) => t.id);
  await page.turn(`#/0/compare?a=${ids[0]}::&b=${ids[1]}::`);
  const totals = cli_json("diff", "--limit", "0", example, cut).tables.find((t) => t.key === "diff_totals");
  const compared = await page.rows(totals.title);
  const keys = Object.keys(compared[0]);
  const told = (rows) => rows.map((row) => keys.map((key) => String(row[key])));
  expect(keys.length > 3, `columns of a comparison: ${keys}`);
  expect_equal(told(compared), told(totals.rows), "two traces in all");

  // A damaged trace says so, with what was not read.
  const damaged = cli_json("info", cut);
  const trace = page.by("combobox", "Trace");
  await trace.selectOption({ label: "cut.mlpd" });
  await page.settled();
  await page.turn(`${page.address().split("/").slice(0, 2).join("/")}/info`);
  expect_equal(
    await page.by("group", "Not read").getAttribute("data-value"),
    String(damaged.bytes_not_read),
    "bytes that were not read",
  );
  const notices = await page.rows("Notices");
  expect_equal(
    notices.map((n) => n.code),
    damaged.notices.map((n) => n.code),
    "notices of the damaged trace",
  );
});
