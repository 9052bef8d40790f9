#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Time lines of method calls for other tools: calls per second, memory. [FOLDER] [RUNS]
set -euo pipefail
folder=${1:-${TMPDIR:-/tmp}/polytrace-bench}
runs=${2:-3}
mkdir -p "$folder"
[[ -s $folder/convert.mlpd ]] ||
  "$BENCH_PROGRAMS/bench_mlpd_generate" calls 4 "$folder/convert.mlpd"
exec python3 bench/exports.py "$POLYTRACE" "$folder" "$runs"
