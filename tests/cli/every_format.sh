#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# One real recording in every format: reports agree wherever docs/fidelity.md says that it is kept.
set -uo pipefail
# shellcheck source=tests/cli/support/expect.sh
source "$(dirname "$0")/support/expect.sh"
recording=$(dirname "$0")/../../examples/everything.mlpd

# Calls with their methods, objects and bytes allocated, collections.
figures='[.tables[] | {(.key): .rows}] | add | {
  calls: ([(.methods // [])[].calls] | add), methods: ((.methods // []) | length),
  tree: ((.call_tree // []) | length), objects: ([(.allocations // [])[].count] | add),
  bytes: ([(.allocations // [])[].bytes] | add), collections: (.collections | length)}'
report() {
  "$POLYTRACE" report --json --limit 0 --sections calls,tree,allocations,collections "$1" |
    jq -cS "$figures"
}
wanted=$(report "$recording")
names=$("$POLYTRACE" formats --json | jq -r '.formats[] | select(.writes != []) | .name')
for format in $names; do
  run convert --quiet --to "$format" "$recording" -o "$scratch/$format"
  expect_code 0
  run check "$scratch/$format"
  expect_code 0
  kept=.
  [[ $format == tracelog ]] && kept='{collections}'  # it has no calls and no single objects
  got=$(report "$scratch/$format" | jq -cS "$kept")
  [[ $got == "$(jq -cS "$kept" <<<"$wanted")" ]] || fail "$format: $got, not $wanted"
done
finish
