#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Another build of polytrace against this one, on what other benchmarks run. OTHER [FOLDER] [RUNS]
set -euo pipefail
other=$(realpath "${1:?the program to compare with}")
folder=${2:-${TMPDIR:-/tmp}/polytrace-bench/versions}
mkdir -p "$folder"
make() {
  [[ -s $folder/$1 ]] || "${@:2}" "$folder/$1"
}
make calls.mlpd "$BENCH_PROGRAMS/bench_mlpd_generate" calls 40
make fewer.mlpd "$BENCH_PROGRAMS/bench_mlpd_generate" calls 8
make deep.mlpd "$BENCH_PROGRAMS/bench_mlpd_generate" deep 20
make objects.mlpd "$BENCH_PROGRAMS/bench_mlpd_generate" objects 0.5
make calls.trcbin "$BENCH_PROGRAMS/bench_tptp_generate" 1.2
make calls.trcxml "$POLYTRACE" convert --quiet "$folder/calls.trcbin" -o
make calls.ptrace "$POLYTRACE" convert --quiet "$folder/fewer.mlpd" -o
exec python3 bench/versions.py "$POLYTRACE" "$other" "$folder" "${3:-5}"
