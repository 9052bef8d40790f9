#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A JVM whose agent dials a collector: see collected.py."""
import os

from collected import ENVIRONMENT, LABELS, Program, test_all
from jvm_common import LONG, Room


def main():
    room = Room("Steps")
    for jdk in room.jdks if LONG else room.jdks[-1:]:
        def start(trace, connect, more="", jdk=jdk):
            options = (f"file={trace},connect={connect},{LABELS},filter=Steps,"
                       f"jvm.accessors=yes{more}")
            return Program(room.command(jdk, options, "Steps"), cwd=room.folder,
                           env={**os.environ, **ENVIRONMENT})

        test_all(start, "Steps.deed", room.folder)
        print(f"JDK {jdk.version}: its collector may be there or not")


main()
