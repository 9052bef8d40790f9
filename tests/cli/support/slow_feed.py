# SPDX-License-Identifier: Apache-2.0
"""Gives a program a trace through a pipe, half of it so late that progress is told.

usage: slow_feed.py FILE >FIFO
"""
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "support"))
from waiting import left_in, wait_until  # noqa: E402


def feed(pipe, content):
    """`pipe`: unbuffered, and read by somebody."""
    half = len(content) // 2
    for at in range(0, half, 4096):
        pipe.write(content[at:min(at + 4096, half)])
    wait_until(lambda: left_in(pipe) == 0, "a reader of the first half")
    time.sleep(1)  # wait: progress is told half a second after the beginning
    for at in range(half, len(content), 4096):
        pipe.write(content[at:at + 4096])


if __name__ == "__main__":
    with open(1, "wb", buffering=0) as out:
        feed(out, Path(sys.argv[1]).read_bytes())
