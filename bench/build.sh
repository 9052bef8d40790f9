#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Time and memory of the first command, or of ./dev test, from nothing. [first|test] [COMMIT]
set -euo pipefail
exec python3 bench/build.py "$@"
