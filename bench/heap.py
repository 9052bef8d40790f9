#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Heap snapshots on one core: dominators and retained sizes alone, in time and memory; reading a
heap dump alone; the whole command, which does both and answers; and its longest answer, a row of
each object.

usage: heap.py POLYTRACE BENCH_HEAP_GRAPH DUMP RUNS
DUMP is written by BENCH_HEAP_GRAPH. The runs alternate; medians of CPU seconds.
"""
import json
import os
import statistics
import subprocess
import sys

from measure import bound, run

ROW = "{:<34} {:>8} {:>14} {:>16}"
SLOWEST = 4.0  # CPU seconds for the dominators and retained sizes
MOST = 30.0    # bytes an object meanwhile, beside the graph
FEWEST = 1.0   # GB/s of a dump
MOST_OF_ROWS = 512  # MiB, with the graph and the dominators


def graph_figures(program, cores):
    done = subprocess.run([program], capture_output=True, text=True, check=True,
                          preexec_fn=lambda: os.sched_setaffinity(0, cores))
    return json.loads(done.stdout)


def main():
    tool, graph, dump, runs = sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4])
    one = {sorted(os.sched_getaffinity(0))[0]}
    subprocess.run([graph, dump], check=True)
    alone, check, heap, rows = [], [], [], []
    for _ in range(runs):
        alone.append(graph_figures(graph, one))
        check.append(run([tool, "check", "--no-progress", dump], one))
        heap.append(run([tool, "heap", "--no-progress", dump], one))
        rows.append(run([tool, "heap", "--dominators", "--limit", "0", "--format", "csv",
                         "--no-progress", dump], one))

    def middle(figures, name):
        return statistics.median(figure[name] for figure in figures)

    objects = alone[0]["objects"]
    size = os.path.getsize(dump)
    built, ruled = middle(alone, "graph_seconds"), middle(alone, "dominator_seconds")
    held = middle(alone, "graph_bytes") / objects
    meanwhile = middle(alone, "dominator_bytes") / objects
    read, whole = middle(check, "cpu"), middle(heap, "cpu")
    print(f"{objects / 1e6:.1f} M objects, {alone[0]['references'] / 1e6:.1f} M references; "
          f"dump of {size / 1e6:.0f} MB; median of {runs}")
    print(ROW.format("", "CPU s", "GB/s of dump", "bytes an object"))
    print(ROW.format("making up and taking the graph", f"{built:.2f}", "", f"{held:.1f}"))
    print(ROW.format("dominators and retained sizes", f"{ruled:.2f}", "", f"{meanwhile:.1f}"))
    print(ROW.format("reading the dump (check)", f"{read:.2f}", f"{size / read / 1e9:.2f}", ""))
    print(ROW.format("whole command (heap)", f"{whole:.2f}", f"{size / whole / 1e9:.2f}",
                     f"{middle(heap, 'rss') * 2**20 / objects:.1f}"))
    print(ROW.format("a row of each object", f"{middle(rows, 'cpu'):.2f}", "", ""))
    print(f"whole command: {100 * read / whole:.0f} % reading, {100 * ruled / whole:.0f} % "
          "dominators, the rest taking the graph and answering")
    bound("dominators and retained sizes, CPU s", ruled, f"<= {SLOWEST:.0f}")
    bound("memory meanwhile, bytes an object", meanwhile, f"<= {MOST:.0f}", "{:.1f}")
    bound("a row of each object, MiB", middle(rows, "rss"), f"<= {MOST_OF_ROWS}", "{:.0f}")
    bound("reading a dump, GB/s", size / read / 1e9, f">= {FEWEST:.0f}")


if __name__ == "__main__":
    main()
