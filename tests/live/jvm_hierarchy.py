#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Recordings of a JVM as TPTP's traces: every event has its place in a hierarchy of node, process,
agent, trace, thread, class, method and call. Two of them in one file stand beside each other."""
import os
import subprocess
from collections import Counter

from hierarchy_common import Loader, expect_hierarchy
from jvm_common import Room

POLYTRACE = os.environ["POLYTRACE"]
EVENTS = "events=calls+threads+gc+monitors+exceptions+alloc=objects"
PROGRAMS = {"Parts": "filter=Parts", "Hidden": "filter=Hidden*"}


# What a merge tells of each recording's process, it may tell in several elements.
TOLD_AGAIN = ("node", "processCreate")


def without(placed, elements):
    return {element: count for element, count in placed.items() if element not in elements}


def expect_beside(recordings, document, placed):
    """One after the other, each under its own process and agent."""
    subprocess.run([POLYTRACE, "merge", "--quiet", "--force", *recordings, "-o", document],
                   capture_output=True, timeout=150, check=True)
    loader = Loader().load(document)
    assert set(loader.traces.values()) == loader.destroyed == set(loader.agents), loader.agents
    assert len(set(loader.agents.values())) == len(recordings), loader.agents
    both = without(loader.placed, TOLD_AGAIN)
    assert both == without(placed, TOLD_AGAIN), (both, placed)


def main():
    room = Room(*PROGRAMS)
    for jdk in room.jdks:
        recordings, placed = [], Counter()
        for program, rules in PROGRAMS.items():
            room.run(jdk, f"{EVENTS},{rules}", program, flags=("-Xlog:disable",), trace=program)
            recordings.append(room.folder / f"{program}.ptrace")
            placed += expect_hierarchy(POLYTRACE, recordings[-1], room.folder)
        assert sum(placed.values()) > 2000, placed
        expect_beside(recordings, room.folder / "both.trcxml", placed)
        print(f"JDK {jdk.version}: {sum(placed.values())} elements placed")


main()
