// SPDX-License-Identifier: Apache-2.0
// Pictures of the page for the documents: views of a trace, light and dark, as small files in docs/pictures.
// Starts the program and a browser as the tests of the page do. `./dev page --pictures` runs it.
import { mkdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { example, root, with_page } from "../tests/page/support/page.mjs";

const kMostBytes = 120_000;
const kPictures = [
  { name: "overview", address: "overview" },
  { name: "timeline", address: "timeline?v=0-20000000" },
  { name: "flame", address: "flame?m=heavy" },
];
const folder = join(root, "docs/pictures");

mkdirSync(folder, { recursive: true });
await with_page(
  [example],
  async (page) => {
    await page.open("#/0/overview");
    for (const { name, address } of kPictures) {
      for (const theme of ["light", "dark"]) {
        await page.turn(`#/0/${address}${address.includes("?") ? "&" : "?"}theme=${theme}`);
        await page.page.mouse.move(2, 2);
        const file = join(folder, `${name}-${theme}.png`);
        await page.page.screenshot({ path: file });
        if (statSync(file).size > kMostBytes) throw new Error(`${file} has ${statSync(file).size} bytes`);
      }
    }
  },
  { viewport: { width: 1100, height: 680 } },
);
