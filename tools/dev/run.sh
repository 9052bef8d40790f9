# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
#: ./dev run [ARGUMENT...]
#: Installs what is missing, builds the program and runs it with the arguments.
#:
#: Paths are relative to where you stand. The build speaks only when it fails.
#:
#:   ./dev run formats
#:   ./dev run report --help

dev setup build >&2
[[ -x build/release/polytrace ]] || printf 'dev: building the program, once\n' >&2
if ! output=$(build release polytrace 2>&1); then
  printf '%s\n' "$output" >&2
  exit 1
fi
program=$PWD/build/release/polytrace
cd "$called_from"
exec "$program" "$@"
