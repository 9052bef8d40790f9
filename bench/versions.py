# SPDX-License-Identifier: Apache-2.0
"""Two programs on the same files in turn: what the other benchmarks run, CPU of the whole process.

usage: versions.py POLYTRACE OTHER FOLDER RUNS
Prints medians, and the median of the ratios pair by pair with its 95 % interval, so that a change
of the machine's speed hits both alike. A ratio of two programs says what one of them costs,
whatever the machine. A row is slower where its median is above the limit and its interval above 1:
six pairs or more are needed for that.
"""
import math
import os
import shutil
import statistics
import sys

from measure import run, verdict

MOST = 1.03  # times as long
TARGETS = "folded speedscope pprof callgrind firefox chrome perfetto jfr ctf".split()
ROW = "{:<34} {:>8} {:>8} {:>7} {:>13}  {}"


def interval(ratios):
    """Of their median, 95 % or more, by their ranks; None where they are too few."""
    ordered, count = sorted(ratios), len(ratios)
    outside, rank = 0.0, 0
    while outside + math.comb(count, rank) / 2 ** count <= 0.025:
        outside += math.comb(count, rank) / 2 ** count
        rank += 1
    return (ordered[rank - 1], ordered[-rank]) if rank else None


def commands(folder):
    """Name, arguments of the program."""
    def path(name):
        return os.path.join(folder, name)

    def report(sections, name):
        return ["report", "--sections", sections, path(name)]
    yield "mlpd: info", ["info", path("calls.mlpd")]
    yield "mlpd: methods", report("calls", "calls.mlpd")
    yield "mlpd: call tree", report("tree", "calls.mlpd")
    yield "mlpd: call tree, deep", report("tree", "deep.mlpd")
    yield "mlpd: allocations", report("allocations", "objects.mlpd")
    yield "mlpd: heap", report("heap", "objects.mlpd")
    for name in ("calls.mlpd", "calls.trcbin", "calls.ptrace"):
        yield f"analysis: report, {name}", ["report", path(name)]
    yield "analysis: diff", ["diff", path("fewer.mlpd"), path("calls.trcbin")]
    for name, other in (("calls.trcbin", "trcxml"), ("calls.trcxml", "tbf")):
        yield f"tptp: info, {name}", ["info", path(name)]
        yield f"tptp: check, {name}", ["check", path(name)]
        yield f"tptp: to {other}", ["convert", "-f", "--to", other, path(name), "-o", path("out")]
    for target in TARGETS:
        output = path("out.ctf") if target == "ctf" else "/dev/null"
        yield f"exports: {target}", ["export", "-qf", "--limit", "0", "--to", target,
                                     path("fewer.mlpd"), "-o", output]
    made = path("states.history")
    yield "history: build", ["history", "build", "-qf", path("objects.mlpd"), "-o", made]
    yield "history: query", ["history", "query", made, "--at", "50%"]
    yield "history: info", ["history", "info", made]


def main():
    tool, other, folder, runs = sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4])
    print(ROW.format("CPU seconds", "this", "other", "ratio", "95 %", f"at most {MOST}"))
    for name, arguments in commands(folder):
        pairs = []
        for i in range(runs):
            pair = [None, None]
            for which in ((0, 1), (1, 0))[i % 2]:
                pair[which] = run([(tool, other)[which], *arguments])["cpu"]
            pairs.append(pair)
        ratios = [a / b for a, b in pairs]
        ratio, around = statistics.median(ratios), interval(ratios)
        slower = ratio > MOST and (around is None or around[0] > 1)
        print(ROW.format(name, *(f"{statistics.median(p[i] for p in pairs):.3f}" for i in (0, 1)),
                         f"{ratio:.2f}", "{:.2f} to {:.2f}".format(*around) if around else "",
                         verdict(not slower)), flush=True)
    shutil.rmtree(os.path.join(folder, "out.ctf"), ignore_errors=True)


if __name__ == "__main__":
    main()
