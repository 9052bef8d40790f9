#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# info against the independently counted facts of every recording; its JSON and text.
set -uo pipefail
# shellcheck source=tests/cli/support/expect.sh
source "$(dirname "$0")/support/expect.sh"

compared=0
while IFS= read -r facts; do
  base=${facts%.facts.json}
  file=$base.mlpd
  [[ -e $file ]] || file=$base.mlpd.gz
  [[ -e $file ]] || { fail "no recording beside $facts"; continue; }
  run info --json "$file"
  expect_json '.schema == "polytrace.info/1" and .format.name == "mlpd"'
  ours=$(jq -c '[.records.total, .frames.count, .span.duration, .time_wraps, .process.pid]' \
    "$scratch/out")
  theirs=$(jq -c '[.total_events, .buffers, .span_ns, .time_wraparounds, .header.pid]' "$facts")
  [[ $ours == "$theirs" ]] || fail "$file: $ours, the facts are $theirs"
  compared=$((compared + 1))
done < <(find "$data" -name '*.facts.json' | sort)
[[ $compared -ge 40 ]] || fail "only $compared recordings compared"

run info --json "$data/calls.mlpd"
expect_json '.partial == false and .notices == [] and .compression == "none"'
expect_json '.events.kinds.enter == 2373 and .events.kinds.unwind == 1'
expect_json '[.threads[].name] | sort == ["Finalizer", "Main", "Profiler Dumper",
  "Profiler Helper", "Profiler Sampler", "Profiler Writer"]'
expect_json '(.process.options | startswith("log:nodefaults,calls")) and
  .process.architecture == "x86-64" and .process.pointer_size == 8'
expect_json '.recorded == "2026-11-21T08:32:10.000Z"'
expect_json '([.threads[].events] | add) + 2 == .events.total'

run info --json "$data/heapshot.mlpd.gz"
expect_json '.compression == "gzip"'

# A bare file means info.
run "$data/calls.mlpd"
expect_code 0
expect_in out 'Mono log profiler (mlpd), version 17'
cp "$scratch/out" "$scratch/bare"
run info "$data/calls.mlpd"
cmp -s "$scratch/out" "$scratch/bare" || fail 'a bare file does not mean info'
run --json "$data/calls.mlpd"
expect_json '.schema == "polytrace.info/1"'

# Damage is loud.
run info "$data/bad_event.mlpd"
expect_in out 'NOTICES: this result is partial'
expect_in out 'offset 0xce52'
run info --json "$data/truncated.mlpd"
expect_code 4
expect_json '.partial and .notices[0].code == "frame-truncated" and .bytes_not_read > 0'
finish
