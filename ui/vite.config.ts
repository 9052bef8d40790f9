// SPDX-License-Identifier: Apache-2.0
// One page.js and one page.css with fixed names: the server tells versions apart by their ETags.
import { defineConfig } from "vite";
import { shipped } from "./ship.js";

export default defineConfig({
  base: "./",
  build: {
    target: "es2022",
    modulePreload: false,
    cssCodeSplit: false,
    assetsInlineLimit: 0,
    sourcemap: false,
    rollupOptions: {
      output: {
        entryFileNames: "page.js",
        assetFileNames: "page[extname]",
        codeSplitting: false,
      },
    },
  },
  plugins: [shipped()],
  test: { include: ["test/**/*.test.ts"] },
} as Parameters<typeof defineConfig>[0]);
