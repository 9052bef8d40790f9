// SPDX-License-Identifier: Apache-2.0
// A time split into blocked, waiting, paused and the rest, of which nobody knows whether the thread ran: a bar, and
// the parts in words.
import { duration, percent } from "../look/units";
import { Num } from "../parts/figure";

export interface Split {
  total: number;
  blocked: number;
  waiting: number;
  paused: number | null; // not told
}

export function StatesSplit({ of }: { of: Split }) {
  const rest = Math.max(0, of.total - of.blocked - of.waiting - (of.paused ?? 0));
  const parts: [string, string, number][] = [
    ["running", "Running or unknown", rest],
    ["blocked", "Blocked", of.blocked],
    ["waiting", "Waiting", of.waiting],
    ...(of.paused === null ? [] : [["paused", "Paused", of.paused] as [string, string, number]]),
  ];
  const whole = of.total || 1;
  return (
    <>
      <div class="split" aria-hidden="true">
        {parts
          .filter(([, , v]) => v > 0)
          .map(([word, , v]) => (
            <span key={word} class={`st-${word}`} style={{ flex: String(v / whole) }} />
          ))}
      </div>
      <div class="key-list">
        {parts.map(([word, title, v]) => (
          <>
            <i key={word} class={`sw st-${word}`} />
            <span>{title}</span>
            <span class={v === 0 ? "num zero" : "num"} role="group" aria-label={title} data-value={v}>
              <Num of={duration(v)} />
            </span>
            <span class="num faint">
              <Num of={percent((v / whole) * 100)} />
            </span>
          </>
        ))}
      </div>
    </>
  );
}
