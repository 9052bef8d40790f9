#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The module for Mono, inside Mono: what it records of programs that count what they do equals what
they say and what Mono's own profiler records.

POLYTRACE is the program; the module lies beside it. POLYTRACE_LONG=1 adds what takes long.
"""
import os
import subprocess
from pathlib import Path

from mono_common import (EVERYTHING, HERE, LONG, POLYTRACE, STOCK, STOCK_THREADS, THREAD_CLASSES,
                         calls_of, cat, check, column, enter_room, equal, mono, record, report, run)


def truth_of(text):
    """The lines "what name count" of the program, by what."""
    truth = {}
    for line in text.splitlines():
        what, *name, count = line.split()
        truth.setdefault(what, {})[" ".join(name)] = int(count)
    return truth


def test_truth():
    truth = truth_of(record("truth.ptrace", EVERYTHING + ",heapdump=end", "truth.exe"))
    tables = report("truth.ptrace")
    calls = calls_of(tables)
    for name, count in truth["call"].items():
        equal(f"calls of {name}", sum(n for method, n in calls.items() if name in method), count)
    classes = column(tables["allocations"], "class", "count")
    equal("allocations", {name: classes.get(name) for name in truth["alloc"]}, truth["alloc"])
    thrown = column(tables["thrown_classes"], "class", "thrown")
    equal("throws", thrown["Failure"], truth["throw"]["Failure"])
    clauses = {}
    for row in tables["clauses"]:
        if "Program:Thrower" in row["method"] or "Program:Exceptions" in row["method"]:
            clauses[row["clause"]] = clauses.get(row["clause"], 0) + row["count"]
    equal("catches", clauses["catch"], truth["caught"][""])
    equal("finally clauses", clauses["finally"], truth["finally"][""])
    names = [row["thread"] for row in tables["threads"]]
    for i in range(truth["threads"]["worker"]):
        check(f"worker {i}" in names, "no thread is named worker", i)
    held = [row["objects"] for row in tables["heap_classes"] if row["class"] == "Held"]
    equal("objects in the heap", held, [truth["heap"]["Held"]])
    text = run([POLYTRACE, "cat", "--no-progress", "truth.ptrace"]).stdout
    unwinds = sum(" unwind " in line for line in text.splitlines())
    check(unwinds >= truth["unwind"]["Program:Thrower"], unwinds, "unwinds")
    return tables


def test_stock(ours):
    """Figure by figure what Mono's own profiler records of the same program."""
    mono(STOCK.format("stock.mlpd"), "truth.exe")
    if not os.path.exists("stock.mlpd"):
        print("not compared with Mono's own profiler: it is not here (Debian: libmono-profiler)")
        return
    stock = report("stock.mlpd")
    equal("calls", calls_of(ours), calls_of(stock))
    for value in ("count", "bytes"):
        mine = column(ours["allocations"], "class", value)
        theirs = column(stock["allocations"], "class", value)
        for name in THREAD_CLASSES:
            extra = theirs.pop(name) - mine.pop(name)
            if value == "count":
                equal(f"threads of the other profiler, {name}", extra, STOCK_THREADS)
        # Names of threads: how many come before a recording begins differs from run to run, of
        # both.
        extra = theirs.pop("System.String") - mine.pop("System.String")
        if value == "count":
            check(abs(extra) <= STOCK_THREADS, extra, "strings more than we recorded")
        equal(f"allocations, {value}", mine, theirs)
    for table, key, value in (("collection_generations", "generation", "count"),
                              ("thrown_classes", "class", "thrown"),
                              ("metadata", "kind", "loaded")):
        equal(table, column(ours[table], key, value), column(stock[table], key, value))
    # Threads that meet at a first call make one each: of one program, the other profiler's own
    # count differs from run to run.
    mine, theirs = (column(tables["code_helpers"], "kind", "count") for tables in (ours, stock))
    extra = theirs.pop("specific_trampoline") - mine.pop("specific_trampoline")
    check(abs(extra) <= STOCK_THREADS, extra, "specific trampolines more than we recorded")
    equal("code helpers", mine, theirs)
    for value in ("contentions", "acquired", "failed"):
        equal(value, ours["monitor_totals"][0][value], stock["monitor_totals"][0][value])
    mine = column(ours["handles"], "kind", "created")
    theirs = column(stock["handles"], "kind", "created")
    equal("pinned handles", mine["pinned"], theirs["pinned"])
    equal("weak handles", mine["weak"], theirs["weak"])
    equal("normal handles", mine["normal"], theirs["normal"] - STOCK_THREADS)
    names = {row["thread"] for row in stock["threads"] if not row["thread"].startswith("Profiler")}
    missing = {name for name in names if "after its end" not in name} - {
        row["thread"] for row in ours["threads"]}
    check(not missing, "threads that only the other profiler names:", missing)


def own_walks(options, *command):
    record("stacks.ptrace", f"events=threads+alloc=objects,mono.check-stacks=yes{options}",
           *command)
    text = run([POLYTRACE, "cat", "--no-progress", "stacks.ptrace"]).stdout
    note = next(line for line in text.splitlines() if "own stack walks" in line)
    own, wrong = (int(part.split(":")[1].strip(' "')) for part in
                  note.split('text="')[1].split(","))
    equal("own stack walks unlike the runtime's", wrong, 0)
    check(('name="(truncated)"' in text) == ("depth" in options), "stacks that are cut")
    os.remove("stacks.ptrace")
    print(f"{command[0]}{options}: {own} own stack walks")
    return own


def test_stacks():
    check(own_walks("", "truth.exe") > 500, "stacks are not walked by ourselves")
    own_walks(",depth=3", "truth.exe")


def test_others():
    """Allocations by class or sampled, filters, domains that go."""
    truth = truth_of(record("sites.ptrace", "events=alloc=sites", "truth.exe"))
    rows = report("sites.ptrace")["allocations"]
    classes = column(rows, "class", "count")
    equal("allocations by class", {name: classes.get(name) for name in truth["alloc"]},
          truth["alloc"])
    record("some.ptrace", "events=alloc=sampled:100", "truth.exe")
    some = [line for line in cat("some.ptrace") if " alloc " in line]
    check(100 < len(some) < 2000, len(some), "sampled allocations")
    # They stand for all bytes; six standard deviations are less than this.
    told = sum(row["bytes"] for row in report("some.ptrace")["allocations"])
    all_bytes = sum(row["bytes"] for row in rows)
    check(0.8 * all_bytes < told < 1.2 * all_bytes, told, "of", all_bytes, "bytes told")
    record("filtered.ptrace", "events=calls,filter=Square", "truth.exe")
    equal("filtered calls", column(report("filtered.ptrace")["methods"], "method", "calls"),
          {"Square:Area ()": 5})
    record("domains.ptrace", EVERYTHING + ",mono.roots=yes", "domains.exe", "3")
    domains = column(report("domains.ptrace")["metadata"], "kind", "unloaded")
    check(domains["domains"] >= 3, domains)


def test_unloaded():
    """Where the module is not found Mono goes on without it, as if nothing had been asked."""
    done = subprocess.run(["mono", "--profile=polytrace-missing:", "truth.exe"],
                          capture_output=True, text=True, check=False)
    check(done.returncode == 0 and "call Program:Fib" in done.stdout, done)


def test_long():
    """A compiler at work, everything recorded; stacks walked twice."""
    compiler = Path("/usr/lib/mono/4.5/mcs.exe")
    if not compiler.exists():
        return
    source = HERE / "truth.cs"
    check(own_walks("", compiler, "-warn:0", source, "-out:x.exe") > 10_000, "own walks are few")
    everything = EVERYTHING.replace("calls", "calls+classes+counters+samples=1ms", 1)
    record("compiler.ptrace", everything + ",mono.roots=yes,mono.finalizers=yes,"
           "mono.heap-collections=1,heapdump=end", compiler, "-warn:0", source, "-out:x.exe")
    check(len(report("compiler.ptrace")["methods"]) > 500, "hardly any methods")
    record("many.ptrace", EVERYTHING, "domains.exe", "30")


def main():
    with enter_room("truth", "endless", "domains"):
        ours = test_truth()
        test_stock(ours)
        test_stacks()
        test_others()
        test_unloaded()
        if LONG:
            test_long()


main()
