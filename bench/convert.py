#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Converts one trace of method calls between all pairs of formats, on one core.

usage: convert.py POLYTRACE FOLDER RUNS
FOLDER holds convert.mlpd. Prints millions of events per second of CPU (medians) and peak MiB.
"""
import json
import os
import statistics
import subprocess
import sys

from measure import run, verdict

TARGET = 20
ROW = "{:<24} {:>14} {:>8}  {}"


def main():
    tool, folder, runs = sys.argv[1], sys.argv[2], int(sys.argv[3])
    listed = json.loads(subprocess.check_output([tool, "formats", "--json"]))["formats"]
    endings = {one["name"]: one["suffix"] for one in listed if one["writes"]}
    core = {min(os.sched_getaffinity(0))}
    files = {"mlpd": os.path.join(folder, "convert.mlpd")}
    for name, ending in endings.items():
        files.setdefault(name, os.path.join(folder, "convert" + ending))
        if name != "mlpd":
            run([tool, "convert", "-qf", files["mlpd"], "-o", files[name]])
    print(ROW.format("from, to", "M events/CPU s", "MiB", f"target {TARGET} and 64 MiB"))
    for source, path in files.items():
        info = json.loads(subprocess.check_output([tool, "info", "--json", "--no-progress", path]))
        for target in files:
            if target == source:
                continue
            command = [tool, "convert", "-qf", "--no-progress", "--to", target, path,
                       "-o", "/dev/null"]
            figures = [run(command, core) for _ in range(runs)]
            speed = info["events"]["total"] / 1e6 / statistics.median(f["cpu"] for f in figures)
            memory = max(f["rss"] for f in figures)
            print(ROW.format(f"{source}, {target}", f"{speed:.1f}", f"{memory:.0f}",
                             verdict(speed >= TARGET and memory < 64)), flush=True)


if __name__ == "__main__":
    main()
