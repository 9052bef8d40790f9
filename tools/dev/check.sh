# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
#: ./dev check [--before-tests | --quick]
#: Runs the whole loop (CI runs its --quick part and ./dev test), and ends with the tests' summary.
#:
#: Every step runs even when one before it failed; a table shows what took how long.
#: --quick stops after the steps that need no build. --before-tests leaves out ./dev test.
#:
#:   ./dev check
#:   ./dev check --quick

fuzz_seconds=5
steps=() status=0

step() {
  local name=$1 begin=$SECONDS verdict=ok
  shift
  say "$name"
  ("$@") || { verdict=FAILED status=1; }
  steps+=("$(printf '%-16s %6s  %4d s' "$name" "$verdict" $((SECONDS - begin)))")
}

table() {
  say 'check'
  printf '  %s\n' "${steps[@]}"
}

check_scripts() {
  local files
  mapfile -t files < <(find . \( -path ./build -o -path ./ui/node_modules \) -prune -o \
    -name '*.sh' -print | sort)
  shellcheck -x dev .ci/run "${files[@]}"
}

check_python() {
  python3 tools/check_floors.py --self-test && python3 tools/check_house.py --self-test &&
    python3 tools/check_unnamed.py --self-test && python3 tools/check_shape.py --self-test &&
    python3 tools/test_summary.py --self-test &&
    python3 tools/bare/blocks.py --self-test
}

# Silence means that all is well: complaints of every level count.
check_pages() {
  local found
  found=$(mandoc -T lint -W style docs/man/*.1 2>&1) || true
  [[ -z $found ]] || { printf '%s\n' "$found" >&2; return 1; }
}

# That ui/dist is what ui/src gives takes node and its packages.
check_built_page() {
  if [[ ! -d ui/node_modules ]] || ! command -v npm >/dev/null; then
    printf 'ui/dist: not compared with its sources: ./dev page installs what that takes\n'
    return 0
  fi
  dev page --check
}

build_clang() { build clang all && build clang all_verify_interface_header_sets; }
build_gcc() { build gcc all; }

install_check() {
  local traces=(examples/*.mlpd)
  bash tools/install/check.sh "${traces[0]}"
}

dev setup test check
step 'checkers' check_python
step 'floors' python3 tools/check_floors.py
step 'house' python3 tools/check_house.py
step 'shape' python3 tools/check_shape.py
step 'unnamed' python3 tools/check_unnamed.py
step 'format' dev format --check
step 'scripts' check_scripts
step 'man pages' check_pages
step 'built page' check_built_page
if [[ ${1:-} == --quick ]]; then
  table
  exit "$status"
fi
step 'build release' build_with 'TESTS BENCH' release
step 'build clang' build_clang
step 'build gcc' build_gcc
step 'install' install_check
step 'fuzz' dev fuzz all "$fuzz_seconds"
step 'mutants' dev fuzz mutants
step 'docs' dev docs --check
step 'drill' dev drill
table
if [[ ${1:-} != --before-tests ]]; then
  dev test || status=1
fi
exit "$status"
