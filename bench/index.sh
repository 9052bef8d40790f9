#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The targets of indexes, beside streaming and a database. [FOLDER] [RUNS] [MILLIONS of a large one]
# --huge [FOLDER] [MILLIONS]: only 10^9 events, or so many millions, whose figures a rule gives.
set -euo pipefail
if [[ ${1:-} == --huge ]]; then
  folder=${2:-${TMPDIR:-/tmp}/polytrace-bench/index}
  mkdir -p "$folder"
  exec python3 bench/index.py --huge "$BENCH_PROGRAMS/bench_index_huge" "$folder" "${3:-1000}"
fi
folder=${1:-${TMPDIR:-/tmp}/polytrace-bench/index}
# shellcheck source=bench/inputs.bash
source bench/inputs.bash
millions=${3:-0}
[[ $millions == 0 ]] || make large.mlpd "$BENCH_PROGRAMS/bench_mlpd_generate" calls "$millions"
exec python3 bench/index.py "$POLYTRACE" "$BENCH_PROGRAMS/bench_index" "$folder" "${2:-3}"
