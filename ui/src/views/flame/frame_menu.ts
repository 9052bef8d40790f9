// SPDX-License-Identifier: Apache-2.0
// What can be done with a frame or a method, in menus and by keys.
import { without_arguments } from "../../look/names";
import { copy_text } from "../../parts/grid/copy";
import type { Item } from "../../parts/menu";
import { go } from "../../state/page";
import { add_rule } from "../../state/selection";

const method_rule = (op: "only" | "not" | "hide" | "root", id: number): void =>
  add_rule({ op, how: "method", text: String(id) });

export function package_of(name: string): string {
  const bare = without_arguments(name).replace(/^\(wrapper [^)]*\) /, "");
  const type = bare.includes(":") ? bare.slice(0, bare.lastIndexOf(":")) : bare.slice(0, bare.lastIndexOf("."));
  const generic = type.search(/[`<[]/);
  const plain = generic < 0 ? type : type.slice(0, generic);
  return plain.includes(".") ? plain.slice(0, plain.lastIndexOf(".")) : "";
}

export function frame_menu(id: number, name: string, path?: string): Item[] {
  const spot = package_of(name);
  return [
    ...(path === undefined ? [] : [{ title: "Focus on this method", key: "Enter", run: () => go({ x: path }) }]),
    { title: "Only inside this method", key: "Y", run: () => method_rule("only", id) },
    { title: "Exclude this method", key: "X", run: () => method_rule("not", id) },
    { title: "Hide this method", run: () => method_rule("hide", id) },
    ...(spot === ""
      ? []
      : [{ title: "Collapse its package", run: () => add_rule({ op: "collapse", how: "package", text: spot }) }]),
    { title: "Callers and callees", run: () => go({ view: "calls", mode: ["sandwich"], x: String(id), sort: "" }) },
    { title: "Copy name", run: () => copy_text(name, "the name") },
  ];
}
