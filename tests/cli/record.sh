#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# record, attach and doctor, with runtimes that are scripts: what they are told, what follows.
set -uo pipefail
# shellcheck source=tests/cli/support/expect.sh
source "$(dirname "$0")/support/expect.sh"

# --- a runtime that writes a recording which is there already ---
canned=$scratch/canned.ptrace
run convert "$data/calls.mlpd" --to native -o "$canned"
expect_code 0
mkdir "$scratch/bin" "$scratch/agents"
touch "$scratch/agents/libpolytrace-jvm.so" "$scratch/agents/libmono-profiler-polytrace.so"
cat >"$scratch/bin/java" <<'JAVA'
#!/usr/bin/env bash
source "$WAITING"
printf '%s\n' "$@" >"$SEEN"
printf '%s\n' "${LD_LIBRARY_PATH:-}" >>"$SEEN"
for word; do
  [[ $word == -agentpath:* || $word == --profile=* ]] && options=${word#*[:=]file=}
done
file=${options%%,*}
segments() {
  # Magic, version, process, the stream's id, no units, live; padded to a page.
  printf '\x89PTSEGS\n\x01\0\0\0\0\0\0\0'
  dd if="$file" bs=1 skip=16 count=8 status=none
  printf '\0\0\0\0\0\0\0\0\x01\0\0\0'
  head -c 4060 /dev/zero
}
case ${FAKE:-record} in
  record) cp "$CANNED" "$file" ;;
  ignore) ;;
  cut-*)
    # The status of a recording that was cut off: its reason, and an error number.
    cp "$CANNED" "$file"
    {
      head -c 1024 /dev/zero
      printf 'PTST\x88\0\0\0'
      head -c 112 /dev/zero
      if [[ $FAKE == cut-3 ]]; then printf '\x1c\0\0\0\0\0\0\0'; else head -c 8 /dev/zero; fi
      printf "\\x0${FAKE#cut-}"'\0\0\0\0\0\0\0'
      head -c 2936 /dev/zero
    } >"$file.segments"
    wait_until 'a recorder that reads segments' grep -qF "$file.segments" "/proc/$PPID/maps"
    rm "$file.segments"
    ;;
  killed)
    (umask 077 && head -c -72 "$CANNED" >"$file")  # as agents do
    segments >"$file.segments"
    kill -KILL $$
    ;;
  wait)
    cp "$CANNED" "$file"
    trap 'exit 130' INT
    touch "$SEEN.ready"
    wait_until 'Ctrl-C' false
    ;;
esac
echo "from the program"
exit "${CODE:-0}"
JAVA
chmod +x "$scratch/bin/java"
cp "$scratch/bin/java" "$scratch/bin/mono"
export PATH=$scratch/bin:$PATH POLYTRACE_AGENTS=$scratch/agents
export SEEN=$scratch/seen CANNED=$canned
WAITING=$(realpath "$(dirname "$0")/../support/waiting.sh")
export WAITING
cd "$scratch" || exit 1

# --- what the runtime is told, and what comes back ---
run record -o one.ptrace --events calls,gc --filter 'com.acme.*' --option flush=100 \
  java -cp classes Shop --json -o x 5
expect_code 0
expect_in out 'from the program'
expect_in err 'one.ptrace:'
cmp -s one.ptrace "$canned" || fail 'the recording is not what the agent wrote'
told="file=$(realpath one.ptrace),events=calls+gc,filter=com.acme.*,limit=4g,flush=100"
grep -qxF -- "-agentpath:$(realpath agents)/libpolytrace-jvm.so=$told" seen ||
  fail "told: $(sed -n 1p seen)"
[[ $(sed -n 2,8p seen | tr '\n' ' ') == '-cp classes Shop --json -o x 5 ' ]] ||
  fail "arguments: $(cat seen)"
CODE=3 run record --force -o one.ptrace java -- -version
expect_code 3
grep -qx -- -version seen || fail 'what stands behind -- is not passed on'

run record -o two.ptrace mono shop.exe
expect_code 0
everything=calls+threads+gc+monitors+exceptions+alloc=sampled
told="file=$(realpath two.ptrace),events=$everything,limit=4g"
sed -n 1p seen | grep -qxF -- "--profile=polytrace:$told" || fail "told: $(sed -n 1p seen)"
[[ $(tail -n 1 seen) == "$(realpath agents)"* ]] || fail 'Mono cannot find the agent'

# --- without a manual: what is left out, the limit, what comes next ---
run record -f -o two.ptrace java Shop
expect_in err "left out: methods of the JDK (--filter '*'), "
expect_in err 'short methods (--option jvm.accessors=yes)'
expect_in err 'exceptions (--events +exceptions)'
expect_in err '(--events +alloc=sites)'
java=calls+threads+gc+monitors+alloc=sampled
[[ $(sed -n 1p seen) == *",events=$java,limit=4g" ]] || fail "told: $(sed -n 1p seen)"
run record -f -o two.ptrace --events +alloc=sites --filter '*' --limit none java Shop
expect_not_in err 'left out'
[[ $(sed -n 1p seen) == *",events=${java%sampled}sites,filter=*,limit=none" ]] ||
  fail "told: $(sed -n 1p seen)"
run record -f -o two.ptrace --option jvm.accessors=yes java Shop
expect_not_in err 'short methods'
run record -f -o two.ptrace --limit 1GiB java Shop
[[ $(sed -n 1p seen) == *,limit=1GiB ]] || fail "told: $(sed -n 1p seen)"
run record -f -o "it's two.ptrace" java Shop
expect_in err "polytrace report 'it'\\''s two.ptrace'"
expect_in err "polytrace flame 'it'\\''s two.ptrace' -o 'it'\\''s two.html'"
sed -n '/^Next:/,$p' err | grep -c '^  ' | grep -qx '[123]' || fail "next: $(cat err)"
sed -n 's/^  //p' err | while read -r line; do
  bash -c "$line" >pasted 2>&1 || fail "pasted: $line: $(cat pasted)"
done
run record -q -f -o two.ptrace java Shop
expect_silent err
run record --json -f -o two.ptrace java Shop
expect_not_in err 'Next:'
expect_json '.cut_off == null'

# --- cut off: by its limit, by the disk, by a write that fails ---
FAKE=cut-1 run record -f --limit 1m -o cut.ptrace java Shop
expect_code 6
expect_in err 'cut.ptrace: cut off at its limit (--limit 1m)'
FAKE=cut-1 CODE=3 run record -f -o cut.ptrace java Shop
expect_code 3
FAKE=cut-2 run record -f -o cut.ptrace java Shop
expect_code 4
expect_in err 'the recording was cut off: the disk is nearly full'
FAKE=cut-3 run record -f -o cut.ptrace java Shop
expect_code 4
expect_in err 'the recording was cut off: No space left on device'
expect_not_in err 'nothing lost'
FAKE=cut-1 run record --json -f -o cut.ptrace java Shop
expect_json '.cut_off == "limit" and .exit_code == 6'

# --- other formats, a report, JSON ---
run record -o three.mlpd java Shop
expect_code 0
[[ ! -e three.mlpd.ptrace ]] || fail 'what was converted is still there'
run info --json three.mlpd
expect_json '.format.name == "mlpd"'
run record --format tbf -o four.trace java Shop
expect_code 0
run info --json four.trace
expect_json '.format.name == "tbf"'
run record --report -q -o five.ptrace java Shop
expect_code 0
expect_in out 'Methods'
CODE=7 run record --json -o six.ptrace java Shop
expect_code 7
expect_json '.schema == "polytrace.record/1" and .exit_code == 7 and .clean_end'
expect_in err 'from the program'

# --- what goes wrong ---
FAKE=ignore run record -o seven.ptrace java Shop
expect_code 1
expect_in err 'there is no recording'
FAKE=ignore CODE=9 run record -o seven.ptrace java Shop
expect_code 9
[[ ! -e seven.ptrace ]] || fail 'there is a recording of nothing'
FAKE=killed run record -o eight.ptrace java Shop
expect_code 137
expect_in err 'without goodbye'
[[ ! -e eight.ptrace.segments ]] || fail 'segments are left behind'
run check eight.ptrace
expect_code 0
[[ $(stat -c %a eight.ptrace) == 600 ]] || fail 'others can read what was completed'
run record -o one.ptrace java Shop
expect_code 1
expect_in err 'exists already'
for wrong in 'cobol Shop' java '--evnets x java Shop' '--policy sometimes java Shop' \
  '--option nonsense=1 java Shop' '--option fliter=x java Shop' '-o a,b.ptrace java Shop' \
  '--limit much java Shop' '--limit 1,2 java Shop' '-o - java Shop' '--format nonsense java Shop' \
  '--duration soon java Shop'; do
  # shellcheck disable=SC2086
  run record $wrong
  expect_code 2
done
run record --option fliter=x java Shop
expect_in err 'did you mean "filter"?'
run record --runtime ./nothing java Shop
expect_code 1
expect_in err 'no Java'
run record --agent ./nothing.so java Shop
expect_code 1

# --- Ctrl-C ---
FAKE="wait" "$POLYTRACE" record -o nine.ptrace java Shop >out 2>err &
recorder=$!
wait_until 'a program that runs' test -e seen.ready
kill -INT $recorder
code=0
wait $recorder || code=$?
ran='record, interrupted'
expect_code 130
expect_in err 'nine.ptrace:'
cmp -s nine.ptrace "$canned" || fail 'what was recorded until Ctrl-C is lost'

# --- attach ---
run attach $$
expect_code 2
expect_in err 'is no JVM'
run attach 2147483600
expect_code 2

# --- doctor ---
run doctor --json
expect_code 0
expect_json '.can_record and ([.findings[].topic] | index("Clock") != null)'
expect_json '.runtimes | map(select(.name == "mono")) | length == 1'
expect_json '.runtimes[] | select(.name == "mono") |
  .can_record and .command == "polytrace record mono app.exe"'
run doctor
expect_in out 'Ready to record'
expect_in out 'polytrace record mono app.exe'
awk 'length > 80' out | grep -v /tmp && fail 'a line of doctor is longer than 80 columns'
PATH=/nonexistent "$POLYTRACE" doctor >out || true
grep -q 'no mono in PATH' out || fail 'doctor without PATH finds Mono'
mkdir lone && cp "$POLYTRACE" lone/polytrace
(
  POLYTRACE=$scratch/lone/polytrace
  rm agents/libmono-profiler-polytrace.so
  run doctor --json
  expect_json '.runtimes[] | select(.name == "mono") |
    (.can_record | not) and (.command | length > 0)'
  run record -f -o two.ptrace mono shop.exe
  expect_code 1
  expect_in err 'no agent for Mono'
  exit $failures
) || failures=$((failures + 1))
POLYTRACE=$scratch/lone/polytrace POLYTRACE_AGENTS='' run doctor
expect_code 5
expect_in out 'Nothing can be recorded here. Next: unpack polytrace again'
mkdir -p tree/build/release && mv lone/polytrace tree/build/release
touch tree/dev && chmod +x tree/dev
POLYTRACE=$scratch/tree/build/release/polytrace POLYTRACE_AGENTS='' run doctor
expect_in out "Next: $(realpath tree)/dev build"
finish
