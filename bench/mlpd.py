#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs polytrace and mprof-report in turn on large recordings and prints medians and ratios.

usage: mlpd.py POLYTRACE FOLDER RUNS
Both programs run alternately, so that a change of the machine's speed hits both alike; ratios are
medians of the ratios pair by pair.
"""
import os
import shutil
import statistics
import sys

from measure import run, verdict


def compare(ours, stock, runs, cores=None):
    run(ours, cores), run(stock)
    pairs = [(run(ours, cores), run(stock)) for _ in range(runs)]
    figures = {}
    for key in ("wall", "cpu", "rss"):
        figures["our " + key] = statistics.median(a[key] for a, _ in pairs)
        figures["stock " + key] = statistics.median(b[key] for _, b in pairs)
        figures["ratio " + key] = statistics.median(a[key] / b[key] for a, b in pairs)
    return figures


ROW = "{:<44} {:>8} {:>8} {:>8} {:>8} {:>7} {:>7}  {:<34} {}"


def show(title, f, target, held):
    print(ROW.format(title, f"{f['our cpu']:.2f}", f"{f['stock cpu']:.2f}", f"{f['our wall']:.2f}",
                     f"{f['stock wall']:.2f}", f"{f['our rss']:.0f}", f"{f['stock rss']:.0f}",
                     target, verdict(held)), flush=True)


def single_against_double(command, runs):
    run(command)
    core = {min(os.sched_getaffinity(0))}
    pairs = [(run(command, core), run(command)) for _ in range(runs)]
    return statistics.median(one["wall"] / both["wall"] for one, both in pairs)


def main():
    tool, folder, runs = sys.argv[1], sys.argv[2], int(sys.argv[3])
    stock = shutil.which("mprof-report")
    if stock is None:
        sys.exit("mprof-report is not installed (Debian: mono-utils)")
    shapes = ("calls", "deep", "objects")
    files = {name: os.path.join(folder, name + ".mlpd") for name in shapes}
    sizes = ", ".join(f"{n} {os.path.getsize(p) / 1e6:.0f} MB" for n, p in files.items())
    print(f"{os.cpu_count()} cores; {sizes}; medians of {runs} runs in turn")
    print(ROW.format("what", "CPU s", "stock", "wall s", "stock", "MiB", "stock", "target", ""))

    def report(name, sections):
        return [tool, "report", "--no-progress", "--sections", sections, files[name]]

    def plain(name):
        return [stock, files[name]]

    info = [tool, "info", "--no-progress", files["calls"]]
    core = {min(os.sched_getaffinity(0))}

    f = compare(info, plain("calls"), runs, core)
    speed = 1 / f["ratio cpu"]
    show("info, calls, one core", f, f"CPU speed >= 2 x stock: {speed:.2f}", speed >= 2)
    both = single_against_double(info, runs)
    f = compare(info, plain("calls"), runs)
    show("info, calls, two cores", f, f"speed-up >= 1.8: {both:.2f}", both >= 1.8)
    f = compare(report("calls", "calls"), plain("calls"), runs)
    cpu, wall = f["ratio cpu"], f["ratio wall"]
    show("report: methods, calls", f, f"CPU <= 0.6: {cpu:.2f}, wall <= 0.35: {wall:.2f}",
         cpu <= 0.6 and wall <= 0.35)
    for shape, most, mebibytes in (("calls", 1.2, 64), ("deep", 1.5, 256)):
        f = compare(report(shape, "tree"), plain(shape), runs)
        cpu = f["ratio cpu"]
        show(f"report: call tree, {shape}", f, f"CPU <= {most}: {cpu:.2f}, MiB <= {mebibytes}",
             cpu <= most and f["our rss"] <= mebibytes)
    f = compare(report("deep", "tree"), [stock, "--traces", files["deep"]], max(1, runs // 3))
    show("report: call tree, deep (stock --traces)", f, f"information: {f['ratio cpu']:.2f}", None)
    f = compare(report("objects", "allocations"), plain("objects"), runs)
    show("report: allocations, objects", f, f"information: {f['ratio cpu']:.2f}", None)
    f = compare(report("objects", "heap"), [stock, "--traces", files["objects"]], runs)
    faster, memory = 1 / f["ratio wall"], f["ratio rss"]
    show("report: heap, objects (stock --traces)", f,
         f">= 12 x faster: {faster:.1f}, memory: {memory:.2f}", faster >= 12 and memory <= 1)


if __name__ == "__main__":
    main()
