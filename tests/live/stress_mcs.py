#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Mono's compiler over some hundred classes, with each set of events: the library that it makes is
that of a bare run to the byte, as are what it says and its exit code; it parsed each source once;
collections and compiled methods are those of Mono's own statistics of the same run, throws those
that its own profiler tells of another."""
import re
import subprocess
from pathlib import Path

from mono_common import check, enter_room, equal, mono, run, skip, surroundings
from stress_common import Costs, calls_of, cpu_of_children, make_sources, need_long, tables

COMPILER = Path("/usr/lib/mono/4.5/mcs.exe")
CLASSES = 120
PARSE = "Mono.CSharp.CSharpParser:parse"
PARSER = "Mono.CSharp.CSharpParser"
STOCK = "log:nodefaults,exception,output=stock.mlpd"
SETS = ("events=calls+threads", "events=threads+gc+monitors+exceptions",
        "events=gc+exceptions+jit+classes+counters,mono.handles=yes,mono.roots=yes,"
        "mono.finalizers=yes", "events=gc+exceptions+samples=1ms",
        "events=gc+exceptions+samples=1ms,mono.wall-clock=yes",
        "events=gc+exceptions+alloc=sampled", "events=gc+exceptions+alloc=sites",
        "events=gc+exceptions+alloc=objects,heapdump=end",
        "events=calls+threads+gc+monitors+exceptions+jit+classes+counters+samples+alloc=sites,"
        "mono.handles=yes,mono.finalizers=yes")


class Compiler:
    """Compiled when it runs, not ahead: so all of it can be recorded."""

    def __init__(self):
        self.sources = make_sources(Path.cwd(), CLASSES)
        self.command = ["-O=-aot", COMPILER, "-target:library", "-out:made.dll", *self.sources]
        self.made, self.said, cpu, _ = self.run()
        self.costs = Costs("mcs", cpu)
        mono(STOCK, *self.command)
        told = run(["mprof-report", "--reports=exception", "stock.mlpd"]).stdout
        self.throws = int(re.search(r"Throws: (\d+)", told)[1])

    def run(self, *profiler, code=0):
        """The library, what was said, CPU time, the runtime's statistics."""
        library = Path("made.dll")
        library.unlink(missing_ok=True)
        before = cpu_of_children()
        done = subprocess.run(["mono", "--stats", *profiler, *self.command], env=surroundings(),
                              capture_output=True, text=True, timeout=250, check=False)
        cpu = cpu_of_children() - before
        check(done.returncode == code, profiler, "gave", done.returncode, done.stderr)
        statistics = dict(re.findall(r"^([\w ]+?) *: (\d+)$", done.stdout, re.M))
        return library.exists() and library.read_bytes(), done.stderr, cpu, statistics

    def test(self, options):
        path = Path("out.ptrace")
        path.unlink(missing_ok=True)
        made, said, cpu, statistics = self.run(f"--profile=polytrace:{options},file={path}")
        check(made and made == self.made, options, "makes another library")
        check(said == self.said, options, "makes it say", said)
        self.costs.add(options, cpu, path)
        self.check_counts(options, tables(path, "collections", "exceptions", "jit", "allocations"),
                          statistics)
        if "calls" in options:
            calls = calls_of(path)[PARSE]
            check(calls == CLASSES, calls, "calls of", PARSE)

    def check_counts(self, options, table, statistics):
        if "gc" in options:
            rows = table["collection_generations"]
            equal("collections", {row["generation"]: row["count"] for row in rows},
                  {0: int(statistics["Minor GC collections"]),
                   1: int(statistics["Major GC collections"])})
        if "exceptions" in options:
            thrown = sum(row["thrown"] for row in table["thrown_classes"])
            check(thrown == self.throws > 0, thrown, "throws, not", self.throws)
        if "jit" in options:
            compiled = sum(row["times"] for row in table["compilation"])
            equal("compilations", compiled, int(statistics["Compiled methods"]))
        if "alloc=sites" in options or "alloc=objects" in options:
            made = {row["class"]: row["count"] for row in table["allocations"]}
            equal("objects", made[PARSER], CLASSES)

    def test_failure(self):
        """Its exit code, and what it says of a source that it cannot compile."""
        Path("Bad.cs").write_text("class Bad { int X() { return y; } }", encoding="utf-8")
        self.command.append("Bad.cs")
        bare = self.run(code=1)[:2]
        said = self.run("--profile=polytrace:events=calls+exceptions,file=bad.ptrace", code=1)[:2]
        check(said == bare and "CS0103" in said[1], "another failure:", said)



def main():
    need_long()
    if not COMPILER.exists():
        skip(f"no {COMPILER}")
    with enter_room():
        compiler = Compiler()
        for options in SETS:
            compiler.test(options)
        compiler.test_failure()


main()
