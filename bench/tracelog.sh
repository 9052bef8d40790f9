#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The tracelog targets: loading against merely finding lines and fields. [FOLDER] [RUNS]
set -euo pipefail
folder=${1:-${TMPDIR:-/tmp}/polytrace-bench}
runs=${2:-5}
mkdir -p "$folder"
[[ -s $folder/samples.trace.log ]] ||
  "$BENCH_PROGRAMS/bench_tracelog_generate" 240 "$folder/samples.trace.log"
exec python3 bench/tracelog.py "$BENCH_PROGRAMS/bench_tracelog_load" "$folder/samples.trace.log" \
  "$runs"
