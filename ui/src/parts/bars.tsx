// SPDX-License-Identifier: Apache-2.0
// A histogram: bars with their counts above and the lower bound of each below.
import { useCanvas } from "../canvas/surface";
import { mix, type Tones } from "../look/theme";
import { grouped } from "../look/units";

export function Bars({
  label,
  values,
  names,
  colour,
  height = 132,
}: {
  label: string;
  values: number[];
  names: string[];
  colour: keyof Tones & string;
  height?: number;
}) {
  const ref = useCanvas(
    (g, w, h, t) => {
      const most = Math.max(...values, 1);
      const step = w / Math.max(values.length, 1);
      const base = h - 20;
      g.font = `11px ${t.sans}`;
      g.textAlign = "center";
      let free = -1;
      values.forEach((v, i) => {
        const x = i * step;
        const y = (v / most) * (base - 18);
        g.fillStyle = mix(t[colour] as string, t.ground, 0.7);
        if (v > 0) g.fillRect(x + 1, base - Math.max(y, 1), Math.max(step - 2, 1), Math.max(y, 1));
        g.fillStyle = t.text;
        if (v > 0 && step > 22) g.fillText(grouped(v), x + step / 2, base - y - 9);
        g.fillStyle = t.faint;
        const width = g.measureText(names[i]!).width;
        if (x + step / 2 - width / 2 > free) {
          g.fillText(names[i]!, Math.max(width / 2, x + step / 2), h - 8);
          free = x + step / 2 + width / 2 + 8;
        }
      });
      g.textAlign = "start";
      g.fillStyle = t.line;
      g.fillRect(0, base, w, 1);
    },
    [values.join(), colour],
  );
  return <canvas ref={ref} class="chart" role="img" aria-label={label} style={{ height: `${height}px` }} />;
}
