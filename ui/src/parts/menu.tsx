// SPDX-License-Identifier: Apache-2.0
// The one context menu: where it is, what it offers, by pointer and arrows.
import { signal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";

export interface Item {
  title: string;
  key?: string;
  run: () => void;
}

interface Menu {
  label: string;
  x: number;
  y: number;
  items: Item[];
}

const menu = signal<Menu | null>(null);

export function open_menu(label: string, x: number, y: number, items: Item[]): void {
  menu.value = items.length > 0 ? { label, x, y, items } : null;
}

export function MenuLayer() {
  const box = useRef<HTMLDivElement>(null);
  const from = useRef<Element | null>(null);
  const m = menu.value;
  useEffect(() => {
    if (!m) return;
    from.current = document.activeElement;
    box.current?.querySelector<HTMLElement>("[role=menuitem]")?.focus();
    const outside = (e: Event): void => {
      if (!box.current?.contains(e.target as Node)) menu.value = null;
    };
    addEventListener("pointerdown", outside);
    return () => {
      removeEventListener("pointerdown", outside);
      (from.current as HTMLElement | null)?.focus?.();
    };
  }, [m]);
  if (!m) return null;
  const step = (e: KeyboardEvent): void => {
    const all = [...(box.current?.querySelectorAll<HTMLElement>("[role=menuitem]") ?? [])];
    const at = all.indexOf(document.activeElement as HTMLElement);
    if (e.key === "ArrowDown") all[(at + 1) % all.length]?.focus();
    else if (e.key === "ArrowUp") all[(at - 1 + all.length) % all.length]?.focus();
    else if (e.key === "Escape" || e.key === "Tab") menu.value = null;
    else return;
    e.preventDefault();
    e.stopPropagation();
  };
  const left = Math.min(m.x, innerWidth - 260);
  const top = Math.min(m.y, innerHeight - m.items.length * 28 - 16);
  return (
    <div
      class="menu"
      role="menu"
      aria-label={m.label}
      ref={box}
      style={{ left: `${left}px`, top: `${top}px` }}
      onKeyDown={step}
    >
      {m.items.map((item) => (
        <button
          key={item.title}
          type="button"
          role="menuitem"
          tabIndex={-1}
          onClick={() => {
            menu.value = null;
            item.run();
          }}
        >
          {item.title}
          {item.key && <span class="key">{item.key}</span>}
        </button>
      ))}
    </div>
  );
}
