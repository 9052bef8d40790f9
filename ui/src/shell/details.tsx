// SPDX-License-Identifier: Apache-2.0
// Beside the view: the selection in figures, and what is chosen.
import { signal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { place } from "../state/page";
import { ChosenCall } from "./details_call";
import { ChosenFrame } from "./details_frame";
import { ChosenMethodPanel } from "./details_method";
import { SelectionPanel } from "./details_selection";

const kKept = "polytrace.side";
const kLeast = 240;
const kMost = 640;

const width = signal(320);

function set_width(wanted: number): void {
  const w = Math.round(Math.min(kMost, Math.max(kLeast, wanted)));
  width.value = w;
  document.documentElement.style.setProperty("--side", `${w}px`);
  try {
    localStorage.setItem(kKept, String(w));
  } catch {
    // for this page only
  }
}

function Grip() {
  const grabbed = useRef(false);
  useEffect(() => {
    try {
      const kept = Number(localStorage.getItem(kKept));
      if (kept > 0) set_width(kept);
    } catch {
      // the style's own width
    }
  }, []);
  return (
    <div
      class="grip"
      role="separator"
      aria-orientation="vertical"
      aria-label="Width of details"
      tabIndex={0}
      aria-valuemin={kLeast}
      aria-valuemax={kMost}
      aria-valuenow={width.value}
      onPointerDown={(e) => {
        grabbed.current = true;
        e.currentTarget.setPointerCapture(e.pointerId);
      }}
      onPointerMove={(e) => {
        if (grabbed.current) set_width(innerWidth - e.clientX);
      }}
      onPointerUp={() => (grabbed.current = false)}
      onKeyDown={(e) => {
        const by = { ArrowLeft: 16, ArrowRight: -16 }[e.key];
        if (!by) return;
        e.preventDefault();
        e.stopPropagation();
        set_width(e.currentTarget.parentElement!.clientWidth + by);
      }}
    />
  );
}

function Chosen() {
  const kind = place.value.chosen.split(":")[0];
  switch (kind) {
    case "frame":
      return <ChosenFrame />;
    case "method":
      return <ChosenMethodPanel />;
    case "calls":
      return <ChosenCall />;
    default:
      return null;
  }
}

// What is chosen stands first where it says more than the selection.
export function Details() {
  return (
    <div class="side">
      <Grip />
      <Chosen />
      <SelectionPanel />
    </div>
  );
}
