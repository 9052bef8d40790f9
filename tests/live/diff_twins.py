#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Two runs of one program never fail a check; whatever was planted in it does, and is named
first. A program that mostly sleeps, so that a busy machine changes nothing that counts."""
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
RUNS = 7 if os.environ.get("POLYTRACE_LONG") == "1" else 4
OPTIONS = ["--events", "calls,threads,gc,monitors,exceptions,alloc=sites"]
# What is planted, and what must be named first: the topics and a part of the name.
PLANTED = {
    "calls3": ({"calls"}, "step"),
    "calls12": ({"calls"}, "step"),
    "time": ({"methods"}, "work"),
    "alloc": ({"allocations"}, "extra"),
    "lock": ({"locks"}, "lock"),
}


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


def test(name, folder, program, options):
    twins = [record(folder, program, options, "none", i) for i in range(RUNS)]
    pairs = list(itertools.combinations(twins, 2))
    for before, after in pairs:
        code, growths = diff([before], [after])
        assert code == 0, f"{name}: {before.name} and {after.name} differ: {growths}"
    for planted, (topics, part) in PLANTED.items():
        # A tenth of a time is found by several runs.
        count = 3 if planted == "time" else 1
        changed = [record(folder, program, options, planted, i) for i in range(count)]
        code, growths = diff(twins[:count], changed)
        assert code == 5, f"{name}: {planted} was not found: {growths}"
        first = growths[0]
        assert first["topic"] in topics and part in first["at"].lower(), \
            f"{name}: {planted} is not first: {growths}"
    print(f"{name}: {len(pairs)} pairs of the same, {len(PLANTED)} planted changes found")


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
