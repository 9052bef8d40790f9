#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A program that is killed loses nothing that was recorded: what its threads counted themselves is
in the stream and its segment file."""
import random
import signal
import struct
import subprocess
import time

from jvm_common import LONG, Room, Stream

THREADS = 2


def start(room, jdk, counts, path):
    command = room.command(jdk, f"file={path},filter=Busy:deed,jvm.accessors=yes", "Busy",
                           str(counts), str(THREADS))
    program = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=room.folder)
    assert program.stdout.readline() == "ready\n"
    return program


def recorded(path):
    """Entries and exits of each busy thread."""
    stream = Stream(path)
    assert not stream.ended
    stream.read_segments(f"{path}.segments")
    counts = {name: [0, 0] for name in (f"busy-{i}" for i in range(THREADS))}
    for event in stream.all("Enter", "Leave"):
        name = stream.threads.get(event.thread)
        if name in counts:
            counts[name][event.kind == "Leave"] += 1
    return counts


def test_kill(room, jdk):
    counts = room.folder / "counts"
    counts.unlink(missing_ok=True)
    path = room.trace()
    program = start(room, jdk, counts, path)
    time.sleep(random.uniform(0.02, 0.5))
    program.send_signal(signal.SIGKILL)
    program.wait()
    done = struct.unpack_from(f"<{8 * THREADS}Q", counts.read_bytes())[::8]
    for i, (enters, leaves) in enumerate(recorded(path)[f"busy-{i}"] for i in range(THREADS)):
        assert done[i] <= leaves <= enters <= done[i] + 1, (i, done[i], leaves, enters)
    return sum(done)


def main():
    room = Room("Busy")
    rounds = 100 if LONG else 2
    for jdk in room.jdks:
        total = sum(test_kill(room, jdk) for _ in range(rounds))
        print(f"JDK {jdk.version}: {rounds} times killed, {total} calls counted, none missing")


main()
