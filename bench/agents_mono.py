#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What recording costs inside Mono: our module against Mono's own profiler, run in turn.

usage: agents_mono.py MODULE_FOLDER FOLDER RUNS
FOLDER holds calls.exe and allocations.exe. Prints medians of CPU nanoseconds per call (enter and
leave) or allocation, less what it takes without a profiler: of the program's own thread, and of the
process, which has the thread that writes in it.
"""
import os
import statistics
import subprocess
import sys

from measure import SMALL, verdict

DEPTH = "8"
# Name; command; events of ours and of theirs; counts for ours, theirs; what is asked for.
ROWS = (
    ("call: enter and leave", "calls.exe", [], "events=calls", "nodefaults,calls",
     5_000_000, 500_000, 5, 60),
    ("allocation, no stack", "allocations.exe", [DEPTH], "events=alloc=objects,mono.stacks=no",
     "nodefaults,gcalloc,maxframes=0", 3_000_000, 500_000, 5, None),
    ("allocation, by class", "allocations.exe", [DEPTH], "events=alloc=sites",
     "nodefaults,gcalloc,maxframes=0", 3_000_000, 500_000, 5, None),
    ("allocation, stack", "allocations.exe", [DEPTH], "events=alloc=objects,mono.stacks=yes",
     "nodefaults,gcalloc", 500_000, 50_000, 3, None),
)
LINE = "{:<22} {:>14} {:>14} {:>14} {:>14} {:>8} {:>8}  {:<20} {}"


def run(folder, module, program, arguments, profile, count):
    output = os.path.join(folder, "recording")
    if os.path.exists(output):
        os.remove(output)
    option = []
    if profile:
        option = [f"--profile={profile}{output}"]
    done = subprocess.run(["mono", *option, program, str(count), *arguments], cwd=folder,
                          check=True, env=dict(os.environ, LD_LIBRARY_PATH=module),
                          capture_output=True, text=True)
    if profile and not os.path.exists(output):
        sys.exit(f"{profile} recorded nothing: {done.stderr}")
    thread, process = done.stdout.split()
    return float(thread), float(process)


def medians(samples):
    return [statistics.median(column) for column in zip(*samples)]


def main():
    module, folder, runs = sys.argv[1], sys.argv[2], int(sys.argv[3])
    print(LINE.format("ns of CPU per", "ours, thread", "ours, process", "theirs, thread",
                      "theirs, process", "thread", "process", "target", ""))
    for name, program, arguments, ours, theirs, *counts, times, limit in ROWS:
        count, their_count = (number // (10 if SMALL else 1) for number in counts)
        figures = {"none": [], "ours": [], "theirs": []}
        for _ in range(runs):
            figures["none"].append(run(folder, module, program, arguments, "", count))
            figures["ours"].append(run(folder, module, program, arguments,
                                       f"polytrace:{ours},file=", count))
            figures["theirs"].append(run(folder, module, program, arguments,
                                         f"log:{theirs},output=", their_count))
        base = medians(figures["none"])
        mine = [a - b for a, b in zip(medians(figures["ours"]), base)]
        other = [a - b for a, b in zip(medians(figures["theirs"]), base)]
        target = f">= {times} x" + (f", <= {limit} ns" if limit else "")
        held = other[0] >= times * mine[0] and (not limit or mine[0] <= limit)
        print(LINE.format(name, *(f"{value:.1f}" for value in (*mine, *other)),
                          *(f"{b / a:.1f} x" for a, b in zip(mine, other)), target, verdict(held)))


main()
