#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Queries of an index beside plain SQLite over the same rows. [FOLDER] [RUNS] [MILLIONS of events]
set -euo pipefail
folder=${1:-${TMPDIR:-/tmp}/polytrace-bench/sql}
mkdir -p "$folder"
trace=$folder/calls-${3:-4}.mlpd
[[ -s $trace ]] || "$BENCH_PROGRAMS/bench_mlpd_generate" calls "${3:-4}" "$trace"
exec python3 bench/sql.py "$POLYTRACE" "$trace" "$folder" "${2:-5}"
