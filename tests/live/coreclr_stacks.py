#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Calls and stacks below native frames, 100,000 calls deep, and of many threads, each with its
own."""
from collections import Counter

from coreclr_common import (Room, check, check_balance, counted, equal, method_names,
                            names_of_threads, truth_of)

BEGIN, ENDED = 0, 2  # of a thread's life
LEVELS = 100_000


def check_native(room):
    """Native code calls back, by a delegate and by a pointer to a function."""
    options = "events=calls+exceptions,coreclr.stacks=yes,filter=Truth.*"
    output, stream = room.run(options, "Situations", "native", 300)
    truth = truth_of(output)
    check("wrong" not in truth, truth)
    calls = counted(stream, "Enter")
    equal("calls", {name: calls[name] for name in truth["call"]}, truth["call"])
    check_balance(stream)
    names = method_names(stream)
    stacks = Counter(tuple(names[method] for method, _ in e.fields["stack"])
                     for e in stream.all("Throw"))
    expected = ("Truth.Situations::Main", "Truth.Native::Run", "Truth.Native::Compare")
    check(stacks == {expected: truth["throw"]["System.InvalidOperationException"]}, stacks)


def check_deep(room):
    """Frames that return, and a tenth of as many that an exception leaves."""
    output, stream = room.run("events=calls+exceptions,filter=Truth.*", "Situations", "deep",
                              LEVELS)
    truth = truth_of(output)
    check("wrong" not in truth, truth)
    calls = counted(stream, "Enter")
    equal("calls", {name: calls[name] for name in truth["call"]}, truth["call"])
    check(calls["Truth.Deep::Down"] == LEVELS + 1, calls)
    check_balance(stream)
    left = counted(stream, "Unwind")
    check(left == {"Truth.Deep::Fall": LEVELS // 10 + 1}, "left by an exception:", left)
    check(counted(stream, "Leave")["Truth.Deep::Down"] == LEVELS + 1, "returned")


def check_deep_stacks(room):
    """Stacks have their inner end, as many frames as are wanted; one says that there were more."""
    for depth in (10, 1024):
        _, stream = room.run(f"events=exceptions+samples=1ms,depth={depth}", "Situations", "deep",
                             LEVELS)
        names = method_names(stream)
        thrown = [[names[method] for method, _ in e.fields["stack"]] for e in stream.all("Throw")]
        expected = [["(truncated)"] + ["Truth.Deep::Fall"] * depth]
        check(thrown == expected, "stacks of throws:", thrown)
        longest = max(len(e.fields["stack"]) for e in stream.all("Sample"))
        check(longest <= depth + 1, "a stack of", longest, "frames")


def check_threads(room):
    """200 at once, then 1000 in turn, each with its own calls and its own number."""
    output, stream = room.run("events=calls+threads,filter=Truth.*", "Situations", "threads", 200)
    truth, names = truth_of(output), method_names(stream)
    threads = names_of_threads(stream)
    calls = {name: Counter() for name in ("Truth.Threads::Work", "Truth.Threads::Brief")}
    for event in stream.all("Enter"):
        if names[event.id] in calls:
            calls[names[event.id]][threads.get(event.thread)] += 1
    equal("calls of workers", calls["Truth.Threads::Work"], truth["worker"])
    equal("calls of brief threads", calls["Truth.Threads::Brief"], truth["brief"])
    for life in (BEGIN, ENDED):
        lives = Counter(e.id for e in stream.all("Thread") if e.fields.get("life", 0) == life)
        told = Counter(threads.get(number) for number in lives)
        known = truth["worker"] | truth["brief"]
        check(all(told[name] == 1 for name in known), "lives:", life, told)
        check(max(lives.values()) == 1, "a number came again:", life)
    check_balance(stream)


def main():
    room = Room("Situations")
    check_native(room)
    check_deep(room)
    check_deep_stacks(room)
    check_threads(room)
    print(f".NET {room.sdk.version}: native frames, deep stacks and 1200 threads are told")


main()
