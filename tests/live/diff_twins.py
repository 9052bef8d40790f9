#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs of one program fail no check; whatever was planted in it does, and is named first. Counts
are compared by one run of each, times and waits by three."""
import itertools
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
POLYTRACE = Path(os.environ["POLYTRACE"]).resolve()
RUNS = 7 if os.environ.get("POLYTRACE_LONG") == "1" else 6
OPTIONS = ["--events", "calls,threads,gc,monitors,exceptions,alloc=sites"]
# What is planted, by how many runs it is found, and what must be named first: the topic and a part
# of the name.
PLANTED = {
    "calls3": (1, "calls", "step"),
    "calls12": (1, "calls", "step"),
    "time": (3, "methods", "spin"),
    "wait": (3, "waiting", "work"),
    "alloc": (1, "allocations", "extra"),
    "lock": (3, "locks", "lock"),
}
# Of equal series, one in so many may differ by chance.
EQUAL = 60


def java(folder):
    subprocess.run(["javac", "-d", folder, HERE / "java" / "Twin.java"], check=True)
    return ["java", "-cp", folder, "Twin"], ["--filter", "Twin*"]


def mono(folder):
    subprocess.run(["mcs", "-optimize+", HERE / "mono" / "twin.cs", f"-out:{folder}/twin.exe"],
                   check=True)
    return ["mono", f"{folder}/twin.exe"], ["--filter", "Twin*"]


def dotnet(folder):
    from coreclr_common import Sdk  # pylint: disable=import-outside-toplevel
    Sdk().compile(Path(folder, "Twin.dll"), HERE / "mono" / "twin.cs")
    return ["dotnet", f"{folder}/Twin.dll"], ["--filter", "Twin*"]


RUNTIMES = [(java, ("java", "javac")), (mono, ("mono", "mcs")), (dotnet, ("dotnet",))]


def record(folder, program, options, planted, number):
    path = Path(folder, f"{planted}{number}.ptrace")
    done = subprocess.run([POLYTRACE, "record", "-q", *OPTIONS, *options, "-o", path, *program,
                           planted], capture_output=True, text=True, timeout=150, check=False)
    assert done.returncode == 0 and done.stdout.strip().lower() == "true", done
    return path


def diff(before, after, *options):
    done = subprocess.run([POLYTRACE, "diff", "--json", "--no-progress", "--fail-over", "5%",
                           *options, *before, "--", *after], capture_output=True, text=True,
                          timeout=150, check=False)
    assert done.returncode in (0, 5), done
    answer = json.loads(done.stdout)
    return done.returncode, [growth for growth in answer["growths"] if growth["share"] > 0.05]


# All ways to choose three runs for each side.
def splits(runs):
    for before in itertools.combinations(runs, 3):
        rest = [run for run in runs if run not in before]
        for after in itertools.combinations(rest, 3):
            if before < after:
                yield list(before), list(after)


def test(name, folder, program, options):
    twins = [record(folder, program, options, "none", i) for i in range(RUNS)]
    pairs = list(itertools.combinations(twins, 2))
    for before, after in pairs:
        code, growths = diff([before], [after])
        assert code == 0, f"{name}: {before.name} and {after.name} differ: {growths}"
    series = list(splits(twins))
    wrong = [growths for before, after in series for code, growths in [diff(before, after)] if code]
    assert len(wrong) * EQUAL <= max(len(series), EQUAL), f"{name}: equal series differ: {wrong}"
    for planted, (count, topic, part) in PLANTED.items():
        changed = [record(folder, program, options, planted, i) for i in range(count)]
        code, growths = diff(twins[:count], changed)
        assert code == 5, f"{name}: {planted} was not found: {growths}"
        first = growths[0]
        assert topic == first["topic"] and part in first["at"].lower(), \
            f"{name}: {planted} is not first: {growths}"
    print(f"{name}: {len(pairs)} pairs and {len(series)} series of the same ({len(wrong)} differ), "
          f"{len(PLANTED)} planted changes found")


def main():
    found = 0
    for make, tools in RUNTIMES:
        if not all(map(shutil.which, tools)):
            print(f"{make.__name__}: skipped: no {', '.join(tools)} here")
            continue
        with tempfile.TemporaryDirectory() as folder:
            test(make.__name__, folder, *make(folder))
            found += 1
    sys.exit(0 if found else 77)


main()
