#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The module for Mono against Mono's own profiler: nanoseconds per call and allocation. [RUNS]
set -euo pipefail
# shellcheck source=bench/inputs.bash
source bench/inputs.bash
runs=${1:-$(sized 5 1)}
for tool in mono mcs; do
  command -v "$tool" >/dev/null || {
    echo "no $tool here: ./dev setup live"
    exit 77
  }
done
module=$(dirname "$POLYTRACE")
[[ -e $module/libmono-profiler-polytrace.so ]] || {
  echo "the module for Mono was not built"
  exit 77
}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
for program in calls allocations; do
  mcs -optimize+ -warn:0 "bench/mono/$program.cs" -out:"$folder/$program.exe" >/dev/null
done
exec python3 bench/agents_mono.py "$module" "$folder" "$runs"
