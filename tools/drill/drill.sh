#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The drill of ./dev drill: in a copy of the project, tools/drill/template becomes the folder
# src/format/drill and formats.def gets one line. Then the format must be known to the command, be
# written and read, and pass the tests that run over every format, with nothing else changed.
set -euo pipefail

list=src/format/formats.def
folder=src/format/drill
copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT

git ls-files -z --cached --others --exclude-standard |
  while IFS= read -r -d '' file; do [[ -e $file ]] && printf '%s\0' "$file"; done |
  tar --null -T - -cf - | tar -xf - -C "$copy"
cd "$copy"
git init -q .
git add -A
git -c user.name=drill -c user.email=drill@localhost -c commit.gpgsign=false commit -qm before

cp -r tools/drill/template "$folder"
sed -i '/formats: one line each/a FORMAT(drill)' "$list"

failed() {
  printf 'drill: %s\n' "$*" >&2
  exit 1
}

export CCACHE_BASEDIR=$copy CCACHE_NOHASHDIR=1
cmake --preset release -DPOLYTRACE_BENCH=OFF >configure.log 2>&1 || { cat configure.log; exit 1; }
rm configure.log
cmake --build --preset release --target polytrace polytrace_tests_format
build/release/tests/polytrace_tests_format --gtest_brief=1
python3 tools/check_floors.py

polytrace=build/release/polytrace
"$polytrace" formats | grep -q '^ *drill\b' || failed "'polytrace formats' does not list it"
for trace in examples/*.mlpd; do
  "$polytrace" convert -q "$trace" -o build/trace.drill || failed "cannot convert $trace"
  "$polytrace" info --json build/trace.drill | grep -q '"drill"' || failed 'info does not know it'
  cmp <("$polytrace" cat "$trace") <("$polytrace" cat build/trace.drill) ||
    failed "$trace changes on the way through it"
  rm build/trace.drill
done

mapfile -t changes < <(git status --porcelain --untracked-files=normal | sort)
expected=(" M $list" "?? $folder/")
[[ ${changes[*]} == "${expected[*]}" ]] || failed "changed: ${changes[*]}"
[[ $(git diff --numstat) == "1"$'\t'"0"$'\t'"$list" ]] || failed "$list: not one line more"
printf 'drill: one folder, one line; listed, written, read and tested\n'
