#!/usr/bin/env node
// SPDX-License-Identifier: Apache-2.0
// Memory, heap, collections, locks and comparisons are what the commands say, row by row.
import { join } from "node:path";
import { cli, cli_json, example, expect, expect_equal, scratch, with_page } from "./support/page.mjs";

const tables = (answer) => new Map(answer.tables.map((t) => [t.key, t]));
const report = (sections, ...more) =>
  tables(cli_json("report", "--sections", sections, "--limit", "0", ...more, example));

// The shown cells of a table against the command's, whatever their order.
async function same_table(page, title, table, what, without = []) {
  const shown = await page.rows(title, table.columns.some((c) => c.key === "depth") ? "treegrid" : "grid");
  const known = table.columns.map((c) => c.key).filter((key) => !without.includes(key));
  const keys = Object.keys(shown[0] ?? {}).filter((key) => known.includes(key));
  const text = (row) => keys.map((key) => (row[key] === null || row[key] === undefined ? "null" : String(row[key])));
  const sorted = (rows) => rows.map(text).map((r) => r.join("\t")).sort();
  expect(keys.length > 1, `${what}: columns of ${title}`);
  expect_equal(sorted(shown), sorted(table.rows), `${what}: ${title}`);
}

await with_page([example], async (page) => {
  await page.open("#/0/overview");
  const info = cli_json("info", example);
  const { first_offset, end } = await page.ask("");
  const [first, length] = [Number(first_offset), end - 1];

  // Suspects lead somewhere, notices are those of `info`.
  const suspects = report("suspects").get("suspects").rows;
  const links = await page.by("list", "Suspects").getByRole("link").all();
  expect_equal(links.length, suspects.length, "each suspect has a link");
  await page.turn("#/0/info");
  expect_equal(
    await page.by("grid", "Notices").count(),
    info.notices.length > 0 ? 1 : 0,
    "a table of notices where there are any",
  );

  // Memory: the whole, and a part.
  for (const [from, to] of [
    [info.span.first - first, length + 1],
    [Math.floor(length / 3), Math.floor((length * 2) / 3)],
  ]) {
    const part = report("allocations", "--from", String(first + from), "--to", String(first + to));
    await page.turn(`#/0/memory?r=${from}-${to}`);
    for (const key of ["allocations", "allocation_sites"]) {
      const table = part.get(key);
      if (table?.rows.length > 0) await same_table(page, table.title, table, `memory of ${from}-${to}`);
    }
    const bytes = (part.get("allocations")?.rows ?? []).reduce((sum, row) => sum + row.bytes, 0);
    await page.turn(`#/0/flame?w=bytes&r=${from}-${to}`);
    if (bytes > 0)
      expect_equal(
        Number(await page.by("tree", "Frames").getAttribute("data-total")),
        bytes,
        "bytes of the flame graph",
      );
  }

  // The heap, and why something in it is alive.
  const heap = tables(cli_json("heap", "--dominators", "--limit", "0", example));
  await page.turn("#/0/memory?m=heap");
  const dominators = [...heap.values()].find((t) => t.rows.length > 0 && t.key.includes("dominator"));
  if (dominators) await same_table(page, dominators.title, dominators, "heap");
  const classes = tables(cli_json("report", "--sections", "heap", "--limit", "1000", example)).get("heap_classes");
  await same_table(page, classes.title, classes, "heap");
  const chosen = String(dominators.rows[0].object ?? dominators.rows[0].class).split(" ")[0];
  await page.turn(`#/0/memory?m=heap&sel=${encodeURIComponent(`object:${chosen}`)}`);
  const path = tables(cli_json("heap", "--path", chosen, "--limit", "0", example));
  for (const table of path.values())
    if (table.rows.length > 0) await same_table(page, table.title, table, `why ${chosen} is alive`);

  // Collections: each, and what was allocated since the one before.
  const collections = report("collections").get("collections");
  await page.turn("#/0/collections");
  await same_table(page, collections.title, collections, "collections");
  let before = info.span.first - first;
  for (const row of collections.rows) {
    await page.turn(`#/0/collections?sel=gc:${row.start}`);
    const why = page.by("group", "Why this collection");
    expect_equal(
      await why.getByRole("group", { name: "Pause", exact: true }).getAttribute("data-value"),
      String(row.pause),
      `pause of the collection at ${row.start}`,
    );
    const start = row.start - first;
    const told = report("allocations", "--from", String(first + before), "--to", String(first + start));
    const since = told.get("allocations")?.rows ?? [];
    const grid = page.by("grid", "Allocated since the last one, by class");
    const shown = since.length > 0 ? await page.rows("Allocated since the last one, by class") : [];
    expect_equal(await grid.count(), since.length > 0 ? 1 : 0, "what was allocated since the last one");
    const sum = (rows) => rows.reduce((all, r) => all + Number(r.bytes), 0);
    expect_equal(sum(shown), sum(since), `bytes since the collection before ${row.start}`);
    before = Math.max(before, start + row.duration);
  }

  // Locks.
  await page.turn("#/0/locks");
  for (const key of ["lock_queues", "lock_blockers"]) {
    const table = report("monitors").get(key);
    await same_table(page, table.title, table, "locks");
  }

  // Two halves, and two files that hold just these.
  const place = scratch();
  const middle = Math.floor(length / 2);
  const parts = [
    [0, middle, "a.ptrace"],
    [middle, length + 1, "b.ptrace"],
  ];
  for (const [from, to, name] of parts)
    cli("cut", "--from", String(first + from), "--to", String(first + to), example, "-o", join(place, name));
  const diff = tables(cli_json("diff", "--limit", "0", ...parts.map(([, , name]) => join(place, name))));
  await page.turn(`#/0/compare?a=0:0-${middle}:&b=0:${middle}-${length + 1}:`);
  for (const table of diff.values()) {
    if (table.rows.length === 0) continue;
    if (table.columns.some((c) => c.key === "depth")) await page.unfold(table.title);
    // How long a file is, its definitions say, which are those of the whole.
    await same_table(page, table.title, table, "two halves", ["span"]);
  }
});
