# SPDX-License-Identifier: Apache-2.0
"""What the agent for Java costs, beside a bare loop over the processor's counter and the JDK's own
recorder in one run.

usage: agents_jvm.py AGENT JDK RUNS
"""
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

from measure import SMALL, bound, run

HERE = Path(__file__).resolve().parent
COUNTER = r"""
#include <stdio.h>
#include <time.h>
#include <x86intrin.h>
static double cpu(void) {
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}
int main(void) {
  double best = 1e9;
  unsigned long long sum = 0;
  for (int round = 0; round < 10; ++round) {
    const double start = cpu();
    for (int i = 0; i < 10000000; ++i) sum += __rdtsc();
    const double each = (cpu() - start) / 1e7;
    if (each < best) best = each;
  }
  printf("%.3f\n", best + (sum == 1 ? 1 : 0));
}
"""


class Bench:
    def __init__(self, agent, java, folder, runs):
        self.agent, self.java, self.folder, self.runs = agent, Path(java), Path(folder), runs
        version = output_of([self.tool("javac"), "-version"])
        self.release = int(version.split(".")[0].split("-")[0])
        subprocess.run([self.tool("javac"), "-d", str(self.folder),
                        str(HERE / "java/Loops.java")], check=True)

    def tool(self, name):
        return str(self.java / "bin" / name)

    def command(self, options, *arguments):
        trace = self.folder / "bench.ptrace"
        for old in (trace, Path(f"{trace}.segments")):
            old.unlink(missing_ok=True)
        agent = [] if options is None else [f"-agentpath:{self.agent}=file={trace},{options}"]
        return [self.tool("java"), *agent, "-cp", str(self.folder), *arguments], trace

    def loop(self, options, kind, count):
        """Nanoseconds per call or object, best of the runs."""
        best = 1e9
        for _ in range(self.runs):
            command, trace = self.command(options, "Loops", kind, str(count), "20")
            best = min(best, float(output_of(command)))
        return best, trace.stat().st_size if trace.exists() else 0

    def timed_by_jdk(self, kind, method, count):
        """The same, timed by the JDK's own recorder (Java 25)."""
        recording = self.folder / "bench.jfr"
        command = [self.tool("java"), "-Xlog:jfr*=off", "-Xlog:jfr+startup=off",
                   f"-XX:StartFlightRecording:method-timing=Loops::{method},filename={recording}",
                   "-cp", str(self.folder), "Loops", kind, str(count), "20"]
        return min(float(output_of(command)) for _ in range(self.runs))

    def whole(self, options, *arguments):
        """CPU seconds of a whole program, and the bytes of its stream."""
        best = 1e9
        for _ in range(self.runs):
            command, trace = self.command(options, *arguments)
            best = min(best, run(command)["cpu"])
        return best, trace.stat().st_size if trace.exists() else 0


def counter(folder):
    program = Path(folder) / "counter"
    subprocess.run(["cc", "-O2", "-x", "c", "-", "-o", str(program)], input=COUNTER, text=True,
                   check=True)
    done = subprocess.run([str(program)], capture_output=True, text=True, check=True)
    return float(done.stdout)


def output_of(command):
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return done.stdout.split()[-1]


def show(what, value, unit, target=""):
    bound(f"{what}{', ' + unit if unit else ''}", value, target)


def calls(bench, tick):
    recorded = "filter=Loops:fib,Loops:tiny,jvm.accessors=yes,events=calls"
    for kind, method in (("fib", "fib"), ("calls", "tiny")):
        plain, _ = bench.loop(None, kind, 2_000_000)
        on, _ = bench.loop(recorded, kind, 2_000_000)
        paused, _ = bench.loop(recorded + ",paused", kind, 2_000_000)
        event = (on - plain) / 2
        show(f"{kind}: an event", event, "ns", "<= 11")
        show(f"{kind}: an event over the counter", event / tick, "x", "<= 1.15")
        show(f"{kind}: an event while paused", (paused - plain) / 2, "ns", "<= 0.3")
        if bench.release >= 25:
            theirs = bench.timed_by_jdk(kind, method, 2_000_000) - plain
            show(f"{kind}: a call, the JDK's method timing", theirs, "ns")
            show(f"{kind}: theirs over ours", theirs / (on - plain), "x", ">= 2")


def objects(bench):
    plain, _ = bench.loop(None, "objects", 5_000_000)
    sampled, _ = bench.loop("events=alloc=sampled", "objects", 5_000_000)
    sites, _ = bench.loop("events=alloc=sites,filter=Loops", "objects", 5_000_000)
    show("an object, nothing recorded", plain, "ns")
    show("an object, sampled every 512 KiB", 100 * (sampled / plain - 1), "% more", "<= 3")
    show("an object at a site", sites - plain, "ns more", "<= 12")


def more(bench, options, *arguments):
    """CPU seconds more than without the agent: medians, in turn, as a start takes as long as it
    likes."""
    figures = {None: [], options: []}
    for _ in range(8 * bench.runs):
        for one, seconds in figures.items():
            command, _ = bench.command(one, *arguments)
            seconds.append(run(command)["cpu"])
    plain, on = (statistics.median(seconds) for seconds in figures.values())
    return on - plain


def start(bench):
    os.environ["POLYTRACE_AGENT"] = "off"
    off = more(bench, "events=calls", "Loops", "calls", "1", "1")
    del os.environ["POLYTRACE_AGENT"]
    show("start of a program, agent off", 1000 * off, "ms CPU more", "<= 5")


def rewritten(bench):
    """A compiler of some hundred classes of its own, each rewritten, none told of."""
    shop = sorted((HERE.parent / "examples/shop/java").glob("*.java"))
    paused = more(bench, "filter=com.sun.tools.javac.*,events=calls,paused", "-m",
                  "jdk.compiler/com.sun.tools.javac.Main", "-nowarn", "-d",
                  str(bench.folder / "classes"), *map(str, shop))
    show("javac: its classes rewritten, nothing told", paused, "s CPU more", "<= 0.4")


def sources_of_jdk(bench):
    """The compiler's own sources, where the JDK has them: what javac needs to compile them."""
    archive = bench.java / "lib/src.zip"
    if not archive.exists():
        return None
    with zipfile.ZipFile(archive) as sources:
        wanted = [name for name in sources.namelist()
                  if name.startswith("jdk.compiler/") and name.endswith(".java")]
        sources.extractall(bench.folder, wanted)
    folder = bench.folder / "jdk.compiler"
    return [f"--patch-module=jdk.compiler={folder}", "-nowarn",
            *(str(bench.folder / name) for name in sorted(wanted))]


def sources_made(bench):
    """Many small classes."""
    folder = bench.folder / "sources"
    folder.mkdir(exist_ok=True)
    text = (HERE / "java/Loops.java").read_text(encoding="utf-8")
    for i in range(300):
        (folder / f"Loops{i}.java").write_text(text.replace("Loops", f"Loops{i}"))
    return [str(name) for name in sorted(folder.glob("*.java"))]


def compiler(bench, tick):
    sources = None if SMALL else sources_of_jdk(bench)
    sources = sources or sources_made(bench)
    bench.runs = min(bench.runs, 2)
    javac = ["-m", "jdk.compiler/com.sun.tools.javac.Main", "-d", str(bench.folder / "classes"),
             *sources]
    plain, _ = bench.whole(None, *javac)
    on, size = bench.whole("filter=com.sun.tools.javac.*,jvm.accessors=yes,events=calls", *javac)
    events = count_events(bench.folder / "bench.ptrace")
    event = 1e9 * (on - plain) / events
    show("javac: millions of events", events / 1e6, "")
    show("javac: CPU with over without", on / plain, "x")
    show("javac: an event, all in", event, "ns CPU", "<= 28")
    show("javac: an event over the counter", event / tick, "x", "<= 2.9 (28 ns of 9.6)")
    show("javac: an event", size / events, "bytes", "<= 3")


def count_events(trace):
    """The sum of what the heads of blocks say (docs/formats/native.md, section 3)."""
    events, at = 0, 32
    with open(trace, "rb") as file:
        file.seek(at)
        while head := file.read(72):
            events += int.from_bytes(head[12:16], "little")
            at += 72 + int.from_bytes(head[4:8], "little")
            file.seek(at)
    return events


def main():
    agent, java, runs = sys.argv[1], sys.argv[2], int(sys.argv[3])
    folder = tempfile.mkdtemp()
    try:
        tick = counter(folder)
        show("the processor's counter, read once", tick, "ns")
        bench = Bench(agent, java, folder, runs)
        calls(bench, tick)
        objects(bench)
        start(bench)
        rewritten(bench)
        compiler(bench, tick)
    finally:
        shutil.rmtree(folder)


main()
