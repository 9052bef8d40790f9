# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
#: ./dev setup [SET...]
#: Installs the Debian packages that are missing; says which; does nothing when none is.
#:
#: Sets:
#:   program compiler and libraries for the command polytrace alone
#:   build   those for all programs, polytrace-ui and polytrace-fleet too (always, but for program)
#:   test    sanitizers, g++, GoogleTest and what the tests read with
#:   check   formatter, checkers of scripts and manual pages, compiler cache
#:   live    a JDK, Mono, its profiler and its report tool: live recordings, benchmarks
#:   bare    what makes a bare Debian in a folder, to try first use and packages in
#:   package what ./dev package makes packages with
#:   page    a browser, node and what drives the one from the other, strace: tests of the page and
#:           its server. npm's packages go to $POLYTRACE_PAGE (~/.cache/polytrace/page).
#:           Building the page needs node 20.19 besides, which is newer than Debian 12 has
#:   readers other tools that open what polytrace exports, large: tests of exports ask them if they
#:           are here. Those of npm go to $POLYTRACE_READERS (~/.cache/polytrace/readers)
#:   fleet   ClickHouse, ZooKeeper and NATS: tests of the fleet start servers of their own
#: Without a set: build and test. Needs root or sudo only when something is missing.
#:
#:   ./dev setup
#:   ./dev setup check live

packages_of() {
  case $1 in
    program) echo clang-19 cmake ninja-build pkg-config libcli11-dev libfmt-dev libexpected-dev \
      robin-map-dev libxxhash-dev libzstd-dev zlib1g-dev libexpat1-dev libsimdjson-dev \
      libisal-dev libarchive-dev libprotozero-dev libsqlite3-dev libedit-dev ;;
    build) echo "$(packages_of program)" libcurl4-openssl-dev libssl-dev libboost1.81-dev \
      libtomlplusplus-dev libnats-dev ;;
    test) echo g++ libclang-rt-19-dev libgtest-dev libgmock-dev nlohmann-json3-dev python3 \
      python3-jsonschema jq zstd protobuf-compiler ;;
    check) echo clang-format-19 clang-tidy-19 shellcheck \
      universal-ctags ccache mold git mandoc ;;
    live) echo mono-runtime mono-mcs mono-utils libmono-profiler libmono-2.0-dev libbenchmark-dev \
      openjdk-17-jdk-headless time ;;
    bare) echo mmdebstrap ;;
    package) echo dpkg-dev patchelf zstd lintian ;;
    page) echo chromium fonts-dejavu-core nodejs strace ;;
    readers) echo golang-go babeltrace2 protobuf-compiler valgrind chromium visualvm \
      fonts-dejavu-core ;;
    fleet) echo clickhouse-server clickhouse-client libzookeeper-java default-jre-headless \
      nats-server ;;
    *) usage "no package set \"$1\"; see ./dev help setup" ;;
  esac
}

is_installed() { [[ $(dpkg-query -W -f='${Status}' "$1" 2>/dev/null) == *' installed' ]]; }

missing_packages() {
  local set name
  for set in "$@"; do
    for name in $(packages_of "$set"); do
      is_installed "$name" || printf '%s\n' "$name"
    done
  done
}

install_packages() {
  local root=()
  if [[ $(id -u) -ne 0 ]]; then
    command -v sudo >/dev/null || die "not root and no sudo; please install: $*"
    root=(sudo)
  fi
  say "installing: $*"
  local log
  log=$(mktemp)
  if ! "${root[@]}" apt-get update -qq >"$log" 2>&1 ||
    ! "${root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq \
      -o DPkg::Lock::Timeout=600 --no-install-recommends "$@" </dev/null >>"$log" 2>&1; then
    cat "$log" >&2
    die "cannot install; the log is in $log"
  fi
  rm "$log"
}

sets=(build "${@:-test}")
[[ ${1:-} != program ]] || sets=("$@")
for set in "${sets[@]}"; do packages_of "$set" >/dev/null; done
if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
  printf 'dev: not a Debian system; nothing installed. Debian calls what is needed:\n' >&2
  for set in "${sets[@]}"; do printf '  %s\n' "$(packages_of "$set")" >&2; done
  return 0
fi
mapfile -t missing < <(missing_packages "${sets[@]}" | sort -u)
if [[ ${#missing[@]} -gt 0 ]]; then
  install_packages "${missing[@]}"
fi
if [[ " ${sets[*]} " == *' readers '* ]]; then
  folder=${POLYTRACE_READERS:-${XDG_CACHE_HOME:-$HOME/.cache}/polytrace/readers}
  command -v npm >/dev/null || install_packages nodejs npm
  mkdir -p "$folder"
  npm install --prefix "$folder" --no-save --no-audit --no-fund --ignore-scripts --loglevel error \
    speedscope@1.25.0 @firefox-devtools/profiler-cli@0.10.0 playwright-core@1.60.0 \
    apache-arrow@21.2.0 @duckdb/node-bindings-linux-x64@1.5.6-r.1 \
    @chdb/lib-linux-x64-gnu@26.7.3-stable.1
fi
if [[ " ${sets[*]} " == *' page '* ]]; then
  folder=${POLYTRACE_PAGE:-${XDG_CACHE_HOME:-$HOME/.cache}/polytrace/page}
  mkdir -p "$folder"
  node tools/page_driver.mjs "$folder"
  if [[ ! $folder/node_modules/.package-lock.json -nt $folder/package-lock.json ]]; then
    command -v npm >/dev/null || install_packages npm
    (cd "$folder" && npm ci --ignore-scripts --no-audit --no-fund --loglevel error)
  fi
fi
