#!/usr/bin/env node
// SPDX-License-Identifier: Apache-2.0
// Every view with every key of the address, opened again from its own link: the same address and the same picture. And
// no link ever holds the token, nor does a wrong one take the place of one that works.
import { example, expect, expect_equal, with_page } from "./support/page.mjs";
import { different_parts } from "./support/pictures.mjs";

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
// Each view with all keys, every third opened again; each key alone with some view. When there is time, each with each,
// all opened again.
const kLong = process.env.POLYTRACE_LONG !== undefined;
const kAll = kPairs.join("&");
const alone = (pair, i) => (kLong ? kViews : [kViews[i % kViews.length]]).map((view) => `#/0/${view}?${pair}`);
const kMostDifferent = 0.001; // of a picture's pixels

await with_page([example], async (page, { context }) => {
  await page.open("#/0/overview");
  expect(!page.page.url().includes("token"), "the token leaves the address at once");
  const cases = [...kViews.map((view) => `#/0/${view}?${kAll}`), ...kPairs.flatMap(alone)];
  for (const [number, address] of cases.entries()) {
    await page.turn(address);
    expect_equal(page.address(), address, "an address stays as it is");
    await page.turn(`${address}&d=share`);
    const link = await page.by("textbox", "Address").inputValue();
    await page.page.keyboard.press("Escape");
    await page.settled();
    expect(!link.includes(page.token) && !page.page.url().includes(page.token), `no token in ${link}`);
    if (!kLong && !(address.endsWith(kAll) && number % 3 === 0)) continue;
    const other = await context.newPage();
    await other.goto(link);
    await page.settled(other);
    expect_equal(new URL(other.url()).hash, address, "and in a new tab");
    const pictures = [await page.page.screenshot(), await other.screenshot()];
    const part = await different_parts(other, pictures);
    expect(part <= kMostDifferent, `${address} looks the same in a new tab but for ${part * 100} %`);
    await other.close();
  }
  // A token that the server refuses does not replace the one that works.
  const wrong = await context.newPage();
  await wrong.goto(`${page.origin}/#token=${"A".repeat(22)}/0/calls`);
  await page.settled(wrong);
  expect_equal(new URL(wrong.url()).hash, "#/0/calls", "a wrong token leaves the address, too");
  await wrong.reload();
  await page.settled(wrong);
  await wrong.close();
  await page.open("#/0/calls?r=nonsense");
  expect(await page.by("alert", "Problem").isVisible(), "what is not understood is told");
});
