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
