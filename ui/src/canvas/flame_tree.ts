// SPDX-License-Identifier: Apache-2.0
// A profile's columns as a tree: children, sums of states over all below, paths of frame ids.
import { spot_of } from "../look/spot";
import type { Profile } from "../wire";

export interface FlameTree {
  profile: Profile;
  children: number[][]; // in the order of the answer
  blocked: Float64Array; // of the node and all below it
  waiting: Float64Array;
  paused: Float64Array;
  states: boolean; // whether these are told
  pauses: boolean;
  id: (node: number) => number;
  name: (node: number) => string;
  package: (node: number) => string;
}

export function flame_tree(profile: Profile): FlameTree {
  const n = profile.nodes;
  const size = n.parent.length;
  const children: number[][] = Array.from({ length: size }, () => []);
  for (let i = 1; i < size; ++i) children[n.parent[i]!]!.push(i);
  const below = (own: number[] | undefined): Float64Array => {
    const all = Float64Array.from(own ?? new Array(size).fill(0));
    for (let i = size - 1; i > 0; --i) all[n.parent[i]!]! += all[i]!;
    return all;
  };
  const frame = (node: number): number => n.frame[node] ?? -1;
  return {
    profile,
    children,
    blocked: below(n.blocked),
    waiting: below(n.waiting),
    paused: below(n.paused),
    states: n.blocked !== undefined && n.blocked.length === size,
    pauses: n.paused !== undefined && n.paused.length === size,
    id: (node) => profile.frames.id[frame(node)] ?? frame(node), // of two traces compared there is none
    name: (node) => (node === 0 ? "all" : (profile.frames.name[frame(node)] ?? "?")),
    package: (node) => spot_of(profile.frames.name[frame(node)] ?? "", profile.frames.package[frame(node)] ?? ""),
  };
}

export function path_of(tree: FlameTree, node: number): string {
  const ids: number[] = [];
  for (let at = node; at > 0; at = tree.profile.nodes.parent[at]!) ids.push(tree.id(at));
  return ids.reverse().join(".");
}

// The node of a path; where the path leaves the tree, the last node on it.
export function node_at(tree: FlameTree, path: string): number {
  let at = 0;
  for (const id of path === "" ? [] : path.split(".").map(Number)) {
    const next = tree.children[at]!.find((c) => tree.id(c) === id);
    if (next === undefined) break;
    at = next;
  }
  return at;
}

export function ancestors(tree: FlameTree, node: number): number[] {
  const all: number[] = [];
  for (let at = node; at > 0; at = tree.profile.nodes.parent[at]!) all.push(tree.profile.nodes.parent[at]!);
  return all.reverse();
}
