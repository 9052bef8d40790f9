#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Answers in Python beside sqlite3 and DuckDB. [FOLDER] [RUNS] [MILLIONS of events]
set -euo pipefail
# shellcheck source=bench/inputs.bash
source bench/inputs.bash
inputs "${1:-}"
millions=${3:-$(sized 20 0.5)}
recording calls "$millions" "python-$millions"
export POLYTRACE_LIBRARY=${POLYTRACE_LIBRARY:-$(dirname "$POLYTRACE")/libpolytrace.so.1}
export POLYTRACE_CACHE=$folder/cache PYTHONPATH=$PWD/python PYTHONDONTWRITEBYTECODE=1
exec "${PYTHON:-/usr/bin/python3}" bench/python.py "$POLYTRACE" "$folder/python-$millions.mlpd" \
  "$folder" "${2:-$(sized 5 1)}"
