#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A recording of Mono as TPTP's trace: every event has its place in a hierarchy of node, process,
agent, trace, thread, class, method and call."""
from hierarchy_common import expect_hierarchy
from mono_common import EVERYTHING, POLYTRACE, check, enter_room, record


def main():
    with enter_room("fixed"):
        record("fixed.ptrace", EVERYTHING, "fixed.exe")
        placed = sum(expect_hierarchy(POLYTRACE, "fixed.ptrace", ".").values())
        check(placed > 10_000, placed)
        print(f"Mono: {placed} elements placed")


main()
