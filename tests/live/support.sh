# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# What the live tests of recording share. The environment gives POLYTRACE, the program; agents are
# where it finds them.

: "${POLYTRACE:?the program to test}"
# shellcheck disable=SC2034  # for the scripts that source this
root=$(realpath "$(dirname "${BASH_SOURCE[0]}")/../..")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1

skip() {
  echo "skipped: $*"
  exit 77
}
fail() {
  echo "failed: $*" >&2
  exit 1
}
# shellcheck source=tests/support/waiting.sh
source "$root/tests/support/waiting.sh"
# need TOOL...
need() {
  local tool
  for tool; do
    command -v "$tool" >/dev/null || skip "no $tool here"
  done
}
# need_agent Java|Mono
need_agent() {
  "$POLYTRACE" doctor --json >doctor.json || true
  jq -e --arg title "$1: " '.findings[] | select(.topic == "Agents" and .health == "ok")
    | select(.text | startswith($title))' doctor.json >/dev/null || skip "no agent for $1 here"
}
# Rows of a section of a report as JSON: rows SECTION FILE [OPTION ...]
rows() {
  "$POLYTRACE" report --json --limit 0 --sections "$1" "${@:2}" 2>/dev/null
}
