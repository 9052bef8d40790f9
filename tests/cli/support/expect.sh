# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# What the end-to-end tests share. The environment gives POLYTRACE, the program, and TEST_DATA.
# A test goes on after a failed expectation; `finish` ends it.

: "${POLYTRACE:?the program to test}" "${TEST_DATA:?the folder of test data}"
# shellcheck disable=SC2034  # for the scripts that source this
data=$TEST_DATA/mlpd
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
unset NO_COLOR CLICOLOR_FORCE COLUMNS
export LC_ALL=C
failures=0

fail() {
  printf 'FAILED: %s\n' "$*" >&2
  failures=$((failures + 1))
}

# shellcheck source=tests/support/waiting.sh
source "$(dirname "${BASH_SOURCE[0]}")/../../support/waiting.sh"

# run ARGUMENT... leaves the result in $code, $scratch/out and $scratch/err.
run() {
  code=0
  "$POLYTRACE" "$@" >"$scratch/out" 2>"$scratch/err" || code=$?
  ran="polytrace $*"
}

expect_code() {
  [[ $code -eq $1 ]] || fail "$ran: exit code $code, not $1; $(head -c 500 "$scratch/err")"
}
# expect_in out|err TEXT
expect_in() {
  grep -qF -- "$2" "$scratch/$1" || fail "$ran: no \"$2\" in its $1: $(head -c 500 "$scratch/$1")"
}
expect_not_in() {
  ! grep -qF -- "$2" "$scratch/$1" || fail "$ran: \"$2\" in its $1"
}
expect_silent() {
  [[ ! -s $scratch/$1 ]] || fail "$ran: its $1 is not empty: $(head -c 500 "$scratch/$1")"
}
# expect_json FILTER: jq says true.
expect_json() {
  jq -e "$1" "$scratch/out" >/dev/null || fail "$ran: jq '$1' does not hold"
}

finish() {
  [[ $failures -eq 0 ]] || exit 1
}
