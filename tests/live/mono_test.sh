#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Fresh recordings made by the Mono of this machine: they read to the end with no notice, and what
# polytrace writes of them gives the same report from Mono's own tool.
set -euo pipefail

for tool in mono mcs mprof-report; do
  if ! command -v "$tool" >/dev/null; then
    echo "skipped: no $tool here (Debian: mono-runtime mono-mcs mono-utils)"
    exit 77
  fi
done
: "${POLYTRACE:?the program to test}"
here=$(dirname "$(realpath "$0")")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

fail() {
  echo "failed: $*" >&2
  exit 1
}

report() {
  mprof-report --traces "$1" >"$1.report" 2>"$1.errors" ||
    fail "mprof-report refuses $1: $(cat "$1.errors")"
  [[ ! -s $1.errors ]] || fail "mprof-report on $1: $(cat "$1.errors")"
  # It counts from the begin of a buffer, which is no event: some microseconds more or less, and so
  # sometimes another last digit. The events' own times are compared before.
  sed -i -E 's/^(\tHeap shot [0-9]+ at )[0-9.]+ secs/\1- secs/' "$1.report"
}

check_recording() {
  local name=$1 options=$2
  shift 2
  mono --debug --profile="log:$options,output=$name.mlpd" "$@" >/dev/null ||
    fail "no recording $name"
  "$POLYTRACE" check "$name.mlpd" >check.txt 2>&1 || fail "$name has notices: $(cat check.txt)"
  "$POLYTRACE" convert "$name.mlpd" --output "$name-again.mlpd" 2>/dev/null ||
    fail "$name cannot be written again"
  "$POLYTRACE" cat "$name.mlpd" >original.txt
  "$POLYTRACE" cat "$name-again.mlpd" >again.txt
  cmp original.txt again.txt || fail "the events of $name changed"
  report "$name.mlpd"
  report "$name-again.mlpd"
  diff "$name.mlpd.report" "$name-again.mlpd.report" >changes.txt ||
    fail "the report of $name changed: $(cat changes.txt)"
  echo "$name: $(wc -l <original.txt) events"
}

for program in mix locks threads; do
  mcs -debug -optimize+ "$here/$program.cs" -out:"$program.exe"
done
check_recording everything legacy,calls,alloc,jit,sample=500,heapshot mix.exe
check_recording backtraces legacy,alloc,jit,heapshot mix.exe
check_recording locks nodefaults,monitor locks.exe 6
check_recording threads nodefaults,calls,alloc,monitor,calldepth=10 threads.exe 20 4 6
