#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The targets of state histories: building, size, memory, every query. [FOLDER] [RUNS] [CHANGES]
set -euo pipefail
# shellcheck source=bench/inputs.bash
source bench/inputs.bash
inputs "${1:-}"
exec python3 bench/history.py "$BENCH_PROGRAMS/bench_history" "$folder" "${2:-$(sized 3 1)}" \
  "${3:-$(sized 1e7 3e5)}"
