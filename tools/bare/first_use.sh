#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Types what the README tells newcomers to type into a bare Debian 12, and nothing else:
# first_use.sh ROOT [NAME...]. ROOT is a folder; it is made, with this checkout in it, where it is
# not there. NAMEs are those of the README's blocks; without one, all of them.
set -euo pipefail
here=$(dirname "$0")
# shellcheck source=tools/bare/root.sh
source "$here/root.sh"

root=$(realpath -m "$1")
shift
mapfile -t names < <(python3 "$here/blocks.py" README.md)
[[ $# -eq 0 ]] || names=("$@")

# Debian has no package of .NET: a machine that has it lends it.
lend_dotnet() {
  local dotnet
  dotnet=$(readlink -f "$(command -v dotnet)") || return 1
  BARE_FOLDERS+=" $(dirname "$dotnet")"
  in_root "$root" "ln -sf $dotnet /usr/bin/dotnet; apt-get update -qq
    apt-get install -y -qq libicu72 >/dev/null"
}

# Tests record with each JDK there is.
lend_jdks() {
  local jdk
  for jdk in /usr/lib/jvm/*/; do
    [[ -x $jdk/bin/java && ! -L ${jdk%/} && ! -e $root$jdk/bin/java ]] || continue
    BARE_FOLDERS+=" ${jdk%/}"
  done
}

# The lines as they stand on the page, each shown before it runs.
type_block() {
  local lines
  lines=$(python3 "$here/blocks.py" README.md "$1")
  in_root "$root" "cd /src/polytrace; set -ev
$lines"
}

if [[ ! -d $root ]]; then
  make_root "$root"
  copy_checkout "$root"
fi
for name in "${names[@]}"; do
  BARE_FOLDERS=''
  if [[ $name == @(dotnet|test) ]] && ! lend_dotnet; then
    printf '\n*** SKIPPED: this machine has no .NET to lend for block %s ***\n\n' "$name" >&2
    [[ $name == test ]] || continue
  fi
  [[ $name != test ]] || lend_jdks
  begin=$SECONDS
  printf '== README, block %s\n' "$name"
  if ! type_block "$name" 2>&1; then
    printf 'first use: FAILED: block %s of README.md, in a bare Debian 12\n' "$name" >&2
    exit 1
  fi
  printf '== README, block %s: %d s\n' "$name" $((SECONDS - begin))
done
