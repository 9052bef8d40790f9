#!/usr/bin/env node
// SPDX-License-Identifier: Apache-2.0
// Traces of every format open, and say what they do not have; damaged ones say what was not read; and when the server
// goes the page says so, and that a new one needs its own address.
import { existsSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { again, cli_json, example, expect, expect_equal, root, scratch, with_page } from "./support/page.mjs";
import { wait_until } from "./support/waiting.mjs";

const data = join(root, "tests/data");
const place = scratch();
const some = (folder, ending) =>
  existsSync(join(data, folder)) ? readdirSync(join(data, folder)).filter((f) => f.endsWith(ending)).slice(0, 1) : [];

const packed = join(place, "packed.mlpd.gz");
writeFileSync(packed, gzipSync(readFileSync(example)));
const flipped = join(place, "flipped.mlpd");
const bytes = Buffer.from(readFileSync(example));
for (let at = 5000; at < bytes.length; at += 40_000) bytes[at] ^= 0x40;
writeFileSync(flipped, bytes);
const files = [
  packed,
  flipped,
  join(root, "examples/shop.trcxml"),
  ...some("tbf", ".trcbin").map((f) => join(data, "tbf", f)),
  ...some("tracelog", ".trace.log").map((f) => join(data, "tracelog", f)),
  ...some("mlpd", "alloc_bt.mlpd").map((f) => join(data, "mlpd", f)), // no calls at all
];

await with_page(files, async (page, { server, context }) => {
  await page.open("#/0/overview");
  const traces = (await page.ask("//session")).traces;
  expect_equal(traces.length, files.length, "all traces are open");
  for (const file of files) {
    const told = cli_json("info", file);
    const trace = traces.find((t) => file.endsWith(t.name));
    const methods = cli_json("report", "--sections", "calls", "--limit", "0", file).tables[0]?.rows ?? [];
    await page.turn(`#/${trace.id}/calls`);
    if (methods.length > 0) {
      const rows = await page.rows("Methods");
      const texts = (all) => all.map((r) => [r.method, String(r.calls), String(r.self)].join("\t")).sort();
      expect_equal(texts(rows), texts(methods), `methods of ${trace.name}`);
      await page.turn(`#/${trace.id}/flame`);
      const all = cli_json("report", "--sections", "calls", "--show-helpers", "--limit", "0", file).tables[0].rows;
      const total = all.reduce((sum, m) => sum + m.self, 0);
      expect_equal(Number(await page.by("tree", "Frames").getAttribute("data-total")), total, `time of ${trace.name}`);
    }
    for (const tab of await page.page.getByRole("tab").all()) {
      if ((await tab.getAttribute("aria-disabled")) !== "true") continue;
      const why = await tab.getAttribute("title");
      expect((why ?? "").length > 5, `${await tab.textContent()} of ${trace.name} says why there is nothing`);
    }
    await page.turn(`#/${trace.id}/info`);
    if (told.bytes_not_read > 0)
      expect_equal(
        await page.by("group", "Not read").getAttribute("data-value"),
        String(told.bytes_not_read),
        `bytes of ${trace.name} that were not read`,
      );
    const notices = told.notices.length > 0 ? (await page.rows("Notices")).map((n) => n.code) : [];
    expect_equal(notices, told.notices.map((n) => n.code), `notices of ${trace.name}`);
  }

  // Fast pans while the server does not come to answer: but for the last ones all questions are given up, what was
  // asked for last is what is drawn, and the server rests at once.
  await page.turn(`#/${traces[0].id}/timeline?q=a`);
  await page.page.keyboard.press("n");
  await page.page.waitForFunction(() => /[?&]sel=calls:/.test(location.hash));
  await page.settled();
  for (let i = 0; i < 12; ++i) await page.page.keyboard.press("s");
  await page.settled();
  const told = { tiles: [], given_up: [], answered: [] };
  const note = (list) => (r) => /\/(tiles|durations)$/.test(r.url()) && list.push(r);
  page.page.on("request", note(told.tiles));
  page.page.on("requestfailed", note(told.given_up));
  page.page.on("requestfinished", note(told.answered));
  server.child.kill("SIGSTOP");
  // A scan of all calls begins, which nobody waits for in the end.
  const methods = Array.from({ length: 64 }, (_, i) => i);
  await page.page.evaluate(
    ([path, asked]) => {
      globalThis.scan = new AbortController();
      const headers = { Authorization: `Bearer ${localStorage.getItem("polytrace.token")}` };
      const body = JSON.stringify({ methods: asked });
      fetch(path, { method: "POST", headers, body, signal: globalThis.scan.signal }).catch(() => null);
    },
    [`/api/1/traces/${traces[0].id}/durations`, methods],
  );
  for (const key of `${"d".repeat(22)}${"a".repeat(22)}dddddd`) {
    await page.page.keyboard.press(key); // away, back to what is drawn, and away again
    await page.page.evaluate(() => new Promise((done) => requestAnimationFrame(done)));
  }
  await page.page.evaluate(() => globalThis.scan.abort());
  server.child.kill("SIGCONT");
  await page.settled();
  expect(told.given_up.some((r) => r.url().endsWith("/durations")), "the scan is given up");
  expect(told.tiles.length > 10, `the pans ask: ${told.tiles.length}`);
  // That one is given up the browser tells a moment later, and not at all while its answer comes in.
  const left = () => told.tiles.filter((r) => !told.given_up.includes(r) && !told.answered.includes(r));
  const cut = () => left().filter((r) => r.timing().responseStart > 0);
  await wait_until(() => cut().length >= left().length, "an end of all that was given up");
  expect_equal(cut().length, left().length, "the others are given up");
  const begun = told.answered.length + cut().length;
  expect(begun >= 1 && begun <= 3, `${begun} of ${told.tiles.length} questions are answered`);
  const cpu = () => Number(readFileSync(`/proc/${server.pid}/stat`, "utf8").split(") ")[1].split(" ").slice(11, 13).reduce((a, b) => Number(a) + Number(b), 0));
  await page.page.waitForTimeout(100); // wait: what was given up ends at its next look
  const before = cpu();
  await page.page.waitForTimeout(500); // wait: CPU time of a server that has nothing to do
  expect(cpu() - before <= 5, `nothing is computed for nobody: ${cpu() - before} ticks`);
  const items = (of) =>
    of.evaluate(() =>
      [...document.querySelectorAll("[role=listbox][aria-label^='Items of'] [role=option]")].map((i) => i.ariaLabel),
    );
  const fresh = await context.newPage();
  await fresh.goto(page.page.url());
  await page.settled(fresh);
  const [mine, theirs] = [await items(page.page), await items(fresh)];
  expect(theirs.length > 0, "there are calls where the pans end");
  expect_equal(mine, theirs, "what is drawn is what a fresh page draws there");
  await fresh.close();

  page.complaints.length = 0;
  server.child.kill("SIGINT");
  await page.page.waitForSelector("html[data-state=offline]", { state: "attached" });
  expect(await page.page.getByText("polytrace has ended or does not answer").isVisible(), "the page says so");
  const next = await again(files, server.port);
  await page.page.waitForSelector("html[data-state=locked]", { state: "attached" });
  expect(await page.page.getByText(/address/).first().isVisible(), "and that the new one has an address of its own");
  next.kill("SIGINT");
  page.complaints.length = 0; // refused connections
});
