#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The programs of polytrace start each other; one that is not there is named, with how to get it.
set -uo pipefail
# shellcheck source=tests/cli/support/expect.sh
source "$(dirname "$0")/support/expect.sh"
folder=$(dirname "$(readlink -f "$POLYTRACE")")

# Every program lists all commands and has them.
run --help
cp "$scratch/out" "$scratch/overview"
run report --sections calls "$data/calls.mlpd"
cp "$scratch/out" "$scratch/report"
for POLYTRACE in "$folder/polytrace-ui" "$folder/polytrace-fleet"; do
  run --help
  cmp -s "$scratch/out" "$scratch/overview" || fail "$POLYTRACE: another overview"
  run report --sections calls "$data/calls.mlpd"
  expect_code 0
  cmp -s "$scratch/out" "$scratch/report" || fail "$POLYTRACE: another report"
  run ui --port 70000 "$data/calls.mlpd"
  expect_code 2
  expect_in err '--port is a number'
  run fleet hosst
  expect_code 2
  expect_in err 'did you mean "fleet hosts"?'
  run man fleet plan
  expect_code 0
  expect_in out '.TH POLYTRACE'
done
POLYTRACE=$folder/polytrace

# Shells complete the options of all programs.
run completion bash
expect_code 0
for word in --sections --view --new-token --dry-run; do expect_in out "$word"; done

# One program alone knows the others by name.
mkdir "$scratch/alone"
cp "$folder/polytrace" "$scratch/alone/"
POLYTRACE=$scratch/alone/polytrace
run --help
cmp -s "$scratch/out" "$scratch/overview" || fail 'alone: another overview'
for words in 'ui x' 'help ui' 'man ui' 'ui --help'; do
  # shellcheck disable=SC2086 # words
  run $words
  expect_code 1
  expect_silent out
  expect_in err "$scratch/alone/polytrace-ui"
  expect_in err 'to get it: '
done
run collect --check --json
expect_code 1
jq -e '.code == "program-missing" and .file == "collect"' "$scratch/err" >/dev/null ||
  fail "$ran: $(cat "$scratch/err")"
run completion bash
expect_code 0
expect_in out 'fleet'
expect_not_in out '--new-token'
finish
