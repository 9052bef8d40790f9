#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The module for Mono, inside Mono: what it records of programs that count what they do equals what
they say and what Mono's own profiler records.

POLYTRACE is the program; the module lies beside it. POLYTRACE_LONG=1 adds what takes long.
"""
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent / "mono"
POLYTRACE = Path(os.environ["POLYTRACE"]).resolve()
MODULE = POLYTRACE.parent / "libmono-profiler-polytrace.so"
LONG = os.environ.get("POLYTRACE_LONG") == "1"

# Mono's profiler attaches four threads of its own to the program, with what belongs to a thread.
STOCK_THREADS = 4
THREAD_CLASSES = {"System.Threading.Thread", "System.Threading.InternalThread"}
# These run once more for each of them, when they are finalized.
THREAD_METHODS = {
    "(wrapper managed-to-native) System.Threading.InternalThread:Thread_free_internal "
    "(System.Threading.InternalThread)",
    "(wrapper runtime-invoke) object:runtime_invoke_virtual_void__this__ "
    "(object,intptr,intptr,intptr)"}

EVERYTHING = "events=calls+threads+gc+monitors+exceptions+jit+alloc=objects,mono.handles=yes"
STOCK = ("log:nodefaults,calls,exception,monitor,gc,gcalloc,gcmove,gchandle,jit,calldepth=1000,"
         "heapshot-on-shutdown,output={}")
# How often the program asks for a thread's state until it waits, and how often a thread comes by
# while the world is to stop, the scheduler decides.
POLLING = {
    "(wrapper managed-to-native) object:__icall_wrapper_mono_threads_state_poll ()",
    "(wrapper managed-to-native) System.Threading.Thread:GetState "
    "(System.Threading.InternalThread)",
    "(wrapper managed-to-native) System.Threading.Thread:SleepInternal (int)"}


def skip(reason):
    print(f"skipped: {reason}")
    sys.exit(77)


def check(condition, *words):
    if not condition:
        sys.exit("failed: " + " ".join(str(word) for word in words))


def equal(name, ours, theirs):
    if ours == theirs:
        return
    if isinstance(ours, dict):
        for key in sorted(set(ours) | set(theirs)):
            if ours.get(key) != theirs.get(key):
                print(f"{name}: {key}: {ours.get(key)} here, {theirs.get(key)} there")
        sys.exit(f"failed: {name}")
    sys.exit(f"failed: {name}: {ours} is not {theirs}")


def run(command, **more):
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True,
                          timeout=250, check=False, **more)
    check(done.returncode == 0, command, "gave", done.returncode, done.stderr[-2000:])
    return done


def mono(options, *command):
    surroundings = dict(os.environ, LD_LIBRARY_PATH=str(MODULE.parent))
    return run(["mono", f"--profile={options}", *command], env=surroundings)


def record(file, options, *command):
    done = mono(f"polytrace:{options},file={file}", *command)
    # What another format cannot hold is said there too; that is no complaint.
    complaints = [line for line in done.stderr.splitlines()
                  if line.startswith("polytrace:") and not line.startswith(f"polytrace: {file}: ")]
    check(not complaints, done.stderr)
    check(Path(file).exists(), file, "was not made")
    return done.stdout


def report(file):
    text = run([POLYTRACE, "report", "--json", "--limit", "0", "--show-helpers", "--no-progress",
                file]).stdout
    return {table["key"]: table["rows"] for table in json.loads(text)["tables"]}


def column(rows, key, value):
    return {row[key]: row[value] for row in rows}


def calls_of(tables):
    calls = column(tables["methods"], "method", "calls")
    return {name: count for name, count in calls.items() if name not in THREAD_METHODS | POLLING}


def truth_of(text):
    """The lines "what name count" of the program, by what."""
    truth = {}
    for line in text.splitlines():
        what, *name, count = line.split()
        truth.setdefault(what, {})[" ".join(name)] = int(count)
    return truth


def compile_program(name):
    run(["mcs", "-optimize+", "-warn:0", HERE / f"{name}.cs", f"-out:{name}.exe"])


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
    stock = report("stock.mlpd")
    equal("calls", calls_of(ours), calls_of(stock))
    for value in ("count", "bytes"):
        mine = column(ours["allocations"], "class", value)
        theirs = column(stock["allocations"], "class", value)
        for name in THREAD_CLASSES:
            extra = theirs.pop(name) - mine.pop(name)
            if value == "count":
                equal(f"threads of the other profiler, {name}", extra, STOCK_THREADS)
        # Their names: how many come before the recording begins differs from run to run.
        extra = theirs.pop("System.String") - mine.pop("System.String")
        if value == "count":
            check(0 <= extra <= STOCK_THREADS, extra, "strings more than we recorded")
        equal(f"allocations, {value}", mine, theirs)
    for table, key, value in (("collection_generations", "generation", "count"),
                              ("thrown_classes", "class", "thrown"),
                              ("code_helpers", "kind", "count"),
                              ("metadata", "kind", "loaded")):
        equal(table, column(ours[table], key, value), column(stock[table], key, value))
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


def test_mprof_report(ours):
    """Mono's report tool takes our recording as mlpd, and counts the same."""
    if shutil.which("mprof-report") is None:
        return
    run([POLYTRACE, "convert", "--no-progress", "truth.ptrace", "-o", "truth.mlpd"])
    done = run(["mprof-report", "truth.mlpd"])
    check(not done.stderr, done.stderr)
    lines = done.stdout.splitlines()

    def number(prefix):
        line = next(line for line in lines if line.strip().startswith(prefix))
        return int(line.strip()[len(prefix):].split()[0])

    # It leaves out leaves without enter, not enters.
    equal("calls it counts", number("Total calls:"),
          sum(row["calls"] for row in ours["methods"]))
    equal("bytes it counts", number("Total memory allocated:"),
          sum(row["bytes"] for row in ours["allocations"]))
    equal("throws it counts", number("Throws:"), sum(row["thrown"] for row in
                                                     ours["thrown_classes"]))
    equal("contentions it counts", number("Lock contentions:"),
          ours["monitor_totals"][0]["contentions"])


def test_formats():
    """What the converter makes beside the recording holds the same calls."""
    figures = {}
    for form in ("mlpd", "block"):
        file = f"direct.{form}"
        record(file, f"{EVERYTHING},format={form},converter={POLYTRACE}", "truth.exe")
        run([POLYTRACE, "convert", "--no-progress", "--to", "monoblock", file, "-o",
             f"again-{form}.mprof"])
        tables = report(f"again-{form}.mprof")
        figures[form] = (calls_of(tables), column(tables["allocations"], "class", "count"))
    equal("calls of both formats", figures["mlpd"][0], figures["block"][0])
    equal("allocations of both formats", figures["mlpd"][1], figures["block"][1])
    check(len(figures["block"][0]) > 50, "only", len(figures["block"][0]), "methods")


def test_killed():
    """Everything up to the kill is there, and the missing end is named."""
    surroundings = dict(os.environ, LD_LIBRARY_PATH=str(MODULE.parent))
    with subprocess.Popen(["mono", "--profile=polytrace:events=calls+alloc=objects,"
                           "file=killed.ptrace", "endless.exe"], env=surroundings,
                          stdout=subprocess.PIPE, text=True) as child:
        said = 0
        for line in child.stdout:
            said = int(line)
            if said >= 200_000:
                break
        child.send_signal(signal.SIGKILL)
    done = subprocess.run([POLYTRACE, "report", "--json", "--limit", "0", "--no-progress",
                           "killed.ptrace"], capture_output=True, text=True, check=False)
    document = json.loads(done.stdout)
    tables = {table["key"]: table["rows"] for table in document["tables"]}
    calls = column(tables["methods"], "method", "calls")
    check(calls.get("Program:Work (int)", 0) >= said, calls, "but the program said", said)
    check(document["notices"], "the missing end is not told")
    print(f"killed: {calls['Program:Work (int)']} calls of at least {said};",
          document["notices"][0])


def own_walks(options, *command):
    record("stacks.ptrace", f"events=threads+alloc=objects,mono.check-stacks=yes{options}",
           *command)
    text = run([POLYTRACE, "cat", "--no-progress", "stacks.ptrace"]).stdout
    note = next(line for line in text.splitlines() if "own stack walks" in line)
    own, wrong = (int(part.split(":")[1].strip(' "')) for part in
                  note.split('text="')[1].split(","))
    equal("own stack walks unlike the runtime's", wrong, 0)
    os.remove("stacks.ptrace")
    print(f"{command[0]}{options}: {own} own stack walks")
    return own


def test_stacks():
    check(own_walks("", "truth.exe") > 500, "stacks are not walked by ourselves")
    own_walks(",depth=3", "truth.exe")


def test_samples():
    record("samples.ptrace", "events=threads+samples=2ms,mono.wall-clock=yes", "endless.exe", "400")
    methods = report("samples.ptrace")["sampled_methods"]
    check(any("Program:Work" in row["method"] for row in methods), methods)


def test_others():
    """Allocations by class or sampled, filters, counters, domains that go."""
    truth = truth_of(record("sites.ptrace", "events=alloc=sites", "truth.exe"))
    classes = column(report("sites.ptrace")["allocations"], "class", "count")
    equal("allocations by class", {name: classes.get(name) for name in truth["alloc"]},
          truth["alloc"])
    record("some.ptrace", "events=alloc=sampled:1k", "truth.exe")
    some = sum(row["count"] for row in report("some.ptrace")["allocations"])
    check(0 < some < 800, some, "sampled allocations")
    record("filtered.ptrace", "events=calls,filter=Square", "truth.exe")
    equal("filtered calls", column(report("filtered.ptrace")["methods"], "method", "calls"),
          {"Square:Area ()": 5})
    record("counters.ptrace", "events=counters+classes+jit", "truth.exe")
    check(len(report("counters.ptrace")["counters"]) > 50, "hardly any counters")
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
    for tool in ("mono", "mcs"):
        if shutil.which(tool) is None:
            skip(f"no {tool} here (Debian: mono-runtime mono-mcs libmono-profiler)")
    if not MODULE.exists():
        skip(f"no {MODULE.name} beside the program (Debian: libmono-2.0-dev, then build)")
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for name in ("truth", "endless", "domains"):
            compile_program(name)
        ours = test_truth()
        test_stock(ours)
        test_mprof_report(ours)
        test_formats()
        test_killed()
        test_stacks()
        test_samples()
        test_others()
        test_unloaded()
        if LONG:
            test_long()


main()
