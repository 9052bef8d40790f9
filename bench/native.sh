#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Words of segments into records of blocks; and reading polytrace's own stream beside mlpd, on the
# same recording of calls. [FOLDER] [RUNS]
set -euo pipefail
folder=${1:-${TMPDIR:-/tmp}/polytrace-bench}
runs=${2:-5}
mkdir -p "$folder"
[[ -s $folder/calls.mlpd ]] || "$BENCH_PROGRAMS/bench_mlpd_generate" calls 77 "$folder/calls.mlpd"
[[ -s $folder/calls.ptrace ]] ||
  "$POLYTRACE" convert -q --to native "$folder/calls.mlpd" -o "$folder/calls.ptrace"
"$BENCH_PROGRAMS/bench_native_words"
exec python3 bench/native.py "$POLYTRACE" "$folder" "$runs"
