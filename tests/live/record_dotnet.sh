#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Programs of .NET, recorded: the shop's calls are all there, commands reach it, and however a
# program ends, what it did is kept.
set -euo pipefail
# shellcheck source=tests/live/support.sh
source "$(dirname "$0")/support.sh"
need dotnet jq python3
need_agent .NET
compile() {
  local code=0
  python3 "$root/tests/live/coreclr_compile.py" "$@" >compiled 2>&1 || code=$?
  [[ $code -ne 77 ]] || skip "$(sed 's/^skipped: //' compiled)"
  [[ $code -eq 0 ]] || fail "$(cat compiled)"
}
compile shop.dll "$root"/examples/shop/csharp/*.cs
compile ends.dll "$root/tests/live/dotnet/Ends.cs"

# record FILE CODE PROGRAM...
record() {
  local file=$1 expected=$2 code=0
  "$POLYTRACE" record -f -o "$file" dotnet "${@:3}" >out 2>err || code=$?
  [[ $code -eq $expected ]] || fail "${*:3}: exit code $code: $(cat err)"
  "$POLYTRACE" check "$file" >checked 2>&1 || fail "${*:3}: not whole: $(cat checked)"
}
# calls NAME FILE
calls() {
  "$POLYTRACE" cat --kind enter --name "$1" "$2" | grep -c enter || true
}

record shop.ptrace 0 shop.dll 3
grep -qx '3 days, 177 sold, 42 refused' out || fail "the shop says: $(cat out)"
[[ $(calls Similarity shop.ptrace) -eq 48000 ]] ||
  fail "Similarity was called $(calls Similarity shop.ptrace) times, not 48000"
for format in mlpd trcxml trcbin; do
  record "shop.$format" 0 shop.dll 1
done

# An uncaught exception and FailFast abort: what was recorded lies in segments then.
ulimit -c 0
record exits.ptrace 3 ends.dll exit
record throws.ptrace 134 ends.dll throw
record fails.ptrace 134 ends.dll fail
record child.ptrace 0 ends.dll child ends.dll
for way in exits throws fails child; do
  marks=$(calls Mark $way.ptrace)
  [[ $marks -eq 1000 ]] || fail "$way: Mark was called $marks times, not 1000"
  [[ ! -e $way.ptrace.segments ]] || fail "$way: segments are left behind"
done

"$POLYTRACE" record --control -o killed.ptrace dotnet ends.dll endless >out 2>err &
recorder=$!
answers() {
  kill -0 "$recorder" || fail "record ended: $(cat err)"
  program=$(pgrep -P "$recorder" -x dotnet) &&
    "$POLYTRACE" control --json "$program" status >status.json 2>/dev/null && grep -q ready out
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
"$POLYTRACE" cat --kind gc killed.ptrace | grep induced >/dev/null ||
  fail 'the collection is not there'

# A library that is no agent is not loaded: that is no recording, and said.
code=0
"$POLYTRACE" record --agent shop.dll -o none.ptrace dotnet shop.dll 1 >out 2>err || code=$?
[[ $code -ne 0 ]] || fail 'nothing was recorded, and that is no failure'
# Nor is one where a variable keeps agents out.
for name in DOTNET_EnableDiagnostics DOTNET_EnableDiagnostics_Profiler COMPlus_EnableDiagnostics; do
  code=0
  env $name=0 "$POLYTRACE" record -o none.ptrace dotnet shop.dll 1 >out 2>err || code=$?
  [[ $code -eq 1 && ! -e none.ptrace ]] || fail "$name=0: exit code $code"
  grep -q "$name=0 in the environment keeps profilers out" err || fail "$name=0: $(cat err)"
done
echo '48000 calls; commands, all ends of a program and a kill work'
