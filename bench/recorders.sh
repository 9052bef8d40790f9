#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Real programs (javac, mcs, csc) under polytrace and under the runtimes' own recorders. [RUNS]
# dotnet-trace takes part where it is in PATH or POLYTRACE_DOTNET_TRACE names it.
set -euo pipefail
# shellcheck source=bench/inputs.bash
source bench/inputs.bash
exec python3 bench/recorders.py "${1:-$(sized 5 1)}"
