#!/usr/bin/env node
// SPDX-License-Identifier: Apache-2.0
// Suspects, search, weights of the flame graph, states and what damaged traces say are what the command says.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { cli, cli_json, example, expect, expect_equal, scratch, with_page } from "./support/page.mjs";

const place = scratch();
const cut = join(place, "cut.mlpd");
const bytes = readFileSync(example);
writeFileSync(cut, bytes.subarray(0, Math.floor(bytes.length * 0.7)));

// Whether no other method is found by this name.
const names_alone = (name, all) => all.filter((m) => m.method.toLowerCase().includes(name.toLowerCase())).length === 1;

await with_page([example, cut], async (page) => {
  await page.open("#/0/overview");
  const suspects = cli_json("report", "--sections", "suspects", example).tables[0].rows;
  const cards = await page.by("list", "Suspects").getByRole("listitem").allTextContents();
  expect_equal(cards.length, suspects.length, "as many suspects");
  suspects.forEach((s, i) =>
    expect(cards[i].toLowerCase().includes(s.fault) && cards[i].includes(s.what), `suspect ${s.fault}: ${s.what}`),
  );

  // Search: of all names, those of helpers as well.
  const shown = ["--show-helpers", "--limit", "0", example];
  const methods = cli_json("report", "--sections", "calls", ...shown).tables[0].rows;
  const word = "pro";
  await page.turn("#/0/calls");
  await page.by("searchbox", "Search names").fill(word);
  const found = page.by("group", "Matches");
  await found.waitFor();
  await page.settled();
  const calls = methods.filter((m) => m.method.toLowerCase().includes(word)).reduce((sum, m) => sum + m.calls, 0);
  expect_equal(Number(await found.getAttribute("data-calls")), calls, `calls of names with "${word}"`);
  expect(page.address().includes(`q=${word}`), "the address has what was searched for");
  const names = new Set(methods.map((m) => m.method).filter((name) => name.toLowerCase().includes(word)));
  expect(Number(await found.getAttribute("data-value")) >= names.size, `names with "${word}"`);

  // n and N walk through all calls of a name, in order of time and back.
  const few = methods.filter((m) => m.calls > 1 && m.calls < 8 && names_alone(m.method, methods)).at(0);
  await page.turn(`#/0/timeline?q=${encodeURIComponent(few.method)}`);
  const step = async (key) => {
    const before = page.address();
    await page.page.keyboard.press(key);
    await page.page.waitForFunction((b) => location.hash !== b || /No (later|earlier) match/.test(document.body.textContent), before);
    await page.settled();
    return Number(/[?&]sel=calls:\d+\/\d+\/(-?\d+)/.exec(page.address())?.[1]);
  };
  const there = [];
  for (let i = 0; i < few.calls; ++i) there.push(await step("n"));
  expect_equal(there, [...there].sort((a, b) => a - b), "n goes on in order of time");
  expect_equal(new Set(there).size, few.calls, `n finds all calls of ${few.method}`);
  const back = [];
  for (let i = 1; i < few.calls; ++i) back.push(await step("Shift+N"));
  expect_equal(back, there.slice(0, -1).reverse(), "N goes back");

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
