#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The agent for .NET: nanoseconds per call and allocation, sampling, start-up. [RUNS]
set -euo pipefail
exec python3 bench/coreclr.py "${1:-5}"
