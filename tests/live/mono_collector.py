#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A Mono whose module dials a collector: see collected.py."""
from collected import ENVIRONMENT, LABELS, Program, test_all
from mono_common import enter_room, surroundings


def start(trace, connect, more=""):
    options = f"file={trace},connect={connect},{LABELS},filter=Steps{more}"
    return Program(["mono", f"--profile=polytrace:{options}", "steps.exe"],
                   env={**surroundings(), **ENVIRONMENT})


def main():
    room = enter_room("steps")
    test_all(start, "Steps:Deed", room.name)
    print("Mono: its collector may be there or not")


main()
