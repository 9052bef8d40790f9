# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
#: ./dev build [PRESET [TARGET...]]
#: Builds the program, build/release/polytrace, and all that is installed with it.
#:
#: Presets: release (default), asan, clang, gcc, fuzz. Targets: product (default: the programs,
#: agents, libraries, completions), polytrace, all, or any other.
#: Then `cmake --install build/release --prefix FOLDER` puts it where you want it.
#:
#:   ./dev build
#:   ./dev build asan all
#:   ./dev build asan polytrace_tests_base

preset=${1:-release}
[[ $# -gt 0 ]] && shift
case $preset in
  release) dev setup build ;;
  asan) dev setup test ;;
  clang | gcc | fuzz) dev setup test check ;;
  *) usage "no preset \"$preset\": release, asan, clang, gcc or fuzz" ;;
esac
targets=("$@")
if [[ $# -eq 0 ]]; then
  targets=(product)
  [[ $preset == fuzz ]] && targets=(all)
fi
build "$preset" "${targets[@]}"
