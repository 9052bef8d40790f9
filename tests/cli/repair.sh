#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# repair: what can be saved of a damaged trace becomes a whole one.
set -uo pipefail
# shellcheck source=tests/cli/support/expect.sh
source "$(dirname "$0")/support/expect.sh"

for name in truncated bad_event; do
  run repair "$data/$name.mlpd" -o "$scratch/$name.mlpd"
  expect_code 4
  expect_in err 'not read'
  cmp -s <("$POLYTRACE" cat "$data/$name.mlpd" 2>/dev/null) \
    <("$POLYTRACE" cat "$scratch/$name.mlpd") || fail "$name: the repaired trace says otherwise"
  run check "$scratch/$name.mlpd"
  expect_code 0
done

# Nothing to repair; the version stays where it can be written, the name's ending decides nothing.
run convert "$data/calls.mlpd" -o "$scratch/old.mlpd" --to mlpd:1
expect_code 0
run repair --json "$scratch/old.mlpd" -o "$scratch/same.txt"
expect_code 0
expect_json '.output.format == "mlpd" and .output.version == "1" and .output.written'
cmp -s "$scratch/old.mlpd" "$scratch/same.txt" || fail 'a whole file became another'

# An existing file stays as it is.
run repair "$data/truncated.mlpd" -o "$scratch/same.txt"
expect_code 1
cmp -s "$scratch/old.mlpd" "$scratch/same.txt" || fail 'an existing file was replaced'
run repair "$data/truncated.mlpd"
expect_code 2
finish
