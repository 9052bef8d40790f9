#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The mlpd targets: polytrace against the stock tool, on recordings made here. [FOLDER] [RUNS]
set -euo pipefail
folder=${1:-${TMPDIR:-/tmp}/polytrace-bench}
runs=${2:-5}
mkdir -p "$folder"
make_recording() {
  [[ -s $folder/$1.mlpd ]] || "$BENCH_PROGRAMS/bench_mlpd_generate" "$1" "$2" "$folder/$1.mlpd"
}
make_recording calls 77
make_recording deep 40
make_recording objects 1.85
exec python3 bench/mlpd.py "$POLYTRACE" "$folder" "$runs"
