#!/usr/bin/env node
// SPDX-License-Identifier: Apache-2.0
// Dragging on the time line selects what lies under it, to the pixel, and every view says so. Keys do what they say
// under other layouts, and nothing else.
import { cli_json, example, expect, expect_equal, with_page } from "./support/page.mjs";

// But for States, which is of one moment, and says of which.
const kViews = ["overview", "flame", "calls", "memory", "collections", "locks"].concat([
  ...["exceptions", "threads", "compilation", "counters", "events"],
]);
const numbers = (text) => text.split("-").map(Number);
const value_of = (address, key) => new URLSearchParams(address.split("?")[1] ?? "").get(key);

// A key by its place, and the character that a layout has there.
async function press(page, code, key, more = {}) {
  await page.page.evaluate(
    ([c, k, m]) =>
      document.body.dispatchEvent(
        new KeyboardEvent("keydown", { code: c, key: k, bubbles: true, cancelable: true, ...m }),
      ),
    [code, key, more],
  );
  await page.settled();
}

await with_page([example], async (page) => {
  const info = cli_json("info", example);
  const length = info.span.last - info.span.first;
  await page.open("#/0/timeline");
  const canvas = page.by("application", "Timeline canvas");
  const box = await canvas.boundingBox();
  const [from, to, x1] = await canvas.evaluate((c) => [
    Number(c.dataset.from),
    Number(c.dataset.to),
    Number(c.dataset.x1),
  ]);
  expect_equal(to - from, length + 1, "the time line has all from the first event to the last");
  const row = await page.by("treegrid", "Tracks").getByRole("row").first().boundingBox();

  const pixel = (to - from) / x1;
  await page.page.mouse.move(box.x + 200, row.y + row.height / 2);
  await page.page.mouse.down();
  await page.page.mouse.move(box.x + 300, row.y + row.height / 2, { steps: 4 });
  await page.page.mouse.move(box.x + 520, row.y + row.height / 2, { steps: 4 });
  await page.page.mouse.up();
  await page.settled();
  const [a, b] = numbers(value_of(page.address(), "r") ?? "0-0");
  expect(
    Math.abs(a - (from + 200 * pixel)) <= pixel && Math.abs(b - (from + 520 * pixel)) <= pixel,
    `dragged 200 to 520: ${a} to ${b}, a pixel is ${pixel}`,
  );
  const said = await page.by("group", "Limited to").textContent();
  const limited = page.address();
  for (const view of kViews) {
    await page.turn(limited.replace("/timeline", `/${view}`));
    const there = await page.by("group", "Limited to").textContent();
    expect_equal(there.split(",")[0], said.split(",")[0], `${view} says what it is limited to`);
  }

  // Zooming by a drag on the ruler leaves the selection as it is.
  await page.turn("#/0/timeline?r=10-20");
  await page.page.mouse.move(box.x + 100, box.y + 10);
  await page.page.mouse.down();
  await page.page.mouse.move(box.x + 400, box.y + 10, { steps: 5 });
  await page.page.mouse.up();
  await page.settled();
  const [v0, v1] = numbers(value_of(page.address(), "v") ?? "0-0");
  expect(
    Math.abs(v0 - from - 100 * pixel) <= 2 * pixel && Math.abs(v1 - from - 400 * pixel) <= 2 * pixel,
    `zoomed to ${v0} to ${v1}`,
  );
  expect_equal(value_of(page.address(), "r"), "10-20", "the selection stays");

  // The place of W is Z on AZERTY and comma on Dvorak.
  for (const [layout, w, s] of [
    ["QWERTY", "w", "s"],
    ["AZERTY", "z", "s"],
    ["Dvorak", ",", "o"],
  ]) {
    await page.turn("#/0/timeline");
    await press(page, "KeyW", w);
    const zoomed = numbers(value_of(page.address(), "v") ?? "0-0");
    expect(zoomed[1] - zoomed[0] > 0 && zoomed[1] - zoomed[0] < to - from, `W zooms in under ${layout}`);
    await press(page, "KeyS", s);
    expect(value_of(page.address(), "v") === null, `S zooms out under ${layout}: ${page.address()}`);
  }
  // Commands go by character: the key at the place of W that says "f" zooms, the one that says "i" elsewhere inverts.
  await page.turn("#/0/flame");
  await press(page, "KeyG", "i");
  expect_equal(value_of(page.address(), "m"), "invert", "I inverts wherever it is");
  await press(page, "KeyP", "l");
  expect_equal(value_of(page.address(), "m"), "heavy invert", "L is left-heavy");
  await press(page, "Digit4", "'");
  expect(page.address().startsWith("#/0/calls"), "4 by place opens Calls");
  await press(page, "Slash", "?", { shiftKey: true });
  expect(await page.by("dialog", "Keys").isVisible(), "? shows the keys");
  await press(page, "Escape", "Escape");
  expect(await page.by("dialog", "Keys").isHidden(), "Escape closes them");
  await page.by("searchbox", "Search names").focus();
  await page.page.keyboard.type("wasd1");
  await page.page.waitForFunction(() => location.hash.includes("q=wasd1")).catch(() => null);
  await page.settled();
  expect(page.address().startsWith("#/0/calls") && page.address().includes("q=wasd1"), "keys are text in text fields");
});
