#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The shop's four faults stand in the first ten lines of `polytrace report`, none of them in that
of the repaired shop, and `polytrace diff` shows all of them. Java always, with POLYTRACE_LONG=1
also Mono and .NET; a runtime that is not here is named."""
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from several_runtimes import Absent, PROGRAM, ROOT, need, record, run

SHOP = ROOT / "examples/shop"
EVENTS = "calls,threads,gc,monitors,exceptions,alloc="
DAYS = "12"
FAULTS = ("hot method", "leak", "lock convoy", "exception storm")
#: Where no object's end is known, growth alone is what there is to say.
GROWTH_ONLY = ("hot method", "growing heap", "lock convoy", "exception storm")


def java(folder):
    need("java", "javac")
    run(["javac", "-g", "-d", ".", *map(str, SHOP.glob("java/*.java"))], folder)
    return (["--events", EVENTS + "sites", "--option", "heapdump=end",
             "--filter", "Shop,Customer,Catalog,Till,Order,Article"], ["java", "-cp", ".", "Shop"],
            dict(zip(FAULTS, ("Catalog.similarity", "Order", "Till.pay",
                              "NumberFormatException, in Till.amountOf"))))


def mono(folder):
    need("mono", "mcs")
    sources = map(str, SHOP.glob("csharp/*.cs"))
    run(["mcs", "-debug", "-optimize+", *sources, "-out:shop.exe"], folder)
    return (["--events", EVENTS + "objects", "--option", "heapdump=end"],
            ["mono", "--debug", "shop.exe"],
            dict(zip(FAULTS, ("Catalog:Similarity", "Order", "Till:Pay",
                              "FormatException, in Till:AmountOf"))))


def dotnet(folder):
    need("dotnet")
    run([sys.executable, str(ROOT / "tests/live/coreclr_compile.py"), "shop.dll",
         *map(str, SHOP.glob("csharp/*.cs"))], folder)
    return (["--events", EVENTS + "objects"], ["dotnet", "shop.dll"],
            dict(zip(GROWTH_ONLY, ("Catalog::Similarity", "Order", "Till::Pay",
                                   "FormatException, in Till::AmountOf"))))


def suspects(trace, folder):
    """The suspects among the first ten lines of a report: fault -> line."""
    lines = run([PROGRAM, "report", trace], folder).splitlines()[:10]
    return {fault: line for line in lines for fault in {*FAULTS, *GROWTH_ONLY}
            if line.startswith(f"  {fault} ")}


def check(runtime, folder):
    options, command, names = runtime(folder)
    for trace, variant in (("faulty.ptrace", []), ("repaired.ptrace", ["repaired"])):
        printed = record(folder, trace, *options, *command, DAYS, *variant)
        assert f"{DAYS} days, 708 sold, 168 refused" in printed, printed
    found = suspects("faulty.ptrace", folder)
    for fault, name in names.items():
        assert name in found.get(fault, ""), f"{fault}: no {name} in {found}"
    assert not suspects("repaired.ptrace", folder), suspects("repaired.ptrace", folder)
    traces = ["faulty.ptrace", "repaired.ptrace"]
    compared = json.loads(run([PROGRAM, "diff", "--json", *traces], folder))
    gone = {row["fault"]: row["verdict"] for table in compared["tables"]
            if table["key"] == "diff_suspects" for row in table["rows"]}
    gone.pop("full heap", None)  # a JVM's own tables are a tenth of any small heap
    assert gone == {fault: "gone" for fault in names}, gone
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
