// SPDX-License-Identifier: Apache-2.0
// The flame graph of one profile. Rows are virtual: the canvas is never larger than the view, and
// what is narrower than a third of a pixel is not visited.
"use strict";

const data = JSON.parse(document.getElementById("data").textContent);
const kRow = 19, kNarrow = 0.34, kFont = "12px system-ui, sans-serif";
const element = (id) => document.getElementById(id);

// --- the profile -------------------------------------------------------------------------------
// Nodes depth first; 0 is the root, which stands for all. Sums are floats: exact up to 2^53.
class Profile {
  constructor(from) {
    const count = from.depths.length + 1;
    this.count = count;
    this.frame = new Int32Array(count).fill(-1);
    this.parent = new Int32Array(count).fill(-1);
    this.end = new Int32Array(count); // behind the last node below it
    this.self = new Float64Array(count);
    this.total = new Float64Array(count);
    this.compared = from.befores !== undefined;
    this.before = this.compared ? new Float64Array(count) : null;
    this.beforeSelf = this.compared ? new Float64Array(count) : null;
    const path = [0];
    for (let i = 1; i < count; ++i) {
      const depth = from.depths[i - 1];
      this.frame[i] = from.frames[i - 1];
      this.parent[i] = path[depth];
      path[depth + 1] = i;
      this.self[i] = this.total[i] = from.selfs[i - 1];
      if (this.compared) this.before[i] = this.beforeSelf[i] = from.befores[i - 1];
    }
    this.end.fill(count);
    for (let i = count - 1; i > 0; --i) {
      const parent = this.parent[i];
      this.total[parent] += this.total[i];
      if (this.compared) this.before[parent] += this.before[i];
    }
    const open = [0];
    for (let i = 1; i < count; ++i) {
      while (open[open.length - 1] !== this.parent[i]) this.end[open.pop()] = i;
      open.push(i);
    }
    this.hidden = new Map();
    for (let i = 0; i < from.hidden.length; i += 2) this.hidden.set(from.hidden[i] + 1, from.hidden[i + 1]);
    this.names = names;
    this.used = new Uint8Array(names.length);
    for (let i = 1; i < count; ++i) this.used[this.frame[i]] = 1;
  }
  // Whether each frame's name matches.
  matches(search) {
    let test;
    const pattern = /^\/(.+)\/$/.exec(search);
    try {
      const regex = pattern && new RegExp(pattern[1], "iu");
      if (regex) test = (i) => regex.test(this.names[i]);
    } catch { return null; }
    if (!test) {
      lower ??= names.map((name) => name.toLowerCase());
      const text = search.toLowerCase();
      test = (i) => lower[i].includes(text);
    }
    return Uint8Array.from(names, (_, i) => (this.used[i] && test(i) ? 1 : 0));
  }
}

// Text that shows what it is: characters that turn or hide others become their numbers.
function visible(name) {
  return name.replace(/[\u0000-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/gu,
    (c) => "\u27e8U+" + c.codePointAt(0).toString(16).toUpperCase().padStart(4, "0") + "\u27e9");
}

// --- which figures: weight, thread, helpers ------------------------------------------------------
// A tree has one weight or two, which are alike: {tree, weight, title, unit, selfs}.
const weights = [data, ...data.others].flatMap((tree) =>
  [tree, ...(tree.companion ? [tree.companion] : [])].map((one) => ({ ...one, tree })));
// What is of a helper that nothing called.
for (const one of weights) {
  const frameless = one.tree === data && data.befores ? "" : ["time", "calls"].includes(one.weight) ? "(runtime helpers)" : "(no stack recorded)";
  one.frameless = data.names.indexOf(frameless);
  if (frameless && one.frameless < 0) one.frameless = data.names.push(frameless) - 1;
}
const names = data.names.map(visible);
let lower = null; // the same in small letters
const helpers = new Set(data.helpers);
// The parts of a tree's places that are a thread's: {name, begin, end}; alike names are one.
function threadsOf(tree) {
  const list = [];
  for (let i = 0; i < tree.threads.length; i += 2)
    list.push({ name: tree.threads[i], begin: tree.threads[i + 1], end: tree.threads[i + 3] ?? tree.depths.length });
  return list;
}
const threads = [...new Set(weights.flatMap(({ tree }) => threadsOf(tree).map(({ name }) => name)))];
// All of the chosen threads as one tree. A hidden helper's own weight is its caller's, but its calls
// are nobody's.
function chosenTree() {
  const { tree, selfs, weight, frameless } = weights[state.weight];
  if (data.befores || tree.threads.length === 0 && (state.helpers || helpers.size === 0)) return { ...tree, selfs };
  const nodes = [{ frame: -1, self: 0, hidden: 0, kids: new Map() }];
  const child = (parent, frame) => {
    const { kids } = nodes[parent];
    if (!kids.has(frame)) kids.set(frame, nodes.push({ frame, self: 0, hidden: 0, kids: new Map() }) - 1);
    return kids.get(frame);
  };
  const hidden = new Map();
  for (let i = 0; i < tree.hidden.length; i += 2) hidden.set(tree.hidden[i], tree.hidden[i + 1]);
  const path = [0];
  const all = tree.threads.length === 0 ? [{ begin: 0, end: tree.depths.length }] : threadsOf(tree);
  for (const { name, begin, end } of all) {
    if (state.thread >= 0 && name !== state.thread) continue;
    for (let i = begin; i < end; ++i) {
      const depth = tree.depths[i], frame = tree.frames[i];
      const isHidden = !state.helpers && helpers.has(frame);
      let node = isHidden ? path[depth] : child(path[depth], frame);
      path[depth + 1] = node;
      if (isHidden && (weight === "calls" || selfs[i] === 0)) continue;
      if (node === 0) node = child(0, frameless);
      nodes[node].self += selfs[i];
      nodes[node].hidden += hidden.get(i) ?? 0;
    }
  }
  return depthFirst(nodes);
}
function depthFirst(nodes) {
  const out = { depths: [], frames: [], selfs: [], hidden: [] };
  const open = [...nodes[0].kids.values()].reverse().map((node) => [node, 0]);
  while (open.length > 0) {
    const [number, depth] = open.pop();
    const node = nodes[number];
    if (node.hidden) out.hidden.push(out.depths.length, node.hidden);
    out.depths.push(depth);
    out.frames.push(node.frame);
    out.selfs.push(node.self);
    for (const kid of [...node.kids.values()].reverse()) open.push([kid, depth + 1]);
  }
  return out;
}

let profile; // of what is chosen

// --- trees: what is drawn ----------------------------------------------------------------------
// All have nodes by number with frame, total, self, before and kids(node). Kids are made when they
// are first looked at.
class PlainTree {
  constructor(heavy, key) {
    this.heavy = heavy;
    this.key = key;
    this.lists = new Map();
  }
  frame(node) { return profile.frame[node]; }
  total(node) { return profile.total[node]; }
  self(node) { return profile.self[node]; }
  before(node) { return profile.compared ? profile.before[node] : 0; }
  hidden(node) { return profile.hidden.get(node) ?? 0; }
  parent(node) { return profile.parent[node]; }
  kids(node) {
    let list = this.lists.get(node);
    if (list !== undefined) return list;
    list = [];
    for (let i = node + 1; i < profile.end[node]; i = profile.end[i]) list.push(i);
    arrange(list, this);
    this.lists.set(node, list);
    return list;
  }
}

// Nodes stand for places of the profile that are alike, each with the weight it has here. Its kids
// are the frames next to them: their callers, or what they called.
class GroupTree {
  constructor(heavy, upwards, key) {
    this.heavy = heavy;
    this.upwards = upwards;
    this.key = key;
    this.nodes = [];
  }
  add(frame, parent, places, weights, befores) {
    const sum = (list) => list.reduce((a, b) => a + b, 0);
    this.nodes.push({ frame, parent, places, weights, befores, kids: null,
      total: sum(weights), before: befores ? sum(befores) : 0 });
    return this.nodes.length - 1;
  }
  frame(node) { return this.nodes[node].frame; }
  total(node) { return this.nodes[node].total; }
  before(node) { return this.nodes[node].before; }
  parent(node) { return this.nodes[node].parent; }
  hidden(node) {
    const { places } = this.nodes[node];
    return places.length === 1 ? profile.hidden.get(places[0]) ?? 0 : 0;
  }
  self(node) {
    if (this.upwards) return node === 0 || this.parent(node) === 0 ? this.total(node) : 0;
    return this.nodes[node].places.reduce((sum, place) => sum + profile.self[place], 0);
  }
  kids(node) {
    const one = this.nodes[node];
    if (one.kids) return one.kids;
    const groups = new Map();
    const put = (place, weight, before) => {
      const frame = profile.frame[place];
      let group = groups.get(frame);
      if (!group) groups.set(frame, group = [[], [], profile.compared ? [] : null]);
      group[0].push(place);
      group[1].push(weight);
      if (group[2]) group[2].push(before);
    };
    one.places.forEach((place, i) => {
      if (this.upwards) {
        const caller = profile.parent[place];
        if (caller > 0) put(caller, one.weights[i], one.befores?.[i]);
      } else {
        for (let kid = place + 1; kid < profile.end[place]; kid = profile.end[kid])
          put(kid, profile.total[kid], profile.before?.[kid]);
      }
    });
    one.kids = [...groups].map(([frame, group]) => this.add(frame, node, ...group));
    arrange(one.kids, this);
    return one.kids;
  }
}

function arrange(list, tree) {
  if (tree.heavy) list.sort((a, b) => weight(tree, b) - weight(tree, a));
  else list.sort((a, b) => compareNames(tree.frame(a), tree.frame(b)));
}
function compareNames(a, b) {
  const left = profile.names[a], right = profile.names[b];
  return left < right ? -1 : left > right ? 1 : a - b;
}
// Widths are of now, or of before.
function weight(tree, node) { return state.swap ? tree.before(node) : tree.total(node); }

// All stacks from their innermost frames.
function invertedTree(heavy) {
  const tree = new GroupTree(heavy, true, "invert");
  const groups = new Map();
  for (let i = 1; i < profile.count; ++i) {
    const self = profile.self[i], before = profile.compared ? profile.beforeSelf[i] : 0;
    if (self === 0 && before === 0) continue;
    let group = groups.get(profile.frame[i]);
    if (!group) groups.set(profile.frame[i], group = [[], [], profile.compared ? [] : null]);
    group[0].push(i);
    group[1].push(self);
    if (group[2]) group[2].push(before);
  }
  tree.add(-1, -1, [], [], profile.compared ? [] : null);
  const root = tree.nodes[0];
  root.kids = [...groups].map(([frame, group]) => tree.add(frame, 0, ...group));
  arrange(root.kids, tree);
  root.total = profile.total[0];
  root.before = profile.compared ? profile.before[0] : 0;
  return tree;
}

// Around one frame: its outermost places.
function sandwichTree(frame, heavy, upwards) {
  const tree = new GroupTree(heavy, upwards, upwards ? "callers" : "callees");
  const places = [];
  for (let i = 1; i < profile.count;) {
    if (profile.frame[i] === frame) {
      places.push(i);
      i = profile.end[i];
    } else ++i;
  }
  tree.add(frame, -1, places, places.map((i) => profile.total[i]),
    profile.compared ? places.map((i) => profile.before[i]) : null);
  return tree;
}

// --- figures -----------------------------------------------------------------------------------
function amount(value) {
  const sign = value < 0 ? "-" : "";
  const size = Math.abs(value);
  const scaled = (steps, last) => {
    for (const [limit, unit] of steps) if (size < limit * 1000) return sign + short(size / limit) + " " + unit;
    return sign + short(size / last[0]) + " " + last[1];
  };
  const { unit } = weights[state.weight];
  if (unit === "ns") {
    if (size < 1000) return sign + size + " ns";
    return scaled([[1e3, "\u00b5s"], [1e6, "ms"]], [1e9, "s"]);
  }
  if (unit === "bytes") {
    if (size < 1024) return sign + size + " B";
    const power = Math.min(4, Math.floor(Math.log2(size) / 10));
    return sign + short(size / 1024 ** power) + " " + ["B", "KiB", "MiB", "GiB", "TiB"][power];
  }
  return sign + size.toLocaleString("en");
}
function short(value) { return value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(2); }
function share(part, whole) { return whole > 0 ? (100 * part / whole).toFixed(2) + " %" : "0 %"; }

// --- state, which the URL's fragment holds -------------------------------------------------------
const state = { weight: 0, thread: -1, helpers: data.show_helpers, icicle: false, heavy: false, invert: false, swap: false, sandwich: -1, search: "", theme: "" };
let panes = []; // what is on the canvas, from the top: {tree, root, up, path, scroll, ...}
let focus = null; // {pane, node}
let hovered = null;
let matched = null; // by frame
const trees = new Map();

function treeOf(kind) {
  const key = [kind, state.heavy, state.swap, state.sandwich].join();
  if (!trees.has(key)) {
    let tree;
    if (kind === "plain") tree = new PlainTree(state.heavy, kind);
    else if (kind === "invert") tree = invertedTree(true);
    else tree = sandwichTree(state.sandwich, state.heavy || kind === "callers", kind === "callers");
    trees.set(key, tree);
  }
  return trees.get(key);
}

// After a change of weight, thread or helpers.
function makeProfile() {
  profile = new Profile(chosenTree());
  trees.clear();
  element("total").textContent = `${weights[state.weight].title}: ${amount(profile.total[0])}` +
    (profile.compared ? `, before: ${amount(profile.before[0])}` : "");
  element("weight").value = state.weight;
  element("thread").value = state.thread;
}
function switchTo(change) {
  Object.assign(state, change);
  makeProfile();
  makePanes();
  setSearch(state.search);
  tell();
  changed();
}
// The next of a list's choices.
function next(id) {
  const list = element(id);
  if (list.hidden) return;
  list.selectedIndex = (list.selectedIndex + 1) % list.options.length;
  switchTo({ [id]: Number(list.value) });
}
function fill(id, choices) {
  const list = element(id);
  list.hidden = choices.length < 2;
  list.replaceChildren(...choices.map(([value, text]) => {
    const option = document.createElement("option");
    option.value = value;
    option.textContent = middle(text, 60);
    return option;
  }));
  list.addEventListener("change", () => { switchTo({ [id]: Number(list.value) }); canvas.focus(); });
}
function fillLists() {
  fill("weight", weights.map((one, i) => [i, one.title]));
  fill("thread", [[-1, "All threads"], ...threads.map((name) => [name, names[name]])]);
  element("helpers").hidden = helpers.size === 0 || profile.compared;
}

function makePanes(zoom) {
  focus = hovered = null;
  const pane = (kind, up, part) => ({ tree: treeOf(kind), root: 0, up, part, scroll: 0, top: 0, height: 0 });
  if (state.sandwich >= 0) panes = [pane("callers", true, 0.5), pane("callees", false, 0.5)];
  else panes = [pane(state.invert ? "invert" : "plain", !state.icicle, 1)];
  if (zoom) panes[0].root = nodeAt(panes[0].tree, zoom);
}

// A place by the frames on the way to it.
function pathOf(tree, node) {
  const path = [];
  for (; node > 0; node = tree.parent(node)) path.push(tree.frame(node));
  return path.reverse();
}
function nodeAt(tree, path) {
  let node = 0;
  for (const frame of path) {
    const kid = tree.kids(node).find((one) => tree.frame(one) === frame);
    if (kid === undefined) break;
    node = kid;
  }
  return node;
}
function plainNumber(text) { return /^\d+$/.test(text) ? Number(text) : -1; }

function readFragment() {
  const words = new URLSearchParams(location.hash.slice(1));
  state.weight = Math.max(0, weights.findIndex((one) => one.weight === words.get("weight")));
  state.thread = threads.find((name) => names[name] === words.get("thread")) ?? -1;
  state.helpers = words.has("helpers") ? words.get("helpers") === "1" : data.show_helpers;
  makeProfile();
  state.icicle = words.get("view") === "icicle";
  state.heavy = words.get("order") === "heavy";
  state.invert = words.has("invert");
  state.swap = profile.compared && words.has("before");
  state.search = words.get("search") ?? "";
  const frame = words.has("frame") ? profile.names.indexOf(words.get("frame")) : -1;
  state.sandwich = frame;
  const path = (words.get("zoom") ?? "").split(".").filter((one) => one !== "").map(plainNumber);
  // A long way is told by the number of the node, as depth first.
  if (words.has("node") && !state.invert && frame < 0) {
    makePanes();
    const node = plainNumber(words.get("node"));
    if (node > 0 && node < profile.count) panes[0].root = node;
  } else makePanes(path);
  setSearch(state.search);
  element("search").value = state.search;
}
function fragment() {
  const words = new URLSearchParams();
  if (state.weight > 0) words.set("weight", weights[state.weight].weight);
  if (state.thread >= 0) words.set("thread", names[state.thread]);
  if (state.helpers !== data.show_helpers) words.set("helpers", state.helpers ? "1" : "0");
  if (state.icicle) words.set("view", "icicle");
  if (state.heavy) words.set("order", "heavy");
  if (state.invert) words.set("invert", "1");
  if (state.swap) words.set("before", "1");
  if (state.sandwich >= 0) words.set("frame", profile.names[state.sandwich]);
  const { tree, root } = panes[0];
  if (root > 0 && tree instanceof PlainTree) words.set("node", root);
  else if (root > 0) words.set("zoom", pathOf(tree, root).join("."));
  if (state.search) words.set("search", state.search);
  return words.toString();
}
let written = "";
function changed() {
  const text = fragment();
  if (text !== written) {
    written = text;
    history.replaceState(null, "", text ? "#" + text : location.pathname + location.search);
  }
  for (const [id, on] of [["flame", !state.icicle], ["icicle", state.icicle], ["heavy", state.heavy || state.invert],
    ["invert", state.invert], ["sandwich", state.sandwich >= 0], ["swap", state.swap],
    ["helpers", state.helpers]])
    element(id).setAttribute("aria-pressed", on);
  element("invert").disabled = element("flame").disabled = element("icicle").disabled = state.sandwich >= 0;
  element("heavy").disabled = state.invert;
  schedule();
}

// --- search ------------------------------------------------------------------------------------
function setSearch(text) {
  state.search = text;
  matched = text ? profile.matches(text) : null;
  const found = element("found");
  if (!text) { found.textContent = ""; return; }
  if (!matched) { found.textContent = "no such pattern"; return; }
  // Places inside a place that matches do not count again.
  let sum = 0, count = 0;
  const all = state.swap ? profile.before : profile.total;
  for (let i = 1; i < profile.count;) {
    if (matched[profile.frame[i]]) { sum += all[i]; ++count; i = profile.end[i]; } else ++i;
  }
  const frames = matched.reduce((a, b) => a + b, 0);
  found.textContent = frames === 0 ? "nothing found" :
    `${share(sum, all[0])} in ${frames.toLocaleString("en")} ${frames === 1 ? "frame" : "frames"}`;
  found.title = `${amount(sum)} of ${amount(all[0])}, ${count.toLocaleString("en")} outermost places`;
}

// --- colours -----------------------------------------------------------------------------------
const colors = new Map();
function hash(text) {
  let h = 2166136261;
  for (let i = 0; i < Math.min(text.length, 200); ++i) h = Math.imul(h ^ text.charCodeAt(i), 16777619);
  return h >>> 0;
}
function isDark() { return document.documentElement.dataset.theme === "dark"; }
// Warm, by name. Compared: blue where it became less, orange where it became more.
function colorOf(tree, node) {
  const dark = isDark();
  const frame = tree.frame(node);
  if (profile.compared) {
    const now = tree.total(node), before = tree.before(node);
    const change = now + before === 0 ? 0 : (now - before) / (now + before);
    const strength = Math.round(Math.min(1, Math.abs(change) * 1.5) * 10) / 10;
    const hue = change < 0 ? 212 : 28;
    return dark ? `hsl(${hue} ${75 * strength}% ${34 + 8 * strength}%)`
      : `hsl(${hue} ${90 * strength}% ${88 - 24 * strength}%)`;
  }
  let color = colors.get(frame);
  if (!color) {
    if (frame < 0) color = dark ? "#3d4046" : "#d9d4c8";
    else {
      const h = hash(profile.names[frame]);
      const hue = 14 + h % 40;
      color = dark ? `hsl(${hue} ${38 + (h >> 6) % 22}% ${30 + (h >> 12) % 12}%)`
        : `hsl(${hue} ${72 + (h >> 6) % 20}% ${64 + (h >> 12) % 14}%)`;
    }
    colors.set(frame, color);
  }
  return color;
}

// --- drawing -----------------------------------------------------------------------------------
const canvas = element("graph"), pen = canvas.getContext("2d");
let width = 0, height = 0, scheduled = false;
function schedule() {
  if (scheduled) return;
  scheduled = true;
  requestAnimationFrame(() => { scheduled = false; draw(); });
}
function resize() {
  const box = element("main").getBoundingClientRect();
  const ratio = window.devicePixelRatio || 1;
  width = Math.max(1, Math.floor(box.width));
  height = Math.max(1, Math.floor(box.height));
  canvas.width = Math.round(width * ratio);
  canvas.height = Math.round(height * ratio);
  pen.setTransform(ratio, 0, 0, ratio, 0, 0);
  draw();
}

// Calls see(node, depth, x, w) for what lies in the pane's visible rows; a run of narrow siblings is
// told as node -1. The ancestors of the root come first, as wide as the pane.
function visit(pane, see) {
  const { tree, root } = pane;
  const above = [];
  for (let node = tree.parent(root); node >= 0; node = tree.parent(node)) above.push(node);
  above.reverse();
  const rows = Math.ceil(pane.height / kRow) + 1;
  const first = Math.max(0, Math.floor(pane.scroll / kRow));
  const inView = (depth) => depth >= first && depth <= first + rows;
  above.forEach((node, depth) => { if (inView(depth)) see(node, depth, 0, width, true); });
  const whole = weight(tree, root);
  if (inView(above.length)) see(root, above.length, 0, width, false);
  pane.deepest = Math.max(above.length, pane.deepest ?? 0);
  if (whole <= 0) return;
  const scale = width / whole;
  const open = [[root, above.length, 0]];
  while (open.length > 0) {
    const [node, depth, begin] = open.pop();
    if (depth + 1 > first + rows) { pane.deepest = Math.max(pane.deepest, depth + 1); continue; }
    let x = begin, gap = 0;
    const flush = () => { if (gap > 0.5 && inView(depth + 1)) see(-1, depth + 1, x - gap, gap, false); gap = 0; };
    for (const kid of tree.kids(node)) {
      const w = weight(tree, kid) * scale;
      if (w < kNarrow) { x += w; gap += w; continue; }
      flush();
      pane.deepest = Math.max(pane.deepest, depth + 1);
      if (inView(depth + 1)) see(kid, depth + 1, x, w, false);
      open.push([kid, depth + 1, x]);
      x += w;
    }
    flush();
  }
}
// The pixel at which a row begins.
function rowTop(pane, depth) {
  const at = depth * kRow - pane.scroll;
  return pane.up ? pane.top + pane.height - kRow - at : pane.top + at;
}
function labelOf(tree, node) {
  const frame = tree.frame(node);
  if (frame < 0) return "all";
  const hidden = tree.hidden(node);
  return hidden ? `\u2026 ${hidden.toLocaleString("en")} more` : profile.names[frame];
}
// Where a shorter form of a name may begin: behind a dot, colon or slash outside of brackets.
function beginnings(name) {
  const found = [0];
  let depth = 0;
  for (let i = 0; i + 1 < name.length; ++i) {
    if ("<([".includes(name[i])) ++depth;
    else if (">)]".includes(name[i])) depth = Math.max(0, depth - 1);
    else if (depth === 0 && ".:/".includes(name[i]) && found[found.length - 1] !== i) found.push(i + 1);
  }
  return found;
}
// The name as far as it fits: arguments go first, then packages and class, so that the method stays;
// of that, its end.
function fitted(text, room) {
  const fits = (words) => words.length <= room / 3.2 && pen.measureText(words).width <= room;
  if (fits(text)) return text;
  const name = text.slice(-2000).replace(/(?<=.) ?\(.*$/, "");
  const starts = beginnings(name);
  for (const start of starts) if (fits(name.slice(start))) return name.slice(start);
  const method = name.slice(starts[starts.length - 1]).slice(-400);
  let low = 0, high = method.length;
  while (low < high) {
    const half = (low + high + 1) >> 1;
    if (fits("\u2026" + method.slice(-half))) low = half;
    else high = half - 1;
  }
  return low > 1 ? "\u2026" + method.slice(-low) : "";
}
// At most so many letters, without those in the middle.
function middle(text, most) {
  const half = most >> 1;
  return text.length <= most ? text : text.slice(0, half - 1) + "\u2026" + text.slice(-half);
}

function layOut() {
  let top = 0;
  for (const pane of panes) {
    pane.top = top;
    pane.height = Math.floor(height * pane.part) - (panes.length > 1 ? 1 : 0);
    top += pane.height + 1;
    const most = Math.max(0, ((pane.deepest ?? 0) + 1) * kRow - pane.height);
    pane.scroll = Math.min(Math.max(0, pane.scroll), most);
  }
}
function draw() {
  layOut();
  const style = getComputedStyle(document.documentElement);
  const back = style.getPropertyValue("--back"), text = style.getPropertyValue("--text");
  pen.fillStyle = back;
  pen.fillRect(0, 0, width, height);
  pen.font = kFont;
  pen.textBaseline = "middle";
  for (const pane of panes) drawPane(pane, text);
  if (panes.length > 1) {
    pen.fillStyle = style.getPropertyValue("--faint");
    pen.fillRect(0, panes[1].top - 1, width, 1);
  }
  point();
}
function drawPane(pane, textColor) {
  const { tree } = pane;
  pane.boxes = [];
  pen.save();
  pen.beginPath();
  pen.rect(0, pane.top, width, pane.height);
  pen.clip();
  visit(pane, (node, depth, x, w, above) => {
    const y = rowTop(pane, depth);
    if (y + kRow < pane.top || y > pane.top + pane.height) return;
    if (node < 0) {
      pen.fillStyle = isDark() ? "#3a3c41" : "#e4dfd4";
      pen.fillRect(x, y, w, kRow - 1);
      return;
    }
    pane.boxes.push([node, depth, x, w]);
    const isMatch = matched && tree.frame(node) >= 0 && matched[tree.frame(node)];
    pen.globalAlpha = above ? 0.55 : matched && !isMatch ? 0.4 : 1;
    pen.fillStyle = isMatch ? (isDark() ? "#8a4bb0" : "#d9a6f5") : colorOf(tree, node);
    pen.fillRect(x, y, Math.max(w - 0.6, 0.4), kRow - 1);
    pen.globalAlpha = 1;
    if (focus && focus.pane === pane && focus.node === node || hovered && hovered.pane === pane && hovered.node === node) {
      pen.strokeStyle = textColor;
      pen.lineWidth = focus && focus.node === node ? 2 : 1;
      pen.strokeRect(x + 1, y + 1, Math.max(w - 2.6, 1), kRow - 3);
    }
    if (w > 24) {
      pen.fillStyle = textColor;
      const shown = fitted(labelOf(tree, node), w - 8);
      if (shown) pen.fillText(shown, x + 4, y + kRow / 2);
    }
  });
  pen.restore();
}

// --- pointing and choosing ---------------------------------------------------------------------
function at(x, y) {
  for (const pane of panes) {
    if (y < pane.top || y >= pane.top + pane.height) continue;
    for (const [node, depth, left, w] of pane.boxes ?? []) {
      const top = rowTop(pane, depth);
      if (x >= left && x < left + w && y >= top && y < top + kRow) return { pane, node };
    }
  }
  return null;
}
// What is told of the place under the pointer is right after every drawing.
let pointer = null;
function point() {
  const one = pointer && at(pointer.offsetX, pointer.offsetY);
  const same = one?.node === hovered?.node && one?.pane === hovered?.pane;
  hovered = one;
  showTip();
  if (same) return;
  tell();
  schedule();
}
function leave() {
  pointer = null;
  point();
}
function figures(pane, node) {
  const { tree } = pane;
  const total = tree.total(node), all = profile.total[0];
  const lines = [`${amount(total)}, ${share(total, all)} of all`];
  if (tree.parent(node) > 0) lines.push(`${share(total, tree.total(tree.parent(node)))} of ${tree.upwards ? "the frame above it" : "its caller"}`);
  if (!tree.upwards) lines.push(`own: ${amount(tree.self(node))}`);
  if (profile.compared) {
    const before = tree.before(node), difference = total - before;
    lines.push(`before: ${amount(before)}, ${difference >= 0 ? "+" : ""}${amount(difference)}` +
      (before > 0 ? ` (${difference >= 0 ? "+" : ""}${(100 * difference / before).toFixed(1)} %)` : ""));
  }
  const hidden = tree.hidden(node);
  if (hidden) lines.push(`${hidden.toLocaleString("en")} lighter places that the file does not hold one by one`);
  return lines;
}
function tell() {
  const one = hovered ?? focus;
  element("sandwich").disabled = state.sandwich < 0 && !(focus && focus.pane.tree.frame(focus.node) >= 0);
  element("status").textContent = one ? `${middle(labelOf(one.pane.tree, one.node), 100)} \u2014 ${figures(one.pane, one.node).join("; ")}` : "";
}
function showTip() {
  const tip = element("tip");
  tip.hidden = !hovered;
  if (!hovered) return;
  const name = document.createElement("b");
  name.textContent = labelOf(hovered.pane.tree, hovered.node);
  tip.replaceChildren(name, ...figures(hovered.pane, hovered.node).map((line) => {
    const div = document.createElement("div");
    div.textContent = line;
    return div;
  }));
  const { offsetWidth: w, offsetHeight: h } = tip;
  tip.style.left = Math.max(0, Math.min(pointer.offsetX + 12, width - w - 4)) + "px";
  tip.style.top = (pointer.offsetY + h + 24 > height ? Math.max(0, pointer.offsetY - h - 8) : pointer.offsetY + 16) + "px";
}
function zoom(pane, node) {
  pane.root = node;
  pane.deepest = 0;
  pane.scroll = 0;
  focus = { pane, node };
  tell();
  changed();
}
function choose(pane, node) {
  focus = { pane, node };
  reveal();
  tell();
  schedule();
}
// Scrolls to the chosen frame; out of a zoom if it lies outside.
function reveal() {
  const { pane, node } = focus;
  let depth = 0, inside = false;
  for (let one = node; one >= 0; one = pane.tree.parent(one)) {
    if (one === pane.root) inside = true;
    if (one !== 0) ++depth;
  }
  if (!inside) pane.root = node;
  if (depth * kRow < pane.scroll) pane.scroll = depth * kRow;
  else if ((depth + 1) * kRow > pane.scroll + pane.height) {
    pane.deepest = Math.max(pane.deepest ?? 0, depth);
    pane.scroll = (depth + 1) * kRow - pane.height;
  }
}
function move(key) {
  if (!focus) return choose(panes[0], panes[0].root);
  const { pane, node } = focus;
  const { tree } = pane;
  const inwards = pane.up ? "ArrowUp" : "ArrowDown";
  if (key === inwards) {
    const kids = tree.kids(node);
    const best = kids.reduce((a, b) => (a < 0 || weight(tree, b) > weight(tree, a) ? b : a), -1);
    if (best >= 0) choose(pane, best);
  } else if (key === "ArrowUp" || key === "ArrowDown") {
    if (tree.parent(node) >= 0) choose(pane, tree.parent(node));
  } else if (tree.parent(node) >= 0) {
    const siblings = tree.kids(tree.parent(node));
    const next = siblings[siblings.indexOf(node) + (key === "ArrowRight" ? 1 : -1)];
    if (next !== undefined) choose(pane, next);
  }
}
// The next or previous place that matches, depth first.
function step(direction) {
  if (!matched || !(panes[0].tree instanceof PlainTree)) return;
  const start = focus && focus.pane === panes[0] ? focus.node : 0;
  for (let i = 1; i <= profile.count; ++i) {
    const node = (start + direction * i + 2 * profile.count) % profile.count;
    if (node > 0 && matched[profile.frame[node]]) return choose(panes[0], node);
  }
}

// --- commands ----------------------------------------------------------------------------------
function toggle(what, value = !state[what]) {
  state[what] = value;
  makePanes();
  if (what === "swap") setSearch(state.search);
  tell();
  changed();
}
function sandwich() {
  if (state.sandwich >= 0) toggle("sandwich", -1);
  else if (focus && focus.pane.tree.frame(focus.node) >= 0) toggle("sandwich", focus.pane.tree.frame(focus.node));
}
function reset() {
  if (state.sandwich >= 0) return toggle("sandwich", -1);
  const [pane] = panes;
  if (pane.root !== 0) return zoom(pane, 0);
  focus = null;
  if (state.search) { element("search").value = ""; setSearch(""); }
  tell();
  changed();
}
const media = matchMedia("(prefers-color-scheme: dark)");
function applyTheme() {
  const theme = state.theme || (media.matches ? "dark" : "light");
  document.documentElement.dataset.theme = theme;
  colors.clear();
  schedule();
}
function stored(value) {
  try { // not every page from a file may keep something
    if (value === undefined) return localStorage.getItem("polytrace-theme") ?? "";
    localStorage.setItem("polytrace-theme", value);
  } catch { /* then the choice holds until the page is closed */ }
  return "";
}
function switchTheme() {
  state.theme = isDark() ? "light" : "dark";
  stored(state.theme);
  applyTheme();
}
const kKeys = [["Arrows", "go to callers, callees, neighbours"], ["Enter", "zoom into the chosen frame"],
  ["Escape", "leave the sandwich, the zoom, the search"], ["/", "search; /…/ is a regular expression"],
  ["n, N", "next, previous place found"], ["f", "flame or icicle"], ["l", "left-heavy"], ["i", "invert"],
  ["s", "sandwich of the chosen frame"], ["b", "widths of before (of a comparison)"],
  ["w", "next weight"], ["t", "next thread"], ["h", "helper frames of the runtime"], ["d", "dark or light"],
  ["Page Up, Page Down", "scroll"], ["?", "this list"]];
function showHelp() {
  const dialog = element("keys");
  dialog.querySelector("dl").replaceChildren(...kKeys.flatMap(([key, means]) => {
    const dt = document.createElement("dt"), dd = document.createElement("dd");
    dt.textContent = key;
    dd.textContent = means;
    return [dt, dd];
  }));
  dialog.showModal();
}
function scrollBy(pane, pixels) {
  pane.scroll += pane.up ? -pixels : pixels;
  schedule();
}

const kCommands = { f: () => toggle("icicle"), l: () => toggle("heavy"), i: () => toggle("invert"),
  s: sandwich, b: () => profile.compared && toggle("swap"), d: switchTheme,
  w: () => next("weight"), t: () => next("thread"),
  h: () => !element("helpers").hidden && switchTo({ helpers: !state.helpers }), "?": showHelp, Escape: reset,
  n: () => step(1), N: () => step(-1), "/": () => element("search").focus(),
  Enter: () => focus && zoom(focus.pane, focus.node),
  PageUp: () => scrollBy((focus ?? { pane: panes[0] }).pane, -height / 2),
  PageDown: () => scrollBy((focus ?? { pane: panes[0] }).pane, height / 2),
  Home: () => choose(panes[0], panes[0].root) };
for (const key of ["ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight"]) kCommands[key] = () => move(key);

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || element("keys").open) return;
  const inSearch = event.target === element("search");
  if (inSearch && event.key !== "Escape" && event.key !== "Enter") return;
  if (event.target.tagName === "SELECT" && event.key !== "Escape") return;
  if (event.target.tagName === "BUTTON" && (event.key === "Enter" || event.key === " ")) return;
  if (inSearch) {
    leave();
    canvas.focus();
    if (event.key === "Enter") step(1);
    event.preventDefault();
    return;
  }
  const command = kCommands[event.key];
  if (!command) return;
  event.preventDefault();
  leave();
  command();
});
canvas.addEventListener("mousemove", ({ offsetX, offsetY }) => {
  pointer = { offsetX, offsetY };
  point();
});
canvas.addEventListener("mouseleave", leave);
addEventListener("blur", leave);
canvas.addEventListener("click", (event) => {
  const one = at(event.offsetX, event.offsetY);
  if (one) zoom(one.pane, one.node);
});
canvas.addEventListener("wheel", (event) => {
  event.preventDefault();
  const pane = panes.find((one) => event.offsetY < one.top + one.height) ?? panes[0];
  scrollBy(pane, event.deltaMode === 1 ? event.deltaY * kRow : event.deltaY);
}, { passive: false });
element("search").addEventListener("input", (event) => { setSearch(event.target.value); changed(); });
element("flame").addEventListener("click", () => toggle("icicle", false));
element("icicle").addEventListener("click", () => toggle("icicle", true));
for (const what of ["heavy", "invert", "swap"]) element(what).addEventListener("click", () => toggle(what));
element("sandwich").addEventListener("click", sandwich);
element("helpers").addEventListener("click", () => switchTo({ helpers: !state.helpers }));
element("reset").addEventListener("click", reset);
element("theme").addEventListener("click", switchTheme);
element("help").addEventListener("click", showHelp);
addEventListener("resize", resize);
new ResizeObserver(resize).observe(element("main"));
addEventListener("hashchange", () => { if (location.hash.slice(1) !== written) { readFragment(); changed(); } });
media.addEventListener("change", applyTheme);

// --- begin -------------------------------------------------------------------------------------
function begin() {
  element("title").textContent = visible(data.trace);
  makeProfile();
  fillLists();
  element("swap").hidden = !profile.compared;
  if (data.notes.length > 0) {
    const notes = element("notes");
    notes.hidden = false;
    notes.querySelector("summary").textContent = `${data.notes.length} ${data.notes.length === 1 ? "note" : "notes"}`;
    notes.querySelector("ul").replaceChildren(...data.notes.map((note) => {
      const li = document.createElement("li");
      li.textContent = visible(note);
      return li;
    }));
  }
  state.theme = stored();
  applyTheme();
  readFragment();
  resize();
  tell();
  changed();
  requestAnimationFrame(() => { document.documentElement.dataset.drawn = Math.round(performance.now()); });
}
begin();
