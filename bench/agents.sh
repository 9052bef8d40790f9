#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What recording costs: the recorder itself, the agent for Java, the module for Mono. [RUNS]
set -euo pipefail
# shellcheck source=bench/inputs.bash
source bench/inputs.bash
runs=${1:-$(sized 3 1)}
part() {
  printf '\n== %s\n' "$1"
  shift
  bash "$@" || [[ $? == 77 ]]
}
part "the recorder" bench/agent_record.sh "" "$runs"
part "Java" bench/agents_jvm.sh "$runs"
part "Mono" bench/agents_mono.sh "$runs"
