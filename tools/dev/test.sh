# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
#: ./dev test [--long | --threads] [--under-load] [ROOM | REGEX]
#: Runs what a change must pass, and ends with how many tests passed and failed: rooms that read
#: bytes of others or manage memory with sanitizers (build/asan), all other tests with the optimised
#: build (build/release). No result depends on how busy the machine is.
#:
#: ROOM, a folder of tests/, builds and runs only what is in it. REGEX selects tests by the
#: beginning of their names (base.0, cli/pipes ...). tests/README.md explains the kinds of tests.
#: --long runs all the rest: what kills, storms, races, fills disks or compares durations
#: (tests/long.txt); tests that take all samples instead of some (POLYTRACE_LONG=1); the rooms with
#: sanitizers once more with the optimised build, and everything else with sanitizers; the drill,
#: packages, and systems that have a part of what is needed. Hours. With a ROOM or REGEX: all of it.
#: --threads runs with ThreadSanitizer what several threads do at once: the server, what the page
#: asks it, the C interface, indexes.
#: --under-load keeps all cores busy with other work meanwhile.
#: For one case: build/asan/tests/polytrace_tests_base --gtest_filter='cursor.*'
#:
#:   ./dev test
#:   ./dev test history
#:   ./dev test cli/pipes
#:   ./dev test --under-load page
#:   ./dev test --long live/

mode=everyday load='' steps=() status=0
while [[ ${1:-} == --* ]]; do
  case $1 in
    --long | --threads) mode=${1#--} ;;
    --under-load) load=yes ;;
    *) usage "test: unknown option \"$1\"" ;;
  esac
  shift
done

is_sanitized_room() { grep -q "^set(sanitized_rooms.* $1[ )]" tests/CMakeLists.txt; }

# What the tests of a room run: scripts all programs, others their own program.
targets_of() {
  local room=$1
  [[ -z $(find "tests/$room" -maxdepth 1 -name '*.[sp][hy]' -print -quit) ]] || echo product
  [[ -z $(find "tests/$room" -maxdepth 1 -name '*.mjs' -print -quit) ]] || echo product
  [[ -z $(find "tests/$room" -name '*_test.cpp' -print -quit) ]] || echo "polytrace_tests_$room"
}

# run PRESET TARGETS [ctest argument...]
run() {
  local preset=$1 names
  read -ra names <<<"$2"
  say "build $preset"
  if ! (build_with TESTS "$preset" "${names[@]}"); then
    status=1
    return
  fi
  say "test $preset"
  run_tests "$preset" "${@:3}" "${selection[@]}" || status=1
}

# step NAME COMMAND...: what is tried besides the tests.
step() {
  say "$1"
  ("${@:2}") || steps+=(--failed "$1")
}

selection=() targets='' presets=(release asan)
if [[ $# -gt 0 ]]; then
  room=${1%%[./]*}
  selection=(-R "^$1")
  if [[ $1 == "$room" && -d tests/$room ]]; then
    targets=$(targets_of "$room" | sort -u | tr '\n' ' ')
    [[ -n $targets ]] || usage "no tests in tests/$room"
    selection=(-R "^${room}[./]")
  fi
  presets=(release)
  ! is_sanitized_room "$room" || presets=(asan)
fi

dev setup test
rm -rf build/{release,asan,tsan}/reports
if [[ -n $load ]]; then
  for ((i = 0; i < jobs; ++i)); do sha256sum /dev/zero & done
  # shellcheck disable=SC2064 # these processes
  trap "kill $(jobs -p | tr '\n' ' ')" EXIT
fi

case $mode in
  threads)
    presets=(tsan)
    [[ $# -gt 0 ]] || selection=(-R '^(server/|page/|capi/(threads|contract|answers)|store\.)')
    run tsan 'product polytrace_tests_store capi_threads capi_asked capi_hot_methods capi_kinds'
    ;;
  long)
    presets=(release asan)
    rest=() rest_sanitized=()
    [[ $# -gt 0 ]] || rest=(-L 'long|deeper|sanitized') rest_sanitized=(-LE sanitized)
    POLYTRACE_LONG=1 run release "${targets:-all}" --timeout 3600 "${rest[@]}"
    run asan "${targets:-all}" --timeout 3600 "${rest_sanitized[@]}"
    if [[ $# -eq 0 ]]; then
      step 'drill' dev drill --here
      step 'packages' dev package --check
      step 'systems with a part' bash tools/bare/matrix.sh build/bare/first
    fi
    ;;
  *)
    for preset in "${presets[@]}"; do
      if [[ $preset == release ]]; then
        run release "${targets:-tests_optimised}" -LE 'sanitized|long'
      else
        run asan "${targets:-tests_sanitized}" -L sanitized -LE long
      fi
    done
    ;;
esac
python3 tools/test_summary.py --exit "$status" "${steps[@]}" "${presets[@]/#/build/}"
