#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The mlpd targets: polytrace against the stock tool, on recordings made here. [FOLDER] [RUNS]
set -euo pipefail
# shellcheck source=bench/inputs.bash
source bench/inputs.bash
inputs "${1:-}"
recording calls "$(sized 77 4)"
recording deep "$(sized 40 2)"
recording objects "$(sized 1.85 0.1)"
python3 bench/mlpd.py "$POLYTRACE" "$folder" "${2:-$(sized 5 1)}"
printf '\nwithout decoding, and what no analysis of calls can be below:\n'
exec "$BENCH_PROGRAMS/bench_calls_bench" "$(sized 40 0.5)"
