#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# heap: the questions, what they say of each other, and what there is to say without a snapshot.
set -uo pipefail
# shellcheck source=tests/cli/support/expect.sh
source "$(dirname "$0")/support/expect.sh"
trace=$data/everything.mlpd.gz
rows() { printf '[.tables[] | select(.key == "%s") | .rows[]]' "$1"; }

run heap --json --limit 0 "$trace"
expect_code 0
expect_json "$(rows heap_snapshots)"' | length == 2'
objects=$(jq "$(rows heap_classes)"' | map(.objects) | add' "$scratch/out")
expect_json "$(rows heap_snapshots)"' | .[1].objects == '"$objects"
# Of the first snapshot there are fewer, and what grew is what the second has more.
run heap --json --limit 0 --snapshot 0 "$trace"
expect_json "$(rows heap_classes)"' | map(.objects) | add < '"$objects"
run heap --json --limit 0 --growth 0,1 "$trace"
expect_code 0
expect_json '[.tables[0].rows[] | .after_objects - .before_objects == .objects_growth] | all'

# Nobody retains less than itself, and nothing is below what it is held by.
run heap --json --limit 0 --dominators "$trace"
expect_code 0
expect_json '[.tables[0].rows[] | .retained >= .bytes] | all'
class=$(jq -r '.tables[0].rows[0].class' "$scratch/out")
for question in --path --referrers; do
  run heap "$question" "$class" "$trace"
  expect_code 0
  expect_in out "$class"
  run heap "$question" 'No.Such.Class' "$trace"
  expect_code 2
done
run heap --unreachable --json "$trace"
expect_code 0

# Rows that are made one by one as they are shown are those of a table.
for form in csv tsv jsonl; do
  run heap --dominators --limit 1000000 --format "$form" "$trace"
  expect_code 0
  cp "$scratch/out" "$scratch/table"
  [[ $(wc -l <"$scratch/table") -gt 100 ]] || fail "few dominators as $form"
  run heap --dominators --limit 0 --format "$form" "$trace"
  expect_code 0
  cmp -s "$scratch/out" "$scratch/table" || fail "other dominators as $form"
done

# Whatever is asked, without a snapshot the answer is the way to one.
for question in '' --dominators --unreachable; do
  # shellcheck disable=SC2086  # none is no word
  run heap $question "$data/calls.mlpd"
  expect_code 2
  expect_in err 'the trace has no heap snapshot'
  expect_in err 'polytrace control PID heap-dump'
done
run heap --snapshot 7 "$trace"
expect_code 2
expect_in err 'there are 2 snapshots'
run heap --dominators --unreachable "$trace"
expect_code 2
# A damaged trace says so first.
run heap "$data/truncated.mlpd"
expect_code 4
finish
