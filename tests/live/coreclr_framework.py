#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What is .NET's own is told by its folder, not by names: a program's classes in System and
Microsoft are recorded, Linq is not, and the report says how many modules were left out."""
import json
import subprocess

from coreclr_common import POLYTRACE, Room, check


def report(path, section):
    done = subprocess.run([POLYTRACE, "report", "--json", "--limit", "0", "--sections", section,
                           path], capture_output=True, text=True, check=True)
    return {table["key"]: table["rows"] for table in json.loads(done.stdout)["tables"]}


def main():
    room = Room("Framework")
    path = room.folder / "own.ptrace"
    output, _ = room.run("events=calls", "Framework", trace="own")
    told = dict(line.split(" ", 1) for line in output.splitlines()[1:])
    calls = {row["method"]: row["calls"] for row in report(path, "calls")["methods"]}
    turns = sum(count for name, count in calls.items() if "Microsoft.Mine.Tool::Turn" in name)
    twice = sum(count for name, count in calls.items() if "System.Mine.Box::Twice" in name)
    check((turns, twice) == (177, 100), "calls:", turns, twice, calls)
    check(not any("Linq" in name for name in calls), "methods of .NET are recorded:", calls)
    rows = [row["what"] for row in report(path, "left-out")["left_out"]]
    expected = f"methods of {told['modules']} modules of .NET ({told['folder']})"
    check(any(row.startswith(expected) for row in rows), f"not {expected!r}:", rows)

    whole = room.folder / "all.ptrace"
    room.run("events=calls,filter=*", "Framework", trace="all")
    names = {row["method"] for row in report(whole, "calls")["methods"]}
    check(any("System.Linq.Enumerable" in name for name in names), "Linq was asked for")
    rows = [row["what"] for row in report(whole, "left-out").get("left_out", [])]
    check(not any("methods" in row for row in rows), "nothing of .NET was left out, but:", rows)
    print(f".NET {room.sdk.version}: {told['modules']} modules left out")


main()
