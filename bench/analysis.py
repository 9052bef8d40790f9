#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Full reports of the same calls in several formats: million events a second on one core, what a
second core brings, and what of the time reading takes alone (`polytrace info`). Then `polytrace
diff` of two of them, beside the two reports.

usage: analysis.py POLYTRACE FOLDER RUNS
FOLDER holds calls.mlpd, calls.ptrace and calls.trcbin. The runs alternate; medians.
"""
import json
import os
import statistics
import subprocess
import sys

from measure import bound, run

ROW = "{:<10} {:>12} {:>20} {:>12} {:>14}"
FEWEST = 60  # million events a second and core
GAIN = 1.7   # of the second core
COMPARED = ("ptrace", "mlpd")
MOST = 1.2   # of two reports, what comparing may take


def main():
    tool, folder, runs = sys.argv[1], sys.argv[2], int(sys.argv[3])
    cores = sorted(os.sched_getaffinity(0))
    one, two = {cores[0]}, set(cores[:2])
    formats = ("mlpd", "ptrace", "trcbin")
    seconds = {}
    for _ in range(runs):
        for name in formats:
            path = os.path.join(folder, f"calls.{name}")
            for what, verb, where in (("one", "report", one), ("two", "report", two),
                                      ("read", "info", one)):
                figures = run([tool, verb, "--no-progress", path], where)
                seconds.setdefault((name, what), []).append(figures["wall"])
        figures = run([tool, "diff", "--no-progress",
                       *(os.path.join(folder, f"calls.{name}") for name in COMPARED)], one)
        seconds.setdefault("diff", []).append(figures["wall"])
    print(ROW.format("", "M events", "M events/s on 1 core", "2 cores", "reading alone"))
    for name in formats:
        path = os.path.join(folder, f"calls.{name}")
        info = json.loads(subprocess.check_output([tool, "info", "--json", "--no-progress", path]))
        events = info["events"]["total"] / 1e6
        middle = {what: statistics.median(seconds[name, what]) for what in ("one", "two", "read")}
        rate, gain = events / middle["one"], middle["one"] / middle["two"]
        print(ROW.format(name, f"{events:.0f}", f"{rate:.0f}", f"{gain:.2f} x",
                         f"{100 * middle['read'] / middle['one']:.0f} %"))
        bound(f"{name}: M events/s on one core", rate, f">= {FEWEST}", "{:.0f}")
        bound(f"{name}: gain of the second core", gain, f">= {GAIN}")
    reports = sum(statistics.median(seconds[name, "one"]) for name in COMPARED)
    ratio = statistics.median(seconds["diff"]) / reports
    bound(f"diff of {' and '.join(COMPARED)}, of the two reports", ratio, f"<= {MOST}")


if __name__ == "__main__":
    main()
