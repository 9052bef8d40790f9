// SPDX-License-Identifier: Apache-2.0
// The tokens of tokens.css for canvases, read anew when the theme changes.
import { computed, signal } from "@preact/signals";
import { place } from "../state/page";

const kNames = [
  "ground",
  "panel",
  "text",
  "faint",
  "line",
  "line-soft",
  "track",
  "running",
  "blocked",
  "waiting",
  "paused",
  "ended",
  "less",
  "same",
  "more",
  "match",
  "match-edge",
  "focus",
  "accent",
  "accent-soft",
  "select",
  "select-soft",
  "select-edge",
  "c1",
  "c2",
  "c3",
  "c4",
  "c5",
  "c6",
  "c7",
  "paused-text",
  "blocked-text",
] as const;
type Name = (typeof kNames)[number];
export type Tones = Record<Name, string> & { dark: boolean; fill: number; sans: string };

function follows(query: string) {
  const media = matchMedia(query);
  const now = signal(media.matches);
  media.addEventListener("change", () => (now.value = media.matches));
  return now;
}
const system = follows("(prefers-color-scheme: dark)");
const forced = follows("(forced-colors: active)");

const kKept = "polytrace.theme";
function kept(): string {
  try {
    return localStorage.getItem(kKept) ?? "";
  } catch {
    return "";
  }
}
export const own_theme = signal(kept());

export function keep_theme(theme: string): void {
  own_theme.value = theme;
  try {
    localStorage.setItem(kKept, theme);
  } catch {
    // for this page only
  }
}

// Where the system forces its colours, canvases must fit its ground, whatever theme was chosen.
export const theme = computed(() => (forced.value ? "" : place.value.theme || own_theme.value));

export const tones = computed<Tones>(() => {
  const root = document.documentElement;
  if (theme.value === "") delete root.dataset["theme"];
  else root.dataset["theme"] = theme.value;
  const css = getComputedStyle(root);
  const read = (name: string): string => css.getPropertyValue(`--${name}`).trim();
  const dark = theme.value === "" ? system.value : theme.value === "dark";
  const all = Object.fromEntries(kNames.map((name) => [name, read(name)])) as Record<Name, string>;
  return { ...all, dark, fill: dark ? 0.36 : 0.4, sans: read("sans") };
});

type Rgb = [number, number, number];
const parsed = new Map<string, Rgb>();
function rgb(text: string): Rgb {
  let value = parsed.get(text);
  if (!value) {
    const hex = text.startsWith("#") ? text.slice(1).replace(/^(.)(.)(.)$/, "$1$1$2$2$3$3") : "";
    const digits = hex ? hex.match(/../g)!.map((d) => parseInt(d, 16)) : text.match(/\d+/g)!.map(Number);
    value = [digits[0]!, digits[1]!, digits[2]!];
    parsed.set(text, value);
  }
  return value;
}

const mixed = new Map<string, string>();
// `part` of a, the rest of b; both opaque.
export function mix(a: string, b: string, part: number): string {
  const key = `${a}${b}${part}`;
  let value = mixed.get(key);
  if (!value) {
    const [x, y] = [rgb(a), rgb(b)];
    value = `rgb(${x.map((v, i) => Math.round(v * part + y[i]! * (1 - part))).join(" ")})`;
    mixed.set(key, value);
  }
  return value;
}

// FNV-1a: the colour of a package is the same in each trace and each run.
export function category(name: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < name.length; ++i) hash = Math.imul(hash ^ name.charCodeAt(i), 0x01000193);
  return (hash >>> 0) % 14;
}

export function category_colour(index: number, t: Tones): string {
  const base = t[`c${(index % 7) + 1}` as Name];
  return index < 7 ? base : mix(base, t.ground, 0.67);
}

export const package_colour = (name: string, t: Tones): string =>
  name === "" ? t.ended : category_colour(category(name), t);
// The lighter seven are filled more, or they would not be seen.
export const fill_of = (name: string, t: Tones): string =>
  mix(package_colour(name, t), t.ground, name !== "" && category(name) >= 7 ? t.fill + 0.14 : t.fill);
