#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Nanoseconds of CPU an event: reading each format, and writing what was read in others.

usage: formats.py PROGRAM FOLDER RUNS [OTHER]
OTHER, another build of PROGRAM, runs in turn with it: medians of ratios.
"""
import json
import os
import statistics
import subprocess
import sys

CALLS = ("each.mlpd", "each.ptrace", "each.monoblock", "each.trcbin")
PAIRS = [(name, "-") for name in (*CALLS, "each.trace.log")]
PAIRS += [(name, to) for name in ("each.mlpd", "each.trcbin")
          for to in ("mlpd", "monoblock", "native", "tracelog")]
TARGETS = {("each.ptrace", "-"): 6.5, ("each.trcbin", "mlpd"): 62.5,
           ("each.trcbin", "monoblock"): 62.5, ("each.trcbin", "tracelog"): 62.5}


def measure(program, path, to):
    return json.loads(subprocess.check_output([program, path, to, "1"]))


def title(name, to):
    name = name.replace("each.", "")
    return f"read {name}" if to == "-" else f"{name} to {to}"


def compare(program, folder, runs, other):
    print(f"{'':<24} {'ns an event':>12} {'other':>8} {'ratio':>6}  target")
    for name, to in PAIRS:
        path = os.path.join(folder, name)
        pairs = [(measure(program, path, to)["ns"], measure(other, path, to)["ns"] if other else 0)
                 for _ in range(runs)]
        ours = statistics.median(one for one, _ in pairs)
        row = f"{title(name, to):<24} {ours:>12.2f}"
        if other:
            ratio = statistics.median(one / two for one, two in pairs)
            row += f" {statistics.median(two for _, two in pairs):>8.2f} {ratio:>6.2f}"
        else:
            row += " " * 16
        target = TARGETS.get((name, to))
        if target:
            row += f"  <= {target} {'held' if ours <= target else 'MISSED'}"
        print(row.rstrip(), flush=True)


def main():
    program, folder, runs = sys.argv[1], sys.argv[2], int(sys.argv[3])
    compare(program, folder, runs, sys.argv[4] if len(sys.argv) > 4 else None)


if __name__ == "__main__":
    main()
