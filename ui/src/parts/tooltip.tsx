// SPDX-License-Identifier: Apache-2.0
// The one tooltip: what is under the pointer on a canvas.
import { signal } from "@preact/signals";
import { shown } from "../look/names";

export interface Tip {
  title: string;
  rows: [string, string][];
  x: number;
  y: number;
}

export const tip = signal<Tip | null>(null);

const kWidth = 400;

export function TipLayer() {
  const t = tip.value;
  if (!t) return null;
  const left = t.x + 16 + kWidth > innerWidth ? Math.max(8, t.x - 16 - Math.min(kWidth, 320)) : t.x + 16;
  const top = t.y + 24 + 40 + t.rows.length * 18 > innerHeight ? t.y - 40 - t.rows.length * 18 : t.y + 20;
  return (
    <div class="tooltip" role="tooltip" aria-label={shown(t.title)} style={{ left: `${left}px`, top: `${top}px` }}>
      <b>{shown(t.title)}</b>
      <dl>
        {t.rows.map(([key, value]) => (
          <>
            <dt key={key}>{key}</dt>
            <dd>{value}</dd>
          </>
        ))}
      </dl>
    </div>
  );
}
