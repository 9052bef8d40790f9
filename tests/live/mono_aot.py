#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Methods that Mono compiled ahead tell no calls, and the report names the library they are in.
With -O=-aot every call is there, and nothing is said."""
from pathlib import Path

from mono_common import calls_of, check, enter_room, record, report, run

OPTIONS = "events=calls"


def ahead(tables):
    return [row for row in tables.get("left_out", []) if "compiled ahead" in row["what"]]


def main():
    room = enter_room("fixed")
    program = Path(room.name, "fixed.exe")
    run(["mono", "--aot", program])
    library = f"{program}.so"
    check(Path(library).exists(), "mono --aot made no", library)

    output = record("ahead.ptrace", OPTIONS, program)
    tables = report("ahead.ptrace")
    rows = ahead(tables)
    check(len(rows) == 1 and library in rows[0]["what"], "not told:", rows)
    check(rows[0]["how"] == "mono -O=-aot", rows)
    missed = [name for name in calls_of(tables) if name.startswith("Program:Sum")]
    check(not missed, "compiled ahead, and recorded:", missed)

    check(record("here.ptrace", OPTIONS, "-O=-aot", program) == output, "another output")
    tables = report("here.ptrace")
    check(not ahead(tables), "compiled here, but:", ahead(tables))
    sums = [count for name, count in calls_of(tables).items() if name.startswith("Program:Sum")]
    check(sums == [2 ** 10 - 1], "calls of Sum over a full tree of 511 nodes:", sums)
    print("a program compiled ahead is told; with -O=-aot its calls are there")


main()
