#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The drill of ./dev drill: tools/drill/template becomes the folder src/format/drill and formats.def
# gets one line. Then the format must be known to the command, be written and read, and pass the
# tests that run over every format, with nothing else changed. PRESET [here]
set -euo pipefail

preset=$1
list=src/format/formats.def
folder=src/format/drill

failed() {
  printf 'drill: %s\n' "$*" >&2
  exit 1
}

go_to_copy() {
  copy=$(mktemp -d)
  trap 'rm -rf "$copy"' EXIT
  git ls-files -z --cached --others --exclude-standard |
    while IFS= read -r -d '' file; do [[ -e $file ]] && printf '%s\0' "$file"; done |
    tar --null -T - -cf - | tar -xf - -C "$copy"
  cd "$copy"
  git init -q .
  git add -A
  git -c user.name=drill -c user.email=drill@localhost -c commit.gpgsign=false commit -qm before
  export CCACHE_BASEDIR=$copy CCACHE_NOHASHDIR=1
}

stay_here() {
  [[ -z $(git status --porcelain) ]] || failed 'here: not with changes that are not committed'
  trap 'git checkout -q "$list"; rm -rf "$folder"' EXIT
}

if [[ ${2:-} == here ]]; then stay_here; else go_to_copy; fi
cp -r tools/drill/template "$folder"
sed -i '/formats: one line each/a FORMAT(drill)' "$list"

mkdir -p build
cmake --preset "$preset" -D POLYTRACE_PCH="${POLYTRACE_PCH:-OFF}" >build/drill.log 2>&1 ||
  { cat build/drill.log; exit 1; }
cmake --build --preset "$preset" --target polytrace polytrace_tests_format
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

mapfile -t changes < <(git status --porcelain --untracked-files=normal | sort)
expected=(" M $list" "?? $folder/")
[[ ${changes[*]} == "${expected[*]}" ]] || failed "changed: ${changes[*]}"
[[ $(git diff --numstat) == "1"$'\t'"0"$'\t'"$list" ]] || failed "$list: not one line more"
printf 'drill: one folder, one line; listed, written, read and tested\n'
