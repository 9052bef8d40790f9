#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Standard input and output, closed pipes, signals, growing files.
set -uo pipefail
# shellcheck source=tests/cli/support/expect.sh
source "$(dirname "$0")/support/expect.sh"

file=$data/calls.mlpd
run info --json "$file"
jq -S 'del(.file, .size, .compression)' "$scratch/out" >"$scratch/file"
# shellcheck disable=SC2002 # a pipe is the point
cat "$file" | "$POLYTRACE" info --json - | jq -S 'del(.file, .size, .compression)' >"$scratch/pipe"
cmp -s "$scratch/file" "$scratch/pipe" || fail 'info - of a pipe differs from the file'
gzip -c "$file" | "$POLYTRACE" check - >/dev/null || fail 'gzip in a pipe'
if command -v zstd >/dev/null; then
  zstd -qc "$file" | "$POLYTRACE" check - >/dev/null || fail 'zstd in a pipe'
fi

# A reader that goes away: quiet.
"$POLYTRACE" cat "$data/threads.mlpd.gz" 2>"$scratch/err" | head -1 >"$scratch/out"
ran='polytrace cat | head -1'
[[ $(wc -l <"$scratch/out") -eq 1 ]] || fail "$ran: no line"
expect_silent err

# wait_for FILE TEXT: at most ten seconds.
wait_for() {
  local i
  for ((i = 0; i < 200; ++i)); do
    grep -qF -- "$2" "$1" 2>/dev/null && return 0
    sleep 0.05
  done
  fail "no \"$2\" in $1 after ten seconds"
}

# A growing file: what comes later is shown; Ctrl-C ends it regularly, even inside a frame.
size=$(stat -c %s "$file")
half=$((size / 2))
head -c "$half" "$file" >"$scratch/growing"
first=$("$POLYTRACE" cat -q "$scratch/growing" | tail -1)
last=$("$POLYTRACE" cat "$file" | tail -1)
bash -c 'trap - INT; exec "$0" "$@"' "$POLYTRACE" cat --follow "$scratch/growing" \
  >"$scratch/out" 2>"$scratch/err" &
follower=$!
wait_for "$scratch/out" "$first"
tail -c +$((half + 1)) "$file" >>"$scratch/growing"
wait_for "$scratch/out" "$last"
head -c 100 "$file" | tail -c 30 >>"$scratch/growing"
kill -TERM "$follower"
code=0
wait "$follower" || code=$?
ran='polytrace cat --follow'
"$POLYTRACE" cat "$file" | cmp -s - "$scratch/out" || fail "$ran: not the events of the file"

# The first Ctrl-C ends a run cleanly: what was read is told, marked as partial.
mkfifo "$scratch/fifo"
python3 - "$POLYTRACE" "$file" "$scratch/fifo" <<'P' || fail 'Ctrl-C does not end a run cleanly'
import json, os, signal, subprocess, sys, time
program, trace, fifo = sys.argv[1:]
run = subprocess.Popen([program, "info", "--json", fifo], stdout=subprocess.PIPE,
                       stderr=subprocess.PIPE)
content = open(trace, "rb").read()
with open(fifo, "wb") as pipe:
    pipe.write(content[: len(content) // 2])
    pipe.flush()
    time.sleep(0.3)
    run.send_signal(signal.SIGINT)
    time.sleep(0.1)
    pipe.write(content[len(content) // 2 :])
out, err = run.communicate(timeout=20)
assert run.returncode == 130, (run.returncode, err)
result = json.loads(out)
assert result["partial"] and result["interrupted"], result
assert b"interrupted" in err, err
P
# The second kills.
python3 - "$POLYTRACE" "$scratch/fifo" <<'P' || fail 'a second Ctrl-C does not kill'
import signal, subprocess, sys, time
program, fifo = sys.argv[1:]
run = subprocess.Popen([program, "info", fifo], stderr=subprocess.DEVNULL)
with open(fifo, "wb"):
    time.sleep(0.3)
    run.send_signal(signal.SIGINT)
    time.sleep(0.2)
    run.send_signal(signal.SIGINT)
    assert run.wait(timeout=20) == -signal.SIGINT, run.returncode
P
finish
