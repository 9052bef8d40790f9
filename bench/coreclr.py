#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What recording costs inside .NET, in turn with the program alone and, for calls, with the same
program writing an event of the runtime's own (EventPipe) at each entry and exit.

usage: coreclr.py RUNS
Prints medians over the turns, of nanoseconds of CPU per round less what it takes alone in the same
turn, and of the share of what it takes alone.
"""
import os
import statistics
import subprocess
import sys
import time
from pathlib import Path

from measure import SMALL, bound, meets, verdict

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests/live"))
from coreclr_common import Room, check  # noqa: E402
from ptrace import Stream  # noqa: E402

CALLS = ("call: enter and leave", "calls", 20_000_000, "events=calls", "<= 80 ns")
# Name; loop; rounds; options of the agent; target of the thread's ns, of the percents of its CPU or
# of real time.
ROWS = (
    ("object, each", "objects", 5_000_000, "events=alloc=objects,coreclr.stacks=no", "<= 100 ns"),
    ("object, by class", "objects", 5_000_000, "events=alloc=sites", ""),
    ("object, sampled", "objects", 5_000_000, "events=alloc=sampled", "<= 3 %"),
    ("1 thread, samples=1ms", "calls", 200_000_000, "events=samples=1ms", ""),
    ("4 threads, samples=1ms", "threads", 400_000_000, "events=samples=1ms", "<= 5 % real"),
    ("4 threads, samples=10ms", "threads", 400_000_000, "events=samples=10ms", ""),
)
EVENTS = {"DOTNET_EnableEventPipe": "1", "DOTNET_EventPipeConfig": "Bench:0xffffffff:5",
          "DOTNET_EventPipeOutputPath": "events.nettrace"}
LINE = "{:<24} {:>8} {:>8} {:>8} {:>8} {:>8}  {:<12} {}"
# What start-up costs, by what is recorded.
STARTS = (("nothing but threads", "threads", "<= 30 ms"), ("calls", "calls", ""),
          ("samples", "samples=1ms", ""), ("monitors", "monitors", ""))


def run(room, loop, count, surroundings):
    done = subprocess.run(room.command("Loops", loop, count), capture_output=True, text=True,
                          env=surroundings, cwd=room.folder, check=True)
    return [float(word) for word in done.stdout.split()]


def recorded(room, loop, count, options):
    trace = room.trace()
    figures = run(room, loop, count, room.surroundings(f"file={trace},{options}"))
    check(trace.exists(), options, "recorded nothing")
    return figures


def show(name, turns, target):
    """Turns are (alone, with it), each (CPU of the thread, of the process, real time) per round."""
    base = statistics.median(alone[1] for alone, _ in turns)
    more = [statistics.median(ours[i] - alone[i] for alone, ours in turns) for i in range(2)]
    shares = [statistics.median(100 * (ours[i] / alone[i] - 1) for alone, ours in turns)
              for i in (1, 2)]
    held = meets(more[0] if " ns" in target else shares["real" in target], target)
    print(LINE.format(name, f"{base:.2f}", *(f"{figure:.1f}" for figure in more + shares), target,
                      verdict(held)), flush=True)
    return more[0]


def bench_calls(room, runs):
    """A call and two events, in turn: what matters is their ratio."""
    name, loop, count, options, target = CALLS
    calls, events = [], []
    plain = dict(os.environ)
    for _ in range(runs):
        calls.append((run(room, loop, count, plain), recorded(room, loop, count, options)))
        events.append((run(room, "events", 500_000, plain),
                       run(room, "events", 500_000, dict(os.environ, **EVENTS))))
    ours = show(name, calls, target)
    theirs = show("two events of EventPipe", events, "")
    bound("two events of EventPipe, of a call", theirs / ours, ">= 3", "{:.0f}")


def bench_stops(room, runs):
    """How long a thread that does nothing but look at the clock stands still for a sample."""
    alone, ours, samples = [], [], 0
    for _ in range(runs):
        alone += run(room, "stops", 1000, dict(os.environ))
        ours += recorded(room, "stops", 1000, "events=samples=1ms")
        samples += len(Stream(room.folder / "out.ptrace").all("Sample"))
    for name, stops in (("alone", alone), ("samples=1ms", ours)):
        tenths = statistics.quantiles(stops, n=10) if len(stops) > 1 else [0.0] * 9
        print(f"stops, {name}: {len(stops) / runs:.0f} a second, median {tenths[4]:.0f} us, "
              f"9 of 10 below {tenths[8]:.0f} us")
    print(f"samples: {samples / runs:.0f} a run", flush=True)
    bound("a stop for a sample, median us", statistics.median(ours or [0.0]), "<= 200", "{:.0f}")


def start_up(room, surroundings):
    room.trace()
    started = time.monotonic()
    child = subprocess.Popen(room.command("Loops"), env=surroundings, cwd=room.folder)
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    check(child.returncode == 0, "start-up")
    return ((time.monotonic() - started) * 1e3, (usage.ru_utime + usage.ru_stime) * 1e3)


def bench_starts(room, runs):
    plain = dict(os.environ)
    kinds = [room.surroundings(f"file={room.trace()},events={events}") for _, events, _ in STARTS]
    turns = [[start_up(room, one) for one in [plain, *kinds]] for _ in range(4 * runs)]
    alone = [statistics.median(turn[0][i] for turn in turns) for i in range(2)]
    print(f"start-up alone: {alone[0]:.0f} ms, {alone[1]:.0f} ms of CPU")
    for number, (name, _, target) in enumerate(STARTS, 1):
        real, cpu = (statistics.median(turn[number][i] - turn[0][i] for turn in turns)
                     for i in range(2))
        print(f"start-up, {name}: {cpu:+.0f} ms of CPU")
        bound(f"start-up, {name}: ms more", real, target, "{:.0f}")


def main():
    runs = int(sys.argv[1])
    room = Room()
    source = Path(__file__).resolve().parent / "coreclr/Loops.cs"
    room.sdk.compile(room.folder / "Loops.dll", source)
    print(LINE.format("ns per round", "alone", "thread", "process", "% CPU", "% real", "target",
                      ""))
    bench_calls(room, runs)
    for name, loop, count, options, target in ROWS:
        count //= 10 if SMALL else 1
        show(name, [(run(room, loop, count, dict(os.environ)),
                     recorded(room, loop, count, options)) for _ in range(runs)], target)
    bench_stops(room, runs)
    bench_starts(room, runs)


main()
