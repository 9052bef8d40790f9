#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The targets of state histories: building, size, memory, every query. [FOLDER] [RUNS] [CHANGES]
set -euo pipefail
folder=${1:-${TMPDIR:-/tmp}/polytrace-bench}
mkdir -p "$folder"
exec python3 bench/history.py "$BENCH_PROGRAMS/bench_history" "$folder" "${2:-3}" "${3:-1e7}"
