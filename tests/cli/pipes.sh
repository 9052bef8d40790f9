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

# wait_for FILE TEXT
wait_for() {
  wait_until "\"$2\" in $1" grep -qsF -- "$2" "$1"
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
PYTHONPATH=$(realpath "$(dirname "$0")/../support")
export PYTHONPATH PYTHONDONTWRITEBYTECODE=1
python3 - "$POLYTRACE" "$file" "$scratch/fifo" <<'P' || fail 'Ctrl-C does not end a run cleanly'
import contextlib, json, signal, subprocess, sys
from waiting import SECONDS, send_taken, wait_for_reader
program, trace, fifo = sys.argv[1:]
run = subprocess.Popen([program, "info", "--json", fifo], stdout=subprocess.PIPE,
                       stderr=subprocess.PIPE)
content = open(trace, "rb").read()
with contextlib.suppress(BrokenPipeError), open(fifo, "wb", buffering=0) as pipe:
    pipe.write(content[: len(content) // 2])
    wait_for_reader(run, pipe)
    send_taken(run, signal.SIGINT)
    pipe.write(content[len(content) // 2 :])
out, err = run.communicate(timeout=SECONDS)
assert run.returncode == 130, (run.returncode, err)
result = json.loads(out)
assert result["partial"] and result["interrupted"], result
assert b"interrupted" in err, err
P
# The second kills.
python3 - "$POLYTRACE" "$scratch/fifo" <<'P' || fail 'a second Ctrl-C does not kill'
import signal, subprocess, sys
from waiting import SECONDS, send_taken, wait_for_reader
program, fifo = sys.argv[1:]
run = subprocess.Popen([program, "info", fifo], stderr=subprocess.DEVNULL)
with open(fifo, "wb") as pipe:
    wait_for_reader(run, pipe)
    send_taken(run, signal.SIGINT)
    run.send_signal(signal.SIGINT)
    assert run.wait(timeout=SECONDS) == -signal.SIGINT, run.returncode
P
# SIGTERM and SIGHUP end what waits for input that never comes.
for signal in TERM HUP; do
  python3 - "$POLYTRACE" "$scratch/fifo" "$signal" <<'P' || fail "SIG$signal does not end a run"
import signal, subprocess, sys
from waiting import SECONDS, wait_for_reader
program, fifo, name = sys.argv[1:]
number = signal.Signals["SIG" + name]
run = subprocess.Popen([program, "info", fifo], stderr=subprocess.DEVNULL)
with open(fifo, "wb") as pipe:
    wait_for_reader(run, pipe)
    run.send_signal(number)
    assert run.wait(timeout=SECONDS) == -number, run.returncode
P
done

# interrupt SIGNALS OUTPUT ARGUMENT...: convert or export half of a trace to OUTPUT, then signals.
interrupt() {
  python3 - "$POLYTRACE" "$file" "$scratch/fifo" "$@" <<'P' || fail "interrupted: $*"
import contextlib, signal, subprocess, sys
from waiting import SECONDS, send_taken, wait_for_reader
program, trace, fifo, signals, output, *words = sys.argv[1:]
content = open(trace, "rb").read()
run = subprocess.Popen([program, *words, fifo, "-o", output], stderr=subprocess.DEVNULL)
with contextlib.suppress(BrokenPipeError), open(fifo, "wb", buffering=0) as pipe:
    pipe.write(content[: len(content) // 2])
    wait_for_reader(run, pipe)
    for name in signals.split():
        send_taken(run, signal.Signals["SIG" + name])
    pipe.write(content[len(content) // 2 :])
run.wait(timeout=SECONDS)
P
}
mkdir "$scratch/outputs"
# A second signal, or one that ends more than this program, leaves nothing behind.
interrupt 'INT INT' "$scratch/outputs/part.ptrace" convert
interrupt 'INT INT' "$scratch/outputs/part" export --to ctf
interrupt 'KILL' "$scratch/outputs/part.ptrace" convert
[[ -z $(ls -A "$scratch/outputs") ]] || fail "left behind: $(ls -A "$scratch/outputs")"
# A part says that it is one.
for to in mlpd native tbf trcxml tracelog; do
  interrupt 'HUP' "$scratch/outputs/part.$to" convert --to "$to"
  run check "$scratch/outputs/part.$to"
  expect_code 4
  rm "$scratch/outputs/part.$to"
done
for command in anonymize 'cut --from 1'; do
  # shellcheck disable=SC2086 # words
  interrupt 'HUP' "$scratch/outputs/part.tbf" $command
  run check "$scratch/outputs/part.tbf"
  expect_code 4
  rm "$scratch/outputs/part.tbf"
done
# A part never takes the place of a whole file.
echo whole >"$scratch/outputs/old"
for signal in INT TERM HUP; do
  interrupt "$signal" "$scratch/outputs/old" convert -f --to native
  interrupt "$signal" "$scratch/outputs/old" export -f --to folded
  interrupt "$signal" "$scratch/outputs/old" flame -f
  [[ $(cat "$scratch/outputs/"*) == whole ]] || fail "SIG$signal: a part replaces a whole file"
done
run history build "$file" -o "$scratch/outputs/history"
cp "$scratch/outputs/history/history.bin" "$scratch/whole"
interrupt INT "$scratch/outputs/history" history build -f
cmp -s "$scratch/whole" "$scratch/outputs/history/history.bin" ||
  fail 'a part of a history replaces a whole one'

# What cannot be written is told of the output.
echo 'time,path,type,value' >"$scratch/rows.csv"
for ((i = 0; i < 3000; ++i)); do
  echo "$i,Lamp$((i * 7919 % 3001)),string,$i-$RANDOM-$RANDOM"
done >>"$scratch/rows.csv"
code=0
(
  trap '' XFSZ
  ulimit -f 4
  "$POLYTRACE" history import "$scratch/rows.csv" -o "$scratch/full" 2>"$scratch/err" \
    >"$scratch/out"
) || code=$?
ran='polytrace history import to a full disk'
expect_code 1
expect_in err "$scratch/full: cannot be written"
# Of several targets the one that failed.
code=0
(
  trap '' XFSZ
  ulimit -f 4
  "$POLYTRACE" export --to folded,jfr --limit 3 "$file" -o "$scratch/two" 2>"$scratch/err" \
    >"$scratch/out"
) || code=$?
ran='polytrace export of two targets to a full disk'
expect_code 1
expect_in err "$scratch/two.jfr: cannot be written"
finish
