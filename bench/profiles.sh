#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Instructions and misses an event, and the functions that take them. [FOLDER]
set -euo pipefail
# shellcheck source=bench/inputs.bash
source bench/inputs.bash
inputs "${1:-${TMPDIR:-/tmp}/polytrace-bench/profiles}"
command -v valgrind >/dev/null || { echo 'skipped: no valgrind'; exit 0; }
recording calls "$(sized 0.5 0.02)" each
recording calls "$(sized 1 0.02)"
recording deep "$(sized 1 0.02)"
recording objects "$(sized 0.05 0.002)"
for pair in monoblock:monoblock native:ptrace tbf:trcbin trcxml:trcxml; do
  make "each.${pair#*:}" "$POLYTRACE" convert --quiet --no-progress --to "${pair%:*}" \
    "$folder/each.mlpd" -o
done
make each.trace.log "$BENCH_PROGRAMS/bench_tracelog_generate" "$(sized 10 1)"
exec python3 bench/profiles.py "$POLYTRACE" "$BENCH_PROGRAMS/bench_formats_load" "$folder"
