// SPDX-License-Identifier: Apache-2.0
// Words of the address key `m`: one of a group, or there and not there.
import { go, place } from "./page";

export const has_mode = (word: string): boolean => place.value.mode.includes(word);

export function turn_mode(word: string, on: boolean): void {
  const rest = place.peek().mode.filter((m) => m !== word);
  go({ mode: on ? [...rest, word].sort() : rest });
}

export function mode_of<W extends string>(words: readonly W[]): W {
  return words.find((w) => place.value.mode.includes(w)) ?? words[0]!;
}

export function set_mode(words: readonly string[], word: string): void {
  const rest = place.peek().mode.filter((m) => !words.includes(m));
  go({ mode: (word === words[0] ? rest : [...rest, word]).sort(), firstRow: 0, sort: "" });
}
