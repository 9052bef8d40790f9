// SPDX-License-Identifier: Apache-2.0
// Radios in a row, and a checkbox; both by the keyboard as browsers have them.
import { useRef } from "preact/hooks";

export interface Option {
  word: string;
  title: string;
  hint?: string;
}

export function Choice({
  label,
  options,
  value,
  pick,
}: {
  label: string;
  options: readonly Option[];
  value: string;
  pick: (word: string) => void;
}) {
  const group = useRef<HTMLSpanElement>(null);
  const step = (event: KeyboardEvent): void => {
    const by = { ArrowLeft: -1, ArrowUp: -1, ArrowRight: 1, ArrowDown: 1 }[event.key];
    if (!by) return;
    event.preventDefault();
    event.stopPropagation();
    const at = options.findIndex((o) => o.word === value);
    const next = options[(at + by + options.length) % options.length]!;
    pick(next.word);
    const buttons = group.current?.querySelectorAll("button");
    buttons?.[options.indexOf(next)]?.focus();
  };
  return (
    <span class="seg" role="radiogroup" aria-label={label} ref={group} onKeyDown={step}>
      {options.map((o) => (
        <button
          key={o.word}
          type="button"
          role="radio"
          aria-checked={o.word === value}
          title={o.hint}
          tabIndex={o.word === value ? 0 : -1}
          data-word={o.word}
          onClick={() => pick(o.word)}
        >
          {o.title}
        </button>
      ))}
    </span>
  );
}

export function Check({
  label,
  on,
  turn,
  title,
}: {
  label: string;
  on: boolean;
  turn: (on: boolean) => void;
  title?: string;
}) {
  return (
    <label class="check" title={title}>
      <input type="checkbox" checked={on} onChange={(e) => turn(e.currentTarget.checked)} />
      {label}
    </label>
  );
}
