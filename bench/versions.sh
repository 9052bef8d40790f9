#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Another build of polytrace against this one, on what other benchmarks run. OTHER [FOLDER] [RUNS]
set -euo pipefail
other=$(realpath "${1:?the program to compare with}")
folder=${2:-${TMPDIR:-/tmp}/polytrace-bench/versions}
# shellcheck source=bench/inputs.bash
source bench/inputs.bash
make calls.ptrace "$POLYTRACE" convert --quiet "$folder/fewer.mlpd" -o
exec python3 bench/versions.py "$POLYTRACE" "$other" "$folder" "${3:-5}"
