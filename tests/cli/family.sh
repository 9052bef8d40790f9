#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# TBF and TPTP XML: record by record into each other, in either byte order, packed, cut off.
set -uo pipefail
# shellcheck source=tests/cli/support/expect.sh
source "$(dirname "$0")/support/expect.sh"
shop=$(dirname "$0")/../../examples/shop.trcxml

same() {
  cmp -s "$scratch/$1" "$scratch/$2" || fail "$1 and $2 differ"
}

# There and back again.
for order in little big; do
  run convert "$shop" --byte-order "$order" -o "$scratch/$order.trcbin"
  expect_code 0
  expect_in err '32 records'
  run info "$scratch/$order.trcbin"
  expect_in out "version 1.0 $order-endian"
  run convert "$scratch/$order.trcbin" -o "$scratch/$order.trcxml"
  run convert "$scratch/$order.trcxml" --byte-order "$order" -o "$scratch/again.trcbin" --force
  expect_code 0
  same "$order.trcbin" again.trcbin
done
same little.trcxml big.trcxml
told() {
  "$POLYTRACE" cat "$scratch/$1" | grep -v ' clock '  # only TBF tells a frequency
}
cmp -s <(told little.trcxml) <(told big.trcbin) ||
  fail 'both spellings tell different events'

# A target of the same format keeps the order; a format without a choice says so.
run repair "$scratch/big.trcbin" -o "$scratch/again.trcbin" --force
expect_code 0
same big.trcbin again.trcbin
run convert "$scratch/big.trcbin" --byte-order little -o "$scratch/again.trcbin" --force
same little.trcbin again.trcbin
run convert "$data/calls.mlpd" --byte-order big -o "$scratch/new.mlpd"
expect_code 2

# Packed, both ways; the target's kind by --to.
for ending in gz zst; do
  run convert "$scratch/little.trcxml" -o "$scratch/packed.trcbin.$ending"
  run convert "$scratch/packed.trcbin.$ending" --to trcxml -o "$scratch/unpacked-$ending"
  expect_code 0
  same little.trcxml "unpacked-$ending"
done

# From another family, with what is lost; not with --strict.
run convert --json "$data/calls.mlpd" -o "$scratch/calls.trcbin"
expect_code 0
expect_json '.output.written and .events_lost > 0 and .lost.enter == null and .lost.vtable > 0'
expect_json '(.fields_lost | length) > 0'
run convert --strict "$data/calls.mlpd" -o "$scratch/strict.trcbin"
expect_code 5
[[ ! -e $scratch/strict.trcbin ]] || fail 'a refused conversion left a file'
calls() {
  "$POLYTRACE" cat --kind enter,leave,unwind "$1" | wc -l
}
[[ $(calls "$data/calls.mlpd") -eq $(calls "$scratch/calls.trcbin") ]] || fail 'calls were lost'

# check: a deviation that costs nothing is a warning, and a failure with --strict.
printf '<TRACE>\n<gcStart time="2" colour="red"/>\n<gcStart time="1" colour="red"/>\n</TRACE>\n' \
  >"$scratch/odd.trcxml"
run check "$scratch/odd.trcxml"
expect_code 0
expect_in out 'whole, with warnings'
expect_in out 'xml-unknown'
expect_in out 'line 3:'
run check --strict --json "$scratch/odd.trcxml"
expect_code 5
expect_json '.ok == false and .partial == false'
expect_json '[.places[] | select(.code == "xml-unknown") | .line] == [2, 3]'
run convert --strict "$scratch/odd.trcxml" -o "$scratch/strict.trcbin"
expect_code 5
[[ ! -e $scratch/strict.trcbin ]] || fail 'a refused conversion left a file'

# What no message can hold is told by element and attribute.
printf '<TRACE><methodEntry threadIdRef="1" time="1" objIdRef="5"/></TRACE>' >"$scratch/lost.trcxml"
run convert --json "$scratch/lost.trcxml" -o "$scratch/lost.trcbin"
expect_json '.fields_lost == {"methodEntry.objIdRef": 1} and .records_read == 1'

# repair: what was cut off or garbled, as a whole stream of the same format.
head -c 1000 "$scratch/big.trcbin" >"$scratch/cut.trcbin"
head -c 2000 "$scratch/little.trcxml" >"$scratch/cut.trcxml"
{
  head -c 900 "$scratch/little.trcbin"
  printf 'garbage!'
  tail -c +901 "$scratch/little.trcbin"
} >"$scratch/garbled.trcbin"
for name in cut.trcbin cut.trcxml garbled.trcbin; do
  run check "$scratch/$name"
  expect_code 4
  run repair "$scratch/$name" -o "$scratch/good-$name"
  expect_code 4
  run check "$scratch/good-$name"
  expect_code 0
  run repair "$scratch/good-$name" -o "$scratch/same-$name"
  expect_code 0
  same "good-$name" "same-$name"
done
finish
