// SPDX-License-Identifier: Apache-2.0
// What stands in no package is coloured by its type.
export function spot_of(name: string, spot: string): string {
  if (spot !== "") return spot;
  const bare = name.replace(/ ?\(.*$/s, "");
  const at = Math.max(bare.lastIndexOf(":"), bare.includes(":") ? -1 : bare.lastIndexOf("."));
  return at > 0 ? bare.slice(0, at) : "";
}
