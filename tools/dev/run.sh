# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
#: ./dev run [ARGUMENT...]
#: Installs what is missing, builds what the command needs, and runs it: polytrace, the agents to
#: record, polytrace-ui for `ui`, polytrace-fleet for `fleet`, `collect` and `push`.
#:
#: Paths are relative to where you stand. The first build takes two minutes and shows how far it is.
#:
#: `fleet demo` is a fleet to try out: a store, a collector, ten processes of two versions.
#:
#:   ./dev run formats
#:   ./dev run fleet demo
#:   ./dev run report --help

# A new build folder is for the command alone, which needs fewer packages and half of the time.
packages=program targets=(polytrace) options=(-D POLYTRACE_TESTS=OFF -D POLYTRACE_BENCH=OFF)
[[ -f build/release/CMakeCache.txt ]] || options+=(-D POLYTRACE_UI=OFF -D POLYTRACE_FLEET=OFF)
case ${1:-} in
  record | attach | doctor) targets+=(polytrace_agents) ;;  # nothing else loads them
  ui) packages=build targets+=(polytrace-ui) options+=(-D POLYTRACE_UI=ON) ;;
  fleet | collect | push)
    packages=build targets+=(polytrace-fleet) options+=(-D POLYTRACE_FLEET=ON)
    ;;
esac
[[ "${1:-} ${2:-}" == 'fleet demo' ]] && targets+=(polytrace_agents)
dev setup "$packages" >&2
for target in "${targets[@]}"; do
  [[ $target == polytrace_agents || -x build/release/$target ]] ||
    say "building $target, once: some minutes" >&2
done
configure release "${options[@]}"
compile release "${targets[@]}"
program=$PWD/build/release/polytrace
if [[ "${1:-} ${2:-}" == 'fleet demo' ]]; then
  POLYTRACE=$program exec python3 "$PWD/tools/fleet_demo.py" "${@:3}"
fi
cd "$called_from"
exec "$program" "$@"
