#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What the agent for Java costs, beside the JDK's own recorder. [RUNS] [JDK, else the newest]
# POLYTRACE names the program, the agent lies beside it.
set -euo pipefail
# shellcheck source=bench/inputs.bash
source bench/inputs.bash
agent=$(dirname "$(realpath -m "${POLYTRACE:?the program, beside the agent}")")/libpolytrace-jvm.so
# Release and folder of each JDK here.
jdks() {
  local javac
  for javac in "${JAVA_HOME:-/none}"/bin/javac /usr/lib/jvm/*/bin/javac; do
    [[ -x $javac ]] || continue
    printf '%s %s\n' "$("$javac" -version 2>&1 | cut -d' ' -f2)" "${javac%/bin/javac}"
  done
}
java=${2:-$(jdks | sort -V | tail -1 | cut -d' ' -f2-)}
if [[ -z $java || ! -e $agent ]]; then
  echo "no JDK here, or the agent for Java was not built: ./dev setup live"
  exit 77
fi
exec python3 bench/agents_jvm.py "$agent" "$java" "${1:-$(sized 3 1)}"
