#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# convert: identity, versions, what is refused, what is lost.
set -uo pipefail
# shellcheck source=tests/cli/support/expect.sh
source "$(dirname "$0")/support/expect.sh"

"$POLYTRACE" cat "$data/everything.mlpd.gz" >"$scratch/before"
run convert "$data/everything.mlpd.gz" -o "$scratch/copy.mlpd"
expect_code 0
expect_silent out
expect_in err 'mlpd version 17'
"$POLYTRACE" cat "$scratch/copy.mlpd" >"$scratch/after"
cmp -s "$scratch/before" "$scratch/after" || fail 'the copy says something else'

run convert "$data/everything.mlpd.gz" -o "$scratch/copy.mlpd.gz"
expect_code 0
gzip -t "$scratch/copy.mlpd.gz" || fail 'an output in .gz is not gzip'
gunzip -c "$scratch/copy.mlpd.gz" | cmp -s - "$scratch/copy.mlpd" ||
  fail 'the .gz holds other bytes'
"$POLYTRACE" convert -q "$data/everything.mlpd.gz" -o - | cmp -s - "$scratch/copy.mlpd" ||
  fail 'standard output gets other bytes'

# What version 1 cannot hold is told by kind, and nothing else is missing.
run convert --json "$data/everything.mlpd.gz" -o "$scratch/old.mlpd" --to mlpd:1
expect_code 0
expect_json '.schema == "polytrace.convert/1" and .output.version == "1" and .output.written'
expect_json '.events_lost > 0 and ([.lost[]] | add) == .events_lost'
kept=$(jq '.events_read - .events_lost' "$scratch/out")
[[ $("$POLYTRACE" info --json "$scratch/old.mlpd" | jq .events.total) -eq $kept ]] ||
  fail 'version 1 does not hold what was not lost'
run convert "$data/calls.mlpd" -o "$scratch/old2.mlpd" --to-version 1
expect_in err 'events lost, since the target cannot hold them'

# Refusals.
run convert "$data/calls.mlpd" -o "$scratch/copy.mlpd"
expect_code 1
expect_in err 'exists already'
"$POLYTRACE" cat "$scratch/copy.mlpd" | cmp -s - "$scratch/after" || fail 'a refused output changed'
run convert --force "$data/calls.mlpd" -o "$scratch/copy.mlpd"
expect_code 0
ln -s copy.mlpd "$scratch/link.mlpd"
run convert --force "$scratch/copy.mlpd" -o "$scratch/link.mlpd"
expect_code 2
expect_in err 'is both input and output'
run convert "$data/calls.mlpd" -o "$scratch/new.mlpd" --to mlpd:2
expect_code 2
run convert "$data/calls.mlpd" -o "$scratch/missing/new.mlpd"
expect_code 1
run convert --strict "$data/truncated.mlpd" -o "$scratch/new.mlpd"
expect_code 4
[[ -z $(find "$scratch" -name 'new*') ]] || fail 'a failed conversion left a file'

# What was cut off is whole again, unless it shall show.
for to in mlpd monoblock native; do
  run convert "$data/truncated.mlpd" -o "$scratch/whole.$to" --to "$to"
  run check "$scratch/whole.$to"
  expect_code 0
  run convert --leave-open "$data/truncated.mlpd" -o "$scratch/open.$to" --to "$to"
  run check "$scratch/open.$to"
  expect_code 4
  expect_in out 'killed or still running program'
  run convert --leave-open "$data/calls.mlpd" -o "$scratch/ended.$to" --to "$to"
  run check "$scratch/ended.$to"
  expect_code 0
done
# A format without an end cannot say so.
for to in tbf trcxml tracelog; do
  run convert --leave-open "$data/truncated.mlpd" -o "$scratch/open.$to" --to "$to"
  run check "$scratch/open.$to"
  expect_code 0
done

# Compressed by the ending, and the same again inside.
"$POLYTRACE" cat "$data/calls.mlpd" >"$scratch/plain.txt"
for ending in gz zst; do
  run convert "$data/calls.mlpd" -o "$scratch/packed.mlpd.$ending"
  expect_code 0
  [[ $(stat -c %s "$scratch/packed.mlpd.$ending") -lt $(stat -c %s "$data/calls.mlpd") ]] ||
    fail "packed.mlpd.$ending is not smaller"
  cmp -s "$scratch/plain.txt" <("$POLYTRACE" cat "$scratch/packed.mlpd.$ending") ||
    fail "packed.mlpd.$ending says something else"
done

# On which thread of the system one runs is told as often as it changes, or lost and said.
cat >"$scratch/os.trace.log" <<'END'
thr crt 0x0000000000000001 0x00000000
thr aos 0x00000000 4711
sam str 0x00000000 10 1 0:0 0x2
thr aos 0x00000000 4712
thr aos 0x00000000 4711
END
for dialect in seed later early; do
  run convert --json "$scratch/os.trace.log" --to "tracelog:$dialect" \
    -o "$scratch/$dialect.trace.log"
  expect_code 0
  expect_json '.events_lost == 0'
  cmp -s <(grep '^thr' "$scratch/os.trace.log") <(grep '^thr' "$scratch/$dialect.trace.log") ||
    fail "$dialect: other threads than the log has: $(cat "$scratch/$dialect.trace.log")"
done
for to in tbf trcxml mlpd:17 mlpd:1; do
  run convert --json "$scratch/os.trace.log" --to "$to" -o "$scratch/os.${to/:/.}"
  expect_code 0
  expect_json '.lost.thread >= 3'
done

# A damaged input gives what could be read, and says so.
run convert "$data/truncated.mlpd" -o "$scratch/new.mlpd"
expect_code 4
expect_in err 'ends inside a frame'
run check "$scratch/new.mlpd"
expect_code 0
finish
