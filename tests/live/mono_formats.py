#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The module in other formats than its own: Mono's report tool takes its mlpd and counts what it
counts of Mono's own profiler; `format=block` and `format=mlpd` hold the same events.

The program does the same in every run, so figures and whole sequences of events are compared."""
import os
import re
import shutil
from pathlib import Path

from mono_common import (EVERYTHING, POLLING, POLYTRACE, STOCK, STOCK_THREADS, THREAD_CLASSES,
                         THREAD_METHODS, cat, check, convert, enter_room, equal, mono, record, run)

# A converter that keeps the stream it is given, so that one run is there in several formats.
TEE = f"#!/bin/sh\ntee \"$TEE_TO\" | {POLYTRACE} \"$@\"\n"


def rows(text, title, pattern):
    """Rows of a table of mprof-report by name; those of one name together."""
    table, found = text.split(f"\n{title}\n", 1)[1].split("\n\n", 1)[0], {}
    for row in filter(None, (re.fullmatch(pattern, line) for line in table.splitlines())):
        sums = found.setdefault(row["name"], dict.fromkeys(set(row.groupdict()) - {"name"}, 0))
        for key in sums:
            sums[key] += int(row[key])
    return found


def mprof(file):
    """Calls by method, allocations by class, collections by generation, throws."""
    done = run(["mprof-report", "--verbose", file])
    check(not done.stderr, file, done.stderr)
    text = done.stdout
    calls = rows(text, "Method call summary", r" *\d+ +\d+ +(?P<calls>\d+) (?P<name>.+)")
    allocations = rows(text, "Allocation summary",
                       r" *(?P<bytes>\d+) +(?P<count>\d+) +\d+ (?P<name>.+)")
    collections = rows(text, "GC summary", r"\t(?P<name>Gen\d) collections: (?P<count>\d+),.*")
    check(len(calls) > 40 and len(allocations) > 20 and len(collections) == 2, text)
    throws = int(re.search(r"Throws: (\d+)", text)[1])
    return calls, allocations, collections, throws


def without(table, names):
    return {name: row for name, row in table.items() if name not in names}


def compare_allocations(mine, theirs):
    """Mono's profiler leaves classes without name that are older than it: one row for all."""
    unnamed = theirs.pop("unresolved class (nil)", {"count": 0, "bytes": 0})
    equal("allocations of classes that it names", {name: mine.get(name) for name in theirs}, theirs)
    rest = without(mine, theirs)
    for name in THREAD_CLASSES:
        check(name in rest, name, "has a name")
    size = {row["bytes"] // row["count"] for name, row in rest.items() if name in THREAD_CLASSES}
    count = sum(row["count"] for row in rest.values()) + 2 * STOCK_THREADS
    # The names of its threads: how many are there before it listens differs from run to run.
    strings = unnamed["count"] - count
    check(0 <= strings <= STOCK_THREADS, unnamed, "older classes, but", count, "here")
    taken = sum(row["bytes"] for row in rest.values()) + STOCK_THREADS * sum(size)
    check(0 <= unnamed["bytes"] - taken <= STOCK_THREADS * 64, unnamed, "but bytes here:", taken)


def test_stock():
    """What Mono's tool says of our mlpd, in both versions, and of its own profiler's."""
    mono(STOCK.format("stock.mlpd").replace("heapshot-on-shutdown,", ""), "fixed.exe")
    calls, allocations, collections, throws = mprof("stock.mlpd")
    record("direct.mlpd", f"{EVERYTHING},format=mlpd,converter={POLYTRACE}", "fixed.exe")
    record("fixed.ptrace", EVERYTHING, "fixed.exe")
    convert("fixed.ptrace", "one.mlpd", "--to", "mlpd:1")
    for file, version in (("direct.mlpd", 17), ("one.mlpd", 1)):
        equal("data version", Path(file).read_bytes()[6], version)
        mine = mprof(file)
        left_out = THREAD_METHODS | POLLING
        equal(f"{file}: calls", without(mine[0], left_out), without(calls, left_out))
        compare_allocations(mine[1], dict(allocations))
        equal(f"{file}: collections", mine[2], collections)
        equal(f"{file}: throws", mine[3], throws)
    print(f"mprof-report: {len(calls)} methods, {len(allocations)} classes equal in versions "
          "17 and 1")


# What a block of 2007 and an mlpd both hold of an event; neither tells what they lack.
KINDS = "class,method,enter,leave,unwind,alloc,gc,heap_size,throw,monitor,thread"
LACKING = re.compile(r" (?:object|class_id|code|code_size|module|assembly|fixed_size|life)=\S+")
# A block has no word for these phases of a collection, nor for the names of threads.
UNKNOWN = re.compile(r"phase=stop_world_locked|phase=start_world_unlocked|thread=\S+ life=name")


def events(file):
    """With time and thread. A block knows one way to leave a method."""
    lines = (line for line in cat(file, "--kind", KINDS) if not UNKNOWN.search(line))
    told = [LACKING.sub("", line).replace(" unwind ", " leave ") for line in lines]
    # Each thread is in order; how threads lie in a file is the format's.
    return sorted(told, key=lambda line: (line.split(" ")[1], int(line.split(" ")[0])))


def compare(what, mine, theirs):
    for i, (one, other) in enumerate(zip(mine, theirs)):
        equal(f"{what}: event {i}", one, other)
    equal(f"{what}: events", len(mine), len(theirs))
    check(len(mine) > 10_000, what, len(mine), "events")


def record_both(form, ending):
    """In that format, directly, with the stream it was made of beside it: one run."""
    os.environ["TEE_TO"] = f"of-{form}.ptrace"
    record(f"direct.{ending}", f"{EVERYTHING},format={form},converter={os.getcwd()}/tee.sh",
           "fixed.exe")


def test_same_events():
    """format=mlpd, converted to a block, is format=block; and the other way round."""
    record_both("mlpd", "mlpd")
    record_both("block", "mprof")
    for form, ending, other, other_ending in (("mlpd", "mlpd", "monoblock", "mprof"),
                                              ("block", "mprof", "mlpd", "mlpd")):
        convert(f"direct.{ending}", f"converted.{other_ending}", "--to", other)
        convert(f"of-{form}.ptrace", f"wanted.{other_ending}", "--to", other)
        mine, wanted = events(f"converted.{other_ending}"), events(f"wanted.{other_ending}")
        compare(f"format={form} as {other}", mine, wanted)
        print(f"format={form} as {other}: {len(mine)} events equal")


def main():
    room = enter_room("fixed")
    with room:
        Path("tee.sh").write_text(TEE, encoding="utf-8")
        os.chmod("tee.sh", 0o755)
        if shutil.which("mprof-report"):
            test_stock()
        test_same_events()


main()
