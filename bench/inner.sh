#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Time from one edited line in a room to its tests having run, room by room. [ROOM...]
set -euo pipefail
exec python3 bench/inner.py "$@"
