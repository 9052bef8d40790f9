#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What an event costs to read and to write, format by format. [FOLDER] [RUNS] [OTHER]
set -euo pipefail
# shellcheck source=bench/inputs.bash
source bench/inputs.bash
inputs "${1:-}"
recording calls "$(sized 8 0.5)" each
for pair in monoblock:monoblock native:ptrace tbf:trcbin; do
  make "each.${pair#*:}" "$POLYTRACE" convert --quiet --no-progress --to "${pair%:*}" \
    "$folder/each.mlpd" -o
done
make each.trace.log "$BENCH_PROGRAMS/bench_tracelog_generate" "$(sized 60 6)"
exec python3 bench/formats.py "$BENCH_PROGRAMS/bench_formats_load" "$folder" \
  "${2:-$(sized 7 1)}" "${@:3}"
