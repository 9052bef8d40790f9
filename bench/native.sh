#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Words of segments into records of blocks; and reading polytrace's own stream beside mlpd, on the
# same recording of calls. [FOLDER] [RUNS]
set -euo pipefail
# shellcheck source=bench/inputs.bash
source bench/inputs.bash
inputs "${1:-}"
recording calls "$(sized 77 4)"
converted calls.mlpd calls.ptrace
"$BENCH_PROGRAMS/bench_native_words"
exec python3 bench/native.py "$POLYTRACE" "$folder" "${2:-$(sized 5 1)}"
