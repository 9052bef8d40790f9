#!/usr/bin/env node
// SPDX-License-Identifier: Apache-2.0
// Writes what `npm ci` needs into FOLDER, to install the packages that tests of the page drive a browser with and no
// other ones: versions and sums are those of ui/package-lock.json.   page_driver.mjs FOLDER
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const kPackages = ["playwright-core", "axe-core"];

const folder = process.argv[2];
const lock = JSON.parse(readFileSync("ui/package-lock.json", "utf8"));
const packages = Object.fromEntries(
  kPackages.map((name) => {
    const { dev, ...told } = lock.packages[`node_modules/${name}`];
    if (!told.integrity || told.dependencies) throw new Error(`${name} has no sum, or needs other packages`);
    return [`node_modules/${name}`, told];
  }),
);
const dependencies = Object.fromEntries(kPackages.map((name) => [name, packages[`node_modules/${name}`].version]));
const own = { name: "polytrace-page-driver", private: true, dependencies };
const files = {
  "package.json": own,
  "package-lock.json": { name: own.name, lockfileVersion: 3, requires: true, packages: { "": own, ...packages } },
};
for (const [name, content] of Object.entries(files)) {
  const text = `${JSON.stringify(content, null, 2)}\n`;
  const file = join(folder, name);
  if (!existsSync(file) || readFileSync(file, "utf8") !== text) writeFileSync(file, text);
}
