// SPDX-License-Identifier: Apache-2.0
// Marked ranges of a trace. The server keeps them as they are given to it.
import { signal } from "@preact/signals";
import { get, put } from "../api";
import { range_text, show } from "./selection";
import { go, here, place, say, trace, visible } from "./page";
import { open_menu } from "../parts/menu";

interface Mark {
  name: string;
  from: number;
  to: number;
}

interface Notes {
  marks?: Mark[];
}

export const marks = signal<Mark[]>([]);
let rest: Record<string, unknown> = {};
let of_trace = "";

async function load(): Promise<void> {
  if (of_trace === trace.peek()?.id) return;
  const notes = await get<Notes & Record<string, unknown>>(here("/notes"));
  of_trace = trace.peek()?.id ?? "";
  rest = notes;
  marks.value = (notes.marks ?? []).filter((m) => typeof m.from === "number" && typeof m.to === "number");
}

async function keep(next: Mark[], said: string): Promise<void> {
  await put(here("/notes"), { ...rest, marks: next });
  marks.value = next;
  say(said);
}

const refused = (): void => say("The server keeps no marks");

export function mark_range(): void {
  const span = place.peek().range ?? visible.peek();
  load()
    .then(() =>
      keep(
        [...marks.peek(), { name: `Mark ${marks.peek().length + 1}`, from: span.from, to: span.to }],
        `Marked ${range_text(span)}`,
      ),
    )
    .catch(refused);
}

export function list_marks(): void {
  load()
    .then(() => {
      if (marks.peek().length === 0) return say("Nothing is marked yet; M marks the selection");
      open_menu("Marks", 240, 120, [
        ...marks.peek().map((m) => ({
          title: `${m.name}: ${range_text(m)}`,
          run: () => {
            go({ range: { from: m.from, to: m.to } });
            show(m.from - (m.to - m.from) * 0.1, m.to + (m.to - m.from) * 0.1, false);
          },
        })),
        {
          title: "Remove the last mark",
          run: () => void keep(marks.peek().slice(0, -1), "Removed a mark").catch(refused),
        },
      ]);
    })
    .catch(refused);
}
