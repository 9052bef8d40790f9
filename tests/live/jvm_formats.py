#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""One run in every format: what the agent's converter wrote beside the program is whole, and
reports say the same of it as of the native stream, but for what docs/fidelity.md says a format
cannot hold."""
import json
import os
import subprocess

from jvm_common import Room

POLYTRACE = os.environ["POLYTRACE"]
# CPU times of threads are in native streams alone.
OPTIONS = f"filter=Parts,jvm.accessors=yes,cpu=off,converter={POLYTRACE}"
EVENTS = "calls+threads+gc"  # the same in every run
FORMATS = ("native", "tbf", "trcxml", "mlpd", "block")
SAME = ("tbf", "trcxml")  # hold what the reports of this run are made of, but for:
EXCEPTIONS = {
    ("threads", "first"): "a thread's start and end are among its own events (thread.stream)",
    ("threads", "last"): "the same",
    ("threads", "alive"): "the same",
    ("threads", "events"): "the same",
    ("thread_states", "alive"): "the same",
    ("thread_states", "blocked_share"): "the same",
    ("thread_states", "waiting_share"): "the same",
    "mutator_utilisation": "the same",
    "thread_times": "the same; and its steps are those of the wall's clock",
    ("monitors", "class"): "monitor.class_id",
    "monitor_classes": "monitor.class_id",
    ("lock_queues", "lock"): "monitor.class_id",
    ("lock_queues", "share"): "of the time between the threads' first and last (thread.stream)",
    ("lock_blockers", "lock"): "monitor.class_id",
    ("lock_chains", "chain"): "monitor.class_id",
    ("compiled_methods", "notes"): "frames of a stack are texts, each a method (wait.stack)",
}
# Differ from run to run.
CLOCK_UNITS = ("nanoseconds", "percent", "time")
CLOCK_TABLES = ("mutator_utilisation", "pause_histogram")


def polytrace(*arguments):
    done = subprocess.run([POLYTRACE, *map(str, arguments)], capture_output=True, text=True,
                          timeout=150, check=False)
    assert done.returncode == 0, f"{arguments}: {done.returncode}\n{done.stdout}{done.stderr}"
    return done.stdout


def record(room, jdk, form, events):
    path = room.folder / f"{jdk.version}.{events}.{form}"
    options = f"file={path},format={form},events={events},{OPTIONS}"
    done = subprocess.run(room.command(jdk, options, "Parts"), capture_output=True, text=True,
                          timeout=150, cwd=room.folder, check=False)
    assert (done.returncode, done.stdout) == (0, "done\n"), f"{form}: {done}"
    polytrace("check", "--strict", path)
    return path


def cells_of(table, column, timeless):
    cells = [row[column] for row in table["rows"]]
    if timeless:
        return sorted(map(str, cells))
    if (table["key"], column) == ("collections", "start"):
        # TPTP's clock is the wall's (clock.wall).
        return [int(cell) - int(cells[0]) for cell in cells]
    if (table["key"], column) == ("summary", "text"):
        # Number of events: see the exceptions.
        return [cell for cell in cells if " events over " not in cell]
    return cells


def report(path, timeless):
    """Table and column to its cells, in order; without those that the clock makes."""
    columns = {}
    for table in json.loads(polytrace("report", "--json", "--limit", "0", path))["tables"]:
        if timeless and table["key"] in CLOCK_TABLES:
            continue
        if table["key"] == "threads":  # else by their first events: see the exceptions
            table["rows"].sort(key=lambda row: row["id"])
        columns[table["key"], "rows"] = len(table["rows"])
        columns[table["key"], "notes"] = table["notes"]
        for column in table["columns"]:
            if not timeless or (column["unit"] not in CLOCK_UNITS and table["key"] != "summary"):
                columns[table["key"], column["key"]] = cells_of(table, column["key"], timeless)
    return columns


def expect_same(native, other, form):
    assert native.keys() == other.keys(), native.keys() ^ other.keys()
    wrong = [f"{place}: {other[place]}, native: {cells}" for place, cells in native.items()
             if other[place] != cells and place not in EXCEPTIONS and place[0] not in EXCEPTIONS]
    assert not wrong, "\n".join([form, *wrong])


def test_formats(room, jdk):
    paths = {form: record(room, jdk, form, EVENTS) for form in FORMATS}
    native = report(paths["native"], True)
    for form in SAME:
        expect_same(native, report(paths[form], True), f"recorded as {form}")
    # One stream in several formats: times, too, and what chance brings about.
    path = record(room, jdk, "native", f"{EVENTS}+monitors")
    native = report(path, False)
    for form in SAME:
        made = room.folder / f"made.{jdk.version}.{form}"
        polytrace("convert", path, "--to", form, "-o", made)
        polytrace("check", "--strict", made)
        expect_same(native, report(made, False), f"converted to {form}")


def main():
    room = Room("Parts")
    for jdk in room.jdks:
        test_formats(room, jdk)
        print(f"JDK {jdk.version}: the same in {', '.join(SAME)}; {', '.join(FORMATS)} are whole")


main()
