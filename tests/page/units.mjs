#!/usr/bin/env node
// SPDX-License-Identifier: Apache-2.0
// The committed page is that of the sources, fits its limits, and its pure parts pass their own tests.
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { source_hash } from "../../ui/ship.js";

const ui = resolve(dirname(fileURLToPath(import.meta.url)), "../../ui");
const kMostPacked = 110_000; // of page.js and page.css

const manifest = JSON.parse(readFileSync(join(ui, "dist/manifest.json"), "utf8"));
let failed = false;
function complain(text) {
  console.log(`FAILED ${text}`);
  failed = true;
}

if (manifest.sources !== source_hash(ui)) complain("ui/dist is not made of these sources: ./dev page makes it anew");
const packed = statSync(join(ui, "dist/page.js.gz")).size + statSync(join(ui, "dist/page.css.gz")).size;
if (packed > kMostPacked) complain(`page.js and page.css have ${packed} bytes, more than ${kMostPacked}`);
const html = readFileSync(join(ui, "dist/index.html"), "utf8");
if (/<script(?![^>]*src=)|<style|style=|https?:/.test(html))
  complain("index.html has inline script, style or a foreign address");

if (!existsSync(join(ui, "node_modules/vitest"))) {
  console.log("ui/node_modules is missing: ./dev page installs what its tests need");
  process.exit(failed ? 1 : 77);
}
for (const words of [
  ["tsc", "--noEmit"],
  ["vitest", "run"],
]) {
  const run = spawnSync("npx", ["--no-install", ...words], { cwd: ui, encoding: "utf8" });
  if (run.status !== 0) complain(`${words.join(" ")}:\n${run.stdout}${run.stderr}`);
}
process.exit(failed ? 1 : 0);
