#!/usr/bin/env node
// SPDX-License-Identifier: Apache-2.0
// Each rule, taken back and opened again, against the stacks that `flame --folded` writes; each weight's frames against
// its stacks; and what the page saves against what the command writes.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { cli, example, expect, expect_equal, scratch, with_page } from "./support/page.mjs";

const place = scratch();

function folded(weight, ...more) {
  const out = join(place, `${weight}.folded`);
  cli("export", "--to", "folded", "--weight", weight, "--force", ...more, example, "-o", out);
  return readFileSync(out, "utf8")
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("#"))
    .map((line) => {
      const at = line.lastIndexOf(" ");
      return { frames: line.slice(0, at).split(";"), value: Number(line.slice(at + 1)) };
    });
}

// All of them when there is time; a heap dump is of the whole trace, and perfetto's has ids of its making.
const kTargets = ["folded", "speedscope", "callgrind"];
if (process.env.POLYTRACE_LONG !== undefined) kTargets.push("pprof", "firefox", "chrome", "jfr", "html", "svg");

const sum = (stacks) => stacks.reduce((all, s) => all + s.value, 0);

await with_page([example], async (page) => {
  await page.open("#/0/flame");
  const total = async () => Number(await page.by("tree", "Frames").getAttribute("data-total"));

  for (const { key } of (await page.ask("")).weights) {
    await page.turn(`#/0/flame?w=${key}`);
    expect_equal(await total(), sum(folded(key)), `total of ${key}`);
  }

  const stacks = folded("time");
  const word = "Main";
  const fits = (frame) => frame.toLowerCase().includes(word.toLowerCase());
  const kept = {
    only: stacks.filter((s) => s.frames.some(fits)),
    not: stacks.filter((s) => !s.frames.some(fits)),
    root: stacks.filter((s) => s.frames.some(fits)),
    hide: stacks,
    collapse: stacks,
  };
  expect(sum(kept.only) > 0 && sum(kept.not) > 0, "the word is in some stacks and not in others");
  for (const [op, left] of Object.entries(kept)) {
    await page.turn(`#/0/flame?f=${op}:text:${word}`);
    expect_equal(await total(), sum(left), `${op} "${word}"`);
    if (op === "hide") {
      const names = await page.by("tree", "Frames").getByRole("treeitem").evaluateAll((all) => all.map((i) => i.ariaLabel));
      expect(!names.some((n) => fits(n.split(",")[0])), "hidden frames are not there");
    }
    await page.page.reload();
    await page.settled();
    expect_equal(await total(), sum(left), `${op} "${word}", opened again`);
    await page.by("button", `Remove ${op} ${word}`).click();
    await page.settled();
    expect_equal(await total(), sum(stacks), `${op} taken back`);
  }
  await page.turn(`#/0/flame?f=only:text:${word}&f=not:text:no-such-name`);
  await page.page.keyboard.press("u");
  await page.settled();
  expect(page.address().includes(`only:text:${word}`) && !page.address().includes("no-such"), "U takes the last one back");

  // What is saved is what the command writes of the same part.
  const { first_offset, end } = await page.ask("");
  const first = Number(first_offset);
  const [from, to] = [1000, Math.floor(end / 2)];
  const part = ["--from", String(first + from), "--until", String(first + to)];
  for (const target of kTargets) {
    await page.turn(`#/0/flame?r=${from}-${to}&d=export`);
    await page.by("combobox", "Target").selectOption(target);
    const [download] = await Promise.all([page.page.waitForEvent("download"), page.by("button", "Save").click()]);
    const out = join(place, `mine.${target}`);
    cli("export", "--to", target, "--weight", "time", "--force", ...part, example, "-o", out);
    const got = readFileSync(await download.path());
    expect(got.equals(readFileSync(out)), `${target} of ${from}-${to}: ${got.length} bytes`);
  }
});
