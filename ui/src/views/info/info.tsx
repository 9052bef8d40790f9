// SPDX-License-Identifier: Apache-2.0
// What the file is, what was read of it, and everything that was not.
import { bytes_text, grouped } from "../../look/units";
import { shown } from "../../look/names";
import { Facts } from "../../parts/facts";
import { Section } from "../../parts/section";
import { Head } from "../../shell/head";
import { session, trace, whole } from "../../state/page";
import type { Row, Table, Trace } from "../../wire";
import licences from "../../../LICENSES.txt?raw";

function notices_table(t: Trace): Table {
  return {
    key: "notices",
    section: "info",
    title: "Notices",
    rows_left_out: 0,
    columns: [
      { key: "message", title: "What", unit: "none" },
      { key: "code", title: "Code", unit: "none" },
      { key: "offset", title: "Offset", unit: "address" },
      { key: "count", title: "Times", unit: "count" },
      { key: "bytes", title: "Not read", unit: "bytes" },
    ],
    rows: (t.notices ?? []).map((n): Row => ({
      message: n.hint ? `${n.message} (${n.hint})` : n.message,
      code: n.code,
      offset: n.offset == null ? null : `0x${Number(n.offset).toString(16)}`,
      count: n.count ?? 1,
      bytes: n.bytes ?? 0,
    })),
  };
}

function kinds_table(t: Trace): Table {
  return {
    key: "kinds",
    section: "info",
    title: "Event kinds",
    rows_left_out: 0,
    columns: [
      { key: "kind", title: "Kind", unit: "none" },
      { key: "events", title: "Events", unit: "count" },
    ],
    rows: Object.entries(t.events?.kinds ?? {})
      .map(([kind, events]): Row => ({ kind, events: Number(events) }))
      .sort((a, b) => Number(b["events"]) - Number(a["events"])),
  };
}

const words = (key: string): string => key.replace(/_/g, " ").replace(/^./, (c) => c.toUpperCase());

function File({ t }: { t: Trace }) {
  const process = Object.entries(t.process ?? {}).filter(([, v]) => v !== null && v !== "" && typeof v !== "object");
  return (
    <div class="cols">
      <section>
        <div class="sect">File</div>
        <Facts
          all={[
            { title: "File", value: t.file },
            { title: "Format", value: t.format ? `${t.format.title}, version ${t.format.version}` : null },
            { title: "Size", value: t.size ?? null, unit: "bytes" },
            { title: "Recorded", value: t.recorded ?? null },
            { title: "Duration", value: whole.value.to - whole.value.from, unit: "nanoseconds" },
            { title: "Events", value: t.events?.total ?? null },
            { title: "Not read", value: t.bytes_not_read ?? 0, unit: "bytes" },
            { title: "Cut off", value: t.cut_off ?? null },
            {
              title: "Index",
              value: t.index?.bytes ?? null,
              ...(t.index ? { text: `${bytes_text(t.index.bytes)}, ${grouped(t.index.events)} events` } : {}),
            },
            { title: "polytrace", value: session.value?.version ?? null },
          ]}
        />
      </section>
      <section>
        <div class="sect">Process</div>
        <Facts all={process.map(([key, value]) => ({ title: words(key), value: String(value) }))} />
      </section>
    </div>
  );
}

export function Info() {
  const t = trace.value;
  if (!t) return null;
  const notices = notices_table(t);
  return (
    <>
      <Head title="Info" free said={shown(t.file.split("/").pop() ?? "")} />
      <div class="body">
        <div class="scroll">
          {t.error && (
            <div class="bann stop">
              <b>{t.error.code}</b> {shown(t.error.message)}
            </div>
          )}
          <File t={t} />
          {notices.rows.length > 0 ? (
            <Section table={notices} rows={16} />
          ) : (
            <p class="faint">No notices: all of the file was understood.</p>
          )}
          <Section table={kinds_table(t)} rows={24} />
          <details>
            <summary class="small faint">Licences of what the page is made with</summary>
            <pre class="licences">{licences}</pre>
          </details>
        </div>
      </div>
    </>
  );
}
