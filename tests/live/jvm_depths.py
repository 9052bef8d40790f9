#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Stacks are whole up to 1024 frames, or as many as were asked for; a deeper one begins with a
frame that says so. How deep they are, the program is told."""
import os
import subprocess

from jvm_common import Room

POLYTRACE = os.environ["POLYTRACE"]
EVENTS = "events=exceptions+monitors+alloc=sampled:64k"
MOST = 1024
MEGABYTE = 1 << 20
CUT = "?.(truncated)"  # of no class


def expected(calls, most):
    whole = ["Depths.main"] + ["Depths.down"] * calls
    return whole if len(whole) <= most else [CUT, *whole[-most:]]


def stacks(stream, kind):
    """Of the throw, the large array or the wait of `down`."""
    names = [[stream.methods[method] for method, _ in event.fields.get("stack", [])]
             for event in stream.all(kind) if event.fields.get("size", MEGABYTE) >= MEGABYTE]
    return [stack for stack in names if "Depths.down" in stack]


def check_depth(room, jdk, calls, most, option=""):
    _, stream = room.run(jdk, EVENTS + option, "Depths", str(calls), flags=("-Xss16m",))
    stack = expected(calls, most)
    thrown = stacks(stream, "Throw")
    assert thrown == [stack], (calls, most, [(len(of), of[:3]) for of in thrown])
    for kind in ("Alloc", "Wait"):  # the wait has frames of the JDK's above
        roots = {of[0] for of in stacks(stream, kind)}
        assert roots == {stack[0]}, (kind, calls, most, roots)


def check_folded(room):
    """An export shows the frame as the root, and the stack up to its innermost frame."""
    path = str(room.folder / "out.ptrace")
    folded = subprocess.run([POLYTRACE, "flame", "--folded", "--weight", "bytes", path, "-o", "-"],
                            capture_output=True, text=True, check=True).stdout
    deep = [line for line in folded.splitlines() if "Depths.down" in line]
    roots = {line.split(";")[0] for line in deep}
    assert roots == {"(truncated)"}, roots
    cut = [line[-60:] for line in deep if "(... more)" in line]
    assert not cut, cut


def main():
    room = Room("Depths")
    for jdk in room.jdks:
        check_depth(room, jdk, 500, MOST)
        check_depth(room, jdk, MOST - 8, MOST)
        check_depth(room, jdk, 500, 8, ",depth=8")
        check_depth(room, jdk, 2000, MOST)
        check_folded(room)
        print(f"JDK {jdk.version}: stacks are whole, or say that they are not")


main()
