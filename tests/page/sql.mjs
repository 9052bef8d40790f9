#!/usr/bin/env node
// SPDX-License-Identifier: Apache-2.0
// The SQL view: questions to begin with have the rows of `polytrace sql`, what is wrong says why, the selected range can
// be asked about, and a row leads to its moment.
import { cli_json, example, expect, expect_equal, with_page } from "./support/page.mjs";

const text = (value) => (value === null || value === undefined ? "" : String(value));

await with_page([example], async (page) => {
  await page.open("#/0/sql");
  const { examples } = await page.ask("/sql");
  const query = page.by("textbox", "Query");
  for (const i of [0, 7, 19, examples.length - 1]) {
    await page.by("combobox", "Questions").selectOption(String(i));
    await page.settled();
    expect_equal(await query.inputValue(), examples[i].query, "the query is shown");
    const theirs = cli_json("sql", example, examples[i].query);
    if (theirs.rows.length === 0) {
      expect(await page.page.getByText("No rows").isVisible(), `${examples[i].question} has no rows`);
      continue;
    }
    const mine = await page.rows("Result");
    const keys = Object.keys(mine[0]);
    expect_equal(keys.length, theirs.columns.length, `columns of: ${examples[i].question}`);
    expect_equal(
      mine.map((row) => keys.map((key) => text(row[key]))),
      theirs.rows.slice(0, 1000).map((row) => row.map(text)),
      examples[i].question,
    );
  }

  // By the keyboard; a link to it says the same.
  await query.fill("SELECT count(*) AS n FROM slice WHERE ts >= :from AND ts < :to");
  await query.press("Control+Enter");
  await page.settled();
  const all = Number((await page.rows("Result"))[0].n);
  const { end, first_offset } = await page.ask("");
  const half = Math.floor(end / 20);
  const address = page.address();
  await page.turn(`${address}&r=0-${half}`);
  const from = BigInt(first_offset);
  const counted = cli_json("sql", example, `SELECT count(*) FROM slice WHERE ts >= ${from} AND ts < ${from + BigInt(half)}`);
  expect_equal(Number((await page.rows("Result"))[0].n), Number(counted.rows[0][0]), "calls of the range");
  expect(all > Number(counted.rows[0][0]) && counted.rows[0][0] > 0, `a part of all ${all}`);

  // A row with a time is a place on the time line.
  await page.turn("#/0/sql?sq=SELECT%20ts,utid,name%20FROM%20slice%20LIMIT%205");
  const [first, , third, fourth] = await page.rows("Result");
  const moment = (row) => `at=${BigInt(row.ts) - from}`;
  await page.by("grid", "Result").locator("tr[aria-rowindex]").nth(2).click();
  await page.settled();
  expect(page.address().includes(`${moment(third)}&`), `a row is chosen: ${page.address()} ${moment(third)}`);
  await page.page.keyboard.press("ArrowDown");
  await page.settled();
  expect(page.address().includes(`${moment(fourth)}&`), `the next one by the keyboard: ${page.address()} ${moment(fourth)}`);
  await page.by("grid", "Result").locator("tr[aria-rowindex]").nth(1).dblclick();
  await page.settled();
  expect(page.address().startsWith("#/0/timeline?") && /\bat=\d+/.test(page.address()), `at its moment: ${page.address()}`);
  expect(Number(first.ts) > 0, "times are those of the trace's clock");

  // What is refused says so; the browser's own line about the answer is no complaint of the page.
  const before = page.complaints.length;
  for (const [wrong, why] of [
    ["SELECT%20*%20FROM%20nowhere", "query-wrong"],
    ["CREATE%20TABLE%20x(a)", "query-refused"],
  ]) {
    await page.turn(`#/0/sql?sq=${wrong}`);
    const problem = page.by("alert", "Problem");
    expect((await problem.textContent()).includes(why), `${wrong} is ${why}`);
  }
  const told = page.complaints.splice(before);
  expect(told.every((line) => /status of 40[03]/.test(line)), `nothing else is complained of: ${told}`);
});
