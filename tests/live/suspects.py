#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The shop's four faults stand in the first ten lines of `polytrace report`, none of them in that
of the repaired shop, and `polytrace diff` shows all of them. Java always, with POLYTRACE_LONG=1
also Mono and .NET; a runtime that is not here is named."""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = os.environ.get("POLYTRACE", str(ROOT / "build/release/polytrace"))
SHOP = ROOT / "examples/shop"
EVENTS = "calls,threads,gc,monitors,exceptions,alloc="
DAYS = "12"
FAULTS = ("hot method", "leak", "lock convoy", "exception storm")


class Absent(Exception):
    """What is needed is not here."""


def need(*tools):
    for tool in tools:
        if not shutil.which(tool):
            raise Absent(f"no {tool} here")


def run(command, folder):
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=250,
                          stdin=subprocess.DEVNULL, check=False)
    if done.returncode == 77:
        raise Absent(done.stdout.strip())
    assert done.returncode == 0, f"{command} ended with {done.returncode}: {done.stderr}"
    return done.stdout


def java(folder):
    need("java", "javac")
    run(["javac", "-g", "-d", ".", *map(str, SHOP.glob("java/*.java"))], folder)
    return (["--events", EVENTS + "sites", "--option", "heapdump=end",
             "--filter", "Shop,Customer,Catalog,Till,Order,Article"], ["java", "-cp", ".", "Shop"],
            ("Catalog.similarity", "Order", "Till.pay", "NumberFormatException, in Till.amountOf"))


def mono(folder):
    need("mono", "mcs")
    sources = map(str, SHOP.glob("csharp/*.cs"))
    run(["mcs", "-debug", "-optimize+", *sources, "-out:shop.exe"], folder)
    return (["--events", EVENTS + "objects", "--option", "heapdump=end"],
            ["mono", "--debug", "shop.exe"],
            ("Catalog:Similarity", "Order", "Till:Pay", "FormatException, in Till:AmountOf"))


def dotnet(folder):
    need("dotnet")
    run([sys.executable, str(ROOT / "tests/live/coreclr_compile.py"), "shop.dll",
         *map(str, SHOP.glob("csharp/*.cs"))], folder)
    return (["--events", EVENTS + "objects"], ["dotnet", "shop.dll"],
            ("Catalog::Similarity", "Order", "Till::Pay", "FormatException, in Till::AmountOf"))


def suspects(trace, folder):
    """The suspects among the first ten lines of a report: fault -> line."""
    lines = run([PROGRAM, "report", trace], folder).splitlines()[:10]
    return {fault: line for line in lines for fault in FAULTS if line.startswith(f"  {fault} ")}


def check(runtime, folder):
    options, command, names = runtime(folder)
    for trace, variant in (("faulty.ptrace", []), ("repaired.ptrace", ["repaired"])):
        done = subprocess.run([PROGRAM, "record", "-o", trace, *options, *command, DAYS, *variant],
                              cwd=folder, capture_output=True, text=True, timeout=250, check=False)
        if "agent" in done.stderr and not (folder / trace).exists():
            raise Absent(done.stderr.splitlines()[0])
        assert done.returncode == 0, f"record: {done.stderr}"
        assert f"{DAYS} days, 708 sold, 168 refused" in done.stdout, done.stdout
    found = suspects("faulty.ptrace", folder)
    for fault, name in zip(FAULTS, names):
        assert name in found.get(fault, ""), f"{fault}: no {name} in {found}"
    assert not suspects("repaired.ptrace", folder), suspects("repaired.ptrace", folder)
    traces = ["faulty.ptrace", "repaired.ptrace"]
    compared = json.loads(run([PROGRAM, "diff", "--json", *traces], folder))
    gone = {row["fault"]: row["verdict"] for table in compared["tables"]
            if table["key"] == "diff_suspects" for row in table["rows"]}
    gone.pop("full heap", None)  # a JVM's own tables are a tenth of any small heap
    assert gone == {fault: "gone" for fault in FAULTS}, gone
    worse = subprocess.run([PROGRAM, "diff", "--fail-over", "5%", *reversed(traces)], cwd=folder,
                           capture_output=True, timeout=250, check=False)
    assert worse.returncode == 5, worse
    return len(found)


def main():
    runtimes = [java, mono, dotnet] if os.environ.get("POLYTRACE_LONG") == "1" else [java]
    tested = 0
    for runtime in runtimes:
        with tempfile.TemporaryDirectory() as temporary:
            try:
                print(f"{runtime.__name__}: {check(runtime, Path(temporary))} faults are named")
                tested += 1
            except Absent as why:
                print(f"{runtime.__name__}: skipped: {re.sub(r'^skipped: ', '', str(why))}")
    sys.exit(0 if tested else 77)


main()
