#!/usr/bin/env node
// SPDX-License-Identifier: Apache-2.0
// Every view, light and dark, wide, narrow and at twice the size, has no finding of level A or AA of axe; and from
// Overview to a comparison everything can be done by keyboard, with the focus to be seen.
import { createRequire } from "node:module";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { example, expect, expect_equal, root, skip, with_page } from "./support/page.mjs";

const kViews = [
  "overview",
  "timeline",
  "flame",
  "calls",
  "calls?m=tree",
  "memory",
  "memory?m=heap",
  "collections",
  "locks",
  "states",
  "compare?a=0:0-5000000:&b=0:5000000-9000000:",
  "exceptions",
  "threads",
  "compilation",
  "counters",
  "events",
  "info",
  "overview?d=keys",
  "overview?d=commands",
  "overview?d=export",
];
// All of them take minutes: else every other view is light, the others are dark.
const kLong = process.env.POLYTRACE_LONG !== undefined;
const every = (at) => kViews.filter((_, i) => kLong || i % 2 === at);
const kLooks = [
  { theme: "light", width: 1600, views: every(0) },
  { theme: "dark", width: 1600, views: every(1) },
  { theme: "light", width: 800, views: kLong ? kViews : ["overview", "timeline"] }, // twice the size
];

function axe() {
  try {
    return readFileSync(createRequire(join(root, "ui/package.json")).resolve("axe-core/axe.min.js"), "utf8");
  } catch {
    return skip("ui/node_modules has no axe-core: ./dev page installs it");
  }
}

const source = axe();

await with_page([example], async (page) => {
  await page.open("#/0/overview");
  for (const { theme, width, views } of kLooks) {
    await page.page.setViewportSize({ width, height: 900 });
    for (const view of views) {
      await page.turn(`#/0/${view}${view.includes("?") ? "&" : "?"}theme=${theme}`);
      // Through the debugger: the page itself runs no foreign script.
      await page.page.evaluate(source);
      const found = await page.page.evaluate(() =>
        globalThis.axe.run(document, { runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"] }),
      );
      const told = found.violations.flatMap((v) => v.nodes.map((n) => `${v.id}: ${n.html.slice(0, 160)}`));
      expect_equal(told.slice(0, 4), [], `${view}, ${theme}, ${width} pixels (${told.length} findings)`);
      const wide = await page.page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      expect(wide <= 0, `${view} at ${width} is ${wide} pixels wider than the window`);
    }
  }

  // By keyboard alone: the methods, the selection into both slots, the comparison.
  await page.page.setViewportSize({ width: 1600, height: 900 });
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
      return { name: name.trim().slice(0, 60), seen: seen || at === document.body };
    });
  let name = "";
  for (let i = 0; i < 80 && !name.startsWith("All"); ++i) {
    await page.page.keyboard.press("Tab");
    const at = await focused();
    expect(at.seen, `the focus is seen at ${at.name}`);
    name = at.name;
  }
  expect(name.startsWith("All"), "Tab reaches the methods");
  await press("Enter");
  expect(!page.address().startsWith("#/0/overview"), `Enter opens them: ${page.address()}`);
  await press("Shift+Digit1", "Shift+Digit2", "9");
  expect(page.address().startsWith("#/0/compare"), `9 compares: ${page.address()}`);
  expect(await page.by("group", "Slot A").isVisible(), "both slots are filled");
});
