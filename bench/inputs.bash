# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# What the benchmarks have in common: where their inputs lie, how large those are, and making them.

# sized WHOLE SMALL: the second where every benchmark is to run in a minute (./dev bench all). What
# it prints then shows that it works, not how fast anything is.
sized() {
  if [[ -n ${BENCH_SMALL:-} ]]; then printf '%s' "$2"; else printf '%s' "$1"; fi
}

# inputs [FOLDER]: the folder, made.
inputs() {
  folder=${1:-${TMPDIR:-/tmp}/polytrace-bench/$(sized whole small)}
  mkdir -p "$folder"
}

# make NAME PROGRAM ARGUMENT...: once; the name in the folder is the last argument.
make() {
  [[ -s $folder/$1 ]] || "${@:2}" "$folder/$1"
}

# recording SHAPE MILLIONS [NAME]: of events, of the shapes that bench/mlpd_generate.cpp knows.
recording() {
  make "${3:-$1}.mlpd" "$BENCH_PROGRAMS/bench_mlpd_generate" "$1" "$2"
}

# converted FROM TO: the same in another format.
converted() {
  make "$2" "$POLYTRACE" convert --quiet --no-progress "$folder/$1" -o
}

# The traces that several formats are compared on.
mixed_recordings() {
  recording calls "$(sized 40 2)"
  recording calls "$(sized 8 0.5)" fewer
  recording deep "$(sized 20 1)"
  recording objects "$(sized 0.5 0.05)"
  make calls.trcbin "$BENCH_PROGRAMS/bench_tptp_generate" "$(sized 1.2 0.1)"
  converted calls.trcbin calls.trcxml
}
