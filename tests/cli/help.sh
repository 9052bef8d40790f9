#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Every help text: shape, width, where it goes; the guesses at mistyped words.
set -uo pipefail
# shellcheck source=tests/cli/support/expect.sh
source "$(dirname "$0")/support/expect.sh"

mapfile -t commands < <("$POLYTRACE" --help | sed -n '/^Commands:/,/^$/s/^  \([a-z]*\) .*/\1/p')
[[ ${#commands[@]} -eq 30 ]] || fail "the overview lists ${#commands[@]} commands"

mapfile -t grouped < <("$POLYTRACE" history | sed -n 's/^  \(history [a-z]*\) .*/\1/p')
[[ ${#grouped[@]} -eq 9 ]] || fail "history lists ${#grouped[@]} commands"
commands+=("${grouped[@]}")
mapfile -t grouped < <("$POLYTRACE" index | sed -n 's/^  \(index [a-z]*\) .*/\1/p')
[[ ${#grouped[@]} -eq 6 ]] || fail "index lists ${#grouped[@]} commands"
commands+=("${grouped[@]}")
mapfile -t grouped < <("$POLYTRACE" fleet | sed -n 's/^  \(fleet [a-z]*\) .*/\1/p')
[[ ${#grouped[@]} -eq 22 ]] || fail "fleet lists ${#grouped[@]} commands"
commands+=("${grouped[@]}")

expect_help_shape() {
  expect_code 0
  expect_silent err
  local part
  for part in 'Usage: polytrace' 'Examples:' 'Exit codes:' 'Read more:' '--help'; do
    expect_in out "$part"
  done
  local widest
  widest=$(awk '{ if (length > most) most = length } END { print most }' "$scratch/out")
  [[ $widest -le 100 ]] || fail "$ran: $widest columns"
  [[ $(grep -c '^  # ' "$scratch/out") -ge 2 ]] || fail "$ran: fewer than two examples"
}

run --help
expect_help_shape
run -h
expect_help_shape
for command in "${commands[@]}"; do
  # shellcheck disable=SC2086 # those of a group are two words
  run $command --help
  expect_help_shape
  cp "$scratch/out" "$scratch/long"
  # shellcheck disable=SC2086
  run $command -h
  cmp -s "$scratch/out" "$scratch/long" || fail "$ran differs from --help"
  # shellcheck disable=SC2086
  run help $command
  cmp -s "$scratch/out" "$scratch/long" || fail "$ran differs from --help"
done

for topic in times kinds exit-codes; do
  run help "$topic"
  expect_code 0
  [[ $(wc -l <"$scratch/out") -gt 10 ]] || fail "$ran says hardly anything"
  [[ $(awk '{ if (length > most) most = length } END { print most }' "$scratch/out") -le 100 ]] ||
    fail "$ran: wider than 100 columns"
done

run
expect_code 2
expect_silent out
expect_in err 'Usage: polytrace'

run infoo x
expect_code 2
expect_in err 'did you mean "info"?'
run help reprot
expect_code 2
expect_in err 'did you mean "report"?'
run history qery x
expect_code 2
expect_in err 'did you mean "history query"?'
run cat --kind entr "$data/calls.mlpd"
expect_code 2
expect_in err 'did you mean "enter"?'
run report --sections samplse "$data/calls.mlpd"
expect_code 2
expect_in err 'did you mean "samples"?'
run report --sort slef --sections calls "$data/calls.mlpd"
expect_code 2
expect_in err 'did you mean "self"?'
run info --folow "$data/calls.mlpd"
expect_code 2
expect_in err 'did you mean "--follow"?'
run convert "$data/calls.mlpd" -o "$scratch/x" --to mldp
expect_code 2
expect_in err 'did you mean "mlpd"?'
run report --format jsn "$data/calls.mlpd"
expect_code 2
expect_in err '--format: no "jsn"; did you mean "json"?'
run report --limit -3 "$data/calls.mlpd"
expect_code 2
expect_in err '--limit: "-3" is no number from 0 on'
run report --limit many "$data/calls.mlpd"
expect_code 2
expect_in err '--limit: "many" is no number from 0 on'
run diff --threshold 0 "$data/calls.mlpd" "$data/calls.mlpd"
expect_code 0
run report --from 0 --sections calls "$data/calls.mlpd"
expect_code 0
expect_not_in out 'selected: '
finish
