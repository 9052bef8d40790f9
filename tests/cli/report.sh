#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# report: sections, forms, sorting, limits, selection.
set -uo pipefail
# shellcheck source=tests/cli/support/expect.sh
source "$(dirname "$0")/support/expect.sh"

run report "$data/calls.mlpd"
expect_code 0
expect_in out 'Program:Leaf ()'
expect_not_in out '(wrapper'
[[ $(sed -n 3p "$scratch/out") == Summary ]] || fail 'the summary is not first'
run report --show-helpers --sections calls --limit 0 "$data/calls.mlpd"
expect_in out '(wrapper'

run report --json --limit 0 --show-helpers "$data/calls.mlpd"
expect_code 0
expect_json '.schema == "polytrace.report/1" and .partial == false and .notices == []'
# shellcheck disable=SC2016 # $c is for jq
expect_json '[.tables[] | .columns as $c | .rows[] | keys | length == ($c | length)] | all'
expect_json '[.tables[] | select(.key == "methods") | .rows[] | .calls] | add == 2373'
# The facts' twelve most called methods, exactly.
jq -S '.calls.top' "$data/calls.facts.json" >"$scratch/facts"
jq -S --slurpfile facts "$scratch/facts" '[.tables[] | select(.key == "methods") | .rows[] |
  select($facts[0][.method] != null)] | group_by(.method) |
  map({(.[0].method): (map(.calls) | add)}) | add' "$scratch/out" >"$scratch/ours"
cmp -s "$scratch/facts" "$scratch/ours" ||
  fail "calls differ from the facts: $(diff "$scratch/facts" "$scratch/ours")"

run report --sections calls --limit 3 --json "$data/calls.mlpd"
expect_json '.tables[0].section == "calls" and (.tables[0].rows | length) == 3 and
  .tables[0].rows_left_out > 0'
run report --sections calls --limit 3 "$data/calls.mlpd"
expect_in out 'more (--limit 0 shows all)'
run report --sections calls --sort calls --json --limit 0 "$data/calls.mlpd"
expect_json '[.tables[] | select(.key == "methods") | .rows[].calls] | . == (sort | reverse)'
run report --sections calls --name Program:Fib --json "$data/calls.mlpd"
expect_json '[.tables[] | select(.key == "methods") | .rows[].method] == ["Program:Fib (int)"]'
run report --sections calls --thread Finalizer --json --limit 0 "$data/calls.mlpd"
expect_json '[.tables[] | select(.key == "methods") | .rows[].method |
  select(startswith("Program:"))] == []'

# One table in CSV has a head and a line per row; numbers stay numbers.
run report --sections calls --format csv --limit 5 "$data/calls.mlpd"
python3 - "$scratch/out" <<'P' || fail 'the CSV is not as RFC 4180 wants it'
import csv, sys
text = open(sys.argv[1], newline="").read()
assert text.count("\r\n") >= 6 and "\n" not in text.replace("\r\n", ""), "line ends"
rows = [row for row in csv.reader(text.split("\r\n")) if row]
assert len({len(row) for row in rows}) == 1, "ragged"
calls = rows[0].index("calls")
assert all(row[calls].isdigit() for row in rows[1:]), "calls"
P
run report --sections calls --format tsv --limit 5 "$data/calls.mlpd"
[[ $(awk -F '\t' '{ print NF }' "$scratch/out" | sort -u | wc -l) -eq 1 ]] || fail 'ragged TSV'
run report --format md "$data/calls.mlpd"
expect_in out '## Summary'
expect_in out '|--:|'

run report --sections nonsense "$data/calls.mlpd"
expect_code 2
run report --sections samples "$data/calls.mlpd"
expect_code 0
expect_in out 'no sample events were recorded'

# Sections that say nothing say why: what the format cannot hold, what was not recorded, what is not
# selected.
run report --json --sections samples,monitors,calls --thread 12345 "$data/calls.mlpd"
expect_json '[.empty_sections[] | "\(.section) \(.reason)"]
  == ["samples not_recorded", "monitors not_recorded", "calls not_selected"]'
run report --json "$data/../tracelog/app64.trace.log"
expect_json '.empty_sections | any(.section == "monitors" and .reason == "no_place")'
expect_json '.empty_sections | any(.section == "calls" and .reason == "not_recorded")'
expect_json '[.empty_sections[].section]
  - ([.empty_sections[].section] - [.tables[] | select(.rows | length > 0) | .section]) == []'
run report --format md --sections handles "$data/../tracelog/app64.trace.log"
expect_in out '* handles: no handle events: the format has no place for them'

# Every recording gives a report whose JSON is JSON; damage is in it and in the text.
while IFS= read -r file; do
  run report --json "$file"
  expect_json '.tables | length > 5'
done < <(find "$data" -name '*.mlpd' -o -name '*.mlpd.gz' | sort)
run report "$data/truncated.mlpd"
expect_code 4
expect_in out 'NOTICES: this result is partial'
run report --format csv --sections threads "$data/truncated.mlpd"
expect_code 4
expect_in err 'ends inside a frame'

# Counters over time are a row of bars, numbers in JSON.
run report --sections counters "$data/counters.mlpd"
expect_code 0
expect_in out '#'
run report --sections counters --json "$data/counters.mlpd"
expect_json '.tables[0].rows[0].series | test("^[0-9.,-]*$")'

# Time that nobody worked is no more than there is; folding loses no call.
run report --sections calls --json --limit 0 --subtract gc,waits "$data/calls.mlpd"
expect_code 0
expect_json '.selection.subtract == ["gc", "waits"]'
expect_json '[.tables[] | select(.key == "methods") | .rows[] |
  .p50 >= .least and .p50 <= .p95 and .p95 <= .most] | all'
run report --sections calls --subtract nonsense "$data/calls.mlpd"
expect_code 2
run report --sections calls,tree --json --limit 0 --show-helpers --fold-recursion "$data/calls.mlpd"
expect_json '[.tables[] | select(.key == "methods") | .rows[] | .calls] | add == 2373'
jq '[.tables[] | select(.key == "methods")]' "$scratch/out" >"$scratch/folded"
run report --sections calls,tree --json --limit 0 --show-helpers "$data/calls.mlpd"
jq '[.tables[] | select(.key == "methods")]' "$scratch/out" | cmp -s "$scratch/folded" - ||
  fail 'the figures of methods depend on how the tree is shown'
run report --sections sandwich --method 'Program:Fib (int)' --json --limit 0 "$data/calls.mlpd"
expect_json '[.tables[] | .key] == ["method_callers", "method_callees"]'
expect_json '[.tables[] | .rows[0].method] | unique == ["Program:Fib (int)"]'
run report --sections sandwich --json "$data/calls.mlpd"
expect_json '.tables[0].key == "bottom_up" and .tables[0].rows[0].depth == 0'

# Threads by a pattern of their names: all that it fits, counted once more among all events.
run report --sections threads --json --limit 0 "$data/threads.mlpd.gz"
jq -r '.tables[0].rows[] | select(.thread | test("^t[0-9]")) | .id' "$scratch/out" |
  sort -u >"$scratch/ids"
[[ $(wc -l <"$scratch/ids") -ge 2 ]] || fail 'too few threads to choose from'
calls=$("$POLYTRACE" cat --kind enter "$data/threads.mlpd.gz" |
  cut -d ' ' -f 2 | grep -cxFf "$scratch/ids")
for pattern in 't[0-9]*' 't?'; do
  run report --sections calls --json --limit 0 --show-helpers --thread "$pattern" \
    "$data/threads.mlpd.gz"
  expect_json '[.tables[] | select(.key == "methods") | .rows[].calls] | add == '"$calls"
  expect_json '.selection.threads | length == '"$(wc -l <"$scratch/ids")"
done
run report --thread 'no*one' "$data/threads.mlpd.gz"
expect_code 2

# Sections answer to the words that record them; what was not recorded says how it is.
run report --sections gc,alloc --json "$data/calls.mlpd"
expect_code 0
expect_json '[.empty_sections[].section] | index("gc") == null'
run report --sections survival "$data/calls.mlpd"
expect_in out 'record --events +alloc --option heapdump=end'
expect_in out 'of .NET: --control, then control PID heap-dump'
finish
