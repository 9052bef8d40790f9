// SPDX-License-Identifier: Apache-2.0
import type { Thread } from "../wire";

// The indexes that the words "0,4" and "!7" stand for; null: all.
export function thread_list(words: string, all: readonly Thread[]): number[] | null {
  if (words === "") return null;
  const listed = new Set(words.replace("!", "").split(",").map(Number));
  return all.map((t) => t.index).filter((i) => listed.has(i) !== words.startsWith("!"));
}
