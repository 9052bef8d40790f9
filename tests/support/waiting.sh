# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# What scripts wait by: for a condition, however busy the machine is, never for a fixed time.

declare -F fail >/dev/null || fail() {
  echo "failed: $*" >&2
  exit 1
}

# wait_until WHAT COMMAND...: until the command succeeds. What takes longer than this hangs.
wait_until() {
  local what=$1 end=$((SECONDS + 150))
  shift
  until "$@"; do
    if ((SECONDS > end)); then
      fail "waited in vain: $what"
      return 1
    fi
    sleep 0.02
  done
}
