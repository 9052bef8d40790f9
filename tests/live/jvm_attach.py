#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The agent comes into a program that runs, changes its filters, pauses, goes on and leaves again,
and comes again, while threads call without end."""
import subprocess
import time

from jvm_common import LONG, Room, Stream

THREADS = 4  # more than there are cores here
SPINS = "10000"  # between calls


def tell(room, jdk, program, options):
    # Quoted, since jcmd takes what looks like name=value for an option of its own.
    done = subprocess.run([jdk.tool("jcmd"), str(program.pid), "JVMTI.agent_load",
                           str(room.agent), f'"{options}"'],
                          capture_output=True, text=True, timeout=60, check=False)
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
    while path.stat().st_size < size + bytes_:
        time.sleep(0.01)


def visit(room, jdk, program, path):
    """Comes, changes its filters, pauses, goes on and leaves."""
    tell(room, jdk, program, f"file={path},filter=Busy:deed,jvm.accessors=yes,flush=10ms")
    grow(path)
    tell(room, jdk, program, "filter=Busy:other")
    grow(path)
    tell(room, jdk, program, "pause")
    time.sleep(0.1)
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
        counts = counted(room)
        while counted(room) == counts:  # the threads go on
            time.sleep(0.01)
    finally:
        program.kill()
        _, errors = program.communicate()
    assert not errors, errors


def counted(room):
    return (room.folder / "counts").read_bytes()


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
