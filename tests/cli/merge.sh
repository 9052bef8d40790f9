#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# merge: one trace is itself; several add up, stand on one clock and stay apart; any formats.
set -uo pipefail
# shellcheck source=tests/cli/support/expect.sh
source "$(dirname "$0")/support/expect.sh"
shop=$TEST_DATA/trcxml/shop.trcxml

events() {
  "$POLYTRACE" info --json "$1" | jq ".events.kinds.$2 // 0"
}

# One trace.
run merge "$data/everything.mlpd.gz" -o "$scratch/one.mlpd"
expect_code 0
cmp -s <("$POLYTRACE" cat "$data/everything.mlpd.gz") <("$POLYTRACE" cat "$scratch/one.mlpd") ||
  fail 'one trace merged is not that trace'

# Two of one format: counts add up, but for what a file has once.
run merge "$data/calls.mlpd" "$data/locks.mlpd" -o "$scratch/two.mlpd"
expect_code 0
expect_in err 'two.mlpd: mlpd version 17'
run check "$scratch/two.mlpd"
expect_code 0
for kind in enter leave unwind alloc class method thread monitor vtable; do
  sum=$(($(events "$data/calls.mlpd" $kind) + $(events "$data/locks.mlpd" $kind)))
  [[ $(events "$scratch/two.mlpd" $kind) -eq $sum ]] || fail "merged: not $sum of $kind"
done
[[ $(events "$scratch/two.mlpd" enter) -gt 2000 ]] || fail 'calls are missing'

# Nothing of one is in the other: each thread belongs to one of them, with its events.
"$POLYTRACE" info --json "$scratch/two.mlpd" >"$scratch/out"
expect_json '[.threads[] | select(.name | startswith("calls: "))] | length == 6'
expect_json '[.threads[] | select(.name | startswith("locks: "))] | length == 12'
expect_json '[.threads[] | select(.name == "locks: Main")][0].events == 892'
# Both started in the same second of 2026: wall time keeps them that far apart.
expect_json '[.threads[] | select(.name == "locks: Main")][0].first -
             [.threads[] | select(.name == "calls: Main")][0].first | . > 7e9 and . < 9e9'

# Offsets, by name and by number.
first_of() {
  "$POLYTRACE" info --json "$1" | jq "[.threads[] | select(.name == \"$2\")][0].first"
}
for which in "$data/locks.mlpd" 2; do
  off=$scratch/off.mlpd
  run merge "$data/calls.mlpd" "$data/locks.mlpd" --offset "$which=-1.5s" -o "$off" --force
  expect_code 0
  moved=$(($(first_of "$scratch/two.mlpd" 'locks: Main') - $(first_of "$off" 'locks: Main')))
  [[ $moved -eq 1500000000 ]] || fail "--offset $which moved by $moved"
  moved=$(($(first_of "$scratch/two.mlpd" 'calls: Main') - $(first_of "$off" 'calls: Main')))
  [[ $moved -eq 0 ]] || fail "--offset $which moved the other one"
done
for wrong in 3=1s nobody=1s 2=soon 2 =; do
  run merge "$data/calls.mlpd" "$data/locks.mlpd" --offset "$wrong" -o "$scratch/new.mlpd"
  expect_code 2
done

# The same file twice is two traces; the merged one can be merged again.
run merge "$shop" "$shop" -o "$scratch/twice.trcbin"
expect_code 0
run merge "$scratch/twice.trcbin" "$shop" -o "$scratch/thrice.trcbin"
expect_code 0
run check --strict "$scratch/thrice.trcbin"
expect_code 0
for kind in enter leave alloc class note thread; do
  [[ $(events "$scratch/thrice.trcbin" $kind) -eq $((3 * $(events "$shop" $kind))) ]] ||
    fail "thrice.trcbin: not three times $kind"
done
"$POLYTRACE" cat --kind class "$scratch/thrice.trcbin" | grep -o 'class=[^ ]*' | sort -u \
  >"$scratch/classes"
[[ $(wc -l <"$scratch/classes") -eq 3 ]] || fail 'the three classes are not three'
run cat --kind process "$scratch/thrice.trcbin"
expect_in out 'name="shop#2"'

# Across families, from standard input, into either.
for target in mixed.mlpd mixed.trcbin; do
  run merge - "$shop" -o "$scratch/$target" <"$data/calls.mlpd"
  expect_code 0
  run check "$scratch/$target"
  expect_code 0
  sum=$(($(events "$data/calls.mlpd" enter) + $(events "$shop" enter)))
  [[ $(events "$scratch/$target" enter) -eq $sum ]] || fail "$target: not $sum calls"
done

# In order of time where the inputs are.
"$POLYTRACE" cat "$scratch/twice.trcbin" | grep -v ' process ' | cut -d ' ' -f 1 >"$scratch/times"
sort -nc "$scratch/times" || fail 'times go back'

# Damage is told with its file; what is whole is merged.
run merge "$data/truncated.mlpd" "$shop" -o "$scratch/damaged.mlpd"
expect_code 4
expect_in err 'truncated buffer'
run merge --strict "$data/truncated.mlpd" "$shop" -o "$scratch/strict.mlpd"
expect_code 4
[[ ! -e $scratch/strict.mlpd ]] || fail 'a refused merge left a file'

# Refusals.
run merge "$data/calls.mlpd" "$scratch/missing.mlpd" -o "$scratch/new.mlpd"
expect_code 1
expect_in err 'missing.mlpd'
cp "$data/calls.mlpd" "$scratch/own.mlpd"
run merge "$data/locks.mlpd" "$scratch/own.mlpd" -o "$scratch/own.mlpd" --force
expect_code 2
cmp -s "$data/calls.mlpd" "$scratch/own.mlpd" || fail 'an input was overwritten'
run merge - - -o "$scratch/new.mlpd" <"$data/calls.mlpd"
expect_code 2

run merge --json "$data/calls.mlpd" "$data/locks.mlpd" -o "$scratch/json.mlpd"
expect_code 0
expect_json '.schema == "polytrace.convert/1" and .output.written and .lost.process == 1'
finish
