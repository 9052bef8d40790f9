// SPDX-License-Identifier: Apache-2.0
// The address: all of the page's state that survives copying a link. Equal states have equal addresses: keys stand
// in the order of kKeys and defaults are left out. Unknown keys are kept; invalid values are told and left out.

export interface Span {
  from: number; // offsets in nanoseconds, half open
  to: number;
}

export type RuleOp = "only" | "not" | "hide" | "collapse" | "root";
export interface Rule {
  op: RuleOp;
  how: "text" | "regex" | "package" | "method";
  text: string;
}

export interface Slot {
  trace: string;
  range: Span | null;
  threads: string;
}

// What is asked of a fleet; its times are seconds since 1970.
export interface FleetPlace {
  last: string; // "1h", where there is no range
  range: Span | null;
  where: string;
  base: string;
  by: string; // the label of groups
  method: string; // whose moments are shown
}

export interface Place {
  trace: string;
  view: string;
  range: Span | null;
  visible: Span | null;
  threads: string; // "0,4", "!7", "" = all
  rules: Rule[];
  weight: string;
  mode: string[];
  x: string;
  chosen: string;
  at: number | null;
  statement: string;
  search: string;
  searchFlags: string;
  sort: string;
  firstRow: number;
  tracks: string[];
  a: Slot | null;
  b: Slot | null;
  fleet: FleetPlace;
  times: string;
  dialog: string;
  theme: string;
  unknown: [string, string][];
}

export const kOps: readonly RuleOp[] = ["only", "not", "hide", "collapse", "root"];
const kHows = ["text", "regex", "package", "method"];
const kTimes = ["offset", "wall", "utc", "ticks"];
const kDialogs = ["keys", "goto", "commands", "share", "export", "problems"];
const kMostRules = 32;

export function nowhere(): Place {
  return {
    trace: "0",
    view: "overview",
    range: null,
    visible: null,
    threads: "",
    rules: [],
    weight: "",
    mode: [],
    x: "",
    chosen: "",
    at: null,
    statement: "",
    search: "",
    searchFlags: "",
    sort: "",
    firstRow: 0,
    tracks: [],
    a: null,
    b: null,
    fleet: { last: "1h", range: null, where: "", base: "", by: "service", method: "" },
    times: "offset",
    dialog: "",
    theme: "",
    unknown: [],
  };
}

export function parse_span(text: string): Span | null {
  const parts = /^(-?\d+)-(-?\d+)$/.exec(text);
  if (!parts) return null;
  const from = Number(parts[1]);
  const to = Number(parts[2]);
  return from < to ? { from, to } : null;
}

export const span_text = (span: Span | null): string => (span ? `${span.from}-${span.to}` : "");

function parse_rule(text: string): Rule | null {
  const [op, how, ...rest] = text.split(":");
  const words = rest.join(":");
  if (!kOps.includes(op as RuleOp) || !kHows.includes(how ?? "") || words === "") return null;
  return { op: op as RuleOp, how: how as Rule["how"], text: words };
}

const good_threads = (text: string): boolean => /^!?\d+(,\d+)*$/.test(text);

function parse_slot(text: string): Slot | null {
  const parts = /^(0|[0-9a-f]{16}):(-?\d+--?\d+)?:(!?\d+(?:,\d+)*)?$/.exec(text);
  if (!parts) return null;
  return { trace: parts[1]!, range: parts[2] ? parse_span(parts[2]) : null, threads: parts[3] ?? "" };
}

export const slot_text = (slot: Slot | null): string =>
  slot ? `${slot.trace}:${span_text(slot.range)}:${slot.threads}` : "";

interface Key {
  name: string;
  print: (place: Place) => string[]; // no values: the default
  read: (value: string, place: Place) => boolean; // false: invalid
}

const one = (value: string): string[] => (value === "" ? [] : [value]);

function text_key(name: string, member: "weight" | "statement" | "search", most: number): Key {
  return {
    name,
    print: (p) => one(p[member]),
    read: (v, p) => v.length <= most && ((p[member] = v), true),
  };
}

function span_key(name: string, member: "range" | "visible"): Key {
  return { name, print: (p) => one(span_text(p[member])), read: (v, p) => (p[member] = parse_span(v)) !== null };
}

function slot_key(name: "a" | "b"): Key {
  return { name, print: (p) => one(slot_text(p[name])), read: (v, p) => (p[name] = parse_slot(v)) !== null };
}

function choice_key(name: string, member: "times" | "dialog" | "theme", words: string[], normal: string): Key {
  return {
    name,
    print: (p) => (p[member] === normal ? [] : one(p[member])),
    read: (v, p) => words.includes(v) && ((p[member] = v), true),
  };
}

function shape_key(name: string, member: "x" | "chosen" | "sort" | "searchFlags" | "threads", shape: RegExp): Key {
  return { name, print: (p) => one(p[member]), read: (v, p) => shape.test(v) && ((p[member] = v), true) };
}

function fleet_key(name: string, member: "last" | "where" | "base" | "by" | "method", shape: RegExp): Key {
  const usual = nowhere().fleet[member];
  return {
    name,
    print: (p) => (p.fleet[member] === usual ? [] : one(p.fleet[member])),
    read: (v, p) => shape.test(v) && ((p.fleet[member] = v), true),
  };
}

const kKeys: Key[] = [
  span_key("r", "range"),
  span_key("v", "visible"),
  { name: "th", print: (p) => one(p.threads), read: (v, p) => good_threads(v) && ((p.threads = v), true) },
  {
    name: "f",
    print: (p) => p.rules.map((r) => `${r.op}:${r.how}:${r.text}`),
    read: (v, p) => {
      const rule = parse_rule(v);
      if (!rule || p.rules.length >= kMostRules) return false;
      p.rules.push(rule);
      return true;
    },
  },
  text_key("w", "weight", 32),
  {
    name: "m",
    print: (p) => one(p.mode.join("+")),
    read: (v, p) => /^[a-z]+([+ ][a-z]+)*$/.test(v) && ((p.mode = v.split(/[+ ]/)), true),
  },
  shape_key("x", "x", /^\d+(\.\d+)*$/),
  shape_key("sel", "chosen", /^[a-z]+:.{1,4000}$/s),
  {
    name: "at",
    print: (p) => (p.at === null ? [] : [String(p.at)]),
    read: (v, p) => /^-?\d+$/.test(v) && ((p.at = Number(v)), true),
  },
  text_key("sq", "statement", 4096),
  text_key("q", "search", 1000),
  shape_key("qf", "searchFlags", /^(c|r|cr)$/),
  shape_key("s", "sort", /^-?[a-z0-9_]+$/),
  {
    name: "i",
    print: (p) => (p.firstRow === 0 ? [] : [String(p.firstRow)]),
    read: (v, p) => /^\d+$/.test(v) && ((p.firstRow = Number(v)), true),
  },
  {
    name: "tr",
    print: (p) => one(p.tracks.join(",")),
    read: (v, p) => /^[-^~][^,]+(,[-^~][^,]+)*$/.test(v) && ((p.tracks = v.split(",")), true),
  },
  slot_key("a"),
  slot_key("b"),
  fleet_key("fl", "last", /^[1-9]\d{0,6}(s|min|h|d)$/),
  {
    name: "fr",
    print: (p) => one(span_text(p.fleet.range)),
    read: (v, p) => (p.fleet.range = parse_span(v)) !== null,
  },
  fleet_key("fw", "where", /^.{1,4000}$/s),
  fleet_key("fb", "base", /^.{1,4000}$/s),
  fleet_key("fg", "by", /^[A-Za-z_][A-Za-z0-9_.]{0,99}$/),
  fleet_key("fm", "method", /^.{1,4000}$/s),
  choice_key("u", "times", kTimes, "offset"),
  choice_key("d", "dialog", kDialogs, ""),
  choice_key("theme", "theme", ["light", "dark"], ""),
];

// What need not be escaped in a fragment stays readable.
const escape = (text: string): string =>
  encodeURIComponent(text).replace(/%(2C|3A|2F|2B|21|40|5E|7E)/gi, (all) => decodeURIComponent(all));

export function print_address(place: Place): string {
  const pairs = kKeys.flatMap((key) => key.print(place).map((value) => `${key.name}=${escape(value)}`));
  for (const [key, value] of place.unknown) pairs.push(`${escape(key)}=${escape(value)}`);
  return `#/${place.trace}/${place.view}${pairs.length > 0 ? `?${pairs.join("&")}` : ""}`;
}

function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}

export interface Parsed {
  place: Place;
  wrong: string[]; // the pairs that were left out, as they stood
}

export function parse_address(hash: string, views: readonly string[]): Parsed {
  const place = nowhere();
  const wrong: string[] = [];
  const [path = "", ...query] = hash.replace(/^#/, "").split("?");
  const [, trace, view] = path.split("/");
  if (trace && /^(0|[0-9a-f]{16})$/.test(trace)) place.trace = trace;
  else if (trace) wrong.push(trace);
  if (view && views.includes(view)) place.view = view;
  else if (view) wrong.push(view);
  for (const pair of query
    .join("?")
    .split("&")
    .filter((p) => p !== "")) {
    const at = pair.indexOf("=");
    const name = at < 0 ? pair : pair.slice(0, at);
    const value = at < 0 ? "" : decoded(pair.slice(at + 1));
    const key = kKeys.find((k) => k.name === name);
    if (value === null) wrong.push(pair);
    else if (!key) place.unknown.push([name, value]);
    else if (!key.read(value, place)) wrong.push(pair);
  }
  return { place, wrong };
}

export interface Launch {
  token: string | null;
  address: string;
}

// "#token=..." and "#token=.../0/flame?..." as the command prints them.
export function parse_launch(hash: string): Launch {
  const parts = /^#token=([A-Za-z0-9_-]{22})(\/.*)?$/.exec(hash);
  return parts ? { token: parts[1]!, address: parts[2] ? `#${parts[2]}` : "" } : { token: null, address: hash };
}
