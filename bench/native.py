#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Reads the same calls from polytrace's own stream and from mlpd with `polytrace info` on one core.

usage: native.py POLYTRACE FOLDER RUNS
FOLDER holds calls.mlpd and calls.ptrace. The runs alternate; medians of CPU seconds.
"""
import json
import os
import statistics
import subprocess
import sys

from measure import bound, run

ROW = "{:<12} {:>16} {:>12} {:>14} {:>10}"


def main():
    tool, folder, runs = sys.argv[1], sys.argv[2], int(sys.argv[3])
    core = {min(os.sched_getaffinity(0))}
    files = {name: os.path.join(folder, "calls." + name) for name in ("mlpd", "ptrace")}
    figures = {name: [] for name in files}
    for _ in range(runs):
        for name, path in files.items():
            figures[name].append(run([tool, "info", "--no-progress", path], core)["cpu"])
    print(ROW.format("", "M events/CPU s", "ns an event", "bytes an event", "MB/CPU s"))
    each = {}
    for name, path in files.items():
        info = json.loads(subprocess.check_output([tool, "info", "--json", "--no-progress", path]))
        events = info["events"]["total"]
        seconds = statistics.median(figures[name])
        size = os.path.getsize(path)
        each[name] = seconds * 1e9 / events
        print(ROW.format(name, f"{1e3 / each[name]:.0f}", f"{each[name]:.2f}",
                         f"{size / events:.2f}", f"{size / 1e6 / seconds:.0f}"))
    ratio = each["ptrace"] / each["mlpd"]
    bound("an event of native, of one of mlpd", ratio, "<= 1")


if __name__ == "__main__":
    main()
