#!/usr/bin/env node
// SPDX-License-Identifier: Apache-2.0
// Names that would be markup, scripts, formulas or prototypes, in every view: nothing runs, nothing is asked of others,
// nothing is wider than the window, and what is copied is what stands in the trace.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, expect_equal, root, scratch, with_page } from "./support/page.mjs";

const kNames = [
  "</script><img src=x onerror=document.title=1>",
  "javascript:alert(1)",
  "{{x}}",
  "__proto__",
  "constructor",
  "\u202Egnp.exe",
  "=cmd()",
  "../../x",
  "\u{1F600}".repeat(40),
  `e${"\u0301".repeat(400)}`,
  "n".repeat(20_000),
];
const kViews = [
  "overview",
  "timeline",
  "flame",
  "calls",
  "calls?m=tree",
  "memory",
  "collections",
  "locks",
  "states",
  "exceptions",
  "threads",
  "events",
  "info",
];

const escaped = (text) =>
  text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;").replace(/"/g, "&quot;");

// The example with a method and a thread of each name, which call each other.
function trace() {
  const lines = readFileSync(join(root, "examples/shop.trcxml"), "utf8").split("\n");
  const at = lines.findIndex((line) => line.includes("<methodEntry"));
  const time = (n) => `1185890426.31${String(n).padStart(7, "0")}`;
  const made = kNames.flatMap((name, i) => [
    `<threadStart threadId="${900 + i}" time="${time(i * 10)}" groupName="main" parentName="system" objIdRef="${900 + i}" threadName="${escaped(name)}"/>`,
    `<methodDef name="${escaped(name)}" signature="()V" startLineNumber="1" endLineNumber="2" classIdRef="20" methodId="${900 + i}"/>`,
    `<methodEntry threadIdRef="${900 + i}" time="${time(i * 10 + 2)}" methodIdRef="${900 + i}" ticket="${900 + i}" classIdRef="20" stackDepth="1"/>`,
    `<methodExit threadIdRef="${900 + i}" methodIdRef="${900 + i}" ticket="${900 + i}" time="${time(i * 10 + 9)}"/>`,
  ]);
  const file = join(scratch(), "a <b>.trcxml");
  writeFileSync(file, [...lines.slice(0, at), ...made, ...lines.slice(at)].join("\n"));
  return file;
}

await with_page([trace()], async (page) => {
  await page.open("#/0/overview");
  let seen = 0;
  for (const view of kViews) {
    await page.turn(`#/0/${view}`);
    const found = await page.page.evaluate(() => ({
      images: document.querySelectorAll("img, iframe, script:not([src])").length,
      wide: document.documentElement.scrollWidth - innerWidth,
      title: document.title,
    }));
    expect_equal(found.images, 0, `${view} has no markup of names`);
    expect(found.wide <= 0, `${view} is ${found.wide} pixels wider than the window`);
    expect(found.title !== "1", `${view} ran nothing`);
    seen += 1;
  }
  expect_equal(seen, kViews.length, "all views");
  await page.turn("#/0/calls");
  const methods = (await page.rows("Methods")).map((row) => row.method);
  for (const name of kNames.slice(0, 8))
    expect(
      methods.some((m) => m.includes(name)),
      `the cell of ${JSON.stringify(name)} has its value`,
    );
  await page.turn(`#/0/calls?q=${encodeURIComponent("</script>")}`);
  expect_equal(
    await page.by("group", "Matches").getAttribute("data-value"),
    "1",
    "a name that is markup is found as text",
  );
});
