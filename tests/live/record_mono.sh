#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The shop in C#, recorded: it works as ever, its calls are all there, a kill loses nothing.
set -euo pipefail
# shellcheck source=tests/live/support.sh
source "$(dirname "$0")/support.sh"
need mono mcs jq
need_agent Mono
mcs -debug -optimize+ "$root"/examples/shop/csharp/*.cs -out:shop.exe

"$POLYTRACE" record -o shop.ptrace mono --debug shop.exe 3 >out 2>err || fail "record: $(cat err)"
grep -qx '3 days, 177 sold, 42 refused' out || fail "the shop says: $(cat out)"
"$POLYTRACE" check shop.ptrace >checked 2>&1 || fail "not whole: $(cat checked)"
"$POLYTRACE" cat --kind enter --name Similarity shop.ptrace | grep -c enter >calls || true
[[ $(cat calls) -eq 48000 ]] || fail "Similarity was called $(cat calls) times, not 48000"

"$POLYTRACE" record -o killed.ptrace mono shop.exe 1000 >out 2>err &
recorder=$!
has_recorded() {
  kill -0 "$recorder" || fail "record ended: $(cat err)"
  [[ -e killed.ptrace && $(stat -c %s killed.ptrace) -gt 100000 ]]
}
wait_until 'calls that are recorded' has_recorded
pkill -KILL -P "$recorder" || fail 'there is no program to kill'
code=0
wait "$recorder" || code=$?
[[ $code -eq 137 ]] || fail "exit code $code of a program that was killed: $(cat err)"
[[ ! -e killed.ptrace.segments ]] || fail 'segments are left behind'
"$POLYTRACE" check killed.ptrace >checked 2>&1 || fail "not whole: $(cat checked)"
echo "48000 calls; a killed program's recording is whole"
