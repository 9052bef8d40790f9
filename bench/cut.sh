#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# cut: leaves that end no call, on deep stacks. [FOLDER] [RUNS]
set -euo pipefail
# shellcheck source=bench/inputs.bash
source bench/inputs.bash
inputs "${1:-}"
exec python3 bench/cut.py "$POLYTRACE" "$folder" "${2:-$(sized 5 1)}" "$(sized 100000 10000)"
