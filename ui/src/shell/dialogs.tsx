// SPDX-License-Identifier: Apache-2.0
// The dialogs of the page, by the word in the address.
import { useState } from "preact/hooks";
import { post_file } from "../api";
import { kCommands } from "../keys";
import { shown } from "../look/names";
import { close_dialog, Dialog } from "../parts/dialog";
import { wall_origin } from "../state/clock";
import { problem_of } from "../state/ask";
import { go, here, place, trace, visible, whole } from "../state/page";
import { limits_text, show, without_rules } from "../state/selection";
import { weight } from "../state/weights";
import { parse_time } from "../state/time_text";
import { copy_address, shared_address } from "./share";

function Keys() {
  const all = kCommands.filter((c) => c.keys.length > 0);
  return (
    <Dialog label="Keys" wide>
      <dl class="keys">
        {all.map((c) => (
          <div key={c.title}>
            <dt>
              {c.keys.map((k) => (
                <span key={k} class="key">
                  {k}
                </span>
              ))}
            </dt>
            <dd>{c.title}</dd>
          </div>
        ))}
        {[
          ["Drag in rows", "select time and threads"],
          ["Drag on ruler, minimap", "zoom"],
          ["Ctrl wheel", "zoom at the pointer"],
          ["Shift wheel, Shift drag", "pan"],
          ["Double click", "fit; in the flame graph: focus"],
          ["Right click, Shift F10", "menu"],
        ].map(([k, v]) => (
          <div key={k}>
            <dt>
              <span class="key">{k}</span>
            </dt>
            <dd>{v}</dd>
          </div>
        ))}
      </dl>
      <p class="small faint">W A S D and digits act by their place on the keyboard, all others by character.</p>
    </Dialog>
  );
}

function Commands() {
  const [text, set_text] = useState("");
  const [at, set_at] = useState(0);
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const all = kCommands.filter((c) => (c.when?.() ?? true) && words.every((w) => c.title.toLowerCase().includes(w)));
  const run = (index: number): void => {
    close_dialog();
    all[index]?.run();
  };
  const key = (e: KeyboardEvent): void => {
    const by = { ArrowDown: 1, ArrowUp: -1 }[e.key];
    if (by) set_at(Math.max(0, Math.min(all.length - 1, at + by)));
    else if (e.key === "Enter") run(at);
    else return;
    e.preventDefault();
  };
  return (
    <Dialog label="Commands">
      <input
        type="text"
        role="combobox"
        aria-label="Command"
        aria-expanded="true"
        aria-controls="commands"
        data-first
        aria-activedescendant={`command-${at}`}
        placeholder="What to do"
        value={text}
        onKeyDown={key}
        onInput={(e) => {
          set_text(e.currentTarget.value);
          set_at(0);
        }}
      />
      <ul id="commands" role="listbox" class="commands" aria-label="Matching commands">
        {all.map((c, i) => (
          <li
            key={c.title}
            id={`command-${i}`}
            role="option"
            aria-selected={i === at}
            onClick={() => run(i)}
            ref={(el) => {
              if (i === at) el?.scrollIntoView({ block: "nearest" });
            }}
          >
            <span>{c.title}</span>
            {c.keys.map((k) => (
              <span key={k} class="key">
                {k}
              </span>
            ))}
          </li>
        ))}
        {all.length === 0 && <li class="faint">No such command</li>}
      </ul>
    </Dialog>
  );
}

function GoTo() {
  const [text, set_text] = useState("");
  const [wrong, set_wrong] = useState("");
  const take = (e: Event): void => {
    e.preventDefault();
    const w = whole.peek();
    const time = parse_time(text, { first: w.from, last: w.to, wall: wall_origin() });
    if (time === null) return set_wrong("Not a time that is understood.");
    const v = visible.peek();
    const half = (v.to - v.from) / 2;
    close_dialog();
    go({ at: time });
    if (time < v.from || time >= v.to) show(time - half, time + half, false);
  };
  return (
    <Dialog label="Go to time">
      <form onSubmit={take}>
        <input
          type="text"
          aria-label="Time"
          placeholder="85.3ms"
          data-first
          value={text}
          onInput={(e) => set_text(e.currentTarget.value)}
        />
        <p class="small faint">
          85.3ms, 50%, +200ms after the start, -1s before the end, 2026-11-22T10:00:00Z, or nanoseconds.
        </p>
        {wrong && <p role="alert">{wrong}</p>}
      </form>
    </Dialog>
  );
}

function Share() {
  return (
    <Dialog label="Share">
      <p class="small faint">
        Opens this view with this selection wherever this trace is open. It holds no key to the server.
      </p>
      <input
        type="text"
        readonly
        aria-label="Address"
        data-first
        value={shared_address()}
        onFocus={(e) => e.currentTarget.select()}
      />
      <div class="acts">
        <button type="button" class="btn primary" onClick={copy_address}>
          Copy address
        </button>
        <button type="button" class="btn" onClick={close_dialog}>
          Close
        </button>
      </div>
    </Dialog>
  );
}

const kTargets: [string, string][] = [
  ["folded", "Collapsed stacks"],
  ["speedscope", "speedscope"],
  ["pprof", "pprof"],
  ["otlp", "OpenTelemetry profiles"],
  ["callgrind", "callgrind"],
  ["firefox", "Firefox Profiler"],
  ["perfetto", "Perfetto"],
  ["chrome", "Chrome trace events"],
  ["jfr", "JDK Flight Recorder"],
  ["html", "Flame graph, one HTML page"],
  ["svg", "Flame graph, picture"],
  ["hprof", "Heap dump of the last snapshot"],
];

function Export() {
  const [target, set_target] = useState("folded");
  const [said, set_said] = useState("");
  const save = async (): Promise<void> => {
    set_said("Writing …");
    try {
      const { blob, name } = await post_file(here("/export"), {
        target,
        selection: without_rules.peek(),
        weight: weight.peek().key,
      });
      const link = document.createElement("a");
      link.href = URL.createObjectURL(blob);
      link.download = name;
      link.click();
      setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
      set_said(`Saved ${name}`);
    } catch (error) {
      set_said(problem_of(error).message);
    }
  };
  return (
    <Dialog label="Export">
      <p class="small faint">{limits_text.value}</p>
      <select aria-label="Target" data-first value={target} onChange={(e) => set_target(e.currentTarget.value)}>
        {kTargets.map(([word, title]) => (
          <option key={word} value={word}>
            {title}
          </option>
        ))}
      </select>
      {said && (
        <p role="status" class="small">
          {said}
        </p>
      )}
      <div class="acts">
        <button type="button" class="btn primary" onClick={() => void save()}>
          Save
        </button>
        <button type="button" class="btn" onClick={close_dialog}>
          Close
        </button>
      </div>
    </Dialog>
  );
}

function Problems() {
  const notices = trace.value?.notices ?? [];
  return (
    <Dialog label="Problems" wide>
      {notices.length === 0 ? (
        <p class="faint">All of the file was understood.</p>
      ) : (
        <ul class="lines">
          {notices.map((n, i) => (
            <li key={i}>
              <span class="faint">{n.offset == null ? "" : `0x${Number(n.offset).toString(16)}`}</span>
              <span>
                {shown(n.message)}
                {n.count && n.count > 1 ? `, ${n.count} times` : ""}
              </span>
            </li>
          ))}
        </ul>
      )}
    </Dialog>
  );
}

const kDialogs: Record<string, () => preact.JSX.Element> = {
  keys: Keys,
  commands: Commands,
  goto: GoTo,
  share: Share,
  export: Export,
  problems: Problems,
};

export function Dialogs() {
  const Shown = kDialogs[place.value.dialog];
  return Shown ? <Shown /> : null;
}
