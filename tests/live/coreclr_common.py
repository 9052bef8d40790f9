# SPDX-License-Identifier: Apache-2.0
"""What the live tests of the agent for .NET share: the SDK of this machine, programs compiled for
the test, runs under the agent. Where something is missing the test says so and ends with 77."""
import contextlib
import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
POLYTRACE = Path(os.environ.get("POLYTRACE", str(ROOT / "build/release/polytrace"))).resolve()
LONG = os.environ.get("POLYTRACE_LONG") == "1"
PROFILER = "{8F0C6B52-3E1D-4A7B-9C42-51D7E6A90B34}"
sys.path[:0] = [str(HERE), str(HERE.parent / "support")]
from ptrace import Stream  # noqa: E402


def skip(why):
    print(f"skipped: {why}")
    sys.exit(77)


def check(condition, *words):
    if not condition:
        sys.exit("failed: " + " ".join(str(word) for word in words))


def equal(what, ours, theirs):
    if ours == theirs:
        return
    for key in sorted(set(ours) | set(theirs), key=str):
        if ours.get(key) != theirs.get(key):
            print(f"{what}: {key}: {ours.get(key)} recorded, {theirs.get(key)} told")
    sys.exit(f"failed: {what}")


def find_agent():
    agent = POLYTRACE.parent / "libpolytrace-coreclr.so"
    if not agent.is_file():
        skip("the agent for .NET was not built (it needs x86-64)")
    if b"__asan_init" in agent.read_bytes():
        skip("the agent is built with AddressSanitizer, which dotnet does not load")
    return agent


class Sdk:
    """The newest SDK and runtime; its compiler is run as it is, without projects and packages."""

    def __init__(self):
        if not shutil.which("dotnet"):
            skip("no dotnet here (https://dotnet.microsoft.com/download)")
        compilers = self.listed("--list-sdks", "Roslyn/bincore/csc.dll", by=0)
        runtimes = self.listed("--list-runtimes", "System.Runtime.dll", by=1)
        if not compilers or not runtimes:
            skip("dotnet has no SDK here, or no runtime")
        self.compiler, self.runtime = compilers[-1], runtimes[-1].parent
        self.version = self.runtime.name

    @staticmethod
    def listed(what, file, by):
        """Lines are "[NAME ]VERSION [FOLDER]"."""
        text = subprocess.run(["dotnet", what], capture_output=True, text=True, check=True).stdout
        found = []
        for line in text.splitlines():
            words, folder = line.rstrip("]").split(" [")
            words = words.split()
            if by == 1 and words[0] != "Microsoft.NETCore.App":
                continue
            path = Path(folder, words[by], file)
            version = [int(part) for part in words[by].split("-")[0].split(".")]
            if path.is_file():
                found.append((version, path))
        return [path for _, path in sorted(found)]

    def compile(self, library, *sources, flags=()):
        references = [f"-r:{path}" for path in self.runtime.glob("*.dll")
                      if path.name.startswith(("System.", "Microsoft."))
                      and not path.name.startswith("System.IO.Compression.Native")]
        subprocess.run(["dotnet", self.compiler, "-nologo", "-nostdlib", "-optimize+", "-debug-",
                        "-unsafe", "-nowarn:CS0649,CS1701", f"-out:{library}", *flags, *references,
                        *sources], check=True)
        settings = {"framework": {"name": "Microsoft.NETCore.App", "version": self.version}}
        library.with_suffix(".runtimeconfig.json").write_text(
            json.dumps({"runtimeOptions": settings}), encoding="utf-8")


def sources_of(program):
    """A file, or a folder of them."""
    folder = HERE / "dotnet"
    files = sorted((folder / program.lower()).glob("*.cs")) or [folder / f"{program}.cs"]
    return [*files, folder / "Count.cs"]


class Room:
    """A folder with programs of tests/live/dotnet, compiled, gone at the end. What was compiled is
    kept beside the program that is tested, for the next test."""

    def __init__(self, *programs):
        self.agent, self.sdk = find_agent(), Sdk()
        self.temporary = tempfile.TemporaryDirectory()
        self.folder = Path(self.temporary.name)
        for program in programs:
            self.bring(program)

    def bring(self, program):
        sources = sources_of(program)
        told = [self.sdk.version, *(source.read_text(encoding="utf-8") for source in sources)]
        mark = hashlib.sha256("\0".join(told).encode()).hexdigest()[:16]
        kept = POLYTRACE.parent / "live-dotnet" / f"{program}-{mark}"
        if not kept.is_dir():
            kept.parent.mkdir(exist_ok=True)
            with tempfile.TemporaryDirectory(dir=kept.parent) as made:
                whole = Path(made, "whole")
                whole.mkdir()
                self.sdk.compile(whole / f"{program}.dll", *sources)
                with contextlib.suppress(OSError):  # another test was quicker
                    os.rename(whole, kept)
        for file in kept.iterdir():
            shutil.copy(file, self.folder)

    def surroundings(self, options, **more):
        return dict(os.environ, CORECLR_ENABLE_PROFILING="1", CORECLR_PROFILER=PROFILER,
                    CORECLR_PROFILER_PATH=str(self.agent), POLYTRACE_OPTIONS=options, **more)

    def command(self, program, *arguments):
        return ["dotnet", str(self.folder / f"{program}.dll"), *map(str, arguments)]

    def trace(self, name="out"):
        path = self.folder / f"{name}.ptrace"
        for old in (path, Path(f"{path}.segments")):
            old.unlink(missing_ok=True)
        return path

    def run(self, options, program, *arguments, trace="out", code=0, **more):
        """Runs to the end; what it printed, and the stream, which must be whole."""
        path = self.trace(trace)
        done = subprocess.run(self.command(program, *arguments), capture_output=True, text=True,
                              env=self.surroundings(f"file={path},{options}", **more), timeout=250,
                              cwd=self.folder, check=False)
        check(done.returncode == code, program, arguments, "gave", done.returncode, done.stderr)
        check(code != 0 or not done.stderr, program, "says on stderr:", done.stderr)
        self.check_whole(path)
        return done.stdout, Stream(path)

    @staticmethod
    def check_whole(path):
        done = subprocess.run([POLYTRACE, "check", "--no-progress", path], capture_output=True,
                              text=True, timeout=250, check=False)
        check(done.returncode == 0, path, "is not whole:", done.stdout, done.stderr)


def truth_of(output):
    """The lines "what name count" of the program, by what."""
    truth = {}
    for line in output.splitlines():
        what, *name, count = line.split()
        truth.setdefault(what, {})[" ".join(name)] = int(count)
    return truth


def method_names(stream):
    return {e.id: e.fields["name"] for e in stream.all("Method")}


def counted(stream, kind):
    """Events of a kind, by the method they name."""
    names = method_names(stream)
    return Counter(names[e.id] for e in stream.all(kind))


def check_balance(stream, ended=True):
    """Every exit is that of the innermost open call; where the program has ended, none is open."""
    names, stacks = method_names(stream), {}
    for event in sorted(stream.all("Enter", "Leave", "Unwind"), key=lambda e: e.tick):
        stack = stacks.setdefault(event.thread, [])
        if event.kind == "Enter":
            stack.append(event.id)
            continue
        check(stack and stack[-1] == event.id, event.kind, names[event.id], "in",
              [names[open_] for open_ in stack[-3:]])
        stack.pop()
    for thread, stack in stacks.items():
        check(not stack or not ended, "still open in thread", thread,
              [names[open_] for open_ in stack])


def names_of_threads(stream):
    return {e.id: e.fields["name"] for e in stream.all("Thread") if e.fields.get("name")}
