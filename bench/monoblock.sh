#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The block format's decoder beside mlpd's, on the same recording of calls. [FOLDER] [RUNS]
set -euo pipefail
folder=${1:-${TMPDIR:-/tmp}/polytrace-bench}
runs=${2:-5}
mkdir -p "$folder"
[[ -s $folder/calls.mlpd ]] || "$BENCH_PROGRAMS/bench_mlpd_generate" calls 77 "$folder/calls.mlpd"
[[ -s $folder/calls.monoblock ]] ||
  "$POLYTRACE" convert -q --to monoblock "$folder/calls.mlpd" -o "$folder/calls.monoblock"
exec python3 bench/monoblock.py "$POLYTRACE" "$folder" "$runs"
