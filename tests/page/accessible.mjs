#!/usr/bin/env node
// SPDX-License-Identifier: Apache-2.0
// Every view, light and dark, wide, narrow and at twice the size, has no finding of level A or AA of axe.
import { readFileSync } from "node:fs";
import { example, expect, expect_equal, package_file, with_page } from "./support/page.mjs";

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
  { theme: "dark", width: 900, views: kLong ? kViews : ["flame", "calls"], forced: true }, // colours of the system
];

// Rows and items are alike; of many the first are looked at.
const kAlike = ["tbody tr:nth-child(n+8)", "[role=option]:nth-child(n+4)", "[role=treeitem]:nth-child(n+6)"];

const source = readFileSync(package_file("axe-core/axe.min.js"), "utf8");

await with_page([example], async (page) => {
  await page.open("#/0/overview");
  for (const { theme, width, views, forced = false } of kLooks) {
    await page.page.emulateMedia({ forcedColors: forced ? "active" : "none" });
    await page.page.setViewportSize({ width, height: 900 });
    for (const view of views) {
      await page.turn(`#/0/${view}${view.includes("?") ? "&" : "?"}theme=${theme}`);
      // Through the debugger: the page itself runs no foreign script.
      await page.page.evaluate(`globalThis.axe || (() => { ${source} })()`);
      const found = await page.page.evaluate(
        (alike) =>
          globalThis.axe.run(
            { include: [["html"]], exclude: alike.map((rows) => [rows]) },
            {
              runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"],
              resultTypes: ["violations"],
              preload: false,
              elementRef: false,
            },
          ),
        kLong ? [] : kAlike,
      );
      const told = found.violations.flatMap((v) => v.nodes.map((n) => `${v.id}: ${n.html.slice(0, 160)}`));
      expect_equal(told.slice(0, 4), [], `${view}, ${theme}, ${width} pixels (${told.length} findings)`);
      const wide = await page.page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      expect(wide <= 0, `${view} at ${width} is ${wide} pixels wider than the window`);
    }
  }
});
