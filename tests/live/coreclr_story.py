#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The shop of examples/shop, recorded in Java, Mono and .NET, tells one story: `report` and `state`
say the same of all three, but for what is listed here by name with its reason."""
import json
import os
import re
import shutil
import subprocess
import tempfile
from collections import Counter
from pathlib import Path

from coreclr_common import POLYTRACE, ROOT, Sdk, check, equal, find_agent, skip

DAYS, CUSTOMERS = 1, 4
EVENTS = "calls,threads,gc,exceptions,monitors,alloc=sites"
CLASSES = ("Shop", "Catalog", "Article", "Customer", "Order", "Till")
OWN = re.compile(f"({'|'.join(CLASSES)})[:.]")  # methods
CONSTRUCTORS = {"ctor": "<init>", "cctor": "<clinit>"}

# Methods that only some of the programs have.
NOT_IN_ALL = {
    "till.print": "Java's printer is a method of its own",
    "till.get_sold": "a property of C#, a field in Java",
    "till.set_sold": "a property of C#, a field in Java",
    "till.get_refused": "a property of C#, a field in Java",
    "till.set_refused": "a property of C#, a field in Java",
}
# What else cannot agree. Shown where the test has run.
APART = (
    "Times: they are the processor's and the scheduler's",
    "Classes of the runtime: an exception is a NumberFormatException or a FormatException",
    "Objects of the runtime: strings, boxes and lists differ; a JVM tells byte code of the filter",
    "Finally clauses without an exception: only Mono tells them",
    "Where an exception or a wait has its stack: beside recorded calls only the JVM tells it",
    "The class of the lock: in C# the till locks an object of its own",
    "Locks beside the till's: those of the runtime's libraries, by chance",
    "How often customers wait for the till: by chance; each wait ends",
    "Collections beside those that the till asks for: by the size of the heap",
    "The main thread's name: .NET's has none",
)


def build(folder):
    """The command line of each runtime."""
    for tool in ("javac", "java", "mcs", "mono"):
        if not shutil.which(tool):
            skip(f"no {tool} here")
    for agent in ("libpolytrace-jvm.so", "libmono-profiler-polytrace.so"):
        if not (POLYTRACE.parent / agent).is_file():
            skip(f"no {agent} here")
    find_agent()
    shop = ROOT / "examples/shop"
    sharp = [str(path) for path in sorted((shop / "csharp").glob("*.cs"))]
    subprocess.run(["javac", "-g", "-d", folder, *(shop / "java").glob("*.java")], check=True)
    subprocess.run(["mcs", "-optimize+", f"-out:{folder}/shop.exe", *sharp], check=True)
    Sdk().compile(folder / "shop.dll", *sharp)
    return {"java": ["java", "-cp", folder, "Shop"], "mono": ["mono", folder / "shop.exe"],
            "dotnet": ["dotnet", folder / "shop.dll"]}


def polytrace(*words):
    done = subprocess.run([POLYTRACE, *words], capture_output=True, text=True, timeout=250,
                          check=False)
    check(done.returncode == 0, *words, done.stdout[-500:], done.stderr[-500:])
    return done.stdout


def tables(trace):
    said = json.loads(polytrace("report", "--json", "--limit", "0", "--sections",
                                "calls,exceptions,monitors,allocations,threads,collections", trace))
    return {table["key"]: table["rows"] for table in said["tables"]}


def plain(method):
    """Without what a runtime adds: "catalog.similarity"."""
    name = re.sub(r"[:.]+", ".", method.split(" (")[0]).lower()
    kind, _, last = name.rpartition(".")
    return f"{kind}.{CONSTRUCTORS.get(last, last)}"


def story(table):
    calls = {plain(row["method"]): row["calls"] for row in table["methods"]
             if OWN.match(row["method"])}
    waits = table["monitor_totals"][0]
    return {
        "calls": {name: count for name, count in calls.items() if name not in NOT_IN_ALL},
        "hot": max(calls, key=calls.get),
        "thrown": {row["class"].rsplit(".", 1)[1].replace("Number", ""): row["thrown"]
                   for row in table["thrown_classes"] if "FormatException" in row["class"]},
        "caught": {plain(row["method"]): row["count"] for row in table.get("clauses", ())
                   if row["clause"] == "catch" and OWN.match(row["method"])},
        "objects": {row["class"]: row["count"] for row in table["allocations"]
                    if row["class"] in CLASSES},
        "threads": sorted(row["thread"] for row in table["threads"]
                          if row["thread"].startswith("customer-")),
        "waits": waits["contentions"] - waits["acquired"] - waits["failed"],
    }


def check_moment(runtime, trace):
    """In the middle of the longest wait its thread is blocked, at the till."""
    begun, longest = {}, (0, 0, "")
    lines = [line for line in polytrace("cat", "--kind", "monitor", trace).splitlines()
             if "object=" in line]
    till = Counter(line.split()[3] for line in lines).most_common(1)[0][0]
    for line in lines:
        time, thread, _, lock, *_ = line.split()
        if lock != till:
            continue
        if "stage=contended" in line:
            begun[thread] = int(time)
        elif thread in begun:
            longest = max(longest, (int(time) - begun[thread], begun[thread], thread))
    length, start, thread = longest
    check(length > 0, runtime, "nobody waits")
    zero = json.loads(polytrace("report", "--json", "--sections", "threads", trace))["start"]
    said = json.loads(polytrace("state", "--json", "--no-cache", "--at",
                                f"{start - zero + length // 2}ns", trace))
    states = {state["path"]: state["value"] for state in said["states"]}
    mine = {path.removeprefix(f"/Threads/{thread}/"): value for path, value in states.items()
            if path.startswith(f"/Threads/{thread}/")}
    check(mine["Status"] == "blocked" and "Waits for" in mine, runtime, mine)
    # Mono has a frame of its own for the wait.
    frames = [mine[f"Stack/{i + 1}"] for i in range(mine["Stack"])]
    check(plain([frame for frame in frames if OWN.match(frame)][-1]) == "till.pay", runtime, mine)
    check(mine["Name"].startswith("customer-"), runtime, mine)


def main():
    with tempfile.TemporaryDirectory() as name:
        folder, stories = Path(name), {}
        os.chdir(folder)
        for runtime, command in build(folder).items():
            trace = folder / f"{runtime}.ptrace"
            polytrace("record", "-o", trace, "--events", EVENTS, *command, str(DAYS))
            stories[runtime] = story(tables(trace))
            check_moment(runtime, trace)
    java = stories["java"]
    for runtime in ("mono", "dotnet"):
        other = stories[runtime]
        if runtime == "dotnet":
            equal("caught by Mono and .NET", other["caught"], stories["mono"]["caught"])
        equal(f"Java and {runtime}", {key: other[key] for key in java if key != "caught"},
              {key: java[key] for key in java if key != "caught"})
    check(java["hot"] == "catalog.similarity" and java["waits"] == 0, java)
    check(len(java["threads"]) == DAYS * CUSTOMERS and len(java["calls"]) == 15, java)
    print(*APART, sep="\n")
    print("one story, of three runtimes")


main()
