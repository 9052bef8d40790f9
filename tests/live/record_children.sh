#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Programs that start others of their runtime: without --children their number is said, with it each
# process has a recording of its own, and the program notices nothing.
set -euo pipefail
# shellcheck source=tests/live/support.sh
source "$(dirname "$0")/support.sh"
need jq

# expect_marks COUNT FILE NAME: calls of a method.
expect_marks() {
  local calls
  calls=$("$POLYTRACE" cat --kind enter --name "$3" "$2" | grep -c enter) || true
  [[ $calls -eq $1 ]] || fail "$2: $3 was called $calls times, not $1"
}
# children COUNT METHOD CALLS RUNTIME ARGUMENT...: records alone, then with its children.
children() {
  local count=$1 method=$2 calls=$3 file
  "${@:4}" >bare 2>bare.err
  "$POLYTRACE" record -o "$4.ptrace" "${@:4}" >out 2>err || fail "$4: $(cat err)"
  cmp -s bare out || fail "$4 says otherwise: $(cat out)"
  grep -q "not recorded: $count or more programs of Java, Mono or .NET" err || fail "$4: $(cat err)"
  expect_marks "$calls" "$4.ptrace" "$method"
  mv "$4.ptrace" "$4.1.ptrace"  # of an earlier recording: none of theirs
  "$POLYTRACE" record --children -o "$4.ptrace" "${@:4}" >out 2>err || fail "$4: $(cat err)"
  cmp -s bare out || fail "$4 with children says otherwise: $(cat out)"
  ! grep -q 'not recorded:' err || fail "$4: $(cat err)"
  ! grep -q "$4.1.ptrace" err || fail "$4: $(cat err)"
  rm "$4.1.ptrace"
  [[ $(find . -name "$4.*.ptrace" | wc -l) -eq $((count + 1)) ]] || fail "$4: files $(ls)"
  [[ ! -e $4.ptrace ]] || fail "$4: a file without a process"
  for file in "$4".*.ptrace; do
    "$POLYTRACE" check "$file" >checked 2>&1 || fail "not whole: $(cat checked)"
    grep -q "polytrace: $file: " err || fail "$file is not said: $(cat err)"
    expect_marks "$calls" "$file" "$method"
  done
  tested+=" $4"
}

tested=
"$POLYTRACE" doctor --json >doctor.json || true
# can TITLE TOOL...
can() {
  jq -e --arg title "$1: " '.findings[] | select(.topic == "Agents" and .health == "ok")
    | select(.text | startswith($title))' doctor.json >/dev/null || return 1
  command -v "${@:2}" >/dev/null
}
if can Java java && can Java javac; then
  mkdir classes
  javac -g -d classes "$root/tests/live/java/Parent.java"
  children 3 'main' 1 java -cp classes Parent 3 classes
fi
if can Mono mono && can Mono mcs; then
  mcs -out:parent.exe "$root/tests/live/parent.cs"
  children 2 'Mark' 1 mono parent.exe 2
fi
if can .NET dotnet &&
  python3 "$root/tests/live/coreclr_compile.py" parent.dll "$root/tests/live/parent.cs" >/dev/null
then
  children 2 'Mark' 1 dotnet parent.dll 2
fi
[[ -n $tested ]] || skip 'no runtime with its compiler and agent here'
echo "children are recorded:$tested"
