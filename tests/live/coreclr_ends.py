#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""However a program ends, with threads in the middle of their work: nothing that happened before is
missing. What happened, the threads count in memory that outlives them."""
import os
import resource
import signal
import struct
import subprocess
from collections import Counter
from pathlib import Path

from coreclr_common import (LONG, POLYTRACE, Room, check, check_balance, counted, method_names,
                            names_of_threads)
from waiting import wait_until
from ptrace import Stream

WORKERS = 3
LEAST = 1000  # calls of each before the end
TELLS = "events=calls+threads+exceptions+samples=5ms,filter=Truth.*"
# How it ends (.NET 10 leaves SIGTERM to the system), what the program's exit code is then, whether
# the runtime says goodbye.
WAYS = (("exit", 3, True), ("exit-elsewhere", 3, True), ("return", 0, True),
        ("terminate", -signal.SIGTERM, False), ("throw", -signal.SIGABRT, False),
        ("throw-elsewhere", -signal.SIGABRT, False), ("fail", -signal.SIGABRT, False),
        ("abort", -signal.SIGABRT, False), ("fault", -signal.SIGSEGV, False),
        ("overflow", None, False),
        ("kill", -signal.SIGKILL, False))

SAMPLE = ("exit", "throw", "overflow", "kill")


def counts_of(room):
    """What each worker has counted."""
    return struct.unpack(f"<{WORKERS}q", (room.folder / "marks").read_bytes()[:8 * WORKERS])


def end(room, how):
    """The exit code, the stream, and what each worker has counted."""
    path = room.trace()
    program = subprocess.Popen(room.command("Situations", how, LEAST), stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, cwd=room.folder,
                               env=room.surroundings(f"file={path},{TELLS}"))
    if how in ("kill", "terminate"):
        check(program.stdout.readline() == b"ready\n", "the program does not get ready")
        before = counts_of(room)
        wait_until(lambda: all(now > old for now, old in zip(counts_of(room), before)),
                   "workers that go on", process=program)
        program.send_signal(signal.SIGKILL if how == "kill" else signal.SIGTERM)
    program.communicate(timeout=120)
    return program.returncode, path, counts_of(room)


def look(path):
    done = subprocess.run([POLYTRACE, "check", "--no-progress", path], capture_output=True,
                          text=True, timeout=250, check=False)
    return done.returncode, done.stdout + done.stderr


def marks_of(stream, kind):
    names, threads = method_names(stream), names_of_threads(stream)
    marks = Counter(threads.get(e.thread) for e in stream.all(kind)
                    if names[e.id] == "Truth.Ends::Mark")
    return [marks[f"worker-{i}"] for i in range(WORKERS)]


def check_end(room, how, expected, goodbye):
    code, path, counts = end(room, how)
    # The stack may overflow in native code: then nobody says why.
    check(code == expected or (expected is None and code < 0), how, "gave", code)
    code, said = look(path)
    check(code == 0, how, said)
    segments = Path(f"{path}.segments")
    stream = Stream(path)
    check(stream.ended == goodbye and segments.exists() != goodbye, how, stream.ended)
    check(("ended without goodbye" in said) != goodbye, how, said)
    if not goodbye:
        stream.read_segments(segments)
    for entered, left, count in zip(marks_of(stream, "Enter"), marks_of(stream, "Leave"), counts):
        check(entered - left in (0, 1), how, entered, "entered,", left, "left")
        check(LEAST <= entered <= count + 1, how, entered, "calls recorded,", count, "counted")
        # The recording ends before the program does when the runtime says goodbye.
        check(goodbye or entered in (count, count + 1), how, entered, "calls,", count, "counted")
    calls = counted(stream, "Enter")
    check(calls["Truth.Ends::Work"] == WORKERS, how, calls)
    check(calls["Truth.Ends::Last"] == int(goodbye), how, "last words:", calls)
    check_balance(stream, ended=False)
    return path


def check_loss(path):
    """What was not written yet lies beside the stream; without that, the loss is named."""
    os.remove(f"{path}.segments")
    code, said = look(path)
    check(code == 4 and "end-missing" in said, "exit code", code, said)


def main():
    room = Room("Situations")
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    ways = WAYS if LONG else [way for way in WAYS if way[0] in SAMPLE]
    for how, expected, goodbye in ways:
        path = check_end(room, how, expected, goodbye)
    check_loss(path)
    print(f".NET {room.sdk.version}: {len(ways)} ends, nothing is missing")


main()
