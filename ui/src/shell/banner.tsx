// SPDX-License-Identifier: Apache-2.0
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { go, place, session, trace } from "../state/page";
import { nowhere } from "../state/address";
import { open_menu } from "../parts/menu";
import { kViews, lack_of, type View } from "../views";

function Mark() {
  return (
    <svg width="20" height="20" viewBox="0 0 20 20" aria-hidden="true" class="mark">
      <rect x="1" y="3" width="18" height="3" rx="1.5" />
      <rect x="1" y="8.5" width="11" height="3" rx="1.5" opacity=".72" />
      <rect x="4" y="14" width="6" height="3" rx="1.5" opacity=".45" />
    </svg>
  );
}

function TracePick() {
  const all = session.value?.traces ?? [];
  const id = trace.value?.id ?? "";
  if (all.length === 0) return null;
  const base = (file: string): string => file.slice(file.lastIndexOf("/") + 1);
  return (
    <label class="pick">
      <select
        aria-label="Trace"
        value={id}
        onChange={(e) =>
          go({
            ...nowhere(),
            theme: place.peek().theme,
            fleet: place.peek().fleet,
            view: place.peek().view === "fleet" ? "overview" : place.peek().view,
            trace: e.currentTarget.value,
          })
        }
      >
        {all.map((t) => (
          <option key={t.id} value={t.id}>
            {base(t.file)}
          </option>
        ))}
      </select>
    </label>
  );
}

export function open_view(view: View): void {
  if (lack_of(view) === "") go({ view: view.word, mode: kept_modes(), sort: "", firstRow: 0 });
}

// What holds in every view stays when the view changes.
const kEverywhere = ["helpers", "fold"];
const kept_modes = (): string[] => place.peek().mode.filter((m) => kEverywhere.includes(m));

function Tab({ view }: { view: View }) {
  const lack = lack_of(view);
  const on = place.value.view === view.word;
  return (
    <button
      type="button"
      class="tab"
      role="tab"
      id={`tab-${view.word}`}
      aria-selected={on}
      aria-controls="view"
      tabIndex={on ? 0 : -1}
      data-view={view.word}
      {...(lack ? { "aria-disabled": true, title: lack, "aria-description": lack } : {})}
      onClick={() => open_view(view)}
    >
      {view.key && <kbd>{view.key}</kbd>}
      {view.title}
    </button>
  );
}

const kGap = 4; // of the tabs' row

// How many of the first views fit beside the one that is open, by the widths that their fonts give them.
function views_that_fit(list: HTMLElement, current: View): number {
  const width = (e: Element): number => e.getBoundingClientRect().width + kGap;
  const tab = (view: View): number => width(list.querySelector(`[data-view=${view.word}]`)!);
  let room = list.clientWidth - width(list.querySelector("[aria-haspopup]")!);
  let fit = 0;
  for (const view of kViews.slice(0, 9)) {
    const open_behind = kViews.indexOf(current) > fit ? tab(current) : 0;
    room -= tab(view);
    if (room < open_behind) break;
    ++fit;
  }
  return Math.max(2, fit);
}

export function Tabs() {
  const list = useRef<HTMLDivElement>(null);
  const [room, set_room] = useState(kViews.length);
  const current = kViews.find((v) => v.word === place.value.view)!;
  useLayoutEffect(() => {
    const measure = (): void => set_room(views_that_fit(list.current!, current));
    measure();
    const watch = new ResizeObserver(measure);
    watch.observe(list.current!);
    return () => watch.disconnect();
  }, [current]);
  const first = kViews.slice(0, room);
  const shown = first.includes(current) ? first : [...first, current];
  const step = (e: KeyboardEvent): void => {
    const by = { ArrowLeft: -1, ArrowRight: 1 }[e.key];
    if (!by) return;
    e.preventDefault();
    e.stopPropagation();
    const open = kViews.filter((v) => lack_of(v) === "");
    const next = open[(open.indexOf(current) + by + open.length) % open.length]!;
    open_view(next);
    requestAnimationFrame(() => list.current?.querySelector<HTMLElement>(`[data-view=${next.word}]`)?.focus());
  };
  const more = (e: MouseEvent): void => {
    const box = (e.currentTarget as Element).getBoundingClientRect();
    open_menu(
      "More views",
      box.left,
      box.bottom,
      kViews
        .filter((v) => !shown.includes(v))
        .map((v) => ({
          title: lack_of(v) ? `${v.title} – ${lack_of(v)}` : v.title,
          ...(v.key ? { key: v.key } : {}),
          run: () => open_view(v),
        })),
    );
  };
  return (
    <div class="tabs" ref={list}>
      <div class="tabs" role="tablist" aria-label="Views" onKeyDown={step}>
        {kViews.map((v) =>
          shown.includes(v) ? (
            <Tab key={v.word} view={v} />
          ) : (
            <span key={v.word} class="hidden-for-eyes" role="none">
              <Tab view={v} />
            </span>
          ),
        )}
      </div>
      <button type="button" class="tab" aria-haspopup="menu" onClick={more}>
        More <span class="faint">▾</span>
      </button>
    </div>
  );
}

export function Banner() {
  return (
    <header class="banner" role="banner" aria-label="polytrace">
      <h1 class="brand">
        <Mark />
        <span class="brand-word">polytrace</span>
      </h1>
      <TracePick />
      <Tabs />
      <button type="button" class="btn quiet" onClick={() => go({ dialog: "share" }, true)}>
        Share
      </button>
      <button type="button" class="btn quiet" aria-label="Commands" onClick={() => go({ dialog: "commands" }, true)}>
        Commands <span class="key wordy" data-key="Ctrl Shift P" aria-hidden="true" />
      </button>
      <button type="button" class="btn quiet" aria-label="Keys" onClick={() => go({ dialog: "keys" }, true)}>
        Keys <span class="key wordy" data-key="?" aria-hidden="true" />
      </button>
    </header>
  );
}
