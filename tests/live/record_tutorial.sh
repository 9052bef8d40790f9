#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The tutorial's commands, on a real JVM.
set -euo pipefail
# shellcheck source=tests/live/support.sh
source "$(dirname "$0")/support.sh"
need java javac jq python3
need_agent Java
agents=$(jq -r '.findings[] | select(.topic == "Agents" and .health == "ok") | .text' doctor.json |
  sed -n 's/^Java: \(.*\)\/[^/]*$/\1/p')
export POLYTRACE_AGENTS=$agents
"$root/tests/cli/docs.py" docs/tutorial.md
