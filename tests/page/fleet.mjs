#!/usr/bin/env node
// SPDX-License-Identifier: Apache-2.0
// The view of a fleet, without any trace: its figures are sums that a store is asked for here, in SQL; a moment leads to
// its events on the time line; conditions that are wrong and a store that is away are said where they are seen.
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { cli_json, expect, expect_equal, package_file, polytrace, root, skip, with_page } from "./support/page.mjs";

const kHour = 3600;

// The store, in a process of its own; it ends with its input.
async function start_store() {
  const child = spawn("python3", [`${root}/tests/page/support/fleet_store.py`], {
    env: { ...process.env, POLYTRACE: polytrace },
    stdio: ["pipe", "pipe", "inherit"],
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const next = async () => {
    const { value, done } = await lines.next();
    if (done || !value.startsWith("{") && !value.startsWith('"')) skip(value ?? "the store did not start");
    return JSON.parse(value);
  };
  const told = await next();
  return {
    ...told,
    say: (word) => {
      child.stdin.write(`${word}\n`);
      return next();
    },
    end: () => child.stdin.end(),
  };
}

const store = await start_store();

// The rows of a query, in JSON.
async function sql(query) {
  const answer = await fetch(store.server, { method: "POST", body: `${query} FORMAT JSON` });
  const text = await answer.text();
  if (!answer.ok) throw new Error(text);
  return JSON.parse(text).data;
}
const sum = (rows, key) => rows.reduce((all, row) => all + Number(row[key]), 0);
const by_text = (key) => (a, b) => (a[key] < b[key] ? -1 : 1);

const span = `fr=${store.begin}-${store.begin + kHour}`;
const fleet = (mode, ...more) => `#/0/fleet?${[mode && `m=${mode}`, ...more, span].filter(Boolean).join("&")}`;
const series = (where) => `series IN (SELECT series FROM shop.series WHERE ${where})`;

async function made_of(page) {
  const line = page.by("group", "Made of");
  return { series: Number(await line.getAttribute("data-series")), lost: Number(await line.getAttribute("data-lost")) };
}

async function health(page) {
  await page.open("#/0/overview");
  expect(page.address().startsWith("#/0/fleet"), `without a trace the fleet is shown: ${page.address()}`);
  await page.turn(fleet("", "fg=version"));
  const rows = await page.rows("Over time");
  const truth = await sql(
    "SELECT version, sum(calls) AS calls, sum(alloc_bytes) AS bytes, sum(pause_ns) AS paused_ns, sum(lost) AS lost FROM " +
      "(SELECT series, calls, alloc_bytes, pause_ns, lost FROM shop.health_10s) AS h ANY LEFT JOIN " +
      "(SELECT series, version FROM shop.series) AS s USING series GROUP BY version ORDER BY version",
  );
  for (const of of truth) {
    const mine = rows.filter((row) => row.version === of.version);
    for (const key of ["calls", "bytes", "paused_ns", "lost"])
      expect_equal(sum(mine, key), Number(of[key]), `${key} of version ${of.version}`);
  }
  expect_equal(await made_of(page), { series: 12, lost: 7 }, "what the answer is made of");
  const charts = page.page.locator("canvas[role=img]");
  expect_equal(await charts.count(), 6, "a chart for each figure that there is");
  const ink = await charts.first().evaluate((canvas) => {
    const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height - 24);
    return data.filter((_, i) => i % 4 === 3 && data[i] > 0).length;
  });
  expect(ink > 500, `lines are drawn: ${ink} pixels`);
}

async function methods(page) {
  await page.turn(fleet("methods", `fw=${encodeURIComponent("service=shop and version=2")}`));
  const chosen = series("service_name = 'shop' AND version = '2'");
  const truth = await sql(
    `SELECT name, sum(calls) AS calls, sum(self_ns) AS self, max(max_ns) AS max FROM (SELECT method, calls, self_ns, max_ns FROM shop.methods_1m WHERE ${chosen}) AS m ` +
      "ANY LEFT JOIN (SELECT id AS method, name FROM shop.frames) AS f USING method GROUP BY name ORDER BY self DESC",
  );
  const rows = await page.rows("Methods");
  expect_equal(
    rows.map((row) => [row.method, Number(row.calls), Number(row.self), Number(row.max)]),
    truth.map((row) => [row.name, Number(row.calls), Number(row.self), Number(row.max)]),
    "methods of a condition",
  );
  expect_equal((await made_of(page)).series, 3, "series of a condition");
  await page.by("columnheader", "p99").click();
  await page.settled();
  const sorted = (await page.rows("Methods")).map((row) => Number(row.p99));
  expect_equal(sorted, [...sorted].sort((a, b) => b - a), "sorted by p99");
  expect(page.address().includes("s=-p99"), "the order is in the address");
  // The link says the same elsewhere.
  const address = page.address();
  await page.page.reload();
  await page.settled();
  expect_equal(page.address(), address, "an address stays as it is");
  expect_equal((await page.rows("Methods")).map((row) => Number(row.p99)), sorted, "and shows the same");
}

async function conditions(page) {
  const before = page.complaints.length;
  await page.turn(fleet("methods"));
  const field = page.by("textbox", "Condition");
  await field.fill('service="shop" and version');
  await field.press("Enter");
  await page.settled();
  const problem = page.by("alert", "Problem");
  expect((await problem.textContent()).includes("column 27"), `the place: ${await problem.textContent()}`);
  expect(page.address().includes("fw=service%3D%22shop"), "what was typed is kept");
  await field.fill('service="shop"');
  await field.press("Enter");
  await page.settled();
  expect_equal(await problem.count(), 0, "no problem any more");
  expect_equal((await made_of(page)).series, 6, "series of the shop");
  await page.turn(fleet("methods", "fw=service%3Dnobody"));
  expect(await page.page.getByText("No calls of these processes then").isVisible(), "nothing is said to be nothing");
  const told = page.complaints.splice(before);
  expect(told.every((line) => /status of 400/.test(line)), `nothing else is complained of: ${told}`);
}

async function flame(page) {
  for (const [weight, carrier, figure] of [
    ["", 0, "weight"],
    ["w=bytes", 3, "weight"],
    ["w=exceptions", 5, "count"],
  ]) {
    await page.turn(fleet("flame", weight));
    const total = Number((await sql(`SELECT sum(${figure}) AS n FROM shop.profile_10s WHERE carrier = ${carrier}`))[0].n);
    const frames = page.by("tree", "Frames");
    await frames.waitFor({ state: "attached" });
    expect_equal(Number(await frames.getAttribute("data-total")), total, `total of ${weight || "time"}`);
    const selfs = await frames.getByRole("treeitem").evaluateAll((all) => all.map((one) => Number(one.dataset.self)));
    expect(selfs.length > 20 && selfs.reduce((a, b) => a + b, 0) <= total, `${selfs.length} frames`);
  }
  const before = page.complaints.length;
  await page.turn(fleet("flame", "w=cpu"));
  expect(await page.page.getByText("Nothing of this weight").isVisible(), "no cpu time was recorded");
  page.complaints.splice(before);
}

async function compared(page) {
  await page.turn(fleet("diff"));
  expect(await page.page.getByText("Compared with what?").isVisible(), "it asks what to compare with");
  await page.by("textbox", "Before").fill("version=1");
  await page.by("textbox", "Before").press("Enter");
  await page.by("textbox", "Condition").fill("version=2");
  await page.by("textbox", "Condition").press("Enter");
  await page.settled();
  const rows = await page.rows("Methods, what got slower first");
  const side = async (version) =>
    new Map(
      (
        await sql(
          `SELECT name, s FROM (SELECT method, sum(self_ns) AS s FROM shop.methods_1m WHERE ${series(`version = '${version}'`)} GROUP BY method) AS m ANY LEFT JOIN ` +
            "(SELECT id AS method, name FROM shop.frames) AS f USING method",
        )
      ).map((row) => [row.name, Number(row.s)]),
    );
  const [was, is] = [await side("1"), await side("2")];
  const seconds = 6 * 40 * 60;
  for (const row of rows)
    expect(
      Math.abs(Number(row.change) - (is.get(row.method) - was.get(row.method)) / seconds) < 1e-6,
      `change of ${row.method}: ${row.change}`,
    );
  expect_equal(rows.length, 12, "each method");
  const beyond = rows.map((row) => row.beyond_noise === "yes");
  expect(beyond.lastIndexOf(true) < (beyond.indexOf(false) + 1 || Infinity), `noise stands behind: ${beyond}`);
  const worst = rows.filter((row) => row.beyond_noise === "yes").map((row) => Number(row.change));
  expect_equal(worst, [...worst].sort((a, b) => b - a), "what got slower first");
  expect(await page.by("application", "Flame canvas").isVisible(), "and where, as a tree");
}

async function others(page) {
  await page.turn(fleet("hosts+self"));
  const hosts = cli_json("fleet", "hosts", "--what", "self", "--store", store.url, "--from", String(store.begin), "--to", String(store.begin + kHour));
  if (hosts.tables[0].rows.length === 0)
    expect(await page.page.getByText("No host is unlike").isVisible(), "no host is unlike the others");
  await page.turn(fleet("processes"));
  const truth = await sql("SELECT instance, host, version FROM shop.series ORDER BY instance");
  expect_equal(
    (await page.rows("Series")).map(({ instance, host, version }) => ({ instance, host, version })).sort(by_text("instance")),
    truth,
    "who is there",
  );
}

async function moments(page) {
  await page.turn(`#/0/fleet?m=moments&fr=${store.begin}-${store.ended + 60}`);
  const rows = await page.rows("Moments");
  expect_equal(rows.length, Number((await sql("SELECT count() AS n FROM shop.moments"))[0].n), "all moments");
  const at = rows.findIndex((row) => row.moment === store.moment);
  expect_equal([rows[at]?.subject, Number(rows[at]?.took)], [store.method, store.took], "the call of the trace");
  await page.by("grid", "Moments").locator("tr[aria-rowindex]").nth(at).click();
  await page.settled();
  const told = page.by("group", "Moment");
  const command = `polytrace fleet get ${store.moment} --store ${store.url} --token-file token -o moment.ptrace`;
  expect((await told.textContent()).includes(command), `the command: ${await told.textContent()}`);
  const back = page.address();
  await told.getByRole("button", { name: "Open the trace" }).click();
  await page.page.waitForFunction(() => /[?&]r=/.test(location.hash));
  await page.settled();
  expect(/^#\/[0-9a-f]{16}\/timeline\?/.test(page.address()), `at the time line: ${page.address()}`);
  expect(page.address().includes(`r=${store.offset}-${store.offset + store.took}`), `of the call: ${page.address()}`);
  await page.turn(back);
  expect_equal((await page.rows("Moments")).length, rows.length, "and back");
}

// No finding of level A or AA of axe, in both themes, wide and narrow; and nothing wider than the window.
async function accessible(page) {
  const source = readFileSync(package_file("axe-core/axe.min.js"), "utf8");
  const alike = ["tbody tr:nth-child(n+8)", "[role=treeitem]:nth-child(n+6)"].map((rows) => [rows]);
  const both = ["fb=version%3D1", "fw=version%3D2"];
  for (const [address, theme, width] of [
    [fleet(""), "light", 1600],
    [fleet("methods", "fm=Shop.step3(int)"), "dark", 900],
    [fleet("flame"), "light", 900],
    [fleet("diff", ...both), "dark", 1600],
    [`#/0/fleet?m=moments&sel=moment:${store.moment}&fr=${store.begin}-${store.ended + 60}`, "light", 900],
  ]) {
    await page.page.setViewportSize({ width, height: 900 });
    await page.turn(`${address}&theme=${theme}`);
    await page.page.evaluate(`globalThis.axe || (() => { ${source} })()`);
    const found = await page.page.evaluate(
      (rows) =>
        globalThis.axe.run(
          { include: [["html"]], exclude: rows },
          { runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"], resultTypes: ["violations"], preload: false, elementRef: false },
        ),
      alike,
    );
    const told = found.violations.flatMap((v) => v.nodes.map((n) => `${v.id}: ${n.html.slice(0, 160)}`));
    expect_equal(told.slice(0, 4), [], `${address}, ${theme}, ${width} pixels (${told.length} findings)`);
    const wide = await page.page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    expect(wide <= 0, `${address} at ${width} is ${wide} pixels wider than the window`);
  }
  await page.page.setViewportSize({ width: 1600, height: 900 });
}

async function store_away(page) {
  const before = page.complaints.length;
  await store.say("kill");
  await page.by("button", "Ask again").click();
  await page.settled();
  const problem = page.by("alert", "Problem");
  expect((await problem.textContent()).includes("store-unreachable"), "a store that is away");
  await store.say("start");
  await page.by("button", "Retry").click();
  await page.settled();
  expect((await page.rows("Moments")).length > 0, "asked again");
  const told = page.complaints.splice(before);
  expect(told.every((line) => /status of 502/.test(line)), `nothing else is complained of: ${told}`);
}

process.on("exit", store.end);
await with_page(
  [],
  async (page) => {
    for (const part of [health, methods, conditions, flame, compared, others, moments, accessible, store_away]) await part(page);
  },
  { words: ["--store", store.url, "--edge", store.edge, "--token-file", store.token_file] },
);
