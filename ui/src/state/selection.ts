// SPDX-License-Identifier: Apache-2.0
// What every question is limited to: the selection in the form that the server takes, and in words for people.
import { computed } from "@preact/signals";
import { duration_text, moment_text } from "../look/units";
import type { Selection } from "../wire";
import type { Place, Rule, Slot } from "./address";
import { chosen_threads, go, place, start, thread_count, threads, visible, whole } from "./page";
import { thread_list } from "./threads";

const rule_of = (rule: Rule): unknown => ({
  op: rule.op,
  [rule.how]: rule.how === "method" ? Number(rule.text) : rule.text,
});

export function selection_of(p: Place): Selection {
  const chosen = thread_list(p.threads, threads.value);
  return {
    ...(p.range ? { from: p.range.from, to: p.range.to } : {}),
    ...(chosen ? { threads: chosen } : {}),
    ...(p.rules.length > 0 ? { rules: p.rules.map(rule_of) } : {}),
    ...(p.mode.includes("helpers") ? { helpers: true } : {}),
    ...(p.mode.includes("fold") ? { fold: true } : {}),
  };
}

export function slot_selection(slot: Slot): Selection {
  const chosen = thread_list(slot.threads, threads.value);
  return {
    ...(slot.range ? { from: slot.range.from, to: slot.range.to } : {}),
    ...(chosen ? { threads: chosen } : {}),
  };
}

export const selection = computed(() => selection_of(place.value));

// For questions that rules say nothing about.
export function drop_rules(s: Selection): Selection {
  const { rules: _, ...rest } = s;
  return rest;
}
export const without_rules = computed(() => drop_rules(selection.value));

export function range_text(span: { from: number; to: number } | null): string {
  if (!span) return "whole trace";
  const step = (span.to - span.from) / 100;
  return `${moment_text(span.from - start.value, step)} – ${moment_text(span.to - start.value, step)}`;
}

export const limits = computed(() => {
  const p = place.value;
  const many = thread_count.value;
  const chosen = chosen_threads.value;
  return {
    range: p.range
      ? `${duration_text(p.range.to - p.range.from)} from ${moment_text(p.range.from - start.value)}`
      : "whole trace",
    threads: chosen ? `${chosen.length} of ${many} threads` : many === 1 ? "its one thread" : `all ${many} threads`,
    rules: p.rules.length === 0 ? "" : p.rules.length === 1 ? "1 rule" : `${p.rules.length} rules`,
  };
});

export const limits_text = computed(() =>
  [limits.value.range, limits.value.threads, limits.value.rules].filter((t) => t !== "").join(", "),
);

export const add_rule = (rule: Rule): void => go({ rules: [...place.peek().rules, rule] });
export const drop_rule = (index: number): void => go({ rules: place.peek().rules.filter((_, i) => i !== index) });
export const select_whole = (): void => go({ range: null, threads: "", rules: [] });

// The visible range as typed, dragged or zoomed, never outside the trace nor narrower than a nanosecond a pixel.
export function show(from: number, to: number, replace = true): void {
  const all = whole.peek();
  const most = all.to - all.from;
  const width = Math.min(Math.max(Math.round(to - from), Math.min(10, most)), most);
  const start = Math.round(Math.min(Math.max(from, all.from), all.to - width));
  go({ visible: width >= most ? null : { from: start, to: start + width } }, replace);
}

export function zoom(factor: number, centre: number): void {
  const span = visible.peek();
  show(centre - (centre - span.from) * factor, centre + (span.to - centre) * factor);
}

export function pan(part: number): void {
  const span = visible.peek();
  const step = (span.to - span.from) * part;
  show(span.from + step, span.to + step);
}
