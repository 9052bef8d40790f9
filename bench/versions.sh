#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Another build of polytrace against this one, on what other benchmarks run. OTHER [FOLDER] [RUNS]
set -euo pipefail
# shellcheck source=bench/inputs.bash
source bench/inputs.bash
other=$(realpath "${1:?the program to compare with}")
inputs "${2:-${TMPDIR:-/tmp}/polytrace-bench/$(sized mixed small-mixed)}"
mixed_recordings
converted fewer.mlpd calls.ptrace
exec python3 bench/versions.py "$POLYTRACE" "$other" "$folder" "${3:-$(sized 11 1)}"
