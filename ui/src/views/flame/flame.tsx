// SPDX-License-Identifier: Apache-2.0
// Where one weight went, by stacks: icicle or flame, merged or by thread, from the callers or from the callees.
import { useMemo } from "preact/hooks";
import { flame_tree } from "../../canvas/flame_tree";
import { Check, Choice } from "../../parts/choice";
import { Content, Empty } from "../../parts/content";
import { figure, text_of } from "../../look/units";
import { Head } from "../../shell/head";
import { useAnswer } from "../../state/ask";
import { has_mode, mode_of, set_mode, turn_mode } from "../../state/mode";
import { go } from "../../state/page";
import { asked } from "../../state/pin";
import { weight, weights } from "../../state/weights";
import { number, type Profile } from "../../wire";
import { FlameCanvas } from "./flame_canvas";

const kShapes = ["icicle", "flame"] as const;
const kMost = 20_000;

export function profile_question(extra: Record<string, unknown>): Record<string, unknown> {
  return {
    selection: asked.value,
    weight: weight.value.key,
    shape: "down",
    by_thread: false,
    most: kMost,
    least_share: 0.0003,
    ...extra,
  };
}

function Body({ profile }: { profile: Profile }) {
  const tree = useMemo(() => flame_tree(profile), [profile]);
  if (number(profile.total) === 0) return <Empty title={`No ${weight.value.title.toLowerCase()} in this selection`} />;
  return (
    <FlameCanvas
      tree={tree}
      flipped={mode_of(kShapes) === "flame"}
      heavy={has_mode("heavy")}
      split={has_mode("split")}
    />
  );
}

export function Flame() {
  const answer = useAnswer<Profile>(
    "/profile",
    profile_question({
      shape: has_mode("invert") ? "up" : "down",
      by_thread: has_mode("thread"),
    }),
  );
  const total = answer.value
    ? text_of(figure(number(answer.value.selected_total ?? answer.value.total), answer.value.unit))
    : "";
  const several = weights.value.length > 1;
  return (
    <>
      <Head title="Flame" said={total} ruled>
        {several && (
          <Choice
            label="Weight"
            value={weight.value.key}
            pick={(w) => go({ weight: w === weights.value[0]!.key ? "" : w })}
            options={weights.value.map((w) => ({ word: w.key, title: w.title }))}
          />
        )}
        <Check
          label="Left-heavy"
          on={has_mode("heavy")}
          turn={(on) => turn_mode("heavy", on)}
          title="Heaviest callees first, else by name (L)"
        />
        <Check
          label="Inverted"
          on={has_mode("invert")}
          turn={(on) => turn_mode("invert", on)}
          title="From what ran to its callers (I)"
        />
        <Check label="By thread" on={has_mode("thread")} turn={(on) => turn_mode("thread", on)} />
        <Check
          label="Split by state"
          on={has_mode("split")}
          turn={(on) => turn_mode("split", on)}
          title="Running, blocked, waiting and paused parts"
        />
        <Choice
          label="Mode"
          value={mode_of(kShapes)}
          pick={(w) => set_mode(kShapes, w)}
          options={[
            { word: "icicle", title: "Icicle" },
            { word: "flame", title: "Flame" },
          ]}
        />
      </Head>
      <div class="body">
        <Content answer={answer}>{(profile) => <Body profile={profile} />}</Content>
      </div>
    </>
  );
}
