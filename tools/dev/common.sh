# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# What the verbs share. Sourced with the project's root as the current directory.

# Equal sources give equal compilations wherever the checkout lies (the drill builds in a copy).
export CCACHE_BASEDIR=$PWD CCACHE_NOHASHDIR=1
export CMAKE_COLOR_DIAGNOSTICS=ON
jobs=$(nproc 2>/dev/null || echo 2)

bold='' red='' plain=''
if [[ -t 1 && -z ${NO_COLOR:-} && ${TERM:-dumb} != dumb ]]; then
  bold=$'\e[1m' red=$'\e[31m' plain=$'\e[0m'
else
  export CMAKE_COLOR_DIAGNOSTICS=OFF
fi

say() { printf '%s== %s%s\n' "$bold" "$*" "$plain"; }
die() {
  printf '%sdev: %s%s\n' "$red" "$*" "$plain" >&2
  exit 1
}
usage() {
  printf 'dev: %s\n' "$*" >&2
  exit 2
}

verb_help() { sed -n 's/^#: \{0,1\}//p' "tools/dev/$1.sh"; }

# dev <verb> [argument...] as a separate process.
dev() { ./dev "$@"; }

# build <preset> [target...]: configures where needed (new packages are noticed), then builds.
build() {
  local preset=$1
  shift
  local log=build/$preset.configure.log options=(-D POLYTRACE_BULK="${POLYTRACE_BULK:-OFF}")
  if [[ $preset == asan && -n ${POLYTRACE_SANITIZE:-} ]]; then
    options+=(-D POLYTRACE_SANITIZE="$POLYTRACE_SANITIZE")
  fi
  mkdir -p build
  if ! cmake --preset "$preset" "${options[@]}" >"$log" 2>&1; then
    cat "$log" >&2
    die "cannot configure '$preset'; the log is in $log"
  fi
  cmake --build --preset "$preset" --target "${@:-all}"
}

# run_tests <preset> [ctest argument...]: leaves machine-readable results in build/<preset>/reports.
run_tests() {
  local preset=$1 reports=build/$1/reports
  shift
  rm -rf "$reports"
  mkdir -p "$reports/gtest"
  # One more than there are cores: some tests wait for other processes.
  ctest --preset "$preset" -j "$((jobs + 1))" --output-junit "$PWD/$reports/ctest.xml" "$@"
}
