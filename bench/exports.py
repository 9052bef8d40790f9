#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Exports one trace of method calls to every time line, on one core.

usage: exports.py POLYTRACE FOLDER RUNS
FOLDER holds convert.mlpd. Prints millions of calls per second of CPU (medians, reading included),
that time as a multiple of `report`'s on the same calls, and peak MiB.
"""
import json
import os
import shutil
import statistics
import subprocess
import sys

from measure import run, verdict

TARGETS = {"perfetto": 5, "chrome": 3, "jfr": 3, "ctf": 3}  # millions of calls per second
MEMORY = 64
ROW = "{:<10} {:>13} {:>12} {:>6}  {}"


def main():
    tool, folder, runs = sys.argv[1], sys.argv[2], int(sys.argv[3])
    trace = os.path.join(folder, "convert.mlpd")
    info = json.loads(subprocess.check_output([tool, "info", "--json", "--no-progress", trace]))
    calls = info["events"]["kinds"]["enter"] / 1e6
    core = {min(os.sched_getaffinity(0))}
    commands = {"report": [tool, "report", "--no-progress", "-q", "--sections", "calls", trace]}
    for target in TARGETS:
        # A folder cannot go to /dev/null.
        output = os.path.join(folder, "exports.ctf") if target == "ctf" else "/dev/null"
        commands[target] = [tool, "export", "-qf", "--no-progress", "--limit", "0", "--to", target,
                            trace, "-o", output]
    figures = {name: [] for name in commands}
    for _ in range(runs):  # in turn, so that a busy machine is busy for all
        for name, command in commands.items():
            figures[name].append(run(command, core))
    shutil.rmtree(os.path.join(folder, "exports.ctf"))
    cpu = {name: statistics.median(one["cpu"] for one in runs) for name, runs in figures.items()}
    print(ROW.format("target", "M calls/CPU s", "times report", "MiB", f"target and {MEMORY} MiB"))
    for target, wanted in TARGETS.items():
        speed = calls / cpu[target]
        memory = max(one["rss"] for one in figures[target])
        held = speed >= wanted and memory <= MEMORY
        print(ROW.format(target, f"{speed:.1f}", f"{cpu[target] / cpu['report']:.1f}",
                         f"{memory:.0f}", f"{wanted}: {verdict(held)}"), flush=True)


if __name__ == "__main__":
    main()
