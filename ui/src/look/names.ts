// SPDX-License-Identifier: Apache-2.0
// Names of methods for people: what may be said, and how a name is cut until it fits.
const kLongest = 1000;

// Control characters and those that turn the direction of text are shown, not obeyed.
export function shown(name: string): string {
  const cut = name.length > kLongest ? `${name.slice(0, kLongest)}… (${name.length} characters)` : name;
  return cut.replace(
    /[\u0000-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]/gu,
    (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

export const without_arguments = (name: string): string => name.replace(/(?<=.) ?\([^()]*\)$/s, "");

export interface NameParts {
  head: string; // namespace and type
  method: string;
  arguments: string;
}

// "Name.Space.Type:method (args)" and "com.acme.Type.method(args)".
export function name_parts(name: string): NameParts {
  const bare = without_arguments(name).replace(/^\(wrapper [^)]*\) /, "");
  const colon = bare.lastIndexOf(":");
  const at = colon >= 0 ? colon : bare.lastIndexOf(".");
  return {
    head: at < 0 ? "" : bare.slice(0, at + 1),
    method: bare.slice(at + 1),
    arguments: name.slice(without_arguments(name).length),
  };
}

function short_type(head: string): string {
  const type = head.slice(0, -1);
  const generic = type.search(/[`<[]/);
  const plain = generic < 0 ? type : type.slice(0, generic);
  return plain.slice(plain.lastIndexOf(".") + 1) + head.slice(-1);
}

// Type and method, without what stands before and behind: for narrow places that tell the rest otherwise.
export function short_name(name: string): string {
  const parts = name_parts(name);
  return short_type(parts.head) + parts.method;
}

export type Measure = (text: string) => number;

export function cut_middle(text: string, width: number, measure: Measure): string {
  if (measure(text) <= width) return text;
  const points = Array.from(text);
  let low = 2;
  let high = points.length - 1;
  const cut = (keep: number): string => {
    const head = Math.ceil(keep * 0.45);
    return `${points.slice(0, head).join("")}…${points.slice(points.length - (keep - head)).join("")}`;
  };
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (measure(cut(middle)) <= width) low = middle;
    else high = middle - 1;
  }
  return low < 4 ? "" : cut(low);
}

const kNarrowest = 18;

// In order until it fits: all; without arguments; without namespace; the method; cut in the middle; nothing.
export function label(name: string, width: number, measure: Measure): string {
  if (width < kNarrowest) return "";
  if (name.length < 200 && measure(name) <= width) return name;
  const parts = name_parts(name);
  const candidates = [parts.head + parts.method, short_type(parts.head) + parts.method, parts.method];
  for (const text of candidates) if (text.length < 200 && measure(text) <= width) return text;
  return cut_middle(parts.method.slice(0, 200), width, measure);
}
