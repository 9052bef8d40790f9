// SPDX-License-Identifier: Apache-2.0
// Drives one flame page in headless Chromium and prints what it found as JSON.
//   node flame_page.mjs PLAYWRIGHT CHROMIUM PAGE STEPS [PICTURE_FOLDER]
// STEPS is a JSON list: {"open": fragment}, {"press": key}, {"type": text}, {"click": [x, y]},
// {"scheme": "dark"}, {"size": [w, h]}, {"eval": expression}, {"shot": name}. The result has what
// each "eval" gave, every request that is no file or data, and every error of the page.
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const [library, chromium, page_file, steps, pictures] = process.argv.slice(2);
const playwright = createRequire(library + "/")(library);
const browser = await playwright.chromium.launch({
  executablePath: chromium, args: ["--no-sandbox", "--disable-gpu"] });
const page = await browser.newPage({ viewport: { width: 1200, height: 700 } });
const found = { values: [], requests: [], errors: [] };
const url = pathToFileURL(page_file).href;
page.on("request", (request) => {
  if (!request.url().startsWith("data:") && request.url().split("#")[0] !== url) found.requests.push(request.url());
});
page.on("pageerror", (error) => found.errors.push(String(error)));
page.on("console", (message) => { if (message.type() === "error") found.errors.push(message.text()); });
page.on("dialog", (dialog) => { found.errors.push("dialog: " + dialog.message()); dialog.dismiss(); });
const settled = () => page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
for (const step of JSON.parse(steps)) {
  const [kind, value] = Object.entries(step)[0];
  if (kind === "open") {
    await page.goto("about:blank");
    await page.goto(url + value);
    await page.waitForFunction(() => document.documentElement.dataset.drawn);
  } else if (kind === "press") await page.keyboard.press(value);
  else if (kind === "type") await page.keyboard.type(value);
  else if (kind === "click") await page.mouse.click(...value);
  else if (kind === "move") await page.mouse.move(...value);
  else if (kind === "scheme") await page.emulateMedia({ colorScheme: value });
  else if (kind === "size") await page.setViewportSize({ width: value[0], height: value[1] });
  else if (kind === "eval") found.values.push(await page.evaluate(value));
  else if (kind === "shot" && pictures) await page.screenshot({ path: `${pictures}/${value}.png` });
  await settled();
}
await browser.close();
console.log(JSON.stringify(found));
