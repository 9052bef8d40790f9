#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A program that is killed at any moment leaves a recording that opens and names its loss. What
its threads counted themselves is all there in the native stream and its segments; an mlpd that is
written beside it ends like one of a killed recorder."""
import os
import random
import shutil
import signal
import struct
import subprocess
import time
from pathlib import Path

from mono_common import LONG, POLYTRACE, check, enter_room, run, surroundings
from ptrace import Stream
from waiting import wait_until

THREADS = 2
EVENTS = "events=threads+calls+alloc=objects,filter=Busy:Deed"


# A converter that shows when it has been given something.
TEE = f"#!/bin/sh\ntee seen | {POLYTRACE} \"$@\"\n"


def start(command, counts="counts"):
    Path(counts).unlink(missing_ok=True)
    return subprocess.Popen([*command, "busy.exe", counts, str(THREADS)], env=surroundings(),
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def kill(program, ready):
    """At some moment; `ready`: while it works, else from its first on."""
    if ready:
        program.stdout.readline()
    time.sleep(random.uniform(0, 0.1))  # wait: any moment will do
    program.send_signal(signal.SIGKILL)
    program.communicate()


def wait_for_content(file, program):
    wait_until(lambda: Path(file).exists() and Path(file).stat().st_size > 0,
               f"something in {file}", process=program)


def counted():
    """What each thread says it has done. Threads come in order."""
    data = Path("counts").read_bytes() if Path("counts").exists() else b""
    return list(struct.unpack(f"<{len(data) // 8}Q", data)[::8])


def checked(file):
    """Exit code of check, and what it says."""
    done = subprocess.run([POLYTRACE, "check", file], capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr


def deeds(stream):
    """Entries and exits by busy thread."""
    names = {event.id: event.fields["name"] for event in stream.all("Thread")
             if event.fields.get("name")}
    found = {thread: [0, 0] for thread, name in names.items() if name.startswith("busy-")}
    for event in stream.all("Enter", "Leave"):
        if event.thread in found:
            found[event.thread][event.kind == "Leave"] += 1
    return {names[thread]: row for thread, row in found.items()}


def expect_all(found, done):
    for i, count in enumerate(done):
        enters, leaves = found.get(f"busy-{i}", (0, 0))
        check(count <= leaves <= enters <= count + 1, "thread", i, "counted", count,
              "but recorded are", enters, leaves)


def test_native(ready):
    for old in ("out.ptrace", "out.ptrace.segments"):
        Path(old).unlink(missing_ok=True)
    program = start(["mono", f"--profile=polytrace:{EVENTS},file=out.ptrace"])
    wait_for_content("out.ptrace", program)
    kill(program, ready)
    done = counted()
    stream = Stream("out.ptrace")
    check(not stream.ended, "the stream has an end")
    stream.read_segments("out.ptrace.segments")
    expect_all(deeds(stream), done)
    code, said = checked("out.ptrace")
    check(code in (0, 4) and "killed or still running program" in said, code, said)
    return sum(done)


def calls_in(file):
    text = run([POLYTRACE, "cat", "--no-progress", "--kind", "enter", "--name", "Deed",
                file]).stdout
    return text.count(" enter ")


def test_mlpd(ready):
    """Written by a child of the program, which outlives it."""
    shutil.rmtree("left", ignore_errors=True)
    os.mkdir("left")
    Path("out.mlpd").unlink(missing_ok=True)
    Path("seen").unlink(missing_ok=True)
    program = start(["mono", f"--profile=polytrace:{EVENTS},file=out.mlpd,format=mlpd,"
                     f"segments=left,flush=50ms,converter={os.getcwd()}/tee.sh"])
    wait_for_content("seen", program)
    kill(program, ready)
    done = counted()
    check(Path("out.mlpd").exists(), "the converter has made nothing")  # it held stderr until then
    code, said = checked("out.mlpd")
    check(code == 4 and "killed or still running program" in said, code, said)
    found = subprocess.run([POLYTRACE, "cat", "--no-progress", "--quiet", "--kind", "enter",
                            "--name", "Deed", "out.mlpd"], capture_output=True, text=True,
                           check=False).stdout.count(" enter ")
    check(found <= sum(done) + THREADS, found, "calls of", done)
    if shutil.which("mprof-report"):
        run(["mprof-report", "out.mlpd"])
    convert_whole()
    return sum(done), found


def convert_whole():
    """A copy is an ordinary file again."""
    Path("copy.mlpd").unlink(missing_ok=True)
    subprocess.run([POLYTRACE, "convert", "-q", "out.mlpd", "-o", "copy.mlpd"], check=False,
                   capture_output=True)
    code, said = checked("copy.mlpd")
    check(code == 0, said)


def test_record():
    """`record` outlives the program, and loses nothing in whatever format."""
    Path("whole.mlpd").unlink(missing_ok=True)
    recorder = start([POLYTRACE, "record", "-o", "whole.mlpd", "--events", "threads,calls",
                      "--filter", "Busy:Deed", "mono"])
    recorder.stdout.readline()
    time.sleep(random.uniform(0, 0.3))  # wait: any moment will do
    children = Path(f"/proc/{recorder.pid}/task/{recorder.pid}/children").read_text("ascii")
    os.kill(int(children.split()[0]), signal.SIGKILL)
    said = recorder.communicate()[1]
    check(recorder.returncode == 137, recorder.returncode, said)
    check("ended without goodbye" in said and "nothing lost" in said, said)
    done, found = counted(), calls_in("whole.mlpd")
    check(sum(done) <= found <= sum(done) + THREADS, found, "calls recorded of", done)
    return found


def main():
    rounds = 50 if LONG else 1
    with enter_room("busy"):
        Path("tee.sh").write_text(TEE, encoding="utf-8")
        os.chmod("tee.sh", 0o755)
        for ready in (True, False):
            native = sum(test_native(ready) for _ in range(rounds))
            pairs = [test_mlpd(ready) for _ in range(rounds)]
            print(f"{rounds} times killed {'at work' if ready else 'at any moment'}: native",
                  f"{native} calls counted, none missing; mlpd {sum(b for _, b in pairs)} of",
                  f"{sum(a for a, _ in pairs)} calls, and says that its end is missing")
        print(f"record: {test_record()} calls, none missing")


main()
