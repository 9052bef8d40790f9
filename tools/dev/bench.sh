# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
#: ./dev bench [NAME [ARGUMENT...]]
#: Runs the benchmark bench/NAME.sh on the release build; without a name, lists them.
#:
#:   ./dev bench
#:   ./dev bench mlpd

if [[ $# -eq 0 ]]; then
  for script in bench/*.sh; do
    [[ -e $script ]] || continue
    name=${script##*/}
    printf '  %-10s %s\n' "${name%.sh}" "$(sed -n '3s/^# //p' "$script")"
  done
  return 0
fi
name=$1
shift
[[ -f bench/$name.sh ]] || usage "no benchmark \"$name\"; ./dev bench lists them"
dev setup live
build_with BENCH release
export POLYTRACE=$PWD/build/release/polytrace BENCH_PROGRAMS=$PWD/build/release/bench
exec bash "bench/$name.sh" "$@"
