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
  killed)
    head -c -72 "$CANNED" >"$file"
    segments >"$file.segments"
    kill -KILL $$
    ;;
  wait)
    cp "$CANNED" "$file"
    trap 'exit 130' INT
    touch "$SEEN.ready"
    while :; do sleep 0.05; done
    ;;
esac
echo "from the program"
exit "${CODE:-0}"
JAVA
chmod +x "$scratch/bin/java"
cp "$scratch/bin/java" "$scratch/bin/mono"
export PATH=$scratch/bin:$PATH POLYTRACE_AGENTS=$scratch/agents
export SEEN=$scratch/seen CANNED=$canned
cd "$scratch" || exit 1

# --- what the runtime is told, and what comes back ---
run record -o one.ptrace --events calls,gc --filter 'com.acme.*' --option flush=100 \
  java -cp classes Shop --json -o x 5
expect_code 0
expect_in out 'from the program'
expect_in err 'one.ptrace:'
cmp -s one.ptrace "$canned" || fail 'the recording is not what the agent wrote'
told="file=$(realpath one.ptrace),events=calls+gc,filter=com.acme.*,flush=100"
grep -qxF -- "-agentpath:$(realpath agents)/libpolytrace-jvm.so=$told" seen ||
  fail "told: $(sed -n 1p seen)"
[[ $(sed -n 2,8p seen | tr '\n' ' ') == '-cp classes Shop --json -o x 5 ' ]] ||
  fail "arguments: $(cat seen)"
CODE=3 run record --force -o one.ptrace java -- -version
expect_code 3
grep -qx -- -version seen || fail 'what stands behind -- is not passed on'

run record -o two.ptrace mono shop.exe
expect_code 0
sed -n 1p seen | grep -qxF -- "--profile=polytrace:file=$(realpath two.ptrace)" ||
  fail "told: $(sed -n 1p seen)"
[[ $(tail -n 1 seen) == "$(realpath agents)"* ]] || fail 'Mono cannot find the agent'

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
run record -o one.ptrace java Shop
expect_code 1
expect_in err 'exists already'
for wrong in 'cobol Shop' java '--evnets x java Shop' '--policy sometimes java Shop' \
  '--option nonsense=1 java Shop' '--option fliter=x java Shop' '-o a,b.ptrace java Shop' \
  '-o - java Shop' '--format nonsense java Shop' '--duration soon java Shop'; do
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
until [[ -e seen.ready ]]; do sleep 0.02; done
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
run doctor
expect_in out 'Ready to record'
PATH=/nonexistent run doctor
expect_code 5
expect_in out 'no mono in PATH'
finish
