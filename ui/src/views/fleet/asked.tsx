// SPDX-License-Identifier: Apache-2.0
// An answer about a fleet with what it is made of; or why there is none.
import { signal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect } from "preact/hooks";
import { shown } from "../../look/names";
import { grouped } from "../../look/units";
import { Content, Said } from "../../parts/content";
import type { Answer } from "../../state/ask";
import { type Account, number, type Problem, type Table } from "../../wire";

// A condition that is not understood: shown where it was typed.
export const wrong_where = signal<Problem | null>(null);

export function table_of(answer: { tables: Table[] }, key: string): Table {
  return answer.tables.find((t) => t.key === key) ?? answer.tables[0]!;
}

const many = (value: unknown, one: string, more: string): string =>
  `${grouped(number(value as number))} ${number(value as number) === 1 ? one : more}`;

export function account_parts(a: Account): string[] {
  const from = a.tiers.length > 0 ? `${a.tiers.join(" and ")}, each of ${a.resolution_s} s` : "";
  return [
    many(a.series, "series", "series") + (a.series_thinned > 0 ? `, ${grouped(a.series_thinned)} stand for several` : ""),
    ...(from ? [`${many(a.rows, "row", "rows")} of ${from}${a.exact ? ", each once" : ""}`] : []),
    many(a.process_seconds, "process-second", "process-seconds"),
    ...(number(a.shards) > 1 ? [many(a.shards, "shard", "shards")] : []),
  ];
}

export function AccountLine({ of, name }: { of: Account; name?: string }) {
  const lost = number(of.events_lost);
  const missing = number(of.shards) - number(of.shards_answered ?? of.shards);
  return (
    <p class="fleet-account" role="group" aria-label={name ?? "Made of"} data-series={of.series} data-rows={String(of.rows)} data-lost={String(of.events_lost)}>
      {name && <b>{name}: </b>}
      {account_parts(of).join(" · ")} · {many(of.events, "event", "events")},{" "}
      {missing > 0 && <b class="lost">{many(missing, "shard", "shards")} did not answer, </b>}
      <b class={lost > 0 ? "lost" : ""}>{lost > 0 ? `${grouped(lost)} lost` : "none lost"}</b>
      {of.notes.map((note) => (
        <span key={note} class="note">
          {" "}
          · {shown(note)}
        </span>
      ))}
    </p>
  );
}

export function Asked<T extends Account | { account: Account; base?: Account }>({
  answer,
  children,
}: {
  answer: Answer<T>;
  children: (value: T) => ComponentChildren;
}) {
  const wrong = answer.problem?.code === "where-wrong" ? answer.problem : null;
  useEffect(() => {
    wrong_where.value = wrong;
    return () => (wrong_where.value = null);
  }, [wrong]);
  if (wrong) return <Said title="The condition is not understood" icon="g-none" />;
  return (
    <Content answer={answer} what="Asking the store">
      {(value) => {
        const told = value as { account?: Account; base?: Account } & Account;
        return (
          <div class="scroll">
            <div>
              {told.base && <AccountLine of={told.base} name="Before" />}
              <AccountLine of={told.account ?? told} {...(told.base ? { name: "After" } : {})} />
            </div>
            {children(value)}
          </div>
        );
      }}
    </Content>
  );
}
