#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The target of recording: an event costs at most 1.15 of a loop that reads the time stamp counter.
# [FOLDER] [RUNS] [MILLIONS OF EVENTS] [CLOCK]
set -euo pipefail
folder=${1:-${TMPDIR:-/tmp}/polytrace-bench}
mkdir -p "$folder"
exec "$BENCH_PROGRAMS/bench_agent_record" "$folder/agent-$$.ptrace" "${@:2}"
