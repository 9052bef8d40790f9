# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
#: ./dev test [--release | --long] [REGEX]
#: Builds all with sanitizers (asan) and runs every test; ends with how many passed and failed.
#:
#: --release does the same with the optimised build, too. REGEX picks ctest tests by name (base.0,
#: cli/pipes ...).
#: --long tests the optimised build with all that takes minutes: every class of the JDK through the
#: rewriter, a hundred kills, agents with sanitizers, compilers and servers with every set of events
#: (POLYTRACE_LONG=1 tells it to the tests).
#: For one case: build/asan/tests/polytrace_tests_base --gtest_filter='cursor.*'
#:
#:   ./dev test
#:   ./dev test --release format
#:   ./dev test --long live/

presets=(asan) selection=()
case ${1:-} in
  --release)
    presets=(release asan)
    shift
    ;;
  --long)
    presets=(release) selection=(--timeout 3600)
    export POLYTRACE_LONG=1
    shift
    ;;
esac
[[ $# -gt 0 ]] && selection+=(-R "$1")

dev setup test
for preset in "${presets[@]}"; do
  rm -rf "build/$preset/reports"
done
status=0
for preset in "${presets[@]}"; do
  say "build $preset"
  if ! (build_with TESTS "$preset"); then
    status=1
    continue
  fi
  say "test $preset"
  run_tests "$preset" "${selection[@]}" || status=1
done
python3 tools/test_summary.py --exit "$status" "${presets[@]/#/build/}"
