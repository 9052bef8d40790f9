#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The CPU time of threads in reports and in SQL is what the recorded program itself read from its
threads' clocks: of one that computes, and of those that sleep, wait for a lock or read from a
socket, which used next to none. The methods that the threads were in are busy or waiting by it, and
the busiest is one that computes. Where it is not recorded it is unknown, not 0. Java, Mono and
.NET; a runtime that is not here is named."""
import json
import sys
import tempfile
from pathlib import Path

from several_runtimes import Absent, PROGRAM, ROOT, need, record, run

LIVE = ROOT / "tests/live"
WAITING = ("sleeps", "locks", "reads")
# Methods of the thread that computes, and those that sleep, wait for a lock, a socket or threads.
COMPUTING = ("compute", "hash", "used", "Compute", "Hash", "Used")
SITTING = ("rest", "lock", "read", "main", "Sleep", "Enter", "Read", "Main")
SPREAD = 0.1  # of two clocks of one run


def java(folder):
    need("java", "javac")
    run(["javac", "-g", "-d", ".", str(LIVE / "java/Cpu.java")], folder)
    return ["java", "-cp", ".", "Cpu"]


def mono(folder):
    need("mono", "mcs")
    run(["mcs", "-out:cpu.exe", str(LIVE / "cpu.cs")], folder)
    return ["mono", "cpu.exe"]


def dotnet(folder):
    need("dotnet")
    run([sys.executable, str(LIVE / "coreclr_compile.py"), "cpu.dll", str(LIVE / "cpu.cs")],
        folder)
    return ["dotnet", "cpu.dll"]


def measure(folder, command, name, *options):
    """What the program printed of its threads, and the trace."""
    trace = folder / f"{name}.ptrace"
    printed = record(folder, trace, *options, *command)
    return {words[0]: int(words[1]) for words in map(str.split, printed.splitlines())}, trace


def report(folder, trace, *options):
    text = run([PROGRAM, "report", "--json", "--limit", "0",
                "--sections", "summary,calls,threads", *options, trace], folder)
    return {table["key"]: table["rows"] for table in json.loads(text)["tables"]}


def cpu_of(tables):
    return {row["thread"]: row.get("cpu") for row in tables["threads"]}


def check_figures(used, told):
    assert set(told) == {"computes", *WAITING}, told
    got = used["computes"]
    assert abs(got - told["computes"]) <= SPREAD * told["computes"], (got, told["computes"])
    for name in WAITING:
        assert used[name] is not None, f"{name}: unknown"
        assert abs(used[name] - told[name]) <= SPREAD * told["computes"], (name, used[name])
        assert used[name] <= SPREAD * got, (name, used[name], got)


def is_of(row, names):
    return any(f".{name} " in row["method"] or f":{name} " in row["method"] for name in names)


def check_methods(tables, told):
    """Each method is of one thread: what computes has its CPU time, what waits has next to none."""
    rows = tables["methods"]
    got = sum(row["busy"] for row in rows if is_of(row, COMPUTING))
    assert abs(got - told["computes"]) <= SPREAD * told["computes"], (got, told["computes"])
    waits = [row for row in rows if is_of(row, SITTING)]
    assert len(waits) >= 3, rows
    for row in waits:
        assert (row["busy"] or 0) <= SPREAD * told["computes"], row
    assert is_of(rows[0], COMPUTING), rows[0]
    line = next(row["text"] for row in tables["summary"] if " calls; " in row["text"])
    assert f"busiest: {rows[0]['method']} " in line, line


def check_profile(folder, trace, told):
    """By stack, too: what is below the method that computes is all that its thread used."""
    text = run([PROGRAM, "export", "-q", "--to", "folded", "--weight", "cpu", trace, "-o", "-"],
               folder)
    lines = [line.rsplit(" ", 1) for line in text.splitlines()]
    got = sum(int(weight) for stack, weight in lines if is_of({"method": stack}, COMPUTING))
    assert abs(got - told["computes"]) <= SPREAD * told["computes"], (got, text)


def check_halves(folder, trace, tables):
    """Two parts of the time have together what all of it has."""
    parts = [cpu_of(report(folder, trace, option, "50%"))["computes"] or 0
             for option in ("--from", "--to")]
    whole = cpu_of(tables)["computes"]
    assert abs(sum(parts) - whole) <= 2, (parts, whole)


def check_sql(folder, trace, used):
    answer = json.loads(run([PROGRAM, "sql", "--format", "json", trace,
                             "SELECT name, cpu_ns FROM thread WHERE events > 0"], folder))
    found = dict(answer["rows"])
    for name in ("computes", *WAITING):
        assert found[name] == used[name], (name, found[name], used[name])


def check_default(folder, command):
    told, trace = measure(folder, command, "default")
    tables = report(folder, trace)
    used = cpu_of(tables)
    check_figures(used, told)
    lines = [row["text"] for row in tables["summary"] if " of CPU in " in row["text"]]
    assert lines and lines[0].startswith("computes used "), lines
    check_methods(tables, told)
    check_profile(folder, trace, told)
    check_halves(folder, trace, tables)
    check_sql(folder, trace, used)


def check_off(folder, command):
    _, trace = measure(folder, command, "off", "--option", "cpu=off")
    tables = report(folder, trace)
    assert all(used is None for used in cpu_of(tables).values()), cpu_of(tables)
    assert not any(" of CPU in " in row["text"] for row in tables["summary"])
    assert not any(row.get("busy") for row in tables["methods"])
    assert any("self, waits included" in row["text"] for row in tables["summary"])


def check(runtime):
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        command = runtime(folder)
        check_default(folder, command)
        check_off(folder, command)


def main():
    seen = 0
    for runtime in (java, mono, dotnet):
        try:
            check(runtime)
        except Absent as absent:
            print(f"{runtime.__name__} left out: {absent}")
            continue
        seen += 1
        print(f"{runtime.__name__}: as the program counted it")
    if not seen:
        sys.exit(77)


main()
