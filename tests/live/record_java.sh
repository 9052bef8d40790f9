#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The shop in Java, recorded and attached to: its calls are all there, a kill loses nothing, and
# commands reach it.
set -euo pipefail
# shellcheck source=tests/live/support.sh
source "$(dirname "$0")/support.sh"
need java javac jq
need_agent Java
mkdir classes
javac -g -d classes "$root"/examples/shop/java/*.java

"$POLYTRACE" record -o shop.ptrace java -cp classes Shop 3 >out 2>err || fail "record: $(cat err)"
grep -qx '3 days, 177 sold, 42 refused' out || fail "the shop says: $(cat out)"
"$POLYTRACE" check shop.ptrace >checked 2>&1 || fail "not whole: $(cat checked)"
calls=$("$POLYTRACE" cat --kind enter --name similarity shop.ptrace | grep -c enter) || true
[[ $calls -eq 48000 ]] || fail "similarity was called $calls times, not 48000"

"$POLYTRACE" record --control -o killed.ptrace java -cp classes Shop 1000 >out 2>err &
recorder=$!
answers() {
  kill -0 "$recorder" || fail "record ended: $(cat err)"
  program=$(pgrep -P "$recorder" -x java) &&
    "$POLYTRACE" control --json "$program" status >status.json 2>/dev/null
}
wait_until 'a program that answers' answers
jq -e '.state == "running" and .figures.lost == 0' status.json >/dev/null ||
  fail "status: $(cat status.json)"
for command in pause resume flush gc; do
  "$POLYTRACE" control "$program" "$command" >answer 2>&1 || fail "$command: $(cat answer)"
done
"$POLYTRACE" control "$program" annotate 'a mark' >answer 2>&1 || fail "annotate: $(cat answer)"
kill -KILL "$program"
code=0
wait "$recorder" || code=$?
[[ $code -eq 137 ]] || fail "exit code $code of a program that was killed: $(cat err)"
"$POLYTRACE" check killed.ptrace >checked 2>&1 || fail "not whole: $(cat checked)"
"$POLYTRACE" cat --kind note killed.ptrace | grep 'a mark' >/dev/null ||
  fail 'the mark is not there'

java -cp classes Shop 1000 >out 2>err &
program=$!
has_customers() {
  kill -0 "$program" || fail 'the shop ended'
  cat /proc/"$program"/task/*/comm 2>/dev/null | grep '^customer-' >/dev/null
}
wait_until 'customers in the shop' has_customers
"$POLYTRACE" attach --duration 1s -o attached.ptrace "$program" >out 2>attach.err ||
  fail "attach: $(cat attach.err)"
kill -0 "$program" || fail 'the program ended with the recording'
kill "$program"
"$POLYTRACE" check attached.ptrace >checked 2>&1 || fail "not whole: $(cat checked)"
"$POLYTRACE" cat --kind enter attached.ptrace | grep enter >/dev/null || fail 'no call was recorded'
echo '48000 calls; commands, a kill and attaching work'
