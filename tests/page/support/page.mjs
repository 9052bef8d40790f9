// SPDX-License-Identifier: Apache-2.0
// What the tests of the page share: the program's server, a browser, and the page by its roles and names. Where node's
// packages, a browser or the page are missing, the test says so and ends with 77.
import { execFileSync, spawn } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { homedir, tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { kHangs } from "./waiting.mjs";

export const root = resolve(dirname(fileURLToPath(import.meta.url)), "../../..");
export const example = join(root, "examples/everything.mlpd");
export const polytrace = process.env.POLYTRACE ?? join(root, "build/release/polytrace");
const kBrowsers = [
  process.env.POLYTRACE_BROWSER,
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
];

// A folder that goes with the process.
export function scratch() {
  const folder = mkdtempSync(join(tmpdir(), "polytrace-page-"));
  process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

export function skip(reason) {
  console.log(reason);
  process.exit(77);
}

// A package that is of ./dev page, or of ./dev setup page.
export function package_file(name) {
  const caches = process.env.XDG_CACHE_HOME ?? join(homedir(), ".cache");
  const installed = process.env.POLYTRACE_PAGE ?? join(caches, "polytrace/page");
  for (const folder of [join(root, "ui"), installed]) {
    try {
      return createRequire(join(folder, "package.json")).resolve(name);
    } catch {
      // not in this one
    }
  }
  return skip(`node has no ${name.split("/")[0]}: ./dev setup page installs it`);
}

export function cli(...words) {
  return execFileSync(polytrace, words, { encoding: "utf8", maxBuffer: 1 << 28, stdio: ["ignore", "pipe", "ignore"] });
}

// Exit code 4, of partial results, is a result as well.
export function cli_json(...words) {
  try {
    return JSON.parse(cli(...words, "--json"));
  } catch (error) {
    if (error.status === 4 && error.stdout) return JSON.parse(error.stdout);
    throw error;
  }
}

export async function serve(files, cache, ...more) {
  // A sanitizer looks at all that a server does, as it starts once.
  const sanitizer = `${process.env.ASAN_OPTIONS ?? ""}:report_globals=1:detect_leaks=1`;
  const child = spawn(polytrace, ["ui", "--json", "--ui-dir", join(root, "ui/dist"), ...more, ...files], {
    env: { ...process.env, POLYTRACE_CACHE: cache, ASAN_OPTIONS: sanitizer },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const line = await new Promise((done, fail) => {
    let text = "";
    child.stdout.on("data", (bytes) => {
      text += bytes;
      if (text.includes("\n")) done(text.split("\n")[0]);
    });
    child.on("exit", (code) => fail(new Error(`polytrace ui ended with ${code}`)));
    let told = "";
    child.stderr.on("data", (bytes) => {
      process.stderr.write(bytes);
      told += bytes;
      if (told.includes("built without the page")) skip("this build of polytrace has no page");
    });
  });
  return { child, ...JSON.parse(line) };
}

// Another server in the place of one that ended.
export async function again(files, port) {
  return (await serve(files, scratch(), "--port", String(port))).child;
}

export class Page {
  constructor(page, url) {
    this.page = page;
    const parts = /^(.*?)\/?#token=([A-Za-z0-9_-]{22})/.exec(url);
    this.origin = parts[1];
    this.token = parts[2];
    this.requests = [];
    this.complaints = [];
    page.on("request", (r) => this.requests.push(r.url()));
    page.on("console", (m) => {
      if (["error", "warning"].includes(m.type())) this.complaints.push(`${m.text()} ${m.location().url}`);
    });
    page.on("pageerror", (e) => this.complaints.push(String(e)));
  }

  // The first address carries the token, all others are links as people share them.
  async open(address = "#/0/overview") {
    const first = !this.opened;
    this.opened = true;
    await this.page.goto(
      first ? `${this.origin}/#token=${this.token}${address.slice(1)}` : `${this.origin}/${address}`,
    );
    await this.settled();
  }

  // All branches of a tree are opened.
  async unfold(name) {
    const tree = this.by("treegrid", name);
    await tree.waitFor();
    await tree.evaluate(async (table) => {
      const box = table.closest(".gridbox");
      const frame = () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
      for (;;) {
        const closed = table.querySelectorAll("tr[aria-expanded=false] .twist");
        for (const twist of closed) twist.click();
        if (closed.length === 0 && box.scrollTop + box.clientHeight >= box.scrollHeight - 1) break;
        if (closed.length === 0) box.scrollTop += box.clientHeight / 2;
        await frame();
      }
      box.scrollTop = 0;
    });
    await this.settled();
  }

  // In the page that is open, as by a link in it.
  async turn(address) {
    await this.page.evaluate((a) => {
      location.hash = a;
    }, address);
    await this.settled();
  }

  // Answers may lead to further questions: quiet is what stays so for a few frames.
  settled(page = this.page) {
    return page.waitForFunction(
      () => {
        const { state, busy } = document.documentElement.dataset;
        globalThis.quiet_frames = state === "ready" && busy === "0" ? (globalThis.quiet_frames ?? 0) + 1 : 0;
        if (globalThis.quiet_frames < 3) return false;
        globalThis.quiet_frames = 0;
        return true;
      },
      undefined,
      { timeout: kHangs },
    );
  }

  address() {
    return new URL(this.page.url()).hash;
  }

  by(role, name, exact = true) {
    return this.page.getByRole(role, { name, exact });
  }

  // What the server answers to a GET of this trace; from the root where the path begins with "//".
  ask(path) {
    return this.page.evaluate(async (asked) => {
      const token = localStorage.getItem("polytrace.token");
      const get = async (p) =>
        (await fetch(`/api/1${p}`, { headers: { Authorization: `Bearer ${token}` } })).json();
      if (asked.startsWith("//")) return get(asked.slice(1));
      return get(`/traces/${(await get("/session")).traces[0].id}${asked}`);
    }, path);
  }

  // All rows of a grid as objects of their data-value, scrolled through.
  async rows(name, role = "grid") {
    const grid = this.by(role, name);
    await grid.waitFor();
    return grid.evaluate(async (table) => {
      const box = table.closest(".gridbox");
      const found = new Map();
      const frame = () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
      for (let top = 0; ; top += Math.max(24, box.clientHeight - 48)) {
        box.scrollTop = top;
        await frame();
        for (const row of table.querySelectorAll("tr[aria-rowindex]")) {
          const cells = [...row.querySelectorAll("[data-column]")].map((c) => [c.dataset.column, c.dataset.value]);
          found.set(Number(row.getAttribute("aria-rowindex")), Object.fromEntries(cells));
        }
        if (top + box.clientHeight >= box.scrollHeight) break;
      }
      return [...found].sort((a, b) => a[0] - b[0]).map(([, row]) => row);
    });
  }
}

const failures = [];
export function expect(fine, what) {
  if (!fine) failures.push(what);
}
export function expect_equal(got, wanted, what) {
  const [a, b] = [JSON.stringify(got), JSON.stringify(wanted)];
  if (a !== b) failures.push(`${what}\n  got    ${a?.slice(0, 600)}\n  wanted ${b?.slice(0, 600)}`);
}

// What browsers are to do without: a page of their own for the address bar, which takes each new window more than a
// second of processor time; and what playwright leaves out, as Chromium takes one such list only.
const kWithout = [
  ...["WebUIOmniboxPopup", "WebUIOmniboxAimPopup", "WebUIOmniboxFullPopup"],
  ...["AutoDeElevate", "AvoidUnnecessaryBeforeUnloadCheckSync", "BoundaryEventDispatchTracksNodeRemoval"],
  ...["DestroyProfileOnBrowserClose", "DialMediaRouteProvider", "GlobalMediaControls", "HttpsUpgrades", "LensOverlay"],
  ...["MediaRouter", "OptimizationHints", "PaintHolding", "RenderDocument", "ThirdPartyStoragePartitioning", "Translate"],
];

// The browser, or a skipped test.
export function launch() {
  const { chromium } = createRequire(import.meta.url)(package_file("playwright-core"));
  const executablePath = kBrowsers.find((path) => path && existsSync(path));
  if (!executablePath) skip("there is no chromium");
  return chromium.launch({ executablePath, args: ["--no-sandbox", `--disable-features=${kWithout}`] });
}

// Runs `body` with a page of a server of `files`; the test fails if anything was complained of. `words` are more options
// of the server, the others those of the browser's context.
export async function with_page(files, body, { words = [], ...options } = {}) {
  if (!existsSync(join(root, "ui/dist/index.html"))) skip("ui/dist is missing: ./dev page makes it");
  const [browser, server] = await Promise.all([launch(), serve(files, scratch(), ...words)]);
  try {
    const context = await browser.newContext({
      viewport: { width: 1600, height: 900 },
      reducedMotion: "reduce",
      ...options,
    });
    context.setDefaultTimeout(kHangs);
    const page = new Page(await context.newPage(), server.url);
    await body(page, { context, server, browser });
    expect_equal(page.complaints, [], "the console is empty");
    const foreign = page.requests.filter((url) => !url.startsWith(page.origin) && !url.startsWith("blob:"));
    expect_equal(foreign, [], "all requests go to the own origin");
  } finally {
    await browser.close();
    server.child.kill("SIGINT");
  }
  for (const failure of failures) console.log(`FAILED ${failure}`);
  process.exit(failures.length > 0 ? 1 : 0);
}
