#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A program of .NET whose agent dials a collector: see collected.py."""
from collected import ENVIRONMENT, LABELS, Program, test_all
from coreclr_common import Room


def main():
    room = Room("Steps")

    def start(trace, connect, more=""):
        options = f"file={trace},connect={connect},{LABELS},filter=Steps{more}"
        return Program(room.command("Steps"), cwd=room.folder,
                       env={**room.surroundings(options), **ENVIRONMENT})

    test_all(start, "Steps::Deed", room.folder)
    print(f".NET {room.sdk.version}: its collector may be there or not")


main()
