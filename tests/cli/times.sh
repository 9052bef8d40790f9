#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# --from and --to: each way to say when gives the events it should.
set -uo pipefail
# shellcheck source=tests/cli/support/expect.sh
source "$(dirname "$0")/support/expect.sh"

file=$data/calls.mlpd
read -r first last wall < <("$POLYTRACE" info --json "$file" |
  jq -r '"\(.span.first) \(.span.last) \(.recorded)"')
"$POLYTRACE" cat --kind enter,leave "$file" >"$scratch/all"

# expect_events FROM TO OPTION...: the options select the events with FROM <= time < TO.
expect_events() {
  local from=$1 to=$2
  shift 2
  run cat --kind enter,leave "$@" "$file"
  expect_code 0
  awk -v from="$from" -v to="$to" '$1 >= from && $1 < to' "$scratch/all" >"$scratch/expected"
  [[ -s $scratch/expected ]] || fail "$ran: selects nothing, which shows nothing"
  cmp -s "$scratch/out" "$scratch/expected" ||
    fail "$ran: $(wc -l <"$scratch/out") events, not $(wc -l <"$scratch/expected")"
}

ms=1000000
expect_events $((first + 18 * ms)) $((last + 1)) --from 18ms
expect_events $((first + 18 * ms)) $((last + 1)) --from +18ms
expect_events $((first + 18 * ms)) $((last + 1)) --from 0.018s
expect_events $((first + 18 * ms)) $((last + 1)) --from 18000us
expect_events $((first + 18 * ms)) $((first + 20 * ms)) --from 18ms --to +2ms
expect_events "$first" $((first + 20 * ms)) --to 20ms
expect_events $((first + 18 * ms)) $((first + 19 * ms)) \
  --from $((first + 18 * ms)) --to $((first + 19 * ms))
expect_events "$first" $((last + 1)) --from 0% --to 100%
half=$((first + (last - first + 1) / 2))
expect_events "$half" $((last + 1)) --from 50%

# Wall time: the clock event ties the two clocks.
read -r clock at < <("$POLYTRACE" cat --jsonl --kind clock "$file" | jq -r '"\(.wall) \(.time)"')
[[ $(date -u -d "$wall" +%s)000000000 == "$clock" ]] || fail "wall time $wall is not $clock"
expect_events $((at + 18 * ms)) $((last + 1)) --from "${wall%.*}.018Z"
expect_events $((at + 18 * ms)) $((last + 1)) \
  --from "$(date -u -d "$wall + 2 hours" +%Y-%m-%dT%H:%M:%S).018+02:00"

# From a pipe too, where two passes need a copy; no copy stays behind.
mkdir "$scratch/spool"
TMPDIR=$scratch/spool "$POLYTRACE" cat --kind enter,leave --from 18ms - <"$file" >"$scratch/file"
TMPDIR=$scratch/spool "$POLYTRACE" cat --kind enter,leave --from 18ms - \
  < <(cat "$file") >"$scratch/pipe"
run cat --kind enter,leave --from 18ms "$file"
for way in file pipe; do
  cmp -s "$scratch/out" "$scratch/$way" || fail "--from with a $way as standard input differs"
done
[[ -z $(ls "$scratch/spool") ]] || fail 'the copy of standard input stayed behind'

for wrong in soon 5x 101% 2026-13-01T00:00:00Z 2026-11-21T10:00:00; do
  run cat --from "$wrong" "$file"
  expect_code 2
  expect_in err 'is no time'
done
run cat --from 50% --to 40% "$file"
expect_code 2
expect_in err 'nothing lies between'
run cat --follow --from 50% "$file"
expect_code 2
expect_in err '--follow reads once'
finish
