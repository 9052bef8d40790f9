#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The TPTP targets: loading against memcpy and expat, memory and sizes at 2 GB. [FOLDER] [RUNS]
set -euo pipefail
folder=${1:-${TMPDIR:-/tmp}/polytrace-bench}
runs=${2:-5}
mkdir -p "$folder"
make_pair() {
  [[ -s $folder/$1.trcbin ]] || "$BENCH_PROGRAMS/bench_tptp_generate" "$2" "$folder/$1.trcbin"
  [[ -s $folder/$1.trcxml ]] ||
    "$POLYTRACE" convert --quiet "$folder/$1.trcbin" -o "$folder/$1.trcxml"
}
make_pair load 1.2
make_pair large 11.85
exec python3 bench/tptp.py "$POLYTRACE" "$BENCH_PROGRAMS/bench_tptp_load" "$folder" "$runs"
