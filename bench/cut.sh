#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# cut: leaves that end no call, on deep stacks. [RUNS]
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 bench/cut.py "$POLYTRACE" "$folder" "${1:-5}"
