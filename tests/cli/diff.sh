#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# diff: the same trace, in another format, and a part of it; forms, thresholds, checks.
set -uo pipefail
# shellcheck source=tests/cli/support/expect.sh
source "$(dirname "$0")/support/expect.sh"

# Nothing differs between a trace and itself, nor between it and the same in another format.
run diff --json --limit 0 --threshold 0% "$data/calls.mlpd" "$data/calls.mlpd"
expect_code 0
expect_json '.schema == "polytrace.diff/2" and .scale == 1 and .failed == null'
expect_json '.growths == []'
expect_json '[.tables[] | select(.key != "diff_totals") | .rows[] |
  select(.verdict != "in both")] == []'
run convert "$data/calls.mlpd" -o "$scratch/calls.ptrace"
expect_code 0
run diff --json --limit 0 --threshold 0% "$data/calls.mlpd" "$scratch/calls.ptrace"
expect_json '[.tables[] | select(.key == "diff_methods") | .rows[]] == []'

# A part has less of everything, and the way back grew.
run cut --to 2% "$data/calls.mlpd" -o "$scratch/half.mlpd"
expect_code 0
run diff --json --limit 0 --threshold 0% "$data/calls.mlpd" "$scratch/half.mlpd"
expect_code 0
expect_json '.tables[] | select(.key == "diff_totals") | .rows[0].methods > .rows[1].methods'
expect_json '[.tables[] | select(.key == "diff_methods") | .rows[] |
  .after - .before == .change] | all'
expect_json '[.tables[] | select(.key == "diff_methods") | .rows[] |
  select(.verdict == "gone") | .after == 0] | all'
# Of the time before any call, everything that comes later is new.
run cut --to 1% "$data/calls.mlpd" -o "$scratch/start.mlpd"
run diff --fail-over 0.1% "$scratch/start.mlpd" "$data/calls.mlpd"
expect_code 5
expect_in out 'Program:Leaf (): 0 calls, now 1,000: new (+50.8 % of all, more than 0.1 %)'
expect_in out 'Times are not judged: that takes 3 runs of each side'
three() { printf '%s\n' "$1" "$1" "$1"; }
mapfile -t starts < <(three "$scratch/start.mlpd")
mapfile -t wholes < <(three "$data/calls.mlpd")
run diff --fail-over 0.1% "${starts[@]}" -- "${wholes[@]}"
expect_code 5
expect_in out 'more grew by more than that'
run diff --fail-over 5% --fail-on methods "${starts[@]}" -- "${wholes[@]}"
expect_code 5
# What cannot be judged cannot fail: a check by it alone is refused.
run diff --fail-over 5% --fail-on methods,locks "$scratch/start.mlpd" "$data/calls.mlpd"
expect_code 2
expect_in err 'takes 3 runs of each side'
run diff "$scratch/start.mlpd" "$data/calls.mlpd"
expect_code 0
expect_in out 'Program:Leaf (): 0 calls, now 1,000: new (+50.8 % of all)'
run diff "$data/calls.mlpd" "$data/calls.mlpd"
expect_in out 'Nothing changed that can be counted.'
run diff --fail-over 5% --fail-on heap "$scratch/start.mlpd" "$data/calls.mlpd"
expect_code 0
expect_in out 'Nothing grew by more than 5 %'

# Several runs of each: averages, and what is the same in all of them is no noise.
run diff --json --limit 0 --threshold 0% "$data/calls.mlpd" "$scratch/calls.ptrace" \
  -- "$scratch/half.mlpd" "$scratch/half.mlpd" "$scratch/half.mlpd"
expect_code 0
expect_json '[.before, .after] | map(length) == [2, 3]'
expect_json '.tables[] | select(.key == "diff_calls") | .rows | length == 5'
expect_json '[.tables[] | select(.key == "diff_calls") | .rows[] | .noise] | unique == [0]'
run diff "$data/calls.mlpd" -- "$scratch/half.mlpd" "$scratch/start.mlpd"
expect_code 0
expect_in out 'On average of 1 run and 2 runs'

run diff --fail-over 1000000% "$scratch/start.mlpd" "$data/calls.mlpd"
expect_code 0
run diff --per time --json "$scratch/half.mlpd" "$data/calls.mlpd"
expect_json '.scale > 0 and .scale < 1'

for form in text csv tsv md; do
  run diff --format "$form" --limit 3 "$data/calls.mlpd" "$scratch/half.mlpd"
  expect_code 0
  [[ -s $scratch/out ]] || fail "nothing in $form"
done
run diff --weight nonsense "$data/calls.mlpd" "$scratch/half.mlpd"
expect_code 2
run diff --fail-over 5 "$data/calls.mlpd" "$scratch/half.mlpd"
expect_code 2
run diff - -
expect_code 2
run diff "$data/calls.mlpd"
expect_code 2
expect_in err 'two traces are compared'
run diff --fail-on method "$data/calls.mlpd" "$data/calls.mlpd"
expect_code 2
expect_in err 'did you mean "methods"'
run diff "$data/calls.mlpd" "$scratch/absent.mlpd"
expect_code 1
finish
