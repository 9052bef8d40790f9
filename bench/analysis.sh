#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What a full report costs: on one core, on two, and beside reading alone; and what a comparison
# costs beside two reports. [FOLDER] [RUNS]
set -euo pipefail
# shellcheck source=bench/inputs.bash
source bench/inputs.bash
inputs "${1:-}"
recording calls "$(sized 77 4)"
converted calls.mlpd calls.ptrace
# 84 bytes an event: fewer of them, so that they are read from memory and not from a disk.
recording calls "$(sized 8 1)" fewer
converted fewer.mlpd calls.trcbin
exec python3 bench/analysis.py "$POLYTRACE" "$folder" "${2:-$(sized 5 1)}"
