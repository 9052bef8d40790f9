#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The agent for .NET: nanoseconds per call and allocation, sampling, start-up. [RUNS]
set -euo pipefail
# shellcheck source=bench/inputs.bash
source bench/inputs.bash
exec python3 bench/coreclr.py "${1:-$(sized 5 1)}"
