#!/usr/bin/env node
// SPDX-License-Identifier: Apache-2.0
// Each key does what it says under QWERTY, AZERTY and Dvorak, and keys that nothing is bound to do nothing: those of
// W A S D and digits by their place, all others by their character.
import { example, expect, expect_equal, with_page } from "./support/page.mjs";

const kPlaces = [
  ..."QWERTYUIOPASDFGHJKL".split("").map((c) => `Key${c}`),
  "Semicolon",
  ..."ZXCVBNM".split("").map((c) => `Key${c}`),
  "Comma",
  "Period",
  "Slash",
];
const kLayouts = {
  QWERTY: "qwertyuiopasdfghjkl;zxcvbnm,./",
  AZERTY: "azertyuiopqsdfghjklmwxcvbn,;:!",
  Dvorak: "',.pyfgcrlaoeuidhtns;qjkxbmwvz",
};
const kDigits = { QWERTY: "1234567890", AZERTY: "&é\"'(-è_çà", Dvorak: "1234567890" };
const kElsewhere = { "?": "Slash", "/": "BracketLeft", "+": "Equal", "-": "Minus" };

const value_of = (address, key) => new URLSearchParams(address.split("?")[1] ?? "").get(key);
const view_of = (address) => /^#\/\w+\/(\w+)/.exec(address)[1];
const width_of = (address, key) => {
  const span = value_of(address, key)?.split("-").map(Number);
  return span ? span[1] - span[0] : null;
};

await with_page([example], async (page) => {
  await page.open("#/0/overview");
  const { end } = await page.ask("");
  const tracks = (await page.ask("/tracks")).tracks;
  const calls = tracks.filter((t) => t.kind === "calls").sort((a, b) => b.items - a.items)[0];
  const method = (await page.rows("Methods"))[0].method;
  const part = `${Math.floor(end / 4)}-${Math.floor(end / 2)}`;
  const seen = `v=${part}`;
  const thread = `th=${calls.thread}`;

  async function press(layout, key) {
    const shift = /^[A-Z?]$/.test(key) || key.startsWith("Shift ");
    const told = key.replace("Shift ", "");
    const digit = /^\d$/.test(told);
    const at = kLayouts[layout].indexOf(told.toLowerCase());
    const by_place = digit || (told.startsWith("Key") && kPlaces.includes(told));
    const code = digit ? `Digit${told}` : by_place ? told : (kPlaces[at] ?? kElsewhere[told] ?? told);
    const character = digit
      ? kDigits[layout][(Number(told) + 9) % 10]
      : by_place
        ? kLayouts[layout][kPlaces.indexOf(told)]
        : told;
    await page.page.evaluate(
      (init) => document.body.dispatchEvent(new KeyboardEvent("keydown", { bubbles: true, cancelable: true, ...init })),
      { code, key: character, shiftKey: shift },
    );
    await page.settled();
  }

  const zoomed = (factor) => (now, before) => {
    const [a, b] = [width_of(now, "v") ?? end, width_of(before, "v") ?? end];
    return factor < 1 ? a < b : a > b;
  };
  const moved = (by) => (now, before) =>
    Math.sign(Number(value_of(now, "v").split("-")[0]) - Number(value_of(before, "v").split("-")[0])) === by;
  const dialog = (name) => () => page.by("dialog", name).isVisible();
  // From an address, a key, and what is then true of the address before and after.
  const kSteps = [
    [`timeline?${seen}`, "KeyW", zoomed(0.5)],
    [`timeline?${seen}`, "KeyS", zoomed(2)],
    [`timeline?${seen}`, "+", zoomed(0.5)],
    [`timeline?${seen}`, "-", zoomed(2)],
    [`timeline?${seen}`, "KeyA", moved(-1)],
    [`timeline?${seen}`, "KeyD", moved(1)],
    [`timeline?${seen}`, "ArrowLeft", moved(-1)],
    [`timeline?${seen}`, "ArrowRight", moved(1)],
    [`timeline?${seen}`, "0", (now) => value_of(now, "v") === null],
    [`timeline?r=${part}`, "f", (now) => width_of(now, "v") > width_of(now, "r") && width_of(now, "v") < end],
    [`timeline?r=${part}`, "v", (now) => value_of(now, "v") === part],
    ["overview", "g", dialog("Go to time")],
    ["overview", "?", dialog("Keys")],
    [`calls?r=${part}`, "m", async () => (await page.by("status", "Status").textContent()).length > 0],
    ["calls", "/", () => page.page.evaluate(() => document.activeElement.getAttribute("aria-label") === "Search names")],
    ["timeline?q=a", "n", (now) => /^calls:/.test(value_of(now, "sel"))],
    ["timeline?q=a", "N", (now) => /^calls:/.test(value_of(now, "sel"))],
    [`calls?sel=method:${encodeURIComponent(method)}`, "t", (now) => /^calls:/.test(value_of(now, "sel"))],
    ["flame", "i", (now) => value_of(now, "m") === "invert"],
    ["flame", "l", (now) => value_of(now, "m") === "heavy"],
    ["flame", "h", (now) => value_of(now, "m") !== null],
    [`calls?sel=method:${encodeURIComponent(method)}`, "x", (now) => /^not:method:/.test(value_of(now, "f"))],
    [`calls?sel=method:${encodeURIComponent(method)}`, "y", (now) => /^only:method:/.test(value_of(now, "f"))],
    ["flame?f=only:text:a&f=not:text:b", "u", (now) => value_of(now, "f") === "only:text:a"],
    ["calls", "p", () => page.by("group", "Limited to").textContent().then((t) => t.includes("pinned"))],
    [`calls?r=${part}&${thread}`, "Shift 1", (now) => (value_of(now, "a") ?? "").endsWith(`:${part}:${calls.thread}`)],
    [`calls?r=${part}`, "Shift 2", (now) => (value_of(now, "b") ?? "").includes(`:${part}:`)],
    [`compare?a=0:${part}:&b=0::`, "b", (now) => value_of(now, "m") !== null],
    [`calls?r=${part}`, "Escape", (now) => value_of(now, "r") === null],
    ["overview?d=keys", "Escape", async () => !(await page.by("dialog", "Keys").isVisible())],
    ...["overview", "timeline", "flame", "calls", "memory", "collections", "locks", "states", "compare"].map((view, i) => [
      i === 0 ? "info" : null, // from one to the next
      String(i + 1),
      (now) => view_of(now) === view,
    ]),
  ];
  // Bound to nothing, wherever they lie.
  const kFree = ["z", "q", "o", "e", "r", ","];

  for (const layout of Object.keys(kLayouts)) {
    for (const [address, key, holds] of kSteps) {
      if (address !== null) await page.turn(`#/0/${address}`);
      const before = page.address();
      await press(layout, key);
      if (key === "n" || key === "N" || key === "t") {
        await page.page.waitForFunction(() => /[?&]sel=calls:/.test(location.hash)).catch(() => null);
        await page.settled();
      }
      expect(await holds(page.address(), before), `${key} under ${layout} at ${address}: ${page.address()}`);
      if (key === "p") await press(layout, "p"); // and lets go
    }
    for (const key of kFree) {
      const place = kPlaces[kLayouts[layout].indexOf(key)];
      if (["KeyW", "KeyA", "KeyS", "KeyD"].includes(place)) continue; // it zooms or pans by its place
      await page.turn(`#/0/timeline?${seen}&r=${part}`);
      const before = page.address();
      await press(layout, key);
      expect_equal(page.address(), before, `"${key}" does nothing under ${layout}`);
      expect_equal(await page.page.getByRole("dialog").count(), 0, `"${key}" opens nothing under ${layout}`);
    }
  }

  // J and K walk along the row of the chosen call, there and back.
  await page.turn(`#/0/timeline?tr=${tracks.filter((t) => t.kind === "calls" && t !== calls).map((t) => `-thread:${t.thread}`).join(",")}`);
  await page.page.evaluate((name) => {
    const list = [...document.querySelectorAll("[role=listbox]")].find((l) => l.getAttribute("aria-label").startsWith("Items of"));
    [...list.children].find((i) => i.dataset.count === "1")?.click();
    return name;
  }, calls.name);
  await page.page.waitForFunction(() => /[?&]sel=calls:/.test(location.hash));
  await page.settled();
  const begin = value_of(page.address(), "sel");
  const start_of = (name) => Number(/(-?\d+)$/.exec(name)[1]);
  const walk = async (key) => {
    const before = value_of(page.address(), "sel");
    await press("Dvorak", key);
    await page.page.waitForFunction((b) => new URLSearchParams(location.hash.split("?")[1]).get("sel") !== b, before).catch(() => null);
    await page.settled();
    return value_of(page.address(), "sel");
  };
  const next = await walk("j");
  expect(start_of(next) > start_of(begin), `J goes on: ${begin} to ${next}`);
  const back = await walk("k");
  expect(start_of(back) < start_of(next), `K goes back: ${next} to ${back}`);
});
