#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A recording of a program that runs ends when its time is over, whatever becomes of `attach`: also
where the program knows itself by another number, and where nobody is left to stop it. The file is
whole then and does not grow, and the program goes on. Where the program does not see our files,
`attach` says so before it begins."""
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


def without(folder):
    """The program sees an empty folder there."""
    return ["unshare", "--mount", "sh", "-c", f"mount -t tmpfs tmpfs {folder} && exec \"$@\"", "sh"]


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
    return program, child_of(program.pid) if before == APART else program.pid


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


def test_unseen(room, jdk):
    """A folder for the recording, and the agent's library."""
    hidden = room.folder / "hidden"
    hidden.mkdir(exist_ok=True)
    agent = hidden / "agent.so"
    agent.write_bytes(Path(room.agent).read_bytes())
    program, process = start(room, jdk, without(hidden))
    if program is None:
        return
    try:
        nowhere = room.folder / "nowhere"
        done = attach(nowhere / "out.ptrace", process)
        assert f"{nowhere}: No such file" in done.communicate(timeout=250)[1]
        for path, more, unseen in ((hidden / "out.ptrace", [], hidden),
                                   (room.trace("seen"), ["--agent", agent], agent)):
            done = attach(path, process, *more)
            _, said = done.communicate(timeout=250)
            assert done.returncode == 2 and f"does not see {unseen}:" in said, (said, unseen)
            assert not path.exists() and not Path(f"{path}.segments").exists(), path
    finally:
        program.kill()
        program.communicate()


def main():
    room = Room("Busy")
    test_unseen(room, room.jdks[-1])
    for jdk in room.jdks:
        assert test(room, jdk, [])
        apart = test(room, jdk, APART)
        print(f"JDK {jdk.version}: ended in time,",
              "also in a namespace of its own" if apart else "no namespace may be made here")


main()
