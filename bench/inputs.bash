# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# Traces that several benchmarks run on, made once in $folder.
mkdir -p "${folder:?where the traces are to be}"

# make NAME PROGRAM ARGUMENT...: the name in the folder is the last argument.
make() {
  [[ -s $folder/$1 ]] || "${@:2}" "$folder/$1"
}

make calls.mlpd "$BENCH_PROGRAMS/bench_mlpd_generate" calls 40
make fewer.mlpd "$BENCH_PROGRAMS/bench_mlpd_generate" calls 8
make deep.mlpd "$BENCH_PROGRAMS/bench_mlpd_generate" deep 20
make objects.mlpd "$BENCH_PROGRAMS/bench_mlpd_generate" objects 0.5
make calls.trcbin "$BENCH_PROGRAMS/bench_tptp_generate" 1.2
make calls.trcxml "$POLYTRACE" convert --quiet "$folder/calls.trcbin" -o
