#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The agent comes into a program that runs, changes its filters, pauses, goes on and leaves again,
and comes again, while threads call without end."""
import struct
import subprocess

from jvm_common import LONG, Room, Stream
from waiting import wait_until

THREADS = 4  # more than there are cores here
SPINS = "10000"  # between calls


def tell(room, jdk, program, options):
    # Quoted, since jcmd takes what looks like name=value for an option of its own.
    done = subprocess.run([jdk.tool("jcmd"), str(program.pid), "JVMTI.agent_load",
                           str(room.agent), f'"{options}"'],
                          capture_output=True, text=True, timeout=150, check=False)
    assert done.returncode == 0 and "return code: 0" in done.stdout, done.stdout + done.stderr


def start(room, jdk):
    # JDK 21 and later warn of agents that come late, unless told that they may.
    flags = ["-XX:+EnableDynamicAgentLoading"] if jdk.version >= 21 else []
    program = subprocess.Popen([jdk.tool("java"), *flags, "-cp", str(room.folder), "Busy",
                                str(room.folder / "counts"), str(THREADS), SPINS],
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert program.stdout.readline() == "ready\n"
    return program


def grow(path, bytes_=1 << 12):
    """Waits until so much more was recorded."""
    size = path.stat().st_size
    wait_until(lambda: path.stat().st_size >= size + bytes_, "more that is recorded")


def visit(room, jdk, program, path):
    """Comes, changes its filters, pauses, goes on and leaves."""
    tell(room, jdk, program, f"file={path},filter=Busy:deed,jvm.accessors=yes,flush=10ms")
    grow(path)
    tell(room, jdk, program, "filter=Busy:other")
    grow(path)
    tell(room, jdk, program, "pause")
    goes_on(room, program)
    tell(room, jdk, program, "resume")
    grow(path)
    tell(room, jdk, program, "detach")
    stream = Stream(path)
    assert stream.ended
    assert program.poll() is None, "the program has ended"
    return stream


def come_again(room, jdk, program):
    path = room.trace()
    tell(room, jdk, program, f"file={path},filter=Busy:deed,jvm.accessors=yes,flush=10ms")
    grow(path)
    tell(room, jdk, program, "detach")
    stream = Stream(path)
    assert stream.ended and stream.all("Enter", "Leave")


def test_attach(room, jdk):
    program = start(room, jdk)
    try:
        for _ in range(20 if LONG else 1):
            check(visit(room, jdk, program, room.trace()))
        come_again(room, jdk, program)
        goes_on(room, program)
    finally:
        program.kill()
        _, errors = program.communicate()
    assert not errors, errors


def counted(room):
    """Calls by thread."""
    return struct.unpack_from(f"<{8 * THREADS}Q", (room.folder / "counts").read_bytes())[::8]


def goes_on(room, program):
    """Waits until each thread has made some hundred calls more."""
    before = counted(room)
    wait_until(lambda: all(now > old + 300 for now, old in zip(counted(room), before)),
               "calls of each thread", process=program)


def check(stream):
    """First one method is seen, then only the other; frames entered before or after each change are
    whole, since rewritten code ends as it began. Nothing is recorded while paused."""
    calls = [e for e in stream.all("Enter") if stream.threads[e.thread].startswith("busy-")]
    names = [stream.methods[e.id] for e in sorted(calls, key=lambda e: e.tick)]
    first, last = names.index("Busy.other"), len(names) - 1 - names[::-1].index("Busy.deed")
    assert first > 100 and len(names) - last > 100, (first, last, len(names))
    # Each thread may be in a call while the classes change, no more.
    mixed = [names[i] for i in range(first, last + 1)] if first < last else []
    assert len(mixed) < len(names) / 2, "both filters were in force"
    stages = [e.fields.get("stage", 0) for e in stream.all("Recording")]
    assert stages == [0, 4, 2, 3, 1], stages  # start, ready, pause, resume, end
    pause, resume = (e.tick for e in stream.all("Recording") if e.fields.get("stage") in (2, 3))
    strays = [e for e in stream.all("Enter", "Leave") if pause < e.tick < resume]
    assert len(strays) <= THREADS, f"{len(strays)} calls while paused"


def main():
    room = Room("Busy")
    for jdk in room.jdks:
        test_attach(room, jdk)
        print(f"JDK {jdk.version}: came, changed its filters, paused, went on, left, came again")


main()
