#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# cat: every event once, filters, order, JSON Lines.
set -uo pipefail
# shellcheck source=tests/cli/support/expect.sh
source "$(dirname "$0")/support/expect.sh"

total=$("$POLYTRACE" info --json "$data/everything.mlpd.gz" | jq .events.total)
run cat "$data/everything.mlpd.gz"
expect_code 0
[[ $(wc -l <"$scratch/out") -eq $total ]] || fail "cat does not print the $total events of info"
sort "$scratch/out" >"$scratch/sorted"
run cat --order time "$data/everything.mlpd.gz"
expect_code 0
sort "$scratch/out" | cmp -s - "$scratch/sorted" || fail '--order time prints other events'

run cat --jsonl "$data/everything.mlpd.gz"
[[ $(jq -s length "$scratch/out") -eq $total ]] || fail "--jsonl has not $total objects"
jq -es 'all(.[]; (.time | type) == "number" and (.kind | length) > 0)' "$scratch/out" >/dev/null ||
  fail '--jsonl: an event without time or kind'
cp "$scratch/out" "$scratch/lines"
run cat --json "$data/everything.mlpd.gz"
cmp -s "$scratch/out" "$scratch/lines" || fail '--json differs from --jsonl'

run cat --kind enter,leave "$data/calls.mlpd"
[[ $(wc -l <"$scratch/out") -eq 4746 ]] || fail "$ran: $(wc -l <"$scratch/out") lines"
run cat --limit 7 "$data/calls.mlpd"
[[ $(wc -l <"$scratch/out") -eq 7 ]] || fail "$ran: not 7 lines"

# A thread by name, by hexadecimal and by decimal id.
main=$("$POLYTRACE" info --json "$data/calls.mlpd" |
  jq -r '.threads[] | select(.name == "Main").id')
run cat --thread Main "$data/calls.mlpd"
cp "$scratch/out" "$scratch/named"
[[ $(wc -l <"$scratch/named") -eq 5524 ]] || fail "$ran: $(wc -l <"$scratch/named") lines"
for id in "$main" "$((main))"; do
  run cat --thread "$id" "$data/calls.mlpd"
  cmp -s "$scratch/out" "$scratch/named" || fail "$ran differs from --thread Main"
done
run cat --thread Nobody "$data/calls.mlpd"
expect_code 2
expect_in err 'no thread is named "Nobody"; the named ones are '

# By name: the method's definition, its compilation and its calls.
run cat --name Program:Fib --kind enter "$data/calls.mlpd"
[[ $(wc -l <"$scratch/out") -eq 465 ]] || fail "$ran: $(wc -l <"$scratch/out") calls, not 465"
finish
