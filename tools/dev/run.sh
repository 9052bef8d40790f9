# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
#: ./dev run [ARGUMENT...]
#: Installs what is missing, builds the program (and agents, to record) and runs it.
#:
#: Paths are relative to where you stand. The first build takes minutes and shows how far it is.
#:
#: `fleet demo` is a fleet to try out: a store, a collector, ten processes of two versions.
#:
#:   ./dev run formats
#:   ./dev run fleet demo
#:   ./dev run report --help

dev setup build >&2
[[ -x build/release/polytrace ]] || say 'building the program, once: some minutes' >&2
targets=(polytrace)
case ${1:-} in
  record | attach | doctor) targets+=(polytrace_agents) ;;  # nothing else loads them
esac
[[ "${1:-} ${2:-}" == 'fleet demo' ]] && targets+=(polytrace_agents)
build release "${targets[@]}"
program=$PWD/build/release/polytrace
if [[ "${1:-} ${2:-}" == 'fleet demo' ]]; then
  POLYTRACE=$program exec python3 "$PWD/tools/fleet_demo.py" "${@:3}"
fi
cd "$called_from"
exec "$program" "$@"
