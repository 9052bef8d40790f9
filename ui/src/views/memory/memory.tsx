// SPDX-License-Identifier: Apache-2.0
// What was allocated, by whom, what became of it; and what the heap snapshots say.
import { useCanvas } from "../../canvas/surface";
import { ticks, x_of } from "../../canvas/axis";
import { mix } from "../../look/theme";
import { bytes_text, duration_text } from "../../look/units";
import { Choice } from "../../parts/choice";
import { Head } from "../../shell/head";
import { mode_of, set_mode } from "../../state/mode";
import { go, place, range } from "../../state/page";
import { time_text } from "../../state/clock";
import { series_of, useOverview } from "../../tiles/overview";
import { Heap } from "./heap";
import { TablesBody, useTables, type Shape } from "../tables/section_tables";

const kModes = ["allocations", "heap", "roots"] as const;
const kShapes: Record<"allocations" | "roots", { sections: string[]; option: string; shape: Shape }> = {
  allocations: {
    sections: ["allocations", "survival"],
    option: "alloc",
    shape: {
      whole: [],
      halves: [
        "allocations",
        "allocation_sites",
        "allocation_threads",
        "allocation_stacks",
        "survival",
        "survival_sites",
        "death_ages",
      ],
    },
  },
  roots: {
    sections: ["roots", "handles", "finalization"],
    option: "alloc",
    shape: { whole: [], halves: ["roots", "root_kinds", "handles", "handle_leaks"] },
  },
};

function Allocated() {
  const overview = useOverview();
  const line = series_of(overview, "series:alloc.bytes");
  const span = range.value;
  const most = line ? line.sum.reduce((a, b) => Math.max(a, b), 0) : 0;
  const ref = useCanvas(
    (g, w, h, t) => {
      if (!line || most <= 0) return;
      const axis = { span, width: w };
      const marks = ticks(axis, 110);
      const base = h - 18;
      g.font = `11px ${t.sans}`;
      for (const time of marks.times) {
        const x = Math.round(x_of(axis, time));
        g.fillStyle = t["line-soft"];
        g.fillRect(x, 0, 1, base);
        g.fillStyle = t.faint;
        if (x < w - 40) g.fillText(time_text(time, marks.step), x + 3, h - 7);
      }
      g.fillStyle = mix(t.less, t.ground, 0.55);
      for (let i = 0; i < line.sum.length; ++i) {
        const x = x_of(axis, line.from + i * line.step);
        const v = (line.sum[i]! / most) * (base - 12);
        if (v > 0)
          g.fillRect(
            x,
            base - Math.max(v, 0.75),
            Math.max(x_of(axis, line.step) - x_of(axis, 0) - 0.2, 0.75),
            Math.max(v, 0.75),
          );
      }
      g.fillStyle = t.line;
      g.fillRect(0, base, w, 1);
      g.fillStyle = t.faint;
      g.fillText(`${bytes_text(most)} in ${duration_text(line.step)}`, 4, 6);
    },
    [overview, span.from, span.to, place.value.times],
  );
  if (most <= 0) return null;
  return (
    <section>
      <div class="sect">
        Allocated <span class="small faint">over time</span>
        <span class="grow" />
        <a
          class="small go"
          href="#"
          onClick={(e) => {
            e.preventDefault();
            go({ view: "flame", weight: "bytes", mode: ["heavy"] });
          }}
        >
          Flame of bytes
        </a>
      </div>
      <canvas ref={ref} class="chart" role="img" aria-label="Allocation over time" />
    </section>
  );
}

function Shown({ mode }: { mode: "allocations" | "roots" }) {
  const { sections, option, shape } = kShapes[mode];
  const answer = useTables(sections);
  return (
    <TablesBody
      answer={answer}
      shape={shape}
      option={option}
      before={mode === "allocations" ? <Allocated /> : undefined}
    />
  );
}

export function Memory() {
  const mode = mode_of(kModes);
  return (
    <>
      <Head title="Memory">
        <Choice
          label="Mode"
          value={mode}
          pick={(w) => set_mode(kModes, w)}
          options={[
            { word: "allocations", title: "Allocations" },
            { word: "heap", title: "Heap" },
            { word: "roots", title: "Roots" },
          ]}
        />
      </Head>
      <div class="body">{mode === "heap" ? <Heap /> : <Shown key={mode} mode={mode} />}</div>
    </>
  );
}
