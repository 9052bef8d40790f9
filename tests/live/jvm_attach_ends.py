#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A recording of a program that runs ends when its time is over, whatever becomes of `attach`: also
where the program knows itself by another number, and where nobody is left to stop it. The file is
whole then and does not grow, and the program goes on."""
import os
import signal
import subprocess
from pathlib import Path

from jvm_common import Room, Stream
from waiting import status_of, wait_until

POLYTRACE = os.environ.get("POLYTRACE",
                           str(Path(__file__).resolve().parents[2] / "build/release/polytrace"))
THREADS, SPINS = "2", "10000"
APART = ["unshare", "--pid", "--fork", "--mount-proc"]


def start(room, jdk, before=()):
    """The program, and its number; or nothing where it may not live in a namespace of its own."""
    flags = ["-XX:+EnableDynamicAgentLoading"] if jdk.version >= 21 else []
    program = subprocess.Popen([*before, jdk.tool("java"), *flags, "-cp", str(room.folder), "Busy",
                                str(room.folder / "counts"), THREADS, SPINS],
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if program.stdout.readline() != "ready\n":
        assert before, program.communicate()
        program.communicate()
        return None, 0
    return program, child_of(program.pid) if before else program.pid


def child_of(parent):
    children = [int(place.name) for place in Path("/proc").iterdir() if place.name.isdigit()
                and status_of(place.name).get("PPid", "").strip() == str(parent)]
    assert len(children) == 1, children
    return children[0]


def attach(path, process, *options):
    return subprocess.Popen([POLYTRACE, "attach", "--events", "calls", "--filter", "Busy",
                             "--option", "jvm.accessors=yes", "-o", path, *options, str(process)],
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def expect_over(room, program, path):
    """The recording has ended, and the program calls on without it."""
    stream = Stream(path)
    assert stream.ended and stream.all("Enter"), path
    size = path.stat().st_size
    before = (room.folder / "counts").read_bytes()
    wait_until(lambda: (room.folder / "counts").read_bytes() != before, "more calls",
               process=program)
    assert path.stat().st_size == size, "the file grows on"


def stopped_by_time(room, program, process, path):
    done = attach(path, process, "--duration", "1s")
    _, said = done.communicate(timeout=250)
    assert done.returncode == 0, (done.returncode, said)
    for wrong in ("could not be stopped", "goodbye", "program ended"):
        assert wrong not in said, said
    expect_over(room, program, path)


def left_alone(room, program, process, path):
    orphan = attach(path, process, "--duration", "2s")
    wait_until(lambda: path.exists() and path.stat().st_size > 4096, "a recording", process=orphan)
    orphan.send_signal(signal.SIGKILL)
    orphan.communicate()
    segments = Path(f"{path}.segments")
    wait_until(lambda: not segments.exists(), "the end of the recording", process=program)
    expect_over(room, program, path)


def test(room, jdk, before):
    program, process = start(room, jdk, before)
    if program is None:
        return False
    try:
        for visit in (stopped_by_time, left_alone):
            visit(room, program, process, room.trace(visit.__name__))
    finally:
        os.kill(process, signal.SIGKILL)
        program.communicate()
    return True


def main():
    room = Room("Busy")
    for jdk in room.jdks:
        assert test(room, jdk, [])
        apart = test(room, jdk, APART)
        print(f"JDK {jdk.version}: ended in time,",
              "also in a namespace of its own" if apart else "no namespace may be made here")


main()
