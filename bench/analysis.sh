#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What a full report costs: on one core, on two, and beside reading alone. [FOLDER] [RUNS]
set -euo pipefail
folder=${1:-${TMPDIR:-/tmp}/polytrace-bench}
runs=${2:-5}
mkdir -p "$folder"
[[ -s $folder/calls.mlpd ]] ||
  "$BENCH_PROGRAMS/bench_mlpd_generate" calls 77 "$folder/calls.mlpd"
for format in ptrace trcbin; do
  [[ -s $folder/calls.$format ]] ||
    "$POLYTRACE" convert --no-progress "$folder/calls.mlpd" -o "$folder/calls.$format"
done
exec python3 bench/analysis.py "$POLYTRACE" "$folder" "$runs"
