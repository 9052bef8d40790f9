#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Answers in Python beside sqlite3 and DuckDB. [FOLDER] [RUNS] [MILLIONS of events]
set -euo pipefail
folder=${1:-${TMPDIR:-/tmp}/polytrace-bench/python}
mkdir -p "$folder"
trace=$folder/calls-${3:-20}.mlpd
[[ -s $trace ]] || "$BENCH_PROGRAMS/bench_mlpd_generate" calls "${3:-20}" "$trace"
export POLYTRACE_LIBRARY=${POLYTRACE_LIBRARY:-$(dirname "$POLYTRACE")/libpolytrace.so.1}
export POLYTRACE_CACHE=$folder/cache PYTHONPATH=$PWD/python PYTHONDONTWRITEBYTECODE=1
exec "${PYTHON:-/usr/bin/python3}" bench/python.py "$POLYTRACE" "$trace" "$folder" "${2:-5}"
