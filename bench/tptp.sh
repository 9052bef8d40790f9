#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The TPTP targets: loading against memcpy and expat, memory and sizes at 2 GB. [FOLDER] [RUNS]
set -euo pipefail
# shellcheck source=bench/inputs.bash
source bench/inputs.bash
inputs "${1:-}"
pair() {
  make "$1.trcbin" "$BENCH_PROGRAMS/bench_tptp_generate" "$2"
  converted "$1.trcbin" "$1.trcxml"
}
pair load "$(sized 1.2 0.1)"
pair large "$(sized 11.85 0.4)"
exec python3 bench/tptp.py "$POLYTRACE" "$BENCH_PROGRAMS/bench_tptp_load" "$folder" \
  "${2:-$(sized 5 1)}"
