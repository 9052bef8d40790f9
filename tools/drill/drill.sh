#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The drill of ./dev drill: tools/drill/template becomes the folder src/format/drill and formats.def
# gets one line. Then the format must be known to the command, be written and read, and pass the
# tests that run over every format, with nothing else changed. PRESET [here]
set -euo pipefail

preset=$1
list=src/format/formats.def
folder=src/format/drill
notes=$(mktemp -d)
export PYTHONDONTWRITEBYTECODE=1

failed() {
  printf 'drill: %s\n' "$*" >&2
  exit 1
}

go_to_copy() {
  copy=$notes/copy
  mkdir "$copy"
  trap 'rm -rf "$notes"' EXIT
  tar -cf - --exclude=./build --exclude=./.git . | tar -xf - -C "$copy"
  cd "$copy"
}

stay_here() {
  [[ ! -e $folder ]] || failed "$folder is there already"
  trap 'cp "$notes/list" "$list"; rm -rf "$folder" "$notes"' EXIT
}

# Every file with its checksum.
manifest() {
  find . -path ./build -prune -o -path ./.git -prune -o -name __pycache__ -prune -o \
    -type f -print0 | sort -z | xargs -0 sha256sum
}

cp "$list" "$notes/list"
if [[ ${2:-} == here ]]; then stay_here; else go_to_copy; fi
manifest >"$notes/before"
cp -r tools/drill/template "$folder"
sed -i '/formats: one line each/a FORMAT(drill, kFormat)' "$list"

# As ./dev builds it, so that ./dev test finds everything compiled.
# shellcheck source=tools/dev/common.sh
source tools/dev/common.sh
build "$preset" polytrace polytrace_tests_format
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

manifest >"$notes/after"
others=$(diff "$notes/before" "$notes/after" | grep '^[<>]' | grep -v "\./$folder/" |
  grep -v "\./$list\$" || true)
[[ -z $others ]] || failed "other files changed: $others"
[[ $(diff "$notes/list" "$list" | grep '^[<>]') == '> FORMAT(drill, kFormat)' ]] ||
  failed "$list: not one line more"
printf 'drill: one folder, one line; listed, written, read and tested\n'
