#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""One run of a .NET program in every format. The agent writes a TraceLog, and its converter's input
is kept: the native stream of the very same run. All files are whole, and reports of the log say
what they say of the stream, but for what a log cannot hold."""
import json
import subprocess

from coreclr_common import POLYTRACE, Room, check, equal

EVENTS = "samples=2ms+jit+gc+classes+alloc=objects"
OPTIONS = f"events={EVENTS},format=tracelog,coreclr.census=yes,coreclr.line-trace=yes,cpu=yes"
OTHERS = ("tbf", "trcxml", "mlpd", "monoblock")

# What a log says otherwise, by table and column, and why.
EXCEPTIONS = {
    "collection_pauses": "stops of the program (gc)",
    "longest_pauses": "the same",
    "pause_histogram": "the same",
    "mutator_utilisation": "the same",
    "heap_size": "heap_size, but in later logs",
    ("collections", "heap_after"): "the same",
    ("collections", "heap_before"): "the same",
    # Objects are told in sums, and times are milliseconds.
    ("collections", "allocated"): "alloc",
    ("collections", "mostly_at"): "the same",
    ("collection_causes", "allocated"): "the same",
    ("images", "mvid"): "module.mvid",
    ("sampled_threads", "thread"): "thread.name",
    ("threads", "thread"): "the same",
    ("cpu_threads", "thread"): "the same",
    ("threads", "events"): "kinds of events that a log has no place for",
    # Where another thread is told of in between, code is told apart from its method: twice.
    ("code_helpers", "bytes"): "code",
    ("code_helpers", "count"): "code",
    "allocation_times": "times are milliseconds",
    # Objects whose place others took: by chance none.
    "survival": "alloc.object",
    "survival_sites": "the same",
    "death_ages": "the same",
    ("compilation", "notes"): "the same",
}
CLOCK_UNITS = ("nanoseconds", "percent", "time")


def polytrace(*arguments):
    done = subprocess.run([POLYTRACE, *map(str, arguments)], capture_output=True, text=True,
                          timeout=150, check=False)
    check(done.returncode == 0, arguments, done.returncode, done.stdout, done.stderr)
    return done.stdout


def report(path):
    """Table and column to its cells, sorted; without those that the clock makes."""
    columns = {}
    for table in json.loads(polytrace("report", "--json", "--limit", "0", path))["tables"]:
        if table["key"] == "summary":
            continue
        columns[table["key"], "rows"] = len(table["rows"])
        columns[table["key"], "notes"] = table["notes"]
        for column in table["columns"]:
            if column["unit"] not in CLOCK_UNITS:
                columns[table["key"], column["key"]] = sorted(
                    str(row[column["key"]]) for row in table["rows"])
    return columns


def expect_same(native, log):
    wrong = [f"{place}: {log.get(place)}, native: {native.get(place)}"
             for place in sorted(native.keys() | log.keys())
             if native.get(place) != log.get(place)
             and place not in EXCEPTIONS and place[0] not in EXCEPTIONS]
    check(not wrong, "\n".join(wrong))
    seen = {place for place in native.keys() | log.keys() if native.get(place) != log.get(place)}
    check(seen, "nothing differs: exceptions are not needed")


def record(room):
    """The log that the agent gives, and the stream that was made into it."""
    stream, log = room.folder / "run.ptrace", room.folder / "run.log"
    converter = room.folder / "converter"
    converter.write_text(f'#!/bin/sh\ntee "{stream}" | "{POLYTRACE}" "$@"\n', encoding="utf-8")
    converter.chmod(0o755)
    done = subprocess.run(
        room.command("Records"), capture_output=True, text=True, timeout=150, cwd=room.folder,
        env=room.surroundings(f"file={log},converter={converter},{OPTIONS}"), check=False)
    check(done.returncode == 0, done.stdout, done.stderr)
    return stream, log


def depth_faults(log):
    """Samples whose stack is not as deep as they say: an integrity check of our own."""
    depths, faults = {}, 0
    for line in log.read_text(encoding="utf-8").splitlines():
        fields = line.split(" ")
        if line.startswith("sam str "):
            thread, (prefix, size) = fields[2], map(int, fields[5].split(":")[:2])
            faults += size != depths.get(thread, 0) or prefix > size
            depths[thread] = prefix + len(fields) - 6
        elif line.startswith("thr dst "):
            depths.pop(fields[2], None)
    check(depths, "no stacks")
    return faults


def uneven_stops(stream):
    """Threads that let the program run other than as often as they stopped it for a collection."""
    balance = {}
    for line in polytrace("cat", "--kind", "gc", stream).splitlines():
        _, thread, _, *words = line.split()
        step = ("phase=stop_world" in words) - ("phase=world_started" in words)
        balance[thread] = balance.get(thread, 0) + step
    check(balance, "no collections")
    return {thread: over for thread, over in balance.items() if over != 0}


def states(path):
    """What threads and classes had allocated at the end."""
    answer = json.loads(polytrace("state", "--no-cache", "--json", "--at", "100%", path))
    return {state["path"]: state["value"] for state in answer["states"]
            if state["path"].rsplit("/", 1)[-1] in ("Allocations", "Allocated")}


def main():
    room = Room("Records")
    stream, log = record(room)
    polytrace("check", "--strict", stream)
    told = polytrace("check", "--strict", log)
    check("version seed" in told, told)
    check(depth_faults(log) == 0, "stacks do not fit")
    check(not uneven_stops(stream), "stops of the program", uneven_stops(stream))
    native = report(stream)
    expect_same(native, report(log))
    check(states(stream), "no states")
    equal("states", states(log), states(stream))
    for form in OTHERS:
        made = room.folder / f"made.{form}"
        polytrace("convert", "-q", stream, "--to", form, "-o", made)
        polytrace("check", "--strict", made)
        polytrace("report", made)
    print(f".NET {room.sdk.version}: a log says what the stream says; whole:", *OTHERS)


main()
