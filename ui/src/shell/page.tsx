// SPDX-License-Identifier: Apache-2.0
// The page around the views: banner, range, minimap, view, details, foot; and what stands there when there is no view.
import { effect } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect } from "preact/hooks";
import { busy, link } from "../api";
import { on_key } from "../keys";
import { theme, tones } from "../look/theme";
import { MenuLayer } from "../parts/menu";
import { Said, Trouble } from "../parts/content";
import { TipLayer } from "../parts/tooltip";
import { alert, go, place, session, status, trace } from "../state/page";
import { fault, progress, retry } from "../state/session";
import { useOverviewSource } from "../tiles/overview";
import { is_fleet, kViews, lack_of } from "../views";
import { Banner } from "./banner";
import { Details } from "./details";
import { Dialogs } from "./dialogs";
import { Indexing } from "./indexing";
import { Minimap } from "./minimap";
import { RangeBar } from "./rangebar";
import { StatusLine } from "./status";

function page_state(): string {
  if (link.value === "locked") return "locked";
  if (link.value === "down" && session.value) return "offline";
  if (is_fleet(place.value.view) && session.value) return "ready";
  if (fault.value) return "error";
  if (session.value?.traces.length === 0) return "ready";
  const t = trace.value;
  if (!t) return "loading";
  return t.state === "opening" || t.state === "indexing" ? "indexing" : t.state === "failed" ? "error" : "ready";
}

// What tests and styles see of the state.
export function mirror_state(): void {
  effect(() => {
    const root = document.documentElement;
    root.dataset["state"] = page_state();
    root.dataset["busy"] = String(busy.value);
    root.dataset["generation"] = String(trace.value?.generation ?? 0);
    void theme.value;
    void tones.value;
    const file = trace.value?.file ?? "";
    document.title = file ? `${file.slice(file.lastIndexOf("/") + 1)} – polytrace` : "polytrace";
  });
}

function Notices() {
  const t = trace.value;
  const lost = t?.bytes_not_read ?? 0;
  const problems = (t?.notices ?? []).filter((n) => (n.bytes ?? 0) > 0);
  const first = problems[0];
  return (
    <div class="strip-notice">
      {link.value === "down" && (
        <div class="bann stop" role="status">
          polytrace has ended or does not answer. What is here stays readable; it is tried again.
        </div>
      )}
      {alert.value && (
        <div class="bann stop" role="alert" aria-label="Problem">
          {alert.value}
          <button type="button" onClick={() => (alert.value = "")}>
            Close
          </button>
        </div>
      )}
      {(lost > 0 || t?.error) && place.value.view !== "info" && (
        <div class="bann">
          {lost > 0
            ? `${lost} bytes ${first?.offset != null ? `at 0x${Number(first.offset).toString(16)} ` : ""}were not read`
            : t?.error?.message}
          <button type="button" onClick={() => go({ view: "info" })}>
            Info
          </button>
        </div>
      )}
    </div>
  );
}

function Locked() {
  return (
    <div class="whole-page">
      <Said title="Open the address that polytrace printed">
        <p>It carries a key that this page keeps. Or start it again:</p>
        <code class="cmd">polytrace ui FILE</code>
      </Said>
    </div>
  );
}

function Unless({ lack, title, shown }: { lack: string; title: string; shown?: ComponentChildren }) {
  if (!lack) return <>{shown}</>;
  return (
    <Said title={title} icon="g-none">
      <p>{lack}</p>
    </Said>
  );
}

function Main() {
  const t = trace.value;
  const view = kViews.find((v) => v.word === place.value.view) ?? kViews[0]!;
  const indexing = t?.state === "indexing" || t?.state === "opening";
  const lack = lack_of(view);
  const partial = t?.partial || (t?.bytes_not_read ?? 0) > 0;
  const Shown = view.show;
  return (
    <main class={view.wide ? "main wide" : "main"}>
      <section
        class="view"
        id="view"
        role="region"
        aria-label={view.title}
        {...(partial ? { "data-content": "partial" } : lack ? { "data-content": "empty" } : {})}
      >
        <div class="panel" role="tabpanel" aria-labelledby={`tab-${view.word}`}>
          {fault.value && !(view.fleet && session.value) ? (
            <Trouble problem={fault.value} again={retry} />
          ) : view.fleet ? (
            session.value && <Unless lack={lack} title={view.title} shown={<Shown />} />
          ) : !t ? (
            lack && <Unless lack={lack} title={view.title} />
          ) : indexing && !view.while_indexing ? (
            <Indexing progress={progress.value} />
          ) : (
            <Unless lack={lack} title={view.title} shown={<Shown key={`${t.id}`} />} />
          )}
        </div>
      </section>
      {!view.wide && <Details />}
    </main>
  );
}

export function Page() {
  useOverviewSource();
  useEffect(() => {
    addEventListener("keydown", on_key);
    return () => removeEventListener("keydown", on_key);
  }, []);
  void status.value;
  const fleet = is_fleet(place.value.view);
  if (link.value === "locked") return <Locked />;
  return (
    <div class={fleet ? "page of-fleet" : "page"}>
      <Banner />
      {!fleet && <RangeBar />}
      {!fleet && <Minimap />}
      <Notices />
      <Main />
      <StatusLine />
      <Dialogs />
      <MenuLayer />
      <TipLayer />
    </div>
  );
}
