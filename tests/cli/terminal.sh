#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Colours, terminals, hostile names, progress.
set -uo pipefail
# shellcheck source=tests/cli/support/expect.sh
source "$(dirname "$0")/support/expect.sh"

export PAGER=  # tests/cli/pager.py has it
escape=$'\x1b'
file=$data/calls.mlpd
has_color() { grep -q "$escape\\[" "$scratch/out"; }

run info "$file"
! has_color || fail 'colours without a terminal'
run info --color always "$file"
has_color || fail '--color always gives none'
run info --color=never "$file"
! has_color || fail '--color never gives some'
CLICOLOR_FORCE=1 run info "$file"
has_color || fail 'CLICOLOR_FORCE gives none'
NO_COLOR=1 CLICOLOR_FORCE=1 run info "$file"
! has_color || fail 'NO_COLOR does not win'
NO_COLOR=1 run info --color always "$file"
has_color || fail '--color always does not win over NO_COLOR'
run info --color sometimes "$file"
expect_code 2

# on_terminal TERM COMMAND...: runs it on a pseudo terminal, output to $scratch/out.
on_terminal() {
  TERM=$1 python3 -c 'import os, pty, sys
sys.exit(os.waitstatus_to_exitcode(pty.spawn(sys.argv[1:])))' "${@:2}" \
    <<<'' >"$scratch/out" 2>"$scratch/err"
}
on_terminal xterm "$POLYTRACE" info "$file" || fail 'info fails on a terminal'
has_color || fail 'no colours on a terminal'
on_terminal dumb "$POLYTRACE" info "$file" || fail 'info fails on a dumb terminal'
! has_color || fail 'colours on a dumb terminal'
code=0
on_terminal dumb "$POLYTRACE" convert "$file" -o - || code=$?
ran='polytrace convert -o - on a terminal'
expect_code 2
expect_in out 'not written to a terminal'
# Nothing is wider than the terminal.
COLUMNS=60 on_terminal dumb "$POLYTRACE" report "$file" || fail 'report fails on a terminal'
widest=$(tr -d '\r' <"$scratch/out" |
  awk '/^  /{ if (length > most) most = length } END { print most }')
[[ $widest -le 120 ]] || fail "report on 60 columns has $widest"

# Names that attack: escape sequences, bytes that are not UTF-8, a formula, markup, a mark that
# turns the direction of writing.
python3 - "$file" "$scratch/hostile.mlpd" <<'P'
import sys
content = open(sys.argv[1], "rb").read()
old = b"Program:Leaf ()\0"
hostile = b"=\x1b[2J\xff|<b>\xe2\x80\xae\0"
assert len(hostile) <= len(old) and old in content
# The name must keep its length: fill up in front of the end.
hostile = hostile[:-1] + b"x" * (len(old) - len(hostile)) + b"\0"
open(sys.argv[2], "wb").write(content.replace(old, hostile))
P
for form in text md csv tsv json; do
  run report --limit 0 --sections calls --format "$form" "$scratch/hostile.mlpd"
  expect_code 0
  if [[ $form == text || $form == md ]]; then
    ! grep -q "$escape" "$scratch/out" || fail "report --format $form lets escape bytes through"
  fi
  iconv -f UTF-8 -t UTF-8 "$scratch/out" >/dev/null || fail "report --format $form is not UTF-8"
done
run report --limit 0 --sections calls "$scratch/hostile.mlpd"
expect_in out '=\x1b[2J\xff|<b>\u{202e}'
run report --limit 0 --sections calls --format csv "$scratch/hostile.mlpd"
expect_in out "'="
run report --limit 0 --sections calls --format md "$scratch/hostile.mlpd"
expect_in out '\|\<b\>'
run report --limit 0 --sections calls --json "$scratch/hostile.mlpd"
jq . "$scratch/out" >/dev/null || fail 'hostile names break the JSON'
expect_in out '\u001b[2J'
run cat --kind method "$scratch/hostile.mlpd"
! grep -q "$escape" "$scratch/out" || fail 'cat lets escape bytes through'
run cat --jsonl --kind method "$scratch/hostile.mlpd"
jq -s . "$scratch/out" >/dev/null || fail 'hostile names break JSON Lines'
hostile_path=$scratch/$'bad\x1b[2Jname'
run info "$hostile_path"
! grep -q "$escape" "$scratch/err" || fail 'errors let escape bytes through'

# Progress: JSON lines for programs; nothing where nobody looks.
mkfifo "$scratch/fifo"
slowly() { python3 "$(dirname "${BASH_SOURCE[0]}")/support/slow_feed.py" "$file"; }
slowly >"$scratch/fifo" &
run info --progress=json "$scratch/fifo"
wait
expect_code 0
jq -es 'length > 0 and all(.[]; .progress > 0 and .seconds >= 0.5)' "$scratch/err" >/dev/null ||
  fail "$ran: $(cat "$scratch/err")"
for silent in --progress=auto --no-progress; do
  slowly >"$scratch/fifo" &
  run info "$silent" "$scratch/fifo"
  wait
  expect_silent err
done
finish
