// SPDX-License-Identifier: Apache-2.0
// Opens files in the speedscope app, in headless Chromium, and prints of each what it shows: the
// title (which has the file's name only when it was understood), its text, errors.
//   node speedscope_app.mjs PLAYWRIGHT CHROMIUM SPEEDSCOPE FOLDER FILE...
// FOLDER is for what the app loads.
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { basename } from "node:path";
import { pathToFileURL } from "node:url";

const [library, chromium, speedscope, folder, ...files] = process.argv.slice(2);
const playwright = createRequire(library + "/")(library);
const browser = await playwright.chromium.launch({
  executablePath: chromium, args: ["--no-sandbox", "--disable-gpu", "--allow-file-access-from-files"] });
const found = [];
for (const [number, file] of files.entries()) {
  const script = `${folder}/load${number}.js`;
  const call = [basename(file), readFileSync(file).toString("base64")].map((one) => JSON.stringify(one));
  writeFileSync(script, `speedscope.loadFileFromBase64(${call.join()})`);
  const page = await browser.newPage();
  const errors = [];
  page.on("pageerror", (error) => errors.push(String(error)));
  page.on("dialog", (dialog) => { errors.push(dialog.message()); dialog.dismiss(); });
  await page.goto(pathToFileURL(`${speedscope}/dist/release/index.html`).href + `#localProfilePath=${script}`);
  await page.waitForFunction(() => document.title !== "speedscope", null, { timeout: 180000 }).catch((error) => errors.push(String(error)));
  // The sandwich view lists all functions with their self and total weight; its head is there first.
  await page.keyboard.press("3");
  await page.waitForFunction(() => document.body.innerText.split("Symbol Name")[1]?.trim(), null, { timeout: 180000 }).catch((error) => errors.push(String(error)));
  found.push({ title: await page.title(), text: await page.evaluate(() => document.body.innerText), errors });
  await page.close();
}
await browser.close();
console.log(JSON.stringify(found));
