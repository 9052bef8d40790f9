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

  // Frames that are drawn, by the names above them; children follow their parents, whatever is between.
  const drawn = () =>
    page.by("tree", "Frames").evaluate((tree) => {
      const above = [];
      return [...tree.children].map((item) => {
        const depth = Number(item.getAttribute("aria-level")) - 1;
        above.length = depth;
        above.push(item.ariaLabel.replace(/, [^,]*$/, ""));
        return [above.slice(1).join(";"), Number(item.dataset.total)];
      });
    });
  // Of what is at least two hundredths of the whole there are all, of others none that is not in the stacks.
  const same_frames = async (stacks, what) => {
    const wanted = new Map([["", sum(stacks)]]);
    for (const { frames, value } of stacks)
      frames.forEach((_, i) => {
        const path = frames.slice(0, i + 1).join(";");
        wanted.set(path, (wanted.get(path) ?? 0) + value);
      });
    const got = await drawn();
    // What is lighter than can be seen is one frame by this name.
    const wrong = got.filter(([path, value]) => !path.endsWith("(more)") && wanted.get(path) !== value);
    expect_equal(wrong, [], `frames of ${what} that are not in the stacks`);
    const there = new Set(got.map(([path]) => path));
    const large = [...wanted].filter(([path, value]) => value * 50 >= sum(stacks) && !there.has(path));
    expect_equal(large, [], `frames of ${what} that are missing`);
    expect(got.length > 1 || stacks.length === 0, `frames of ${what}`);
  };

  for (const { key } of (await page.ask("")).weights) {
    const stacks = folded(key);
    await page.turn(`#/0/flame?w=${key}`);
    expect_equal(await total(), sum(stacks), `total of ${key}`);
    await same_frames(stacks, key);
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
  const changed = {
    only: kept.only,
    not: kept.not,
    hide: stacks.map((s) => {
      const left = s.frames.filter((f) => !fits(f));
      return { ...s, frames: left.length > 0 ? left : ["(hidden)"] };
    }),
    root: kept.root.map((s) => ({ ...s, frames: s.frames.slice(s.frames.findIndex(fits)) })),
  };
  expect(sum(kept.only) > 0 && sum(kept.not) > 0, "the word is in some stacks and not in others");
  for (const [op, left] of Object.entries(kept)) {
    await page.turn(`#/0/flame?f=${op}:text:${word}`);
    expect_equal(await total(), sum(left), `${op} "${word}"`);
    if (changed[op]) await same_frames(changed[op], op);
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
