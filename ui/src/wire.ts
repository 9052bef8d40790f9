// SPDX-License-Identifier: Apache-2.0
// What the server's answers look like. Integers above 2^53 come as text: number() takes both.
export type Wide = number | string;
export const number = (value: Wide | null | undefined): number => (value == null ? 0 : Number(value));

export interface Problem {
  code: string;
  message: string;
  file?: string | null;
  offset?: Wide | null;
  hint?: string | null;
  count?: number;
  bytes?: number;
  frame?: string | null;
  line?: number;
  column?: number;
  progress?: Progress;
}

export interface Progress {
  trace?: string;
  read: number;
  size: number | null;
  seconds_left?: number | null;
}

export interface SectionKnown {
  key: string;
  title: string;
  has_events: boolean;
}

export interface Trace {
  id: string;
  file: string;
  state: "opening" | "indexing" | "ready" | "live" | "failed";
  format?: { name: string; title: string; version: string | number };
  span?: { first: Wide; last: Wide; duration: Wide } | null; // by the own clock
  first_offset?: string; // the own clock's time of offset 0
  end?: number; // offset behind the last event
  read?: number;
  seconds_left?: number | null;
  size?: number | null;
  recorded?: string | null;
  process?: Record<string, unknown>;
  cut_off?: string | null;
  partial?: boolean;
  bytes_not_read?: number;
  notices?: Problem[];
  error?: Problem | null;
  weights?: { key: string; title: string }[];
  sections?: SectionKnown[];
  events?: { total: number; kinds: Record<string, number> };
  index?: { bytes: number; events: number } | null;
  generation?: number;
}

export interface Session {
  version: string;
  api: number;
  page: string;
  traces: Trace[];
  files: boolean;
  control: boolean;
  fleet: { store: string; edge: boolean } | null;
}

export interface Track {
  number: number;
  id: string;
  kind: string;
  thread: number | null;
  name: string;
  rows: number;
  items: number;
  first: Wide | null;
  last: Wide | null;
  group?: string;
  unit?: string;
}

export interface Thread {
  index: number;
  id: string;
  name: string;
  main: boolean;
  busy: Wide;
  calls: number;
  first: Wide | null;
  last: Wide | null;
}

export interface Tracks {
  tracks: Track[];
  threads: Thread[];
}

export interface Selection {
  from?: number;
  to?: number;
  threads?: number[];
  rules?: unknown[];
  helpers?: boolean;
  fold?: boolean;
}

export interface Column {
  key: string;
  title: string;
  unit: string;
}

export type Cell = string | number | boolean | null | undefined;
export type Row = Record<string, Cell>;

export interface Table {
  key: string;
  section: string;
  title: string;
  columns: Column[];
  rows: Row[];
  rows_left_out: number;
  notes?: string[];
}

export interface Tables {
  tables: Table[];
  empty_sections?: { section: string; reason: string; text: string }[];
  partial?: boolean;
  notices?: Problem[];
}

// What every answer about a fleet says of itself.
export interface Account {
  store: string;
  from: string;
  to: string;
  where: string;
  tiers: string[];
  resolution_s: number;
  series: number;
  series_thinned: number;
  rows: Wide;
  process_seconds: Wide;
  events: Wide;
  events_lost: Wide;
  exact: boolean;
  notes: string[];
  shards?: Wide; // of the store
  shards_answered?: Wide;
}

export interface FleetTables extends Account {
  tables: Table[];
  base?: Account;
}

export interface FleetFlame extends Profile {
  account: Account;
  base?: Account;
  total_before?: Wide;
}

// A moment whose events were fetched.
export interface Gotten {
  trace: string;
  moment: string;
  kind: string;
  subject: string;
  took_ns: Wide;
  at: Wide;
  note: string;
  begins: boolean;
}

export interface Profile {
  weight: string;
  unit: string;
  total: Wide;
  selected_total: Wide;
  nodes: {
    parent: number[];
    frame: (number | null)[]; // the root has none
    self: number[];
    total: number[];
    count: number[];
    blocked?: number[];
    waiting?: number[];
    paused?: number[];
    hidden?: number[];
    self_before?: number[];
    total_before?: number[];
  };
  frames: { id: (number | null)[]; name: string[]; package: string[]; kind: string[] };
  cut?: { nodes: number; value: Wide };
  partial?: boolean;
  notes?: string[];
}

export interface Call {
  track: string;
  row: number;
  start: Wide;
  end: Wide;
  open: boolean;
  method: number;
  name?: string;
  self?: Wide;
  calls_inside?: number;
  bytes?: number | null;
  objects?: number | null;
  blocked?: Wide | null;
  waiting?: Wide | null;
  paused?: Wide | null;
  call: string;
}

export interface Names {
  methods: Name[];
  classes?: Name[];
}

export interface Name {
  id: number;
  name: string;
  package: string;
  helper?: boolean;
  file?: string | null;
  line?: number | null;
}

export interface Found {
  ids: number[];
  names: number; // of the trace
  called: number; // of them in the selection
  calls: number;
  time: Wide;
  share: number | null; // 0 to 1
}
