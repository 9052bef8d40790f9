#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a recording cannot keep is counted, exactly, and never costs the program: memory that is too
small, a disk that is full, a client that takes nothing."""
import json
import os
import resource
import select
import signal
import socket
import subprocess
import sys
from pathlib import Path

from jvm_common import HERE, LONG, Room, Stream, thread_named
from waiting import wait_until

sys.path.insert(0, str(HERE.parent / "cli"))
import control  # noqa: E402  (the protocol, written from its description)

POLYTRACE = os.environ["POLYTRACE"]
CALLS = 1000000 if LONG else 500000
FILTER = "filter=Flood:one,Flood:zero,jvm.accessors=yes,events=calls"
ACCEPTS, CREDIT, BYTES, NATIVE = 3, 13, 26, 2

THREAD_ENDS = ("Thread", "end")


def expected(calls):
    """Entries and exits in the program's order, and the end of its thread."""
    names = [("Flood.zero", "Flood.one")[bin(n).count("1") & 1] for n in range(calls)]
    return [(what, name) for name in names for what in ("Enter", "Leave")] + [THREAD_ENDS]


def told(stream, event):
    """As in the order; None for what is not in it."""
    if event.kind == "Thread" and event.fields.get("life") == 2:
        return THREAD_ENDS
    return (event.kind, stream.methods[event.id]) if event.kind in ("Enter", "Leave") else None


def follow(stream, thread, order):
    """Compares what the thread recorded with the order, a loss taking as many as it says; where it
    ends, and how many were lost."""
    at = lost = 0
    for event in sorted((e for e in stream.events if e.thread == thread), key=lambda e: e.tick):
        what = told(stream, event)
        if event.kind == "Lost":
            at, lost = at + event.fields["records"], lost + event.fields["records"]
        elif what:
            assert what == order[at], (at, lost, event, order[at])
            at += 1
    return at, lost


def sleepy_converter(room):
    """Takes nothing of the stream before the program has made all its calls."""
    path = room.folder / "sleepy"
    path.write_text("#!/bin/sh\nfor last; do :; done\n"
                    "until [ -e \"$last.go\" ]; do sleep 0.05; done\n"  # wait: in sh, for a file
                    "exec cat >\"$last\"\n", encoding="utf-8")
    path.chmod(0o700)
    return path


def test_drop(room, jdk, order):
    """Memory and the pipe to the converter are full before the calls have ended."""
    go = room.folder / "out.ptrace.go"
    go.unlink(missing_ok=True)
    options = f"{FILTER},policy=drop,buffer=1m,format=tbf,converter={sleepy_converter(room)}"
    _, stream = room.run(jdk, options, "Flood", str(CALLS), str(go))
    at, lost = follow(stream, thread_named(stream, "main"), order)
    assert at == len(order), (at, len(order))
    assert 0 < lost < len(order), "nothing was lost" if lost == 0 else "everything was lost"
    return lost


def flood(room, jdk, path, options, calls=CALLS, **surroundings):
    """The program ends as it would without a recording."""
    done = subprocess.run(room.command(jdk, f"file={path},{FILTER},{options}", "Flood", str(calls)),
                          capture_output=True, text=True, timeout=250, cwd=room.folder, check=False,
                          **surroundings)
    assert (done.returncode, done.stdout) == (0, "done\n"), done
    return done.stderr


def first_lines(path):
    """Of a report, and its exit code."""
    done = subprocess.run([POLYTRACE, "report", str(path)], capture_output=True, text=True,
                          timeout=150, check=False)
    return done.returncode, done.stdout.splitlines()[:3]


def test_limit(room, jdk, order):
    """A recording that has reached its limit has an end of its own, and reports say so."""
    path = room.trace()
    flood(room, jdk, path, "buffer=1m,limit=1m,min-free=0")
    stream = Stream(path)
    at, _ = follow(stream, thread_named(stream, "main"), order)
    assert stream.ended and 0 < at < len(order), at
    code, lines = first_lines(path)
    assert code == 6 and lines[1].startswith("Cut off at "), (code, lines)
    assert "its limit of 1 MiB is reached" in lines[1], lines


def expect_prefix(path, order):
    """A stream that ended early holds the first calls, and the command says that it ended."""
    stream = Stream(path)
    assert not stream.ended
    stream.read_segments(f"{path}.segments")
    at, lost = follow(stream, thread_named(stream, "main"), order)
    assert 0 < at < len(order) and lost == 0, (at, lost)
    done = subprocess.run([POLYTRACE, "check", "--json", str(path)], capture_output=True, text=True,
                          timeout=150, check=False)
    codes = [notice["code"] for notice in json.loads(done.stdout)["notices"]]
    assert (done.returncode, codes) == (0, ["segments-read"]), done.stdout
    code, lines = first_lines(path)
    assert code == 0 and lines[1].startswith("Cut off: it has no end"), lines


def test_large_file(room, jdk, order):
    """The file may not grow: an error and a signal, as a full disk gives without the signal."""
    path = room.trace()
    most = 1100000  # of the stream; the segment file is somewhat smaller

    def limit():
        resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))

    errors = flood(room, jdk, path, "buffer=1m", preexec_fn=limit)
    assert "the recording was cut off, the output failed: File too large" in errors, errors
    assert path.stat().st_size <= most
    expect_prefix(path, order)


def test_full_disk(room, jdk, order):
    """A disk of its own, where one may be mounted."""
    folder = room.folder / "disk"
    folder.mkdir(exist_ok=True)
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=2m", "polytrace-test", str(folder)],
                      capture_output=True, check=False).returncode != 0:
        return "no disk could be mounted"
    try:
        path = folder / "full.ptrace"
        errors = flood(room, jdk, path, "buffer=1m,min-free=0")
        assert "the recording was cut off, the output failed: No space left" in errors, errors
        expect_prefix(path, order)
        path = folder / "nearly.ptrace"
        errors = flood(room, jdk, path, "buffer=1m,min-free=8m")
        assert errors, "a disk that is nearly full from the beginning is not told"
        for old in folder.iterdir():
            old.unlink()
        subprocess.run(["mount", "-o", "remount,size=16m", str(folder)], check=True)
        flood(room, jdk, path, "buffer=1m,min-free=14m", calls=10 * CALLS)
        done = subprocess.run([POLYTRACE, "check", "--strict", str(path)], capture_output=True,
                              text=True, timeout=150, check=False)
        assert done.returncode == 5 and "cut off: the disk is nearly full" in done.stdout, done
    finally:
        subprocess.run(["umount", str(folder)], check=True)
    return "a full disk is told"


def connect(room, program):
    """A client that announces the native format and much credit."""
    found = wait_until(lambda: list(Path(room.folder).glob(f"polytrace/{program.pid}-*/control")),
                       "the agent's socket", process=program)
    client = socket.socket(socket.AF_UNIX)
    client.connect(str(found[0]))
    client.sendall(control.frame(control.HELLO, 1, control.field(1, 1),
                                 control.field(ACCEPTS, NATIVE)))
    client.sendall(control.frame(CREDIT, 0, control.field(BYTES, 1 << 40)))
    return client


def test_stalled_client(room, jdk):
    """It is never waited for; when its time is over it is sent away."""
    path = room.trace()
    program = subprocess.Popen(
        room.command(jdk, f"file={path},control=unix,filter=Busy:deed,jvm.accessors=yes", "Busy",
                     str(room.folder / "counts"), "2"),
        stdout=subprocess.PIPE, text=True, cwd=room.folder,
        env={**os.environ, "XDG_RUNTIME_DIR": str(room.folder)})
    try:
        assert program.stdout.readline() == "ready\n"
        with connect(room, program) as client:
            size = 0
            for _ in range(3):  # the recording goes on meanwhile
                wait_until(lambda: path.stat().st_size > size + (1 << 16),  # noqa: B023
                           "more that is recorded", process=program)
                size = path.stat().st_size
            if LONG:
                poll = select.poll()
                poll.register(client, 0)
                assert poll.poll(120_000) == [(client.fileno(), select.POLLHUP)]
            assert program.poll() is None
        program.send_signal(signal.SIGTERM)
        program.wait(150)
    finally:
        program.kill()
        program.wait()
        program.stdout.close()
    assert Stream(path).ended, "the stream has no end"


def main():
    room = Room("Flood", "Busy")
    order = expected(CALLS)
    for jdk in room.jdks:
        lost = test_drop(room, jdk, order)
        test_large_file(room, jdk, order)
        test_limit(room, jdk, order)
        disk = test_full_disk(room, jdk, order)
        test_stalled_client(room, jdk)
        print(f"JDK {jdk.version}: {lost} of {len(order)} lost, all counted; {disk}")


main()
