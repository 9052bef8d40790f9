#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A recording of .NET as TPTP's trace: every event has its place in a hierarchy of node, process,
agent, trace, thread, class, method and call."""
from coreclr_common import POLYTRACE, Room, check
from hierarchy_common import expect_hierarchy

EVENTS = "events=calls+threads+gc+exceptions+alloc=objects"


def main():
    room = Room("Records")
    room.run(EVENTS, "Records")
    placed = sum(expect_hierarchy(POLYTRACE, room.folder / "out.ptrace", room.folder).values())
    check(placed > 10_000, placed)
    print(f".NET {room.sdk.version}: {placed} elements placed")


main()
