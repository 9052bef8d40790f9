// SPDX-License-Identifier: Apache-2.0
// The line at the foot: rules, what happened last, how big the trace is, clock and theme.
import { keep_theme, theme } from "../look/theme";
import { bytes_text, grouped } from "../look/units";
import { shown } from "../look/names";
import { clock_words, wall_origin } from "../state/clock";
import { go, place, status, trace } from "../state/page";
import { drop_rule } from "../state/selection";

export const undo_rule = (): void => drop_rule(place.peek().rules.length - 1);

function Rules() {
  const rules = place.value.rules;
  if (rules.length === 0) return null;
  return (
    <span class="rules">
      <span>Rules</span>
      <ul aria-label="Rules">
        {rules.map((r, i) => {
          const text = shown(r.how === "method" ? `method ${r.text}` : r.text);
          return (
            <li key={`${i}${r.op}${r.text}`} class="chip" aria-label={`${r.op} ${text}`}>
              <span class="faint">{r.op}</span>
              <span class="cut">{text}</span>
              <button type="button" aria-label={`Remove ${r.op} ${text}`} onClick={() => drop_rule(i)}>
                ×
              </button>
            </li>
          );
        })}
      </ul>
      <button type="button" onClick={undo_rule}>
        Undo <span class="key">U</span>
      </button>
    </span>
  );
}

const kThemes = [
  ["", "system"],
  ["light", "light"],
  ["dark", "dark"],
] as const;

export function next_theme(): void {
  const at = kThemes.findIndex(([word]) => word === theme.peek());
  const next = kThemes[(at + 1) % kThemes.length]![0];
  keep_theme(next);
  if (place.peek().theme !== "") go({ theme: "" }, true);
}

export function StatusLine() {
  const t = trace.value;
  const notices = (t?.notices ?? []).reduce((n, p) => n + (p.count ?? 1), 0);
  return (
    <footer class="statusbar">
      <Rules />
      <span role="status" aria-label="Status" aria-live="polite">
        {status.value}
      </span>
      <span class="grow" />
      {t?.events && <span>{grouped(t.events.total)} events</span>}
      {notices > 0 && (
        <button type="button" onClick={() => go({ view: "info" })}>
          {grouped(notices)} {notices === 1 ? "notice" : "notices"}
        </button>
      )}
      {t?.index && <span class="spare">index {bytes_text(t.index.bytes)}</span>}
      {t && (<select aria-label="Times" value={place.value.times} onChange={(e) => go({ times: e.currentTarget.value })}>
        {clock_words.map(([word, title]) => (
          <option key={word} value={word} disabled={(word === "wall" || word === "utc") && wall_origin() === null}>
            {word === "utc" ? "UTC" : title}
          </option>
        ))}
      </select>)}
      <button
        type="button"
        class="said"
        aria-label="Theme"
        data-said={kThemes.find(([word]) => word === theme.value)?.[1]}
        onClick={next_theme}
      >
        Theme
      </button>
    </footer>
  );
}
