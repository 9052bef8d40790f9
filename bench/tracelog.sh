#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The tracelog targets: loading against merely finding lines and fields. [FOLDER] [RUNS]
set -euo pipefail
# shellcheck source=bench/inputs.bash
source bench/inputs.bash
inputs "${1:-}"
make samples.trace.log "$BENCH_PROGRAMS/bench_tracelog_generate" "$(sized 240 12)"
exec python3 bench/tracelog.py "$BENCH_PROGRAMS/bench_tracelog_load" "$folder/samples.trace.log" \
  "${2:-$(sized 5 1)}"
