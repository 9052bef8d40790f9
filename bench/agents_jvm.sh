#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What the agent for Java costs. [JDK] [RUNS]
# POLYTRACE names the program, the agent lies beside it.
set -euo pipefail
agent=$(dirname "$(realpath -m "${POLYTRACE:?the program, beside the agent}")")/libpolytrace-jvm.so
java=${1:-${JAVA_HOME:-$(dirname "$(dirname "$(realpath "$(command -v javac)")")")}}
exec python3 "$(dirname "$0")/agents_jvm.py" "$agent" "$java" "${2:-3}"
