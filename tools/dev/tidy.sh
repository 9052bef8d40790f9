# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
#: ./dev tidy [FILE...]
#: Runs clang-tidy 19 over source files; without one, over all of src/.
#:
#:   ./dev tidy src/base/io/cursor.cpp
#:   ./dev tidy

dev setup test check
build clang polytrace >/dev/null
files=("$@")
[[ $# -gt 0 ]] || mapfile -t files < <(find src -name '*.cpp' | sort)
printf '%s\0' "${files[@]}" |
  xargs -0 -P "$jobs" -n 4 clang-tidy-19 -p build/clang --quiet --warnings-as-errors='*'
