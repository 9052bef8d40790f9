#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Where the time of an event goes: instructions, misses of a simulated cache and unforeseen
branches an event, and the ten functions that take most instructions: the table of
docs/performance-profiles.md, by valgrind's callgrind, on which nothing that runs beside has a say.

usage: profiles.py POLYTRACE BENCH_FORMATS_LOAD FOLDER
"""
import json
import os
import re
import subprocess
import sys
import tempfile

READ = ("each.mlpd", "each.ptrace", "each.monoblock", "each.trcbin", "each.trcxml",
        "each.trace.log")
WRITTEN = ("mlpd", "monoblock", "native", "tracelog")
COMMANDS = [("report: methods, calls", "calls.mlpd", "report", "--sections", "calls"),
            ("report: call tree, deep", "deep.mlpd", "report", "--sections", "tree"),
            ("report: heap, objects", "objects.mlpd", "report", "--sections", "heap"),
            ("full report, TBF", "each.trcbin", "report"),
            ("states, calls", "calls.mlpd", "history", "build", "-f", "-o", "HISTORY")]
# An L1 cache of 48 KiB and a last one of 32 MiB.
CACHES = ["--cache-sim=yes", "--branch-sim=yes", "--D1=49152,12,64", "--I1=32768,8,64",
          "--LL=33554432,16,64"]
SHOWN = 10
LEFT_OUT = re.compile(r"PROGRAM TOTALS|_dl_|do_lookup_x|0x0000")  # the start of the program
ROW = "| {} | {} | {} | {} | {} |"


def short(function):
    """`a::b::C<...>::d(...)` as `C::d`."""
    name = re.sub(r"^.*?:(?=[\w:~ ]*(polytrace|std|::)|\w)", "", function, count=1)
    name = name.split(" [")[0]
    loop = re.search(r"with_\w+<(?:auto )?([\w:]+)\(", name)
    if loop:  # a hot loop in one of its two ways
        return "::".join(loop.group(1).split("::")[-2:])
    while "<" in name and re.search(r"<[^<>]*>", name):
        name = re.sub(r"<[^<>]*>", "", name)
    name = name.replace("(anonymous namespace)::", "").split("(")[0].split(" ")[-1]
    return "::".join(name.split("::")[-2:])


class Profile:
    """Of one command: sums of what callgrind counts, instructions by function."""

    def __init__(self, command, *options):
        with tempfile.TemporaryDirectory() as folder:
            out = os.path.join(folder, "out")
            ran = subprocess.run(["valgrind", "--tool=callgrind", f"--callgrind-out-file={out}",
                                  *CACHES, *options, *command],
                                 check=False, capture_output=True, text=True)
            assert ran.returncode in (0, 6), ran.stderr  # 6: what it read is no more than odd
            told = subprocess.check_output(
                ["callgrind_annotate", "--threshold=99", "--auto=no", "--show=Ir", out], text=True)
            with open(out, encoding="utf-8") as file:
                lines = file.read().splitlines()
        self.output = ran.stdout
        names = next(line for line in lines if line.startswith("events:")).split()[1:]
        sums = next(line for line in lines if line.startswith("totals:")).split()[1:]
        self.sums = dict(zip(names, map(int, sums)))
        self.functions = {}
        for line in told.splitlines():
            row = re.match(r"\s*([\d,]+) \([ \d.]+%\)\s+(.*)", line)
            if row and not LEFT_OUT.search(row.group(2)):
                name = short(row.group(2))
                count = int(row.group(1).replace(",", ""))
                self.functions[name] = self.functions.get(name, 0) + count

    def row(self, title, events, without=None):
        """`without`: a profile of what is no part of it."""
        less = without.sums if without else {}

        def each(*names):
            return sum(self.sums[name] - less.get(name, 0) for name in names) / events

        instructions = each("Ir")
        top = sorted(self.functions.items(), key=lambda item: -item[1])[:SHOWN]
        shares = "; ".join(f"`{function}` {100 * count / events / instructions:.0f}"
                           for function, count in top if count / events / instructions >= 0.005)
        return ROW.format(title, f"{instructions:.0f}", f"{each('D1mr', 'D1mw'):.2f}",
                          f"{each('Bcm', 'Bim'):.2f}", shares)


def formats(program, folder):
    pairs = [(name, "-") for name in READ]
    pairs += [(name, to) for name in ("each.mlpd", "each.trcbin") for to in WRITTEN]
    for name, to in pairs:
        profile = Profile([program, os.path.join(folder, name), to, "1"],
                          "--toggle-collect=bench_whole_trace")
        form = name.replace("each.", "")
        title = f"read {form}" if to == "-" else f"{form} to {to}"
        print(profile.row(title, json.loads(profile.output)["events"]), flush=True)


def commands(tool, folder):
    start = Profile([tool, "version"])
    for title, name, *words in COMMANDS:
        path = os.path.join(folder, name)
        info = json.loads(subprocess.check_output([tool, "info", "--json", "--no-progress", path]))
        with tempfile.TemporaryDirectory() as made:
            words = [os.path.join(made, "h") if word == "HISTORY" else word for word in words]
            profile = Profile([tool, *words, "--no-progress", path])
        print(profile.row(title, info["events"]["total"], start), flush=True)


def main():
    tool, program, folder = sys.argv[1:]
    print(ROW.format("What", "Instructions", "Misses", "Branches", "Functions, share in percent"))
    print("|--|--|--|--|--|")
    formats(program, folder)
    commands(tool, folder)


if __name__ == "__main__":
    main()
