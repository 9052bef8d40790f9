#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Queries of an index beside plain SQLite over the same rows. [FOLDER] [RUNS] [MILLIONS of events]
set -euo pipefail
# shellcheck source=bench/inputs.bash
source bench/inputs.bash
inputs "${1:-}"
millions=${3:-$(sized 4 0.3)}
recording calls "$millions" "sql-$millions"
exec python3 bench/sql.py "$POLYTRACE" "$folder/sql-$millions.mlpd" "$folder" \
  "${2:-$(sized 5 1)}"
