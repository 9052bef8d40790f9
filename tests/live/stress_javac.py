#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""javac over some hundred sources of a JDK, with each set of events: the class files are those of a
bare run to the byte, as are output and exit code; the calls that make them, and the objects, are as
many as the files; collections are those of the VM's log, exceptions those that the JDK's recorder
sees made. An object that javac throws again and again is made once: there the recorder has no truth
to tell. Its threads are its main thread, and it waits for no monitor."""
import json
import re
import subprocess
import zipfile
from collections import Counter
from pathlib import Path

from jvm_common import Room, logged, skip
from stress_common import (Costs, calls_of, cpu_of_children, expect_equal, need_long, polytrace,
                           tables)

PARTS = ("jdk.jdi/com/sun/jdi/", "jdk.jdi/com/sun/tools/jdi/")
JAVAC = "com.sun.tools.javac"
PARSE = f"{JAVAC}.parser.JavacParser.parseCompilationUnit"
WRITE = f"{JAVAC}.jvm.ClassWriter.writeClass"
PARSER = f"{JAVAC}.parser.JavacParser"
FEW = 30
# Objects that it throws again and again: made once or twice, where the recorder sees them.
REUSED = {f"{JAVAC}.code.Symbol$CompletionFailure",
          f"{JAVAC}.comp.Resolve$AbstractMethodCheck$SharedInapplicableMethodException"}


def unpack(room):
    """The sources of the newest JDK that has them; another JDK's own classes stand behind them."""
    for jdk in reversed(room.jdks):
        packed = jdk.home / "lib/src.zip"
        if packed.is_file():
            with zipfile.ZipFile(packed) as sources:
                names = sorted(name for name in sources.namelist() if name.startswith(PARTS) and
                               name.endswith(".java"))
                sources.extractall(room.folder, names)
                sources.extractall(room.folder / "few", names[:FEW])
            return names
    return skip("no JDK here has its sources (lib/src.zip)")


def summed_calls(path, method):
    """Of all nodes of the trees; among methods of that name, those of the class."""
    owner, name = method.rsplit(".", 1)
    classes = {one["class"] for one in events(path, "class", owner) if one["name"] == owner}
    methods = {one["method"] for one in events(path, "method", name)
               if one["name"] == name and one["class_id"] in classes}
    return sum(one["calls"] for one in events(path, "summary_begin", name)
               if one["method"] in methods)


def events(path, kind, name):
    lines = polytrace("cat", "--jsonl", "--no-progress", "--kind", kind, "--name", name, path)
    return map(json.loads, lines.splitlines())


class Javac:
    def __init__(self, room, jdk, sources):
        self.room, self.jdk, self.sources = room, jdk, sources

    def run(self, options=None, few=False, flags=()):
        """Class files, what was said, CPU time, and the recording."""
        path, made = self.room.trace(), self.room.folder / "made"
        subprocess.run(["rm", "-rf", made], check=True)
        if options:
            flags = (f"-agentpath:{self.room.agent}=file={path},{options}", *flags)
        before = cpu_of_children()
        done = subprocess.run(
            [self.jdk.tool("javac"), *(f"-J{flag}" for flag in flags), "-nowarn", "-proc:none",
             "-d", made, "--patch-module", "jdk.jdi=jdk.jdi", *self.sources[:FEW if few else None]],
            capture_output=True, text=True, timeout=250, check=False,
            cwd=self.room.folder / ("few" if few else "."))
        cpu = cpu_of_children() - before
        assert done.returncode == 0, f"{options}: {done.returncode}: {done.stderr[-2000:]}"
        files = {str(file.relative_to(made)): file.read_bytes() for file in made.rglob("*.class")}
        return files, done.stderr, cpu, path


class Stress:
    """One JDK: a bare run, then one with each set."""

    def __init__(self, room, jdk, sources):
        self.javac, self.room, self.jdk = Javac(room, jdk, sources), room, jdk
        self.bare = {few: self.javac.run(few=few)[:3] for few in (False, True)}

    def recorded(self, options, few=False, flags=()):
        bare, bare_said, bare_cpu = self.bare[few]
        files, said, cpu, path = self.javac.run(options, few, flags)
        other = [name for name in {**files, **bare} if files.get(name) != bare.get(name)]
        assert bare and not other, f"{options}: {other} are not those of the bare run"
        assert said == bare_said, f"{options}: {said}"
        Costs(f"javac {self.jdk.version}", bare_cpu).add(options, cpu, path)
        return path

    def expect_calls(self, calls, few=False):
        expect_equal({name: calls.get(name) for name in (PARSE, WRITE)},
                     {PARSE: FEW if few else len(self.javac.sources),
                      WRITE: len(self.bare[few][0])}, "calls")

    def test_calls(self):
        """All sources with one JDK: 150 million events."""
        few = self.jdk is not self.room.jdks[-1]
        path = self.recorded(f"events=calls,filter={JAVAC}.*", few)
        self.expect_calls(calls_of(path), few)

    def test_summary(self):
        path = self.recorded(f"mode=summary,events=calls,filter={JAVAC}.*", few=True)
        self.expect_calls({name: summed_calls(path, name) for name in (PARSE, WRITE)}, few=True)

    def test_collections(self):
        log = self.room.folder / "gc.log"
        path = self.recorded("events=threads+gc+monitors",
                             flags=("-Xmx96m", f"-Xlog:gc,safepoint:file={log}"))
        stops, collections = logged(log.read_text(encoding="utf-8"))
        told = len(tables(path, "collections")["collections"])
        assert told in (stops, collections) and told > 3, (told, stops, collections)

    def test_exceptions(self):
        jfr = f"made{self.jdk.version}.jfr"
        every = ",jdk.JavaExceptionThrow#throttle=off" if self.jdk.version > 17 else ""
        path = self.recorded("events=exceptions", flags=(
            f"-XX:StartFlightRecording:filename={jfr},jdk.JavaExceptionThrow#enabled=true{every}",
            "-Xlog:disable"))
        printed = subprocess.run([self.jdk.tool("jfr"), "print", "--events", "JavaExceptionThrow",
                                  jfr], cwd=self.room.folder, capture_output=True, text=True,
                                 check=True).stdout
        made = Counter(re.findall(rf"thrownClass = ({re.escape(JAVAC)}\S+) ", printed))
        thrown = {row["class"]: row["thrown"] for row in tables(path, "exceptions")
                  ["thrown_classes"] if row["class"].startswith(JAVAC)}
        assert len(made) > 3 and set(made) == set(thrown), (made, thrown)
        fresh = set(made) - REUSED
        expect_equal({name: thrown[name] for name in fresh}, {name: made[name] for name in fresh},
                     "exceptions")

    def objects(self, path):
        return {row["class"]: row["count"] for row in tables(path, "allocations")["allocations"]}

    def test_allocations(self):
        """Each object by itself takes microseconds: few sources."""
        for events in ("alloc=sites,filter=*", "alloc=objects+gc"):
            made = self.objects(self.recorded(f"events={events}", few=True))[PARSER]
            assert made == FEW, (events, made)
        self.recorded("events=alloc=sampled")

    def test_together(self):
        self.expect_calls(calls_of(self.recorded(
            "events=calls+threads+gc+monitors+exceptions+alloc=sites,filter=*,jvm.accessors=yes",
            few=True)), few=True)


def main():
    need_long()
    room = Room()
    sources = unpack(room)
    for jdk in room.jdks:
        stress = Stress(room, jdk, sources)
        for name in [n for n in dir(stress) if n.startswith("test_")]:
            getattr(stress, name)()


main()
