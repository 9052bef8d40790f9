#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prints the figures of the TPTP family beside their targets.

usage: tptp.py POLYTRACE TPTP_LOAD FOLDER RUNS
FOLDER holds load.trcbin/.trcxml (loaded in memory, in turn with memcpy and expat) and
large.trcbin/.trcxml (run through the program).
"""
import json
import os
import statistics
import subprocess
import sys

from measure import run, show


def loading(program, folder, runs):
    files = [os.path.join(folder, name) for name in ("load.trcbin", "load.trcxml")]
    f = json.loads(subprocess.check_output([program, *files, str(runs)]))
    show("TBF to event batches, GB/s of one core", f"{f['tbf'] / 1e9:.2f}",
         "1.5, or 0.4 of memcpy if less", f["tbf"] >= min(1.5e9, 0.4 * f["memcpy"]))
    show("  memcpy over the same bytes, GB/s", f"{f['memcpy'] / 1e9:.1f}")
    show("the same trace's XML, MB/s", f"{f['xml'] / 1e6:.0f}")
    show("  expat with empty handlers, MB/s", f"{f['expat'] / 1e6:.0f}")
    show("XML load against expat's speed", f"{f['xml_of_expat']:.2f}", ">= 3",
         f["xml_of_expat"] >= 3)
    show("XML load time against TBF load time", f"{f['xml_time_of_tbf']:.1f}", "")


def memory(tool, folder):
    pair = [os.path.join(folder, name) for name in ("large.trcbin", "large.trcxml")]
    out = os.path.join(folder, "converted")
    for path in pair:
        name = f"{os.path.basename(path)} ({os.path.getsize(path) / 1e9:.2f} GB)"
        other = "tbf" if path.endswith("xml") else "trcxml"
        for title, command in (("info", ["info", path]), ("check", ["check", path]),
                               (f"convert to {other}",
                                ["convert", "-f", "--to", other, path, "-o", out])):
            f = run([tool, *command, "--no-progress"])
            show(f"{name}: {title}, {f['wall']:.1f} s, MiB", f"{f['rss']:.0f}", "64",
                 f["rss"] < 64)
        if other == "tbf":
            same = subprocess.run(["cmp", "-s", out, pair[0]], check=False).returncode == 0
            show("TBF -> XML -> TBF: the same bytes", "yes" if same else "no", "yes", same)
    os.unlink(out)


def reporting(tool, folder, runs):
    """Nearly every call of this stream has a path of its own: the hardest there is for a report."""
    path = os.path.join(folder, "large.trcbin")
    size = os.path.getsize(path)
    cores = sorted(os.sched_getaffinity(0))
    figures = {"one": [], "two": []}
    for _ in range(runs):
        for name, where in (("one", set(cores[:1])), ("two", set(cores[:2]))):
            # 6: the tree of stacks with CPU time is full.
            figures[name].append(run([tool, "report", "--no-progress", path], where, (0, 6)))
    one, two = (statistics.median(f["wall"] for f in figures[name]) for name in ("one", "two"))
    show("full report of the large stream, GB/s of one core", f"{size / one / 1e9:.2f}", "1",
         size / one >= 1e9)
    show("  on two cores, times as fast", f"{one / two:.2f}", "1.7", one / two >= 1.7)
    show("  memory, MiB", f"{statistics.median(f['rss'] for f in figures['one']):.0f}")


def sizes(folder):
    binary, text = (os.path.join(folder, name) for name in ("load.trcbin", "load.trcxml"))
    whole = os.path.getsize(text)
    show("size of the TBF stream, of XML's", f"{os.path.getsize(binary) / whole:.1%}")
    for title, path, command in (("XML with gzip -6", text, ["gzip", "-6c"]),
                                 ("TBF with gzip -6", binary, ["gzip", "-6c"]),
                                 ("XML with zstd -3", text, ["zstd", "-3c"]),
                                 ("TBF with zstd -3", binary, ["zstd", "-3c"])):
        packed = subprocess.Popen([*command, path], stdout=subprocess.PIPE)
        size = int(subprocess.check_output(["wc", "-c"], stdin=packed.stdout))
        show(f"size of {title}, of XML's", f"{size / whole:.1%}")


def main():
    tool, load, folder, runs = sys.argv[1:]
    print(f"{os.cpu_count()} cores; loading: medians of {runs} runs in turn")
    loading(load, folder, runs)
    reporting(tool, folder, int(runs))
    memory(tool, folder)
    sizes(folder)


if __name__ == "__main__":
    main()
