# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# What the verbs share. Sourced with the project's root as the current directory.

# Equal sources give equal compilations wherever the checkout lies (the drill builds in a copy).
# Precompiled headers are cached, too: nothing here depends on __TIME__ or on macros before them.
export CCACHE_BASEDIR=$PWD CCACHE_NOHASHDIR=1 CCACHE_SLOPPINESS=pch_defines,time_macros
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

# configure <preset> [option...]: new packages are noticed. A new build folder compiles sources
# several at a time, which is faster from nothing but without warnings; those that exist for
# warnings do not, nor others where POLYTRACE_BULK is OFF.
configure() {
  local preset=$1 log=build/$1.configure.log options=("${@:2}") bulk=${POLYTRACE_BULK:-ON}
  [[ $preset != @(clang|gcc) ]] || bulk=OFF
  [[ -f build/$preset/CMakeCache.txt ]] || options+=(-D POLYTRACE_BULK="$bulk")
  mkdir -p build
  if ! cmake --preset "$preset" "${options[@]}" >"$log" 2>&1; then
    cat "$log" >&2
    die "cannot configure '$preset'; the log is in $log"
  fi
}

# compile <preset> [target...]: shows on standard error how many steps are done of how many, on a
# terminal at each, elsewhere every 30 seconds; what the compiler says only where it fails.
compile() {
  local preset=$1 log=build/$1.build.log
  shift
  local command=(cmake --build --preset "$preset" --target "${@:-all}")
  export NINJA_STATUS='[%f/%t] '
  if [[ -t 2 && ${TERM:-dumb} != dumb ]]; then
    "${command[@]}" >&2
    return
  fi
  tell_steps "$preset" "$log" >&2 &
  local teller=$! status=0
  "${command[@]}" >"$log" 2>&1 || status=$?
  kill "$teller" 2>/dev/null
  wait "$teller" 2>/dev/null || true
  [[ $status -eq 0 ]] || cat "$log" >&2
  return "$status"
}

# tell_steps <preset> <log>: until it is killed.
tell_steps() {
  local begin=$SECONDS step never
  exec {never}<> <(:)  # to wait without a child that would outlive us
  while :; do
    read -r -t 30 -u "$never" || true
    step=$(grep -o '^\[[0-9]*/[0-9]*\]' "$2" | tail -n 1)
    printf 'building %s: %s steps after %d s\n' "$1" "${step:-no}" $((SECONDS - begin))
  done
}

# build <preset> [target...]: all programs and whatever they need. Tests and benchmarks are parts of
# the build only where they are asked for: build_with 'TESTS BENCH' <preset> [target...]
build() { build_with '' "$@"; }
build_with() {
  local parts=$1 preset=$2 options=(-D POLYTRACE_UI=ON -D POLYTRACE_FLEET=ON) part
  shift 2
  if [[ $preset == release ]]; then
    for part in TESTS BENCH; do
      options+=(-D "POLYTRACE_$part=$([[ " $parts " == *" $part "* ]] && echo ON || echo OFF)")
    done
  fi
  configure "$preset" "${options[@]}"
  compile "$preset" "$@"
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
