# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
#: ./dev bench [all | NAME [ARGUMENT...]]
#: Runs the benchmark bench/NAME.sh on the release build; without a name, lists them. "all" runs
#: each on small inputs, which shows that all work, not how fast anything is.
#:
#:   ./dev bench
#:   ./dev bench mlpd
#:   ./dev bench all

# Tells each target and whether it was held; "versions" needs another program. What cannot run here
# says why (77). Ends with 1 where one failed: a target that small inputs miss is no failure.
bench_all() {
  local script name log code failed=() skipped=() held=0 missed=0
  export BENCH_SMALL=1
  log=$(mktemp)
  for script in bench/*.sh; do
    name=${script##*/} name=${name%.sh}
    case $name in versions | build | inner | agents_* | agent_record) continue ;; esac
    printf '\n==== %s\n' "$name"
    code=0
    bash "$script" 2>&1 | tee "$log" || code=$?
    ((held += $(grep -cw 'held$' "$log" || true))) || true
    ((missed += $(grep -cw 'MISSED$' "$log" || true))) || true
    case $code in
      0) ;;
      77) skipped+=("$name") ;;
      *) failed+=("$name") ;;
    esac
  done
  rm -f "$log"
  printf '\n%d targets held, %d missed, on small inputs' "$held" "$missed"
  printf '; cannot run here: %s' "${skipped[*]:-none}"
  printf '; failed: %s\n' "${failed[*]:-none}"
  [[ ${#failed[@]} == 0 ]]
}

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
[[ $name == all || -f bench/$name.sh ]] || usage "no benchmark \"$name\"; ./dev bench lists them"
dev setup live
case $name in build | inner) exec bash "bench/$name.sh" "$@" ;; esac  # they build what they measure
build_with BENCH release
export POLYTRACE=$PWD/build/release/polytrace BENCH_PROGRAMS=$PWD/build/release/bench
[[ $name != all ]] || {
  bench_all
  return
}
exec bash "bench/$name.sh" "$@"
