#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The first commands of the README again, on systems that have a part of what tests and agents
# might look for: matrix.sh ROOT, behind first_use.sh ROOT. What was compiled in ROOT is taken along
# (all that is installed and configured is new), so that a system takes a minute.
set -euo pipefail
here=$(dirname "$0")
# shellcheck source=tools/bare/root.sh
source "$here/root.sh"

root=$(realpath "$1")
trap 'rm -rf "$root-with"' EXIT

# with PACKAGES BLOCK...: a system with these packages and nothing else.
with() {
  local packages=$1
  shift
  rm -rf "$root-with"
  make_root "$root-with"
  copy_checkout "$root-with"
  tar -C "$root/src/polytrace" --exclude=CMakeCache.txt --exclude='CMakeFiles/[0-9]*' \
    -cf - build/release | tar -C "$root-with/src/polytrace" -xf -
  in_root "$root-with" "apt-get update -qq
    apt-get install -y -qq --no-install-recommends $packages >/dev/null 2>&1"
  printf '== a system with %s alone\n' "$packages"
  bash "$here/first_use.sh" "$root-with" "$@"
}

with 'libgtest-dev libgmock-dev' report build
with nlohmann-json3-dev report build
with openjdk-17-jdk-headless report build java
