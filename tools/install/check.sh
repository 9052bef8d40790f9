#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs the release build into an empty folder and builds a program against nothing but that:
# check.sh TRACE. The program must read events from the trace, the installed command know its name.
set -euo pipefail

place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
cmake --install build/release --prefix "$place/usr" >"$place/install.log"
cmake -S tools/install -B "$place/build" -G Ninja -DCMAKE_BUILD_TYPE=Debug \
  -DCMAKE_PREFIX_PATH="$place/usr" >"$place/configure.log" ||
  { cat "$place/configure.log"; exit 1; }
cmake --build "$place/build" >"$place/build.log" || { cat "$place/build.log"; exit 1; }

cmake -S examples/registered_message -B "$place/example" -G Ninja -DCMAKE_BUILD_TYPE=Debug \
  -DCMAKE_PREFIX_PATH="$place/usr" >"$place/configure.log" ||
  { cat "$place/configure.log"; exit 1; }
cmake --build "$place/example" >"$place/build.log" || { cat "$place/build.log"; exit 1; }
"$place/example/registered_message" >/dev/null || { echo "install: the example failed"; exit 1; }

trace=$1
# The C interface, by pkg-config alone.
export PKG_CONFIG_PATH=$place/usr/share/pkgconfig
read -ra flags < <(pkg-config --cflags --libs polytrace)
cc -std=c99 -pedantic -Wall -Wextra -Werror examples/c/hot_methods.c -o "$place/hot" "${flags[@]}"
rows=$(XDG_CACHE_HOME=$place LD_LIBRARY_PATH=$place/usr/lib "$place/hot" "$trace" 3 | wc -l)
[[ $rows -gt 0 ]] || { echo "install: the program in C got no row of $trace" >&2; exit 1; }
events=$("$place/build/consumer" "$trace")
[[ $events -gt 0 ]] || { echo "install: the consumer read no event of $trace" >&2; exit 1; }
for words in version 'ui --help' 'fleet --help'; do
  # shellcheck disable=SC2086 # words
  "$place/usr/bin/polytrace" $words >/dev/null
done
[[ -f $place/usr/share/doc/polytrace/LICENSE ]]
for file in man/man1/polytrace.1.gz bash-completion/completions/polytrace \
  zsh/vendor-completions/_polytrace fish/vendor_completions.d/polytrace.fish; do
  [[ -s $place/usr/share/$file ]] || { echo "install: no $file" >&2; exit 1; }
done
"$place/usr/bin/polytrace" doctor --json | jq -e \
  'all(.findings[] | select(.topic == "Agents"); .health == "ok")' >/dev/null ||
  { echo 'install: the program does not find its agents' >&2; exit 1; }
printf 'install: %s files; a program built on them read %s events\n' \
  "$(find "$place/usr" -type f | wc -l)" "$events"
