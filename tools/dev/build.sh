# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
#: ./dev build [PRESET [TARGET...]]
#: Builds the program: build/release/polytrace.
#:
#: Presets: release (default), asan, clang, fuzz. Targets: polytrace (default), all, or any other.
#:
#:   ./dev build
#:   ./dev build asan all
#:   ./dev build release polytrace_tests_base

preset=${1:-release}
[[ $# -gt 0 ]] && shift
case $preset in
  release) dev setup build ;;
  asan) dev setup test ;;
  clang | fuzz) dev setup check ;;
  *) usage "no preset \"$preset\": release, asan, clang or fuzz" ;;
esac
targets=("$@")
if [[ $# -eq 0 ]]; then
  targets=(polytrace)
  [[ $preset == fuzz ]] && targets=(all)
fi
build "$preset" "${targets[@]}"
