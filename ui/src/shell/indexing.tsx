// SPDX-License-Identifier: Apache-2.0
import { bytes_text } from "../look/units";
import { trace } from "../state/page";
import type { Progress } from "../wire";

export function Indexing({ progress }: { progress: Progress | null }) {
  const size = progress?.size ?? trace.value?.size ?? 0;
  const part = progress && size > 0 ? Math.min(1, progress.read / size) : 0;
  const left = progress?.seconds_left;
  return (
    <div class="mid">
      <h3>Reading {trace.value?.file.split("/").pop()}</h3>
      <div
        class="prog"
        role="progressbar"
        aria-label="Indexing"
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuenow={Math.round(part * 100)}
      >
        <i style={{ width: `${(part * 100).toFixed(1)}%` }} />
      </div>
      <p>
        {size > 0 ? `${Math.round(part * 100)} % of ${bytes_text(size)}` : "Opening"}
        {left != null && left > 0.5 ? `, about ${Math.ceil(left)} s left` : ""}.
      </p>
    </div>
  );
}
