#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prints what loading a trace log costs beside its targets.

usage: tracelog.py TRACELOG_LOAD FILE RUNS
"""
import json
import subprocess
import sys

from measure import show


def main():
    program, path, runs = sys.argv[1:]
    f = json.loads(subprocess.check_output([program, path, runs]))
    print(f"{f['bytes'] / 1e6:.0f} MB, {f['lines'] / 1e6:.1f} million lines; one core, medians of "
          f"{runs} runs in turn")
    show("log to event batches, MB/s", f"{f['load'] / 1e6:.0f}", "1200", f["load"] >= 1.2e9)
    show("  million events/s", f"{f['events_per_second'] / 1e6:.1f}")
    show("  lines and fields found with SIMD, MB/s", f"{f['split'] / 1e6:.0f}")
    show("  loading of that", f"{f['load_of_split']:.2f}", "0.5", f["load_of_split"] >= 0.5)


if __name__ == "__main__":
    main()
