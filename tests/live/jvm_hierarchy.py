#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Recordings of a JVM as TPTP's traces: every event has its place in a hierarchy of node, process,
agent, trace, thread, class, method and call."""
import os

from hierarchy_common import expect_hierarchy
from jvm_common import Room

EVENTS = "events=calls+threads+gc+monitors+exceptions+alloc=objects"
PROGRAMS = {"Parts": "filter=Parts", "Hidden": "filter=Hidden*"}


def main():
    room = Room(*PROGRAMS)
    for jdk in room.jdks:
        placed = 0
        for program, rules in PROGRAMS.items():
            room.run(jdk, f"{EVENTS},{rules}", program, flags=("-Xlog:disable",))
            placed += expect_hierarchy(os.environ["POLYTRACE"], room.folder / "out.ptrace",
                                       room.folder)
        assert placed > 2000, placed
        print(f"JDK {jdk.version}: {placed} elements placed")


main()
