# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
#: ./dev test [--fast] [REGEX]
#: Builds all with sanitizers (asan) and runs every test; builds the optimised program (release)
#: and runs the end-to-end tests on it, too. Ends with how many passed and failed.
#:
#: --fast runs the asan build only. REGEX picks ctest tests by name (base.0, cli/pipes ...), in
#: both builds.
#: For one case: build/asan/tests/polytrace_tests_base --gtest_filter='cursor.*'
#:
#:   ./dev test
#:   ./dev test --fast format

presets=(release asan)
if [[ ${1:-} == --fast ]]; then
  presets=(asan)
  shift
fi
# What of a preset is built, and which of its tests run.
declare -A targets=([release]=polytrace [asan]=all) selection=([release]='^(cli|live)/' [asan]=.)
if [[ $# -gt 0 ]]; then
  targets[release]=all
  selection=([release]=$1 [asan]=$1)
fi

dev setup test
for preset in "${presets[@]}"; do
  rm -rf "build/$preset/reports"
done
status=0
for preset in "${presets[@]}"; do
  say "build $preset"
  if ! (build "$preset" "${targets[$preset]}"); then
    status=1
    continue
  fi
  say "test $preset"
  run_tests "$preset" -R "${selection[$preset]}" || status=1
done
python3 tools/test_summary.py --exit "$status" "${presets[@]/#/build/}"
