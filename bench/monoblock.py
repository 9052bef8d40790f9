#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Decodes the same calls from both of Mono's formats with `polytrace info` on one core.

usage: monoblock.py POLYTRACE FOLDER RUNS
FOLDER holds calls.mlpd and calls.monoblock. The runs alternate; medians of CPU seconds.
"""
import json
import os
import statistics
import subprocess
import sys

from measure import bound, run

TARGET_RATE = 300  # MB of blocks per CPU second
ROW = "{:<12} {:>10} {:>12}"


def main():
    tool, folder, runs = sys.argv[1], sys.argv[2], int(sys.argv[3])
    core = {min(os.sched_getaffinity(0))}
    files = {name: os.path.join(folder, "calls." + name) for name in ("mlpd", "monoblock")}
    figures = {name: [] for name in files}
    for _ in range(runs):
        for name, path in files.items():
            figures[name].append(run([tool, "info", "--no-progress", path], core)["cpu"])
    print(ROW.format("", "MB/CPU s", "ns an event"))
    each = {}
    for name, path in files.items():
        info = json.loads(subprocess.check_output([tool, "info", "--json", "--no-progress", path]))
        seconds = statistics.median(figures[name])
        each[name] = seconds * 1e9 / info["events"]["total"]
        rate = os.path.getsize(path) / 1e6 / seconds
        print(ROW.format(name, f"{rate:.0f}", f"{each[name]:.2f}"))
    bound("blocks, MB a CPU second", rate, f">= {TARGET_RATE}", "{:.0f}")
    ratio = each["monoblock"] / each["mlpd"]
    bound("an event of a block, of one of mlpd", ratio, "<= 1")


if __name__ == "__main__":
    main()
