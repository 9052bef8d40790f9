#!/usr/bin/env node
// SPDX-License-Identifier: Apache-2.0
// Every view with every key of the address, opened again from its own link: the same address. And no link ever
// holds the token.
import { example, expect, expect_equal, with_page } from "./support/page.mjs";

const kViews = [
  "overview",
  "timeline",
  "flame",
  "calls",
  "memory",
  "collections",
  "locks",
  "states",
  "compare",
  "exceptions",
  "threads",
  "compilation",
  "counters",
  "events",
  "info",
];
const kPairs = [
  "r=1000-2000000",
  "v=1000-5000000",
  "th=0",
  "f=not:text:nothing-is-called-so",
  "w=calls",
  "m=heavy",
  "at=1000000",
  "q=a",
  "s=-calls",
  "tr=-series:heap.used",
  "u=ticks",
  "theme=dark",
  "zz=kept",
];
// Each view with all keys, one with each of them.
const kClose = ["calls"];

await with_page([example], async (page, { context }) => {
  await page.open("#/0/overview");
  expect(!page.page.url().includes("token"), "the token leaves the address at once");
  const cases = kViews.flatMap((view) => [
    ...(kClose.includes(view) ? kPairs.map((pair) => `#/0/${view}?${pair}`) : []),
    `#/0/${view}?${kPairs.join("&")}`,
  ]);
  const other = await context.newPage();
  for (const address of cases) {
    await page.open(address);
    await page.page.reload(); // nothing of the view before
    await page.settled();
    expect_equal(page.address(), address, "an address stays as it is");
    expect(!page.page.url().includes(page.token), `no token in ${address}`);
    await other.goto(page.page.url());
    await other.waitForSelector('html[data-state=ready][data-busy="0"]', { state: "attached" });
    await other.waitForTimeout(250);
    await other.waitForSelector('html[data-busy="0"]', { state: "attached" });
    await page.settled();
    expect_equal(new URL(other.url()).hash, address, "and in a new tab");
  }
  await page.open("#/0/calls?r=nonsense");
  expect(await page.by("alert", "Problem").isVisible(), "what is not understood is told");
});
