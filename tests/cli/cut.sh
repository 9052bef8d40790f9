#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# cut: the whole is the same, a part is a valid trace with the figures of the selection.
set -uo pipefail
# shellcheck source=tests/cli/support/expect.sh
source "$(dirname "$0")/support/expect.sh"
all=$data/everything.mlpd.gz
shop=$TEST_DATA/trcxml/shop.trcxml

cat_of() {
  "$POLYTRACE" cat "$@"
}
figures() { # the methods of a report, as data
  "$POLYTRACE" report --sections calls --limit 0 --format csv "$@" | grep -v '^$'
}

# Everything.
run cut "$all" -o "$scratch/whole.mlpd"
expect_code 0
cmp -s <(cat_of "$all") <(cat_of "$scratch/whole.mlpd") || fail 'the whole is not the same'
run cut --from 0% --to-format tbf "$shop" -o "$scratch/whole.bin"
expect_code 0
run cut --from 0% --to 100% "$scratch/whole.bin" -o "$scratch/again.trcbin"
expect_code 0
cmp -s <(cat_of "$scratch/whole.bin") <(cat_of "$scratch/again.trcbin") ||
  fail '0 % to 100 % is not all'

# A part of the time: within it, with all definitions, and the figures of the same selection.
run cut --from 10ms --to +20ms "$all" -o "$scratch/part.mlpd"
expect_code 0
expect_in err '9 left at the end'
run check "$scratch/part.mlpd"
expect_code 0
cmp -s <(figures --from 10ms --to +20ms "$all") <(figures "$scratch/part.mlpd") ||
  fail 'the part has other figures than the selection'
"$POLYTRACE" info --json "$scratch/part.mlpd" >"$scratch/out"
expect_json '.events.kinds.class == 728 and .events.kinds.method == 423'
expect_json '.events.kinds.enter == .events.kinds.leave + (.events.kinds.unwind // 0)'
expect_json '[.threads[] | .first, .last | select(. != null)] | max - min == 20000000'

# Again the same.
from=$("$POLYTRACE" info --json "$scratch/part.mlpd" | jq '[.threads[].first | values] | min')
run cut --from "$from" --to $((from + 20000000)) "$scratch/part.mlpd" -o "$scratch/again.mlpd"
expect_code 0
expect_in err '0 entered at the beginning, 9 left'
cmp -s <(cat_of "$scratch/part.mlpd") <(cat_of "$scratch/again.mlpd") ||
  fail 'a cut of a cut differs'

# What is made is marked, where the format has notes.
run cut --from 200ms --to 250ms --to-format tbf "$all" -o "$scratch/marked.bin"
expect_code 0
run cut --from 1185890426500000000 --to 1185890426700000000 "$shop" -o "$scratch/marked.trcxml"
expect_code 0
run cat "$scratch/marked.trcxml"
expect_in out '500000000 - note text="cut: thread 0x2: 1 calls began earlier and are entered here"'
expect_in out '1185890426500000000 0x2 enter method=0xc9'
expect_in out '700000000 - note text="cut: thread 0x2: 1 calls go on and are left here"'
expect_in out '1185890426700000000 0x2 leave method=0xc9'
run check --strict "$scratch/marked.trcxml"
expect_code 0
run cut --strict --from 10ms --to +20ms "$all" -o "$scratch/strict.mlpd"
expect_code 5
expect_in err 'note '

# By thread, by name and by id; from standard input.
run cut --thread Finalizer - -o "$scratch/thread.mlpd" <"$data/calls.mlpd"
expect_code 0
run cat --kind enter,leave "$scratch/thread.mlpd"
[[ $(cut -d ' ' -f 2 "$scratch/out" | sort -u | wc -l) -eq 1 ]] || fail 'more than one thread'
cmp -s "$scratch/out" <(cat_of --thread Finalizer --kind enter,leave "$data/calls.mlpd") ||
  fail 'calls of the thread are missing'
run cut --thread Nobody "$all" -o "$scratch/new.mlpd"
expect_code 2

# By method and class.
run cut --method Program:Rec "$all" -o "$scratch/method.mlpd"
expect_code 0
cmp -s <(figures --name Program:Rec "$all" | cut -d , -f 3-) \
  <(figures --name Program:Rec "$scratch/method.mlpd" | cut -d , -f 3-) ||
  fail 'other figures of Rec'
run cat --kind enter "$scratch/method.mlpd"
[[ $(wc -l <"$scratch/out") -eq 13 ]] || fail 'not the 13 calls of Rec'
run cut --class System.String "$all" -o "$scratch/class.mlpd"
expect_code 0
run check "$scratch/class.mlpd"
expect_code 0
"$POLYTRACE" report --sections allocations --format csv "$scratch/class.mlpd" >"$scratch/out"
expect_in out 'System.String'
expect_not_in out 'System.Byte[]'

# Refusals.
run cut --from 2s --to 1s "$all" -o "$scratch/new.mlpd"
expect_code 2
run cut --from soon "$all" -o "$scratch/new.mlpd"
expect_code 2
[[ ! -e $scratch/new.mlpd ]] || fail 'a refused cut left a file'
run cut --json --from 50% "$data/truncated.mlpd" -o "$scratch/damaged.mlpd"
expect_code 4
expect_json '.schema == "polytrace.convert/1" and .partial and .output.written'
finish
