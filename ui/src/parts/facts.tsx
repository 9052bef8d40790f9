// SPDX-License-Identifier: Apache-2.0
// Figures one below the other, each a named group with its exact value.
import { figure } from "../look/units";
import { shown } from "../look/names";
import { Num } from "./figure";

export interface Fact {
  title: string;
  value: number | string | null | undefined;
  unit?: string;
  text?: string; // what is shown instead of the value
  strong?: boolean;
}

export function Facts({ all }: { all: Fact[] }) {
  return (
    <div class="dl">
      {all
        .filter((f) => f.value !== undefined && f.value !== null)
        .map((f) => (
          <div
            key={f.title}
            class="dl-row"
            role="group"
            aria-label={f.title}
            data-value={String(f.value)}
            title={f.unit === "nanoseconds" ? `${f.value} ns` : f.unit === "bytes" ? `${f.value} bytes` : undefined}
          >
            <span class="faint">{f.title}</span>
            <span class={f.strong ? "strong" : f.value === 0 ? "zero" : ""}>
              {f.text !== undefined ? (
                f.text
              ) : typeof f.value === "number" ? (
                <Num of={figure(f.value, f.unit ?? "count")} />
              ) : (
                shown(String(f.value))
              )}
            </span>
          </div>
        ))}
    </div>
  );
}
