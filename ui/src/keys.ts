// SPDX-License-Identifier: Apache-2.0
// Every key and command, once. W A S D and digits act by place, all others by character.
import { next_theme, undo_rule } from "./shell/status";
import { open_view } from "./shell/banner";
import { zoom_to_selection } from "./shell/rangebar";
import { search_box, step_match } from "./shell/search";
import { pointer_time } from "./state/cursor";
import { go, place, range, whole } from "./state/page";
import { list_marks, mark_range } from "./state/notes";
import { turn_pin } from "./state/pin";
import { has_mode, mode_of, set_mode, turn_mode } from "./state/mode";
import { add_rule, pan, select_whole, show, zoom } from "./state/selection";
import { copy_address } from "./shell/share";
import { chosen_method } from "./state/chosen_method";
import { kViews } from "./views";
import { next_call, step_item } from "./views/timeline/choose";

export interface Command {
  title: string;
  keys: string[]; // as they are shown
  hits?: (e: KeyboardEvent) => boolean;
  run: () => void;
  when?: () => boolean;
}

const plain = (e: KeyboardEvent): boolean => !e.ctrlKey && !e.altKey && !e.metaKey;
const code =
  (c: string) =>
  (e: KeyboardEvent): boolean =>
    plain(e) && !e.shiftKey && e.code === c;
const char =
  (...all: string[]) =>
  (e: KeyboardEvent): boolean =>
    plain(e) && all.includes(e.key);
const named =
  (key: string, shift = false) =>
  (e: KeyboardEvent): boolean =>
    plain(e) && e.key === key && e.shiftKey === shift;
const control =
  (key: string, shift = false) =>
  (e: KeyboardEvent): boolean =>
    (e.ctrlKey || e.metaKey) && e.shiftKey === shift && e.key.toLowerCase() === key;

const kZoom = 1.5;
const kPan = 0.15;
const in_view =
  (...words: string[]) =>
  (): boolean =>
    words.includes(place.peek().view);
const in_flame = in_view("flame");

// From what was chosen to the cursor to the selection to the match: one thing each time.
function clear_one(): void {
  const p = place.peek();
  if (p.dialog !== "") go({ dialog: "" }, true);
  else if (p.chosen !== "") go({ chosen: "" });
  else if (p.at !== null) go({ at: null });
  else if (p.x !== "" && p.view === "flame") go({ x: "" });
  else if (p.range !== null || p.threads !== "") go({ range: null, threads: "" });
}

let fitted = false;
function fit(): void {
  const r = range.peek();
  const margin = (r.to - r.from) * (fitted ? 0 : 0.05);
  fitted = !fitted;
  show(r.from - margin, r.to + margin, false);
}

function rule(op: "only" | "not"): void {
  const method = chosen_method();
  if (method) add_rule({ op, how: "method", text: String(method.id) });
}

function into_slot(slot: "a" | "b"): void {
  const p = place.peek();
  go({ [slot]: { trace: p.trace, range: p.range, threads: p.threads } });
}

export const kCommands: Command[] = [
  ...kViews.map((view): Command => ({
    title: `View: ${view.title}`,
    keys: view.key ? [view.key] : [],
    ...(view.key ? { hits: code(`Digit${view.key}`) } : {}),
    run: () => open_view(view),
  })),
  {
    title: "Zoom in",
    keys: ["W", "+"],
    hits: (e) => code("KeyW")(e) || char("+")(e),
    run: () => zoom(1 / kZoom, pointer_time()),
  },
  {
    title: "Zoom out",
    keys: ["S", "-"],
    hits: (e) => code("KeyS")(e) || char("-")(e),
    run: () => zoom(kZoom, pointer_time()),
  },
  {
    title: "Pan to earlier",
    keys: ["A", "Left"],
    hits: (e) => code("KeyA")(e) || named("ArrowLeft")(e),
    run: () => pan(-kPan),
  },
  {
    title: "Pan to later",
    keys: ["D", "Right"],
    hits: (e) => code("KeyD")(e) || named("ArrowRight")(e),
    run: () => pan(kPan),
  },
  {
    title: "Show the whole trace",
    keys: ["0"],
    hits: code("Digit0"),
    run: () => show(whole.peek().from, whole.peek().to, false),
  },
  { title: "Select the whole trace", keys: [], run: select_whole },
  { title: "Fit the selection", keys: ["F"], hits: char("f"), run: fit },
  { title: "Zoom to selection", keys: ["V"], hits: char("v"), run: zoom_to_selection },
  { title: "Select what is visible", keys: [], run: () => go({ range: place.peek().visible }) },
  { title: "Go to time", keys: ["G"], hits: char("g"), run: () => go({ dialog: "goto" }, true) },
  { title: "Mark the range", keys: ["M"], hits: char("m"), run: mark_range },
  { title: "List of marks", keys: ["Shift M"], hits: char("M"), run: list_marks },
  {
    title: "Search names",
    keys: ["/", "Ctrl F"],
    hits: (e) => char("/")(e) || control("f")(e),
    run: () => search_box.focus(),
  },
  { title: "Next match", keys: ["n", "Enter"], hits: char("n"), run: () => void step_match(1) },
  { title: "Previous match", keys: ["N"], hits: char("N"), run: () => void step_match(-1) },
  {
    title: "Next item of the row",
    keys: ["J"],
    hits: char("j"),
    when: in_view("timeline"),
    run: () => void step_item(1),
  },
  {
    title: "Previous item of the row",
    keys: ["K"],
    hits: char("k"),
    when: in_view("timeline"),
    run: () => void step_item(-1),
  },
  { title: "Next call of the chosen method", keys: ["T"], hits: char("t"), run: () => void next_call() },
  {
    title: "Invert the flame graph",
    keys: ["I"],
    hits: char("i"),
    when: in_flame,
    run: () => turn_mode("invert", !has_mode("invert")),
  },
  {
    title: "Left-heavy",
    keys: ["L"],
    hits: char("l"),
    when: in_flame,
    run: () => turn_mode("heavy", !has_mode("heavy")),
  },
  {
    title: "Flame or icicle",
    keys: ["H"],
    hits: char("h"),
    when: in_flame,
    run: () => set_mode(["icicle", "flame"], mode_of(["icicle", "flame"]) === "icicle" ? "flame" : "icicle"),
  },
  { title: "Exclude the chosen method", keys: ["X"], hits: char("x"), run: () => rule("not") },
  { title: "Only inside the chosen method", keys: ["Y"], hits: char("y"), run: () => rule("only") },
  { title: "Undo the last rule", keys: ["U"], hits: char("u"), run: undo_rule },
  { title: "Pin the view", keys: ["P"], hits: char("p"), run: turn_pin },
  {
    title: "Selection into slot A",
    keys: ["Shift 1"],
    hits: (e) => plain(e) && e.shiftKey && e.code === "Digit1",
    run: () => into_slot("a"),
  },
  {
    title: "Selection into slot B",
    keys: ["Shift 2"],
    hits: (e) => plain(e) && e.shiftKey && e.code === "Digit2",
    run: () => into_slot("b"),
  },
  {
    title: "Compare: widths of A or of B",
    keys: ["B"],
    hits: char("b"),
    when: in_view("compare"),
    run: () => set_mode(["a", "b"], mode_of(["a", "b"]) === "a" ? "b" : "a"),
  },
  { title: "Export", keys: [], run: () => go({ dialog: "export" }, true) },
  { title: "Close, then clear chosen, cursor, selection", keys: ["Esc"], hits: named("Escape"), run: clear_one },
  { title: "Commands", keys: ["Ctrl Shift P"], hits: control("p", true), run: () => go({ dialog: "commands" }, true) },
  { title: "Keys", keys: ["?"], hits: char("?"), run: () => go({ dialog: "keys" }, true) },
  { title: "Share the address", keys: [], run: () => go({ dialog: "share" }, true) },
  { title: "Copy the address", keys: [], run: copy_address },
  { title: "Change the theme", keys: [], run: next_theme },
  { title: "Show helpers", keys: [], run: () => turn_mode("helpers", !has_mode("helpers")) },
  { title: "Fold recursion", keys: [], run: () => turn_mode("fold", !has_mode("fold")) },
];

const typing = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.matches("input:not([type=checkbox]), textarea, select") || target.isContentEditable);

export function on_key(e: KeyboardEvent): void {
  if (e.defaultPrevented || e.isComposing) return;
  if (typing(e.target) && !(e.ctrlKey || e.metaKey)) return;
  if (place.peek().dialog !== "" && e.key !== "Escape") return;
  const command = kCommands.find((c) => c.hits?.(e) && (c.when?.() ?? true));
  if (!command) return;
  e.preventDefault();
  if (e.key !== "f" && e.key !== "F") fitted = false;
  command.run();
}
