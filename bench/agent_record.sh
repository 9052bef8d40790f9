#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The target of recording: an event costs at most 1.15 of a loop that reads the time stamp counter.
# [FOLDER] [RUNS] [MILLIONS OF EVENTS] [CLOCK]
set -euo pipefail
# shellcheck source=bench/inputs.bash
source bench/inputs.bash
inputs "${1:-}"
exec "$BENCH_PROGRAMS/bench_agent_record" "$folder/agent-$$.ptrace" "${2:-$(sized 5 1)}" \
  "${3:-$(sized 40 2)}" "${@:4}"
