#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A method whose last statement is a call has the time of that call, also where the runtime would
compile it so that the method is gone by then. Whoever has chosen otherwise is left alone."""
import json
import os
import subprocess

from coreclr_common import POLYTRACE, Room, check

TURNS, MILLISECONDS = 20, 5
LEAST = TURNS * (MILLISECONDS - 1) * 1_000_000  # nanoseconds; clocks may be coarse


def record(room, name, **more):
    """What the program printed, and the row of its method."""
    trace = room.trace(name)
    # Compiled once and for all, as programs are that run for long.
    surroundings = dict(os.environ, DOTNET_TieredCompilation="0", **more)
    done = subprocess.run([POLYTRACE, "record", "-q", "-o", trace, "--events", "calls",
                           *room.command("Tail", TURNS, MILLISECONDS)], capture_output=True,
                          text=True, env=surroundings, timeout=250, check=False)
    check(done.returncode == 0, done)
    text = subprocess.run([POLYTRACE, "report", "--json", "--sections", "calls", trace],
                          capture_output=True, text=True, check=True).stdout
    rows = json.loads(text)["tables"][0]["rows"]
    row, = [row for row in rows if row["method"].startswith("Tail::Turn")
            or row["method"].startswith("Tail:Turn")]
    return done.stdout.strip(), row


def main():
    room = Room("Tail")
    said, row = record(room, "kept")
    check(said == "0", "the environment has", said)
    check(row["calls"] == TURNS and row["elapsed"] >= LEAST, row)
    said, row = record(room, "chosen", DOTNET_TailCallOpt="1")
    check(said == "1" and row["calls"] == TURNS, said, row)
    print("a method that ends in a call keeps its time")


main()
