#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Method calls between all pairs of formats: events per second, memory. [FOLDER] [RUNS]
set -euo pipefail
# shellcheck source=bench/inputs.bash
source bench/inputs.bash
inputs "${1:-}"
recording calls "$(sized 4 0.4)" convert
exec python3 bench/convert.py "$POLYTRACE" "$folder" "${2:-$(sized 3 1)}"
