# SPDX-License-Identifier: Apache-2.0
"""What the live tests of the JVM agent share: the JDKs of this machine, programs compiled for the
test, runs under the agent. Where something is missing the test says so and ends with 77."""
import glob
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
LONG = os.environ.get("POLYTRACE_LONG") == "1"
COLLECTION = re.compile(r"\[gc *\] GC\(\d+\) Pause ")
STOP = re.compile(r'Safepoint "(\w*(?:GC|Collect|G1Pause|G1Try)\w*)"')
sys.path[:0] = [str(HERE), str(HERE.parent / "support")]
from ptrace import Stream  # noqa: E402


def skip(why):
    print(f"skipped: {why}")
    sys.exit(77)


def find_agent():
    program = os.environ.get("POLYTRACE", str(HERE.parent.parent / "build/release/polytrace"))
    agent = Path(program).resolve().parent / "libpolytrace-jvm.so"
    if not agent.is_file():
        skip(f"no {agent.name} beside the program")
    if b"__asan_init" in agent.read_bytes():
        skip("the agent is built with AddressSanitizer, which a JVM does not load")
    return agent


class Jdk:
    def __init__(self, home):
        self.home = Path(home)
        text = subprocess.run([self.tool("java"), "-version"], capture_output=True, text=True,
                              check=True).stderr
        version = text.split('"')[1].split(".")
        self.version = int(version[1] if version[0] == "1" else version[0].split("-")[0])

    def tool(self, name):
        return str(self.home / "bin" / name)


def find_jdks():
    homes = [os.environ.get("JAVA_HOME", "")] + sorted(glob.glob("/usr/lib/jvm/*"))
    java = shutil.which("javac")
    if java:
        homes.append(Path(java).resolve().parent.parent)
    real = {os.path.realpath(home) for home in homes if home}
    jdks = [Jdk(home) for home in sorted(real) if os.access(f"{home}/bin/javac", os.X_OK)]
    if not jdks:
        skip("no JDK here (Debian: openjdk-17-jdk-headless)")
    return sorted(jdks, key=lambda jdk: jdk.version)


class Room:
    """A folder with programs of tests/live/java, compiled by the oldest JDK, gone at the end."""

    def __init__(self, *programs):
        self.agent, self.jdks = find_agent(), find_jdks()
        self.temporary = tempfile.TemporaryDirectory()
        self.folder = Path(self.temporary.name)
        if programs:
            self.compile(self.jdks[0], *programs)

    def compile(self, jdk, *programs):
        sources = [str(HERE / "java" / f"{name}.java") for name in programs]
        subprocess.run([jdk.tool("javac"), "-g", "-d", str(self.folder), *sources], check=True)

    def trace(self, name="out"):
        path = self.folder / f"{name}.ptrace"
        for old in (path, Path(f"{path}.segments")):
            old.unlink(missing_ok=True)
        return path

    def command(self, jdk, options, *arguments, flags=()):
        return [jdk.tool("java"), f"-agentpath:{self.agent}={options}",
                "-cp", str(self.folder), *flags, *arguments]

    def run(self, jdk, options, *arguments, flags=(), trace="out"):
        """Runs to the end; what it printed, and the stream."""
        path = self.trace(trace)
        done = subprocess.run(self.command(jdk, f"file={path},{options}", *arguments, flags=flags),
                              capture_output=True, text=True, timeout=250, cwd=self.folder,
                              check=False)
        assert done.returncode == 0, f"{arguments} ended with {done.returncode}: {done.stderr}"
        assert not done.stderr, f"{arguments} says on stderr: {done.stderr}"
        stream = Stream(path)
        assert stream.ended, "the stream has no end"
        return done.stdout, stream


def thread_named(stream, name):
    found = [thread for thread, text in stream.threads.items() if text == name]
    assert len(found) == 1, f"{len(found)} threads are named {name}"
    return found[0]


def short(calls):
    """Names without their class."""
    return [(what, name.rsplit(".", 1)[1]) for what, name in calls]


def expect_same(got, expected, what):
    for i, (one, other) in enumerate(zip(got, expected)):
        assert one == other, f"{what}: event {i} is {one}, not {other}"
    assert len(got) == len(expected), f"{what}: {len(got)} events, not {len(expected)}"


def logged(log):
    """How often the VM stopped the program to collect, and how many collections it made. One stop
    for want of room for classes is one collection, whatever is found to do then: VMs tell it so."""
    stops = collections = within = 0
    for line in log.splitlines():
        stop = STOP.search(line)
        if stop and (within or stop[1] == "CollectForMetadataAllocation"):
            stops, within = stops + 1, within if stop[1] != "CollectForMetadataAllocation" else 1
            collections, within = collections + within, 0
        within += COLLECTION.search(line) is not None
    return stops, collections + within


def control(process, *arguments):
    """What `polytrace control` gets from a program that runs."""
    program = os.environ.get("POLYTRACE", str(HERE.parent.parent / "build/release/polytrace"))
    done = subprocess.run([program, "control", "--json", str(process), *arguments],
                          capture_output=True, text=True, timeout=250, check=False)
    assert done.stdout, f"control {arguments}: {done.stderr}"
    return json.loads(done.stdout)
