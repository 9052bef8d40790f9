// SPDX-License-Identifier: Apache-2.0
// What stands where an answer is, is not yet, or cannot be: one look for all of section "states".
import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { Answer } from "../state/ask";
import { select_whole } from "../state/selection";
import { place } from "../state/page";
import type { Problem } from "../wire";

export function Said({ title, children, icon }: { title: string; children?: ComponentChildren; icon?: string }) {
  return (
    <div class="mid">
      {icon && <div class={`glyph ${icon}`} aria-hidden="true" />}
      <h3>{title}</h3>
      {children}
    </div>
  );
}

export function Skeleton() {
  return (
    <div class="bones" aria-hidden="true">
      {[62, 41, 74, 50, 36, 58].map((w) => (
        <div key={w}>
          <i style={{ width: `${w}%` }} />
          <i style={{ width: "12%" }} />
        </div>
      ))}
    </div>
  );
}

const place_of = (p: Problem): string =>
  [p.file, p.offset != null ? `offset 0x${Number(p.offset).toString(16)}` : null].filter(Boolean).join(", ");

export function Trouble({ problem, again }: { problem: Problem; again?: () => void }) {
  const report = JSON.stringify(problem, null, 2);
  return (
    <div class="trouble" role="alert" aria-label="Problem">
      <div class="bann stop">
        <b>{problem.code}</b>
      </div>
      <h3>{problem.message}</h3>
      {place_of(problem) && <p class="faint">{place_of(problem)}</p>}
      {problem.hint && <p class="faint">{problem.hint}</p>}
      <div class="acts">
        {again && (
          <button type="button" class="btn primary" onClick={again}>
            Retry
          </button>
        )}
        <button type="button" class="btn" onClick={() => void navigator.clipboard?.writeText(report)}>
          Copy report
        </button>
      </div>
    </div>
  );
}

// Nothing was recorded, or nothing is selected: why, and the next step.
export function Empty({
  title,
  why,
  option,
  children,
}: {
  title: string;
  why?: string;
  option?: string;
  children?: ComponentChildren;
}) {
  const p = place.value;
  const limited = p.range !== null || p.threads !== "" || p.rules.length > 0;
  return (
    <Said title={title} icon={limited ? "g-range" : "g-none"}>
      {why && <p>{why}</p>}
      {option && !limited && <code class="cmd">
          polytrace record {option.includes("=") ? "--option" : "--events"} {option} …
        </code>}
      {children}
      {limited && !children && (
        <div class="acts">
          <button type="button" class="btn primary" onClick={select_whole}>
            Whole trace
          </button>
        </div>
      )}
    </Said>
  );
}

export function useLate(on: boolean, ms: number): boolean {
  const [late, set_late] = useState(false);
  useEffect(() => {
    set_late(false);
    if (!on) return;
    const timer = setTimeout(() => set_late(true), ms);
    return () => clearTimeout(timer);
  }, [on, ms]);
  return on && late;
}

export function Content<T>({
  answer,
  children,
  what,
}: {
  answer: Answer<T>;
  children: (value: T) => ComponentChildren;
  what?: string;
}) {
  const late = useLate(answer.loading, 1000);
  if (answer.problem && !answer.value) return <Trouble problem={answer.problem} again={answer.again} />;
  return (
    <div class={answer.slow && answer.value ? "content dim" : "content"} aria-busy={answer.loading}>
      {answer.value ? children(answer.value) : answer.slow ? <Skeleton /> : null}
      {late && (
        <div class="working" role="progressbar" aria-label="Working">
          {what ?? "Working"} …
        </div>
      )}
    </div>
  );
}
