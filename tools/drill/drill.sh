#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The drill of ./dev drill: from tools/drill/template a format, a section of reports, a target of
# exports and a command, each with one row of its table. Then all must be known to the program, do
# what they are for, and pass the tests that run over every format, with nothing else changed.
# PRESET [here]
set -euo pipefail

preset=$1
# What is added, where, and the row of its table, which goes behind the table's last one.
added=(
  'format      src/format/drill               src/format/formats.def    FORMAT(drill, kFormat)'
  'section.cpp src/analysis/runtime/drill.cpp src/analysis/sections.def SECTION(drill, "drill",
    "Drill", "", "", "", unquoted, nothing)'
  'target.cpp  src/exports/profiles/drill.cpp src/exports/targets.def   PROFILE(drill, "the drill",
    ".drilled", "nothing else")'
  'command.cpp src/cli/explain/drill.cpp      src/cli/commands.def      COMMAND(drill, polytrace,
    "says that it is there")'
)
notes=$(mktemp -d)
export PYTHONDONTWRITEBYTECODE=1

failed() {
  printf 'drill: %s\n' "$*" >&2
  exit 1
}

# each COMMAND: with what, where, table and row of all that is added.
each() {
  local one what where table row
  for one in "${added[@]}"; do
    read -r what where table row <<<"$(tr -s ' \n' ' ' <<<"$one")"
    "$1" "$what" "$where" "$table" "$row"
  done
}

go_to_copy() {
  copy=$notes/copy
  mkdir "$copy"
  trap 'rm -rf "$notes"' EXIT
  tar -cf - --exclude=./build --exclude=./.git . | tar -xf - -C "$copy"
  cd "$copy"
}

keep() {
  [[ ! -e $2 ]] || failed "$2 is there already"
  mkdir -p "$notes/$(dirname "$3")"
  cp "$3" "$notes/$3"
}
take_away() {
  rm -rf "$2"
  cp "$notes/$3" "$3"
}
add() {
  cp -r "tools/drill/template/$1" "$2"
  printf '%s\n' "$4" >>"$3"
}
# One row more, and what is there besides is new.
check_others() {
  [[ $(diff "$notes/$3" "$3" | grep '^[<>]') == "> $4" ]] || failed "$3: not one line more"
  printf '%s\n' "$2" "$3" >>"$notes/expected"
}

# Every file with its checksum.
manifest() {
  find . -path ./build -prune -o -path ./.git -prune -o -name __pycache__ -prune -o \
    -type f -print0 | sort -z | xargs -0 sha256sum
}

[[ ${2:-} == here ]] || go_to_copy
each keep
[[ ${2:-} != here ]] || trap 'each take_away; rm -rf "$notes"' EXIT
manifest >"$notes/before"
each add

# As ./dev builds it, so that ./dev test finds everything compiled.
# shellcheck source=tools/dev/common.sh
source tools/dev/common.sh
build_with TESTS "$preset" polytrace polytrace_tests_format
"build/$preset/tests/polytrace_tests_format" --gtest_brief=1 --gtest_filter='*drill*'
python3 tools/check_floors.py

polytrace=build/$preset/polytrace
"$polytrace" formats | grep -q '^ *drill\b' || failed "'polytrace formats' does not list it"
for trace in examples/*.mlpd; do
  "$polytrace" convert -qf "$trace" -o build/trace.drill || failed "cannot convert $trace"
  "$polytrace" info --json build/trace.drill | grep -q '"drill"' || failed 'info does not know it'
  cmp <("$polytrace" cat "$trace") <("$polytrace" cat build/trace.drill) ||
    failed "$trace changes on the way through it"
done
"$polytrace" report --sections drill --json "$trace" | grep -q '"key": *"drill"' ||
  failed 'no section of that name'
"$polytrace" export -qf --to drill -o build/trace.drilled "$trace"
grep -q '^drill [1-9]' build/trace.drilled || failed 'the target has no figure'
[[ $("$polytrace" drill) == here ]] || failed 'no command of that name'
"$polytrace" help | grep -q '^ *drill ' || failed 'help does not list the command'

manifest >"$notes/after"
each check_others
others=$(diff "$notes/before" "$notes/after" | grep '^[<>]' | grep -vFf "$notes/expected" || true)
[[ -z $others ]] || failed "other files changed: $others"
printf 'drill: a format is one folder, a section, a target, a command one file; each one row\n'
