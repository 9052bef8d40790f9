// SPDX-License-Identifier: Apache-2.0
// Numbers at equal distances, as a line of 18 pixels.
export function Spark({ text }: { text: string }) {
  const values = text
    .split(",")
    .map(Number)
    .filter((v) => !Number.isNaN(v));
  if (values.length < 2) return <span class="zero">–</span>;
  const least = Math.min(...values);
  const most = Math.max(...values);
  const y = (v: number): number => (most > least ? 16 - ((v - least) / (most - least)) * 14 : 9);
  const points = values.map((v, i) => `${((i / (values.length - 1)) * 180).toFixed(1)},${y(v).toFixed(1)}`).join(" ");
  return (
    <svg class="spark" width="184" height="18" viewBox="-2 0 184 18" role="img" aria-label={`from ${least} to ${most}`}>
      <polyline points={points} />
    </svg>
  );
}
