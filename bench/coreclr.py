#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What recording costs inside .NET, in turn with the program alone and, for calls, with the same
program writing an event of the runtime's own (EventPipe) at each entry and exit.

usage: coreclr.py RUNS
Prints medians of CPU nanoseconds per round, less what it takes alone.
"""
import os
import statistics
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests/live"))
from coreclr_common import Room, check  # noqa: E402

# Name; loop; rounds; options of the agent; target.
ROWS = (
    ("call: enter and leave", "calls", 20_000_000, "events=calls", "<= 80 ns"),
    ("object, each", "objects", 5_000_000, "events=alloc=objects,coreclr.stacks=no", "<= 100 ns"),
    ("object, by class", "objects", 5_000_000, "events=alloc=sites", ""),
    ("object, sampled", "objects", 5_000_000, "events=alloc=sampled", "<= 3 %"),
    ("4 threads, samples=1ms", "threads", 400_000_000, "events=samples=1ms", "<= 5 %"),
)
EVENTS = {"DOTNET_EnableEventPipe": "1", "DOTNET_EventPipeConfig": "Bench:0xffffffff:5",
          "DOTNET_EventPipeOutputPath": "events.nettrace"}
LINE = "{:<24} {:>9} {:>9} {:>9} {:>9}  {}"


def run(room, loop, count, surroundings):
    done = subprocess.run(room.command("Loops", loop, count), capture_output=True, text=True,
                          env=surroundings, cwd=room.folder, check=True)
    return tuple(float(word) for word in done.stdout.split())


def recorded(room, loop, count, options):
    trace = room.trace()
    figures = run(room, loop, count, room.surroundings(f"file={trace},{options}"))
    check(trace.exists(), options, "recorded nothing")
    return figures


def medians(samples):
    return [statistics.median(column) for column in zip(*samples)]


def start_up(room, surroundings):
    room.trace()
    started = time.monotonic()
    subprocess.run(room.command("Loops"), env=surroundings, cwd=room.folder, check=True)
    return ((time.monotonic() - started) * 1e3,)


def main():
    runs = int(sys.argv[1])
    room = Room()
    source = Path(__file__).resolve().parent / "coreclr/Loops.cs"
    room.sdk.compile(room.folder / "Loops.dll", source)
    print(LINE.format("ns of CPU per round", "alone", "thread", "process", "%", "target"))
    for name, loop, count, options, target in ROWS:
        alone, ours = [], []
        for _ in range(runs):
            alone.append(run(room, loop, count, dict(os.environ)))
            ours.append(recorded(room, loop, count, options))
        base, mine = medians(alone), medians(ours)
        more = [a - b for a, b in zip(mine, base)]
        print(LINE.format(name, f"{base[1]:.2f}", f"{more[0]:.1f}", f"{more[1]:.1f}",
                          f"{100 * more[1] / base[1]:.1f}", target), flush=True)
    quiet, loud = [], []
    for _ in range(runs):
        quiet.append(run(room, "events", 1_000_000, dict(os.environ)))
        loud.append(run(room, "events", 1_000_000, dict(os.environ, **EVENTS)))
    more = [a - b for a, b in zip(medians(loud), medians(quiet))]
    print(LINE.format("two events of EventPipe", "", f"{more[0]:.1f}", f"{more[1]:.1f}", "",
                      ">= 3 x a call"))
    alone, ours = [], []
    nothing = room.surroundings(f"file={room.trace()},events=threads")
    for _ in range(4 * runs):
        alone.append(start_up(room, dict(os.environ)))
        ours.append(start_up(room, nothing))
    more = medians(ours)[0] - medians(alone)[0]
    print(f"start-up: {medians(alone)[0]:.0f} ms alone, {more:+.0f} ms loaded (target +30 ms)")


main()
