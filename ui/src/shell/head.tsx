// SPDX-License-Identifier: Apache-2.0
// The head of a view: its title, what it is limited to, its controls, and the pin.
import type { ComponentChildren } from "preact";
import { place } from "../state/page";
import { limits } from "../state/selection";
import { pinned, turn_pin } from "../state/pin";

export function Head({
  title,
  said,
  ruled = false,
  free = false,
  children,
}: {
  title: string;
  said?: ComponentChildren;
  ruled?: boolean; // rules hold here
  free?: boolean; // the selection says nothing about this view
  children?: ComponentChildren;
}) {
  const mine = pinned.value?.view === place.value.view ? pinned.value : null;
  const l = mine?.limits ?? limits.value;
  return (
    <header class="head">
      <h2>{title}</h2>
      <span class="limit" role="group" aria-label="Limited to">
        {!free && (
          <>
            <b>{l.range}</b>, {l.threads}
            {l.rules && <>, {ruled ? l.rules : "without rules"}</>}
            {said && " · "}
          </>
        )}
        {said}
        {mine && " · pinned"}
      </span>
      <span class="grow" />
      {children}
      <button
        type="button"
        class="btn quiet"
        aria-label="Pin view"
        aria-pressed={mine !== null}
        title="Keep this view as it is while the selection changes"
        onClick={turn_pin}
      >
        Pin <span class="key" data-key="P" aria-hidden="true" />
      </button>
    </header>
  );
}
