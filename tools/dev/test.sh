# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
#: ./dev test [--release] [REGEX]
#: Builds all with sanitizers (asan) and runs every test; ends with how many passed and failed.
#:
#: --release does the same with the optimised build, too. REGEX picks ctest tests by name (base.0,
#: cli/pipes ...).
#: For one case: build/asan/tests/polytrace_tests_base --gtest_filter='cursor.*'
#:
#:   ./dev test
#:   ./dev test --release format

presets=(asan)
if [[ ${1:-} == --release ]]; then
  presets=(release asan)
  shift
fi
selection=()
[[ $# -gt 0 ]] && selection=(-R "$1")

dev setup test
for preset in "${presets[@]}"; do
  rm -rf "build/$preset/reports"
done
status=0
for preset in "${presets[@]}"; do
  say "build $preset"
  if ! (build "$preset"); then
    status=1
    continue
  fi
  say "test $preset"
  run_tests "$preset" "${selection[@]}" || status=1
done
python3 tools/test_summary.py --exit "$status" "${presets[@]/#/build/}"
