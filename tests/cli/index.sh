#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The commands about indexes: what they make, where, what they say of it, and when it is not used.
set -uo pipefail
# shellcheck source=tests/cli/support/expect.sh
source "$(dirname "$0")/support/expect.sh"
export POLYTRACE_CACHE=$scratch/cache
unset XDG_CACHE_HOME POLYTRACE_CACHE_LIMIT

trace=$scratch/app.mlpd
cp "$data/calls.mlpd" "$trace"
events=$("$POLYTRACE" info --json "$trace" | jq .events.total)

folder_of() { "$POLYTRACE" index info --json "$1" | jq -r '.indexes[0].folder'; }
# state FILE STATE
expect_state() {
  run index info --json "${@:3}" "$1"
  expect_code 0
  expect_json ".indexes[0].state == \"$2\""
}
# What a report says does not depend on the index.
"$POLYTRACE" report --no-index "$trace" >"$scratch/report"
expect_report() {
  run report "$trace"
  expect_code 0
}

# None yet: nothing is made by asking.
expect_state "$trace" none
run index verify "$trace"
expect_code 1
run index drop "$trace"
expect_code 1
expect_report
cmp -s "$scratch/out" "$scratch/report" || fail 'another report'
[[ ! -e $scratch/cache ]] || fail 'asking makes a cache'

# Built once.
run index build "$trace"
expect_code 0
expect_silent err
[[ $(head -n 1 "$scratch/out") == "$trace: index of "* ]] || fail "$(head -n 1 "$scratch/out")"
run index build --json "$trace"
expect_code 0
expect_json ".indexes[0] | .built == false and .state == \"current\" and .events == $events and
  .partial == false and .error == null"
folder=$(folder_of "$trace")
[[ -f $folder/index.pti && ! -e $folder/index.pti.new ]] || fail "no index in $folder"
[[ $(stat -c %a "$folder") == 700 ]] || fail 'others see the folder'
expect_json '.indexes[0] | .bytes > 0 and ([.frames[].bytes] | add) <= .bytes'
[[ $(stat -c %s "$folder/index.pti") -eq $(jq '.indexes[0].bytes' "$scratch/out") ]] ||
  fail 'another size than that of the file'
expect_report
cmp -s "$scratch/out" "$scratch/report" || fail 'another report from the index'

# A copy of the trace, elsewhere and later, has the same one; a longer one has not.
cp "$trace" "$scratch/copy.mlpd"
touch -d '2001-01-01' "$scratch/copy.mlpd"
expect_state "$scratch/copy.mlpd" current
head -c 3000 "$trace" >>"$scratch/copy.mlpd"
expect_state "$scratch/copy.mlpd" none

# Used where it may be.
used() { [[ $(stat -c %Y "$folder/used") -ne 1000 ]]; }
for words in '' '--strict' '--resync' '--no-index'; do
  touch -d @1000 "$folder/used"
  # shellcheck disable=SC2086
  run heap $words "$trace"
  if [[ -z $words ]]; then used || fail 'heap does not use the index'; fi
  if [[ -n $words ]]; then used && fail "heap $words uses the index"; fi
done
touch -d @1000 "$folder/used"
run convert "$trace" -o "$scratch/other.ptrace"
run info "$trace"
run check "$trace"
run cat "$trace"
used && fail 'convert, info, check or cat use the index'

# In a folder of its own.
own=$scratch/own.index
run index build --index "$own" "$trace"
expect_code 0
[[ -f $own/index.pti ]] || fail 'no index where it was asked for'
expect_state "$trace" current --index "$own"
touch -d @1000 "$own/used"
run report --index "$own" "$trace"
[[ $(stat -c %Y "$own/used") -ne 1000 ]] || fail 'the index of its own is not used'
cmp -s "$scratch/out" "$scratch/report" || fail 'another report from the index of its own'

# That of another trace is stale: said, not used, made anew.
other=$scratch/other.mlpd
cp "$data/exceptions_calls.mlpd" "$other"
stacks() { run export --to folded "$@" "$other" -o "$scratch/stacks" -f; }
stacks
cp "$scratch/stacks" "$scratch/other.stacks"
expect_state "$other" stale --index "$own"
stacks --index "$own"
expect_code 0
cmp -s "$scratch/stacks" "$scratch/other.stacks" || fail 'other stacks beside a stale index'
expect_in err 'index is of another content or version'
run index verify --full --index "$own" "$other"
expect_code 5
run index verify --index "$own" "$other"
expect_code 0
run index build --index "$own" "$other"
expect_code 0
stacks --index "$own"
grep -q 'another content' "$scratch/err" && fail 'the new index is stale'
cmp -s "$scratch/stacks" "$scratch/other.stacks" || fail 'other stacks from the new index'

# Grown.
cp "$trace" "$scratch/grows.mlpd"
run index build --index "$scratch/grown.index" "$scratch/grows.mlpd"
head -c 3000 "$trace" >>"$scratch/grows.mlpd"
run index info --index "$scratch/grown.index" "$scratch/grows.mlpd"
expect_in out 'index is stale: the trace has grown'

# A bit anywhere: not used, found by verify, made anew.
size=$(stat -c %s "$folder/index.pti")
cp "$folder/index.pti" "$scratch/whole.pti"
for at in 40 600 5000 $((size / 2)) $((size - 30)); do
  cp "$scratch/whole.pti" "$folder/index.pti"
  byte=$(od -An -tu1 -j "$at" -N 1 "$folder/index.pti")
  printf '%b' "\\x$(printf %02x $((byte ^ 4)))" |
    dd of="$folder/index.pti" bs=1 seek="$at" conv=notrunc status=none
  run index verify "$trace"
  [[ $code -eq 5 ]] && damaged=yes || damaged=no
  run report --json "$trace"
  expect_code 0
  if [[ $damaged == yes ]]; then
    expect_json '[.notices[].code] == ["index-damaged"] and .partial == false'
    expect_state "$trace" damaged
  else
    # Of the two slots of page 0, the one that does not hold may be hurt.
    [[ $at -eq 600 ]] || fail "verify does not see byte $at"
  fi
done
cp "$scratch/whole.pti" "$folder/index.pti"
printf X | dd of="$folder/index.pti" bs=1 seek=5000 conv=notrunc status=none
run index build "$trace"
expect_code 0
run index verify --full "$trace"
expect_code 0

# Somebody else uses it; index_changed.py has those who build.
run index drop "$trace"
expect_code 0
[[ ! -e $folder ]] || fail "drop leaves $(ls "$folder")"
run index build "$trace"
expect_code 0
(
  exec 8>>"$folder/used"
  flock -s 8
  run index drop "$trace"
  expect_code 1
  run index drop --all
  expect_in out 'in use, left'
  run index prune --limit 0
  expect_code 0
  finish
) || failures=$((failures + 1))
[[ -f $folder/index.pti ]] || fail 'what was used is gone'

# The cache: listed, the last used first; pruned, the one used longest ago first.
run index build "$other"
older=$(folder_of "$other")
touch -d '2001-01-01' "$older/used" "$older/index.pti"
run index list --json
expect_json "[.indexes[].file] == [\"$trace\", \"$other\"] and .bytes == ([.indexes[].bytes] | add)"
all=$(jq .bytes "$scratch/out")
run index prune --limit "$all"
expect_in out '0 indexes removed'
run index prune --limit "$((all - 1))"
expect_code 0
[[ -d $folder && ! -e $older ]] || fail 'prune removes another one'
run index prune --limit lots
expect_code 2
POLYTRACE_CACHE_LIMIT=1 run index build "$other"
expect_code 0
expect_in out '1 older index made room for it'
[[ -d $older && ! -e $folder ]] || fail 'a build does not make room'
# What a stopped build left, after a day.
run index build "$trace"
cp "$folder/index.pti" "$folder/index.pti.new"
run index prune
[[ -e $folder/index.pti.new ]] || fail 'a young draft is gone'
touch -d '2 days ago' "$folder/index.pti.new"
run index prune
[[ ! -e $folder/index.pti.new && -e $folder/index.pti ]] || fail 'an old draft stays'
run index drop --all
expect_in out '2 indexes removed'
[[ -z $(find "$scratch/cache/index" -mindepth 2) ]] || fail 'drop --all leaves something'

# A folder that is no index is never emptied.
mkdir "$scratch/precious"
echo x >"$scratch/precious/file"
run index drop "$scratch/precious"
expect_code 1
[[ -e $scratch/precious/file ]] || fail 'a file that is not ours is gone'

# A damaged trace: the index of what was read, and the code that says so.
run index build "$data/truncated.mlpd"
expect_code 4
run index info --json "$data/truncated.mlpd"
expect_code 0
expect_json '.indexes[0].state == "current" and (.indexes[0].notices | length > 0)'

# Streams, and places where nothing can be written.
"$POLYTRACE" index build - <"$trace" >"$scratch/out" 2>"$scratch/err"
code=$? ran='index build -'
expect_code 2
expect_in err 'save the trace to one first'
mkfifo "$scratch/pipe"
run index build "$scratch/pipe"
expect_code 2
for place in /proc/none /dev/null/none; do
  POLYTRACE_CACHE=$place run index build "$trace"
  expect_code 1
  expect_in err "$place"
  expect_in err '--index PATH puts the index elsewhere'
  POLYTRACE_CACHE=$place run report "$trace"
  expect_code 0
  cmp -s "$scratch/out" "$scratch/report" || fail "another report with the cache in $place"
done
run index build "$scratch/nothing"
expect_code 1
before=$(find "$scratch/cache" -mindepth 3 -type d)
run index build "$0"
expect_code 3
[[ $(find "$scratch/cache" -mindepth 3 -type d) == "$before" ]] ||
  fail 'what is no trace leaves a folder'

# Where the cache is: one rule for indexes and states.
unset POLYTRACE_CACHE
cd "$scratch" || exit 1
mkdir home
HOME=$scratch/home XDG_CACHE_HOME=relative run index build "$trace"
HOME=$scratch/home XDG_CACHE_HOME=relative run state --at 50% "$trace"
[[ ! -e relative && -d home/.cache/polytrace/index && -d home/.cache/polytrace/states ]] ||
  fail 'a relative XDG_CACHE_HOME counts'
HOME=$scratch/home XDG_CACHE_HOME=$scratch/xdg run index build "$trace"
HOME=$scratch/home XDG_CACHE_HOME=$scratch/xdg run state --at 50% "$trace"
[[ -d xdg/polytrace/index && -d xdg/polytrace/states ]] || fail 'XDG_CACHE_HOME does not count'
finish
