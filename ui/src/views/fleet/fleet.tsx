// SPDX-License-Identifier: Apache-2.0
// Many recorded processes: what the fleet's commands tell of a store, for one range and one condition.
import type { ComponentType } from "preact";
import { Choice } from "../../parts/choice";
import { mode_of, set_mode } from "../../state/mode";
import { now } from "../../state/fleet";
import { session } from "../../state/page";
import { shown } from "../../look/names";
import { Bar } from "./bar";
import { Health } from "./health";
import { Moments } from "./moments";
import { Diff, FigureChoice, FleetFlamePanel, Hosts, Methods, Processes, WeightChoice } from "./panels";

interface Panel {
  word: string;
  title: string;
  show: ComponentType;
  compares?: boolean;
  groups?: boolean;
  choice?: ComponentType;
}

const kPanels: readonly Panel[] = [
  { word: "health", title: "Health", show: Health, groups: true },
  { word: "methods", title: "Methods", show: Methods },
  { word: "flame", title: "Flame", show: FleetFlamePanel, choice: WeightChoice },
  { word: "diff", title: "Compare", show: Diff, compares: true },
  { word: "moments", title: "Moments", show: Moments },
  { word: "hosts", title: "Hosts", show: Hosts, choice: FigureChoice },
  { word: "processes", title: "Processes", show: Processes },
];
const kWords = kPanels.map((p) => p.word);

export function Fleet() {
  const word = mode_of(kWords);
  const panel = kPanels.find((p) => p.word === word)!;
  const Shown = panel.show;
  const More = panel.choice;
  return (
    <>
      <header class="head">
        <h2>Fleet</h2>
        <span class="limit" role="group" aria-label="Limited to">
          {shown(session.value?.fleet?.store ?? "")}
        </span>
        <span class="grow" />
        {More && <More />}
        <Choice label="What" value={word} pick={(w) => set_mode(kWords, w)} options={kPanels} />
      </header>
      <Bar compares={panel.compares ?? false} groups={panel.groups ?? false} />
      <div class="body">
        {/* Asked again it is a panel anew: also where the range stays. */}
        <Shown key={`${word} ${now.value}`} />
      </div>
    </>
  );
}
