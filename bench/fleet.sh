#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# A collector under the load of 1,000 programs, with a real store. [FOLDER] [PART...]
# Parts: paced, unpaced, restart, store, storm, piece, questions (29 M rows), idle (of 4,000);
# minutes each. Small: 50 programs, seconds each, and no idle. Debian's clickhouse-server is needed
# (./dev setup fleet).
set -euo pipefail
# shellcheck source=bench/inputs.bash
source bench/inputs.bash
inputs "${1:-}"
exec python3 bench/fleet.py "$POLYTRACE" "$BENCH_PROGRAMS/bench_fleet_send" "$folder" \
  "$(sized full small)" "${@:2}"
