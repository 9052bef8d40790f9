#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Batches of rows from an edge over NATS JetStream to a hub, with real servers. [FOLDER]
# Some minutes; small: less. Debian's nats-server and clickhouse-server are needed (./dev setup
# fleet).
set -euo pipefail
# shellcheck source=bench/inputs.bash
source bench/inputs.bash
inputs "${1:-}"
exec python3 bench/bus.py "$POLYTRACE" "$BENCH_PROGRAMS/bench_fleet_send" "$folder" \
  "$(sized full small)"
