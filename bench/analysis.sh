#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What a full report costs: on one core, on two, and beside reading alone; and what a comparison
# costs beside two reports. [FOLDER] [RUNS]
set -euo pipefail
folder=${1:-${TMPDIR:-/tmp}/polytrace-bench}
runs=${2:-5}
mkdir -p "$folder"
[[ -s $folder/calls.mlpd ]] ||
  "$BENCH_PROGRAMS/bench_mlpd_generate" calls 77 "$folder/calls.mlpd"
[[ -s $folder/calls.ptrace ]] ||
  "$POLYTRACE" convert -q --no-progress "$folder/calls.mlpd" -o "$folder/calls.ptrace"
# 84 bytes an event: fewer of them, so that they are read from memory and not from a disk.
[[ -s $folder/calls.trcbin ]] || {
  "$BENCH_PROGRAMS/bench_mlpd_generate" calls 8 "$folder/fewer.mlpd"
  "$POLYTRACE" convert -q --no-progress "$folder/fewer.mlpd" -o "$folder/calls.trcbin"
}
exec python3 bench/analysis.py "$POLYTRACE" "$folder" "$runs"
