# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
#: ./dev test [--release | --threads | --long] [ROOM | REGEX]
#: Builds all with sanitizers (asan) and runs every test; ends with how many passed and failed.
#:
#: --release does the same with the optimised build, too. ROOM, a folder of tests/, builds and runs
#: only what is in it. REGEX builds all and picks ctest tests by name (base.0, cli/pipes ...).
#: --threads watches with ThreadSanitizer what several threads do at once: the server, what the page
#: asks it, the C interface, indexes.
#: --long tests the optimised build with all that takes minutes: every class of the JDK through the
#: rewriter, a hundred kills, agents with sanitizers, compilers and servers with every set of events
#: (POLYTRACE_LONG=1 tells it to the tests).
#: For one case: build/asan/tests/polytrace_tests_base --gtest_filter='cursor.*'
#:
#:   ./dev test
#:   ./dev test history
#:   ./dev test --release cli/pipes
#:   ./dev test --threads
#:   ./dev test --long live/

presets=(asan) selection=() targets=(all)

# What the tests of a room run: scripts the whole product, others their own program.
targets_of() {
  local room=$1
  [[ -z $(find "tests/$room" -maxdepth 1 -name '*.[sp][hy]' -print -quit) ]] || echo product
  [[ -z $(find "tests/$room" -name '*_test.cpp' -print -quit) ]] || echo "polytrace_tests_$room"
}

case ${1:-} in
  --release)
    presets=(release asan)
    shift
    ;;
  --threads)
    presets=(tsan)
    targets=(product polytrace_tests_store capi_threads capi_asked capi_hot_methods capi_kinds)
    selection=(-R '^(server/|page/|capi/(threads|contract|answers)|store\.)')
    shift
    ;;
  --long)
    presets=(release) selection=(--timeout 3600)
    export POLYTRACE_LONG=1
    shift
    ;;
esac
if [[ $# -gt 0 && $1 != */* && -d tests/$1 ]]; then
  mapfile -t targets < <(targets_of "$1")
  [[ ${#targets[@]} -gt 0 ]] || usage "no tests in tests/$1"
  selection+=(-R "^$1[./]")
elif [[ $# -gt 0 ]]; then
  selection+=(-R "$1")
fi

dev setup test
for preset in "${presets[@]}"; do
  rm -rf "build/$preset/reports"
done
status=0
for preset in "${presets[@]}"; do
  say "build $preset"
  if ! (build_with TESTS "$preset" "${targets[@]}"); then
    status=1
    continue
  fi
  say "test $preset"
  run_tests "$preset" "${selection[@]}" || status=1
done
python3 tools/test_summary.py --exit "$status" "${presets[@]/#/build/}"
