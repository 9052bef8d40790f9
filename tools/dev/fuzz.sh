# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
#: ./dev fuzz [TARGET|all [SECONDS|COUNTx]]
#: Runs a fuzz target (default all) for some seconds each (default 20), or with that many inputs.
#: ./dev fuzz mutants [COUNT]
#: Reads damaged copies of the recordings in tests/data (default 10000). Fails when one crashes,
#: loses a byte in silence, or takes more than twice its original's time and 100 ms.
#:
#: TARGET is a file fuzz/TARGET.cpp, FORMAT what its name begins with, up to the first "_". Its
#: seeds are fuzz/corpus/TARGET/, tests/data/FORMAT/ (.gz also unpacked) and the bytes of the case
#: files in tests/cases/FORMAT/; without any of these, all of tests/data and tests/cases. What the
#: run learns is kept in build/fuzz/corpus/TARGET; an input that breaks it in build/fuzz/findings.
#:
#:   ./dev fuzz
#:   ./dev fuzz mlpd_read 3600
#:   ./dev fuzz all 20000x
#:   ./dev fuzz mutants

export ASAN_OPTIONS=detect_stack_use_after_return=1:allocator_may_return_null=0
export UBSAN_OPTIONS=print_stacktrace=1:halt_on_error=1
if [[ ${1:-} == mutants ]]; then
  dev setup test check
  build fuzz mutants
  build/fuzz/fuzz/mutants "${2:-10000}"
  return
fi
target=${1:-all} length=${2:-20}
[[ $length =~ ^[1-9][0-9]*x?$ ]] || usage "fuzz: \"$length\" is no number of seconds or inputs"
limit=-max_total_time=$length
[[ $length == *x ]] && limit=-runs=${length%x}
targets=("$target")
if [[ $target == all ]]; then
  targets=()
  for source in fuzz/*.cpp; do
    [[ -e $source ]] && targets+=("$(basename "$source" .cpp)")
  done
fi
for target in "${targets[@]}"; do
  [[ -f fuzz/$target.cpp ]] || usage "no fuzz target \"$target\""
done
[[ ${#targets[@]} -gt 0 ]] || return 0

dev setup test check
build fuzz assemble_cases "${targets[@]/#/fuzz_}"
mkdir -p build/fuzz/findings
for target in "${targets[@]}"; do
  say "fuzz $target, $length"
  python3 tools/fuzz_seeds.py "$target" "build/fuzz/seeds/$target" \
    build/fuzz/fuzz/assemble_cases
  mkdir -p "build/fuzz/corpus/$target"
  "build/fuzz/fuzz/fuzz_$target" "$limit" -timeout=10 -rss_limit_mb=2048 \
    -max_len=65536 -print_final_stats=1 -verbosity=1 \
    -artifact_prefix="build/fuzz/findings/$target-" \
    "build/fuzz/corpus/$target" "build/fuzz/seeds/$target" 2>"build/fuzz/$target.log" || {
    tail -60 "build/fuzz/$target.log" >&2
    die "fuzz target $target failed; inputs: build/fuzz/findings, log: build/fuzz/$target.log"
  }
  sed -n 's/^stat::number_of_executed_units: */  runs: /p; s/^stat::peak_rss_mb: */  peak MB: /p' \
    "build/fuzz/$target.log"
done
