#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Each exit code, and the shape of errors as text and as JSON.
set -uo pipefail
# shellcheck source=tests/cli/support/expect.sh
source "$(dirname "$0")/support/expect.sh"

for command in info report cat check; do
  run "$command" "$data/calls.mlpd"
  expect_code 0
  expect_silent err
  run "$command" "$scratch/missing.mlpd"
  expect_code 1
  expect_silent out
  expect_in err "polytrace: $scratch/missing.mlpd: cannot be opened: No such file or directory"
  expect_in err '  hint: '
  run "$command"
  expect_code 2
  run "$command" "$0"
  expect_code 3
  expect_in err 'is in no format polytrace knows'
  run "$command" "$data/truncated.mlpd"
  expect_code 4
  run "$command" "$data/bad_event.mlpd"
  expect_code 4
done
: >"$scratch/empty"
run info "$scratch/empty"
expect_code 3
expect_in err 'it is empty'

# A directory, and a disk that is full.
run info "$scratch"
expect_code 1
code=0
"$POLYTRACE" cat "$data/calls.mlpd" >/dev/full 2>"$scratch/err" || code=$?
ran='polytrace cat > /dev/full'
expect_code 1
expect_in err 'cannot be written: No space left on device'

# A broken frame: what follows is lost, or found again with --resync; either way the code is 4.
third=$(LC_ALL=C grep -aob 'LPM' "$data/calls.mlpd" | sed -n '3s/:.*//p')
cp "$data/calls.mlpd" "$scratch/broken.mlpd"
printf 'XX' | dd of="$scratch/broken.mlpd" bs=1 seek="$third" conv=notrunc status=none
run info --json "$scratch/broken.mlpd"
expect_code 4
lost=$(jq .events.total "$scratch/out")
run info --json --resync "$scratch/broken.mlpd"
expect_code 4
found=$(jq .events.total "$scratch/out")
[[ $lost -gt 0 && $found -gt $lost ]] || fail "--resync found $found events, without it $lost"

# 5: a conversion that must not lose anything.
run convert --strict "$data/calls.mlpd" -o "$scratch/old.mlpd" --to mlpd:1
expect_code 5
[[ ! -e $scratch/old.mlpd ]] || fail 'a refused conversion left a file'

# Errors as JSON: one object, one line.
run info --json "$scratch/missing.mlpd"
expect_code 1
[[ $(wc -l <"$scratch/err") -eq 1 ]] || fail "$ran: more than a line"
jq -e '.code == "open-failed" and (.file | endswith("missing.mlpd")) and .offset == null and
  (.message | length > 0) and (.hint | length > 0)' "$scratch/err" >/dev/null ||
  fail "$ran: $(cat "$scratch/err")"
run info --json --bogus x
expect_code 2
jq -e '.code == "usage"' "$scratch/err" >/dev/null || fail "$ran: $(cat "$scratch/err")"

# --strict stops at the first problem and says so.
run info --strict "$data/bad_event.mlpd"
expect_code 4
expect_in err 'stopped at the first problem'
strict=$("$POLYTRACE" info --strict --json "$data/bad_event.mlpd" 2>/dev/null | jq .events.total)
whole=$("$POLYTRACE" info --json "$data/bad_event.mlpd" 2>/dev/null | jq .events.total)
[[ $strict -le $whole ]] || fail "--strict read more ($strict) than a whole run ($whole)"
# Places of a fault: ten, all where they are asked for. The log has 21 lines that are malformed, and
# one that is cut off.
log=$TEST_DATA/tracelog/malformed-lines.trace.log
for asked in '' --all; do
  run check ${asked:+"$asked"} "$log"
  expect_code 4
  awk '/^  [a-z]/ { wanted = /line-malformed/ } wanted && /^    line /' "$scratch/out" \
    >"$scratch/places"
  count=10
  [[ -z $asked ]] || count=21
  [[ $(wc -l <"$scratch/places") -eq $count ]] || fail "check $asked: not $count places"
done
run check "$log"
expect_in out 'and 11 more (--all lists them)'

# What an export leaves out: a count, and the list where it is asked for.
run export --to folded "$data/calls.mlpd" -o "$scratch/one.folded"
[[ $(wc -l <"$scratch/err") -eq 1 ]] || fail 'export says more than one line'
expect_in err 'have no place in it (-v says more)'
run export -v -f --to folded "$data/calls.mlpd" -o "$scratch/one.folded"
expect_in err '    root_region'
finish
