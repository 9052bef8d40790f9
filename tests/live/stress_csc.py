#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The compiler of .NET over many classes, with each set of events: the library that it makes is
that of a bare run to the byte, as are output and exit code; it parsed each source once;
collections, exceptions and bytes of objects are those that a hook within it counts."""
import subprocess

from coreclr_common import check
from stress_common import Costs, calls_of, cpu_of_children, make_sources, need_long
from stress_dotnet import SETS, Told

CLASSES = 40
PARSE = "Microsoft.CodeAnalysis.CSharp.CSharpCompiler::ParseFile"


class Compiler:
    def __init__(self, told, classes):
        self.told, self.folder = told, told.folder
        self.sources = make_sources(self.folder, classes)
        self.made, self.said, cpu, _ = self.run(None)
        self.costs = Costs("csc", cpu)

    def run(self, options, *more, code=0):
        """The library, what was said, CPU time, the recording."""
        path, library = self.told.room.trace(), self.folder / "made.dll"
        library.unlink(missing_ok=True)
        environment = self.told.surroundings(options and f"file={path},{options}")
        runtime = self.told.room.sdk.runtime
        references = [f"-r:{file}" for file in sorted(runtime.glob("System.*.dll"))
                      if "Native" not in file.name]
        before = cpu_of_children()
        done = subprocess.run(
            ["dotnet", self.told.room.sdk.compiler, "-nologo", "-nostdlib", "-deterministic",
             "-optimize+", "-target:library", f"-out:{library.name}", *references, *self.sources,
             *more], capture_output=True, text=True, env=environment, timeout=250,
            cwd=self.folder, check=False)
        cpu = cpu_of_children() - before
        check(done.returncode == code, options, "gave", done.returncode, done.stdout, done.stderr)
        made = library.read_bytes() if library.exists() else b""
        return made, (done.stdout, done.stderr), cpu, path

    def recorded(self, options):
        made, said, cpu, path = self.run(options)
        check(made and made == self.made, options, "makes another library")
        check(said == self.said, options, "makes it say", said)
        self.costs.add(options, cpu, path)
        self.told.check(path, options)
        return path

    def test(self, options):
        path = self.recorded(options)
        if "calls" in options:
            calls = calls_of(path)[PARSE]
            # Of two overloads, one calls the other.
            check(calls == 2 * len(self.sources), calls, "calls of", PARSE)

    def test_failure(self):
        """Its exit code, and what it says of a source that it cannot compile."""
        bad = self.folder / "Bad.cs"
        bad.write_text("class Bad { int X() => y; }", encoding="utf-8")
        _, bare, _, _ = self.run(None, bad, code=1)
        _, said, _, _ = self.run("events=calls+exceptions", bad, code=1)
        check(said == bare, "another failure:", said)


def main():
    need_long()
    compiler = Compiler(Told(), CLASSES)
    for options in SETS:
        compiler.test(options.replace(",filter=*", "") + ",filter=Microsoft.CodeAnalysis.*")
    compiler.test_failure()


main()
