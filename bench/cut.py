#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`polytrace cut` of leaves that end no call, on deep stacks: LEAVES and ten times as
many. Time per leave must not grow with their number.

usage: cut.py POLYTRACE FOLDER RUNS LEAVES
The runs alternate; medians.
"""
import os
import statistics
import sys

from measure import bound, run

MOST = 1.5  # times as long per leave


def write_trace(file, count):
    """TPTP's XML: a thread enters `count` methods, then leaves as often one it never entered."""
    with open(file, "w", encoding="ascii") as out:
        out.write("<TRACE>\n")
        for i in range(count):
            out.write(f'<methodEntry threadIdRef="1" time="{1 + i / 1e6:.6f}" '
                      f'methodIdRef="{1 + i % 1000}"/>\n')
        for i in range(count):
            out.write(f'<methodExit threadIdRef="1" time="{1 + (count + i) / 1e6:.6f}" '
                      'methodIdRef="5000"/>\n')
        out.write("</TRACE>\n")


def main():
    tool, folder = sys.argv[1:3]
    runs, fewer = int(sys.argv[3]), int(sys.argv[4])
    counts = (fewer, 10 * fewer)
    output = os.path.join(folder, "cut.trcbin")
    seconds = {count: [] for count in counts}
    for count in counts:
        write_trace(os.path.join(folder, f"{count}.trcxml"), count)
    for _ in range(runs):
        for count in counts:
            figures = run([tool, "cut", "-f", "--no-progress", "--from", "1us", "--to-format",
                           "tbf", os.path.join(folder, f"{count}.trcxml"), "-o", output])
            seconds[count].append(figures["wall"] / count)
    each = {count: statistics.median(times) * 1e9 for count, times in seconds.items()}
    for count, nanoseconds in each.items():
        print(f"{count:>9} entries, {count:>9} leaves that end none: {nanoseconds:.0f} ns for two")
    ratio = each[counts[1]] / each[counts[0]]
    bound("ten times as many: as long each", ratio, f"<= {MOST}")


if __name__ == "__main__":
    main()
