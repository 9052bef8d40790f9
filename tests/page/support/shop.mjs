// SPDX-License-Identifier: Apache-2.0
// The example shop, recorded as the tutorial does it. Where the JDK or the agent is missing, the test says so and ends
// with 77.
import { execFileSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { polytrace, root, scratch, skip } from "./page.mjs";

const kClasses = "Shop,Customer,Catalog,Till,Order,Article";
const kEvents = "calls,threads,gc,monitors,exceptions,alloc=sites";

function run(program, words) {
  return execFileSync(program, words, { encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
}

export function record_shop(days = 20, ...more) {
  const folder = scratch();
  const sources = join(root, "examples/shop/java");
  try {
    const files = readdirSync(sources).filter((name) => name.endsWith(".java"));
    run("javac", ["-g", "-d", folder, ...files.map((name) => join(sources, name))]);
  } catch (error) {
    if (error.code === "ENOENT") skip("there is no JDK");
    throw error;
  }
  const trace = join(folder, "shop.ptrace");
  const program = ["java", "-cp", folder, "Shop", String(days), ...more];
  const options = ["--events", kEvents, "--option", "heapdump=end", "--filter", kClasses, "-o", trace];
  try {
    run(polytrace, ["record", ...options, ...program]);
  } catch (error) {
    if (/agent/.test(error.stderr ?? "")) skip(`the shop cannot be recorded: ${error.stderr}`);
    throw error;
  }
  return trace;
}
