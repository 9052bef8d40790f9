#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What recording costs: the recorder itself, the agent for Java, the module for Mono. [RUNS]
set -euo pipefail
runs=${1:-3}
here=$(dirname "$0")
part() {
  printf '\n== %s\n' "$1"
  shift
  bash "$@" || [[ $? == 77 ]]
}
part "the recorder" "$here/agent_record.sh" "${TMPDIR:-/tmp}/polytrace-bench" "$runs"
part "Java" "$here/agents_jvm.sh" "$runs"
part "Mono" "$here/agents_mono.sh" "$runs"
