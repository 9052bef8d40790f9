// SPDX-License-Identifier: Apache-2.0
// Packs what the build left in dist/ and tells in manifest.json what it was made from, so that a build of the
// program can say whether the committed page is that of the sources.
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { gzipSync } from "node:zlib";

const kPackAbove = 1024;
const kSources = ["src", "public", "index.html", "vite.config.ts", "ship.js", "tsconfig.json", "package-lock.json"];

function files(path) {
  if (!statSync(path).isDirectory()) return [path];
  return readdirSync(path)
    .sort()
    .flatMap((name) => files(join(path, name)));
}

// Of names and contents, each with its length, in the order of the names.
export function source_hash(root) {
  const hash = createHash("sha256");
  for (const file of kSources.filter((s) => existsSync(join(root, s))).flatMap((s) => files(join(root, s)))) {
    const bytes = readFileSync(file);
    hash.update(`${relative(root, file)}\0${bytes.length}\0`);
    hash.update(bytes);
  }
  return hash.digest("hex");
}

function pack(folder) {
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    const bytes = readFileSync(path);
    if (bytes.length <= kPackAbove) continue;
    const packed = gzipSync(bytes, { level: 9 });
    packed[9] = 255; // the system in the head differs between machines
    writeFileSync(`${path}.gz`, packed);
    rmSync(path);
  }
}

function versions(root) {
  const lock = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8"));
  const tools = ["typescript", "vite", "preact", "@preact/signals"];
  return Object.fromEntries(tools.map((tool) => [tool, lock.packages[`node_modules/${tool}`].version]));
}

export function shipped() {
  return {
    name: "shipped",
    apply: "build",
    closeBundle() {
      const root = import.meta.dirname;
      const folder = join(root, "dist");
      pack(folder);
      const sizes = Object.fromEntries(
        readdirSync(folder)
          .sort()
          .map((f) => [f, statSync(join(folder, f)).size]),
      );
      const manifest = { sources: source_hash(root), tools: versions(root), files: sizes };
      writeFileSync(join(folder, "manifest.json"), `${JSON.stringify(manifest, null, 2)}\n`);
    },
  };
}
