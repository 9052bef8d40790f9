#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The targets of indexes, beside streaming and a database. [FOLDER] [RUNS] [MILLIONS of a large one]
set -euo pipefail
folder=${1:-${TMPDIR:-/tmp}/polytrace-bench/index}
mkdir -p "$folder"
make() {
  [[ -s $folder/$1 ]] || "${@:2}" "$folder/$1"
}
make calls.mlpd "$BENCH_PROGRAMS/bench_mlpd_generate" calls 40
make fewer.mlpd "$BENCH_PROGRAMS/bench_mlpd_generate" calls 4
make deep.mlpd "$BENCH_PROGRAMS/bench_mlpd_generate" deep 20
make objects.mlpd "$BENCH_PROGRAMS/bench_mlpd_generate" objects 0.5
make calls.trcbin "$BENCH_PROGRAMS/bench_tptp_generate" 1.2
make calls.trcxml "$POLYTRACE" convert --quiet "$folder/calls.trcbin" -o
millions=${3:-0}
[[ $millions == 0 ]] || make large.mlpd "$BENCH_PROGRAMS/bench_mlpd_generate" calls "$millions"
exec python3 bench/index.py "$POLYTRACE" "$BENCH_PROGRAMS/bench_index" "$folder" "${2:-3}"
