#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The inner loop: inner.py [ROOM...]. Of each room of src that has tests of its own, a line of its
largest source is edited, in this checkout, and `./dev test ROOM` is timed; then the line is taken
back. What was built before counts as built, so the room's tests are first run without an edit."""
import os
import pathlib
import subprocess
import sys
import tempfile
import time

MOST = 90  # seconds
TESTS_OF = {"exports": "export"}  # where tests/ has another name


def rooms():
    for folder in sorted(pathlib.Path("src").iterdir()):
        tests = TESTS_OF.get(folder.name, folder.name)
        if folder.is_dir() and pathlib.Path("tests", tests).is_dir():
            yield folder.name, tests


def timed(tests):
    with tempfile.NamedTemporaryFile(prefix="polytrace-inner-", delete=False) as log:
        begin = time.monotonic()
        status = subprocess.run(["./dev", "test", tests], stdout=log, stderr=subprocess.STDOUT,
                                env=os.environ | {"CCACHE_DISABLE": "1"}).returncode
    if status:
        sys.exit(f"./dev test {tests} ended with {status}; its output: {log.name}")
    os.remove(log.name)
    return time.monotonic() - begin


def with_edit(room, tests):
    source = max(pathlib.Path("src", room).rglob("*.cpp"), key=lambda path: path.stat().st_size)
    text = source.read_bytes()
    try:
        source.write_bytes(text + b"\nextern const int kEditedLine;\nconst int kEditedLine = 1;\n")
        return source, timed(tests)
    finally:
        source.write_bytes(text)


def main():
    wanted = sys.argv[1:]
    worst = 0
    print(f"{'room':<12}{'nothing edited':>16}{'a line edited':>16}   {'at most ' + str(MOST)} s")
    for room, tests in rooms():
        if wanted and room not in wanted:
            continue
        timed(tests)
        before = timed(tests)
        source, after = with_edit(room, tests)
        worst = max(worst, after)
        print(f"{room:<12}{before:>14.0f} s{after:>14.0f} s   "
              f"{'held' if after <= MOST else 'MISSED'}   {source}", flush=True)
    print(f"the longest took {worst:.0f} s")


main()
