#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A program that is killed loses nothing that was recorded: what its threads counted themselves is
in the stream and its segment file; calls are balanced but for the open ones; the command reads
both files, says that there was no goodbye, and makes one whole file of them; so does the converter
of another format."""
import json
import os
import random
import signal
import struct
import subprocess
import time

from jvm_common import LONG, Room, Stream

THREADS = 2
# Formats that tell the end of a whole recording: that of a killed program has none.
LEFT_OPEN = {"mlpd": ["frame-truncated"], "block": ["end-missing"]}
POLYTRACE = os.environ["POLYTRACE"]


def start(room, jdk, counts, path):
    options = f"file={path},filter=Busy:deed,Busy:other,jvm.accessors=yes"
    command = room.command(jdk, options, "Busy", str(counts), str(THREADS))
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=room.folder)


def kill(program):
    program.send_signal(signal.SIGKILL)
    program.wait()
    program.stdout.close()


def still_open(calls):
    """Frames that are open at the end; each exit is that of the frame opened last."""
    frames = []
    for what, name in calls:
        if what == "enter":
            frames.append(name)
        else:
            assert frames and frames.pop() == name, f"{name} ends and was not entered last"
    return frames


def recorded(path):
    """Entries and exits of `deed` by each busy thread."""
    stream = Stream(path)
    assert not stream.ended
    stream.read_segments(f"{path}.segments")
    counts = {}
    for thread, calls in stream.calls().items():
        name = stream.threads.get(thread, "")
        if not name.startswith("busy-"):
            continue
        frames = still_open(calls)
        assert frames in ([], ["Busy.deed"], ["Busy.deed", "Busy.other"]), frames
        counts[name] = [calls.count((what, "Busy.deed")) for what in ("enter", "leave")]
    return counts


def polytrace(*arguments, stdin=None, code=0):
    done = subprocess.run([POLYTRACE, *map(str, arguments)], capture_output=True, text=True,
                          timeout=150, check=False, stdin=stdin)
    assert done.returncode == code, f"{arguments}: {done.returncode}, {done.stdout}{done.stderr}"
    return done.stdout


def expect_opens(path):
    """Exit code 0, and the one thing to say is how it ended."""
    said = json.loads(polytrace("check", "--json", path))
    codes = [notice["code"] for notice in said["notices"]]
    assert codes == ["segments-read"], codes
    whole = path.with_name("whole.ptrace")
    polytrace("repair", path, "-f", "-o", whole)
    assert json.loads(polytrace("check", "--strict", "--json", whole))["events"] == said["events"]
    with path.open("rb") as stream:  # which has no name to look beside
        polytrace("convert", "-", "--segments", f"{path}.segments", "-f", "-o", whole, stdin=stream)
    assert json.loads(polytrace("check", "--strict", "--json", whole))["events"] == said["events"]


def test_kill(room, jdk):
    counts = room.folder / "counts"
    counts.unlink(missing_ok=True)
    path = room.trace()
    program = start(room, jdk, counts, path)
    assert program.stdout.readline() == "ready\n"
    time.sleep(random.uniform(0.02, 0.5))  # wait: any moment will do
    kill(program)
    expect_opens(path)
    done = struct.unpack_from(f"<{8 * THREADS}Q", counts.read_bytes())[::8]
    of = recorded(path)
    for i, (enters, leaves) in enumerate(of.get(f"busy-{i}", (0, 0)) for i in range(THREADS)):
        assert done[i] <= leaves <= enters <= done[i] + 1, (i, done[i], leaves, enters)
    return sum(done)


def test_kill_at_start(room, jdk):
    """At any moment of the VM's start: what is there opens, once there is a header."""
    path = room.trace()
    program = start(room, jdk, room.folder / "counts", path)
    time.sleep(random.uniform(0, 0.3))  # wait: any moment will do
    kill(program)
    if path.exists() and path.stat().st_size > 0:
        expect_opens(path)


def calls_in(path, kinds, code):
    """Of `deed`, on all threads, as the command reads them."""
    return len(polytrace("cat", "--kind", kinds, "--name", "deed", path, code=code).splitlines())


def test_kill_converted(room, jdk, form):
    """The converter outlives the program, takes what is left in the segments, and says so."""
    counts = room.folder / "counts"
    counts.unlink(missing_ok=True)
    path = room.trace(form)
    options = f"file={path},format={form},converter={POLYTRACE},filter=Busy:deed,jvm.accessors=yes"
    program = subprocess.Popen(
        room.command(jdk, options, "Busy", str(counts), str(THREADS), "10000"),
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=room.folder)
    assert program.stdout.readline() == "ready\n"
    time.sleep(random.uniform(0.02, 0.5))  # wait: any moment will do
    program.send_signal(signal.SIGKILL)
    _, said = program.communicate(timeout=120)  # the converter's words go there, too
    assert "ended without goodbye" in said, said
    code = 4 if form in LEFT_OPEN else 0
    told = json.loads(polytrace("check", "--strict", "--json", path, code=code))["notices"]
    assert [notice["code"] for notice in told] == LEFT_OPEN.get(form, []), (form, told)
    done = sum(struct.unpack_from(f"<{8 * THREADS}Q", counts.read_bytes())[::8])
    enters, leaves = (calls_in(path, kinds, code) for kinds in ("enter", "leave,unwind"))
    assert done <= leaves <= enters <= done + THREADS, (form, done, leaves, enters)


def main():
    room = Room("Busy")
    rounds = 100 if LONG else 2
    for jdk in room.jdks:
        for _ in range(rounds):
            test_kill_at_start(room, jdk)
        for form in ("tbf", "trcxml", "mlpd", "block") * 5 if LONG else ("tbf",):
            test_kill_converted(room, jdk, form)
        total = sum(test_kill(room, jdk) for _ in range(rounds))
        print(f"JDK {jdk.version}: {rounds} times killed, {total} calls counted, none missing")


main()
