// SPDX-License-Identifier: Apache-2.0
import { computed } from "@preact/signals";
import { place, trace } from "./page";

const kUnits: Record<string, string> = { time: "nanoseconds", wait: "nanoseconds", cpu: "nanoseconds", bytes: "bytes" };

const kShort: Record<string, string> = { bytes: "Bytes", objects: "Objects", wait: "Wait", contentions: "Waits", cpu: "CPU", exceptions: "Thrown" };

export const weights = computed(() =>
  (trace.value?.weights ?? []).map((w) => ({
    key: w.key,
    title: kShort[w.key] ?? w.title,
    unit: kUnits[w.key] ?? "count",
  })),
);

// The chosen one, or the first that the trace has.
export const weight = computed(() => {
  const all = weights.value;
  return all.find((w) => w.key === place.value.weight) ?? all[0] ?? { key: "time", title: "Time", unit: "nanoseconds" };
});
