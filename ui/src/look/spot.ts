// SPDX-License-Identifier: Apache-2.0
import { without_arguments } from "./names";

// What stands in no package is coloured by its type.
export function spot_of(name: string, spot: string): string {
  if (spot !== "") return spot;
  const bare = without_arguments(name).replace(/^\(wrapper [^)]*\) /, "");
  const at = Math.max(bare.lastIndexOf(":"), bare.includes(":") ? -1 : bare.lastIndexOf("."));
  return at > 0 ? bare.slice(0, at).replace(/:+$/, "") : "";
}
