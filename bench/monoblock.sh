#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The block format's decoder beside mlpd's, on the same recording of calls. [FOLDER] [RUNS]
set -euo pipefail
# shellcheck source=bench/inputs.bash
source bench/inputs.bash
inputs "${1:-}"
recording calls "$(sized 77 4)"
converted calls.mlpd calls.monoblock
exec python3 bench/monoblock.py "$POLYTRACE" "$folder" "${2:-$(sized 5 1)}"
