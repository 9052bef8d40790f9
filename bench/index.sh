#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The targets of indexes, beside streaming and a database. [FOLDER] [RUNS] [MILLIONS of a large one]
# --huge [FOLDER] [MILLIONS]: only 10^9 events, or so many millions, whose figures a rule gives.
set -euo pipefail
# shellcheck source=bench/inputs.bash
source bench/inputs.bash
if [[ ${1:-} == --huge ]]; then
  inputs "${2:-}"
  exec python3 bench/index.py --huge "$BENCH_PROGRAMS/bench_index_huge" "$folder" "${3:-1000}"
fi
inputs "${1:-${TMPDIR:-/tmp}/polytrace-bench/$(sized mixed small-mixed)}"
mixed_recordings
millions=${3:-0}
[[ $millions == 0 ]] || recording calls "$millions" large
exec python3 bench/index.py "$POLYTRACE" "$BENCH_PROGRAMS/bench_index" "$folder" \
  "${2:-$(sized 3 1)}"
