#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What reports and exports say of CoreProfiler's logs, against what another reader counted: ticks
by function, that of id 0 among them; times of the instrumented mode; collections."""
import json
import os
import re
import subprocess
from pathlib import Path

POLYTRACE = os.environ["POLYTRACE"]
LOGS = Path(os.environ["TEST_DATA"]) / "tracelog"
MS = 1_000_000


def run(*words):
    done = subprocess.run([POLYTRACE, *map(str, words)], capture_output=True, text=True,
                          check=False)
    assert done.returncode == 0, (words, done.returncode, done.stderr)
    return done.stdout


def tables(name, sections):
    answer = json.loads(run("report", "--json", "--limit", 0, "--show-helpers", "--sections",
                            sections, LOGS / f"{name}.trace.log"))
    return {table["key"]: table["rows"] for table in answer["tables"]}


def in_source(name):
    """What a compiler of C# made is named by what it is in."""
    return re.sub(r"::<(\w+)>b__(\w+)$", r"::\1.lambda \2", name or "")


def by_name(functions, *keys):
    """Figures of functions added up by name: some names are those of several functions."""
    sums = {}
    for function in functions:
        told = sums.setdefault(in_source(function["name"]), [0] * len(keys))
        for i, key in enumerate(keys):
            told[i] += function[key]
    return {name: told for name, told in sums.items() if any(told)}


def same_selfs(name, facts):
    """Functions of one name stand in rows of their own: own figures add up, totals may not."""
    expected = by_name(facts["functions"], "self_ticks")
    seen = {}
    for row in tables(name, "samples").get("sampled_methods", []):
        if row["method"] != "?":
            seen[row["method"]] = seen.get(row["method"], 0) + row["self"]
    for function, (ticks,) in expected.items():
        # Report's names may have a signature behind the name.
        found = sum(self for method, self in seen.items() if method.split(" (")[0] == function)
        assert found == ticks, (name, function, ticks, found)
    folded = run("export", "--to", "folded", "--weight", "samples", "--show-helpers", "-q",
                 LOGS / f"{name}.trace.log", "-o", "-").splitlines()
    folded = [line for line in folded if not line.startswith("#")]
    exported = {}
    for line in folded:
        stack, count = line.rsplit(" ", 1)
        frame = stack.split(";")[-1]
        exported[frame] = exported.get(frame, 0) + int(count)
    for function, (ticks,) in expected.items():
        found = sum(count for frame, count in exported.items() if frame.split(" (")[0] == function)
        assert found == ticks, (name, function, ticks, found, "exported")
    return len(expected)


def same_times(name, facts):
    """The instrumented mode: each function's own time and its total, to the millisecond."""
    expected = by_name(facts["functions"], "self_ms", "total_ms")
    seen = {}
    for row in tables(name, "calls")["methods"]:
        told = seen.setdefault(row["method"].split(" (")[0], [0, 0])
        told[0] += row["self"]
        told[1] += row["elapsed"]
    for function, (own, total) in expected.items():
        assert seen[function] == [own * MS, total * MS], (function, own, total, seen[function])
    page = run("export", "--to", "folded", "--weight", "time", "--show-helpers", "-q",
               LOGS / f"{name}.trace.log", "-o", "-")
    sum_of = sum(int(line.rsplit(" ", 1)[1]) for line in page.splitlines()
                 if not line.startswith("#"))
    assert sum_of == sum(own for own, _ in expected.values()) * MS, sum_of
    return len(expected)


def same_collections(name, facts):
    rows = tables(name, "collections")["collections"]
    told = sorted((gc["start"], gc["end"]) for gc in facts["gc"] if gc["end"] is not None)
    seen = sorted((row["start"] // MS, (row["start"] + row["duration"]) // MS) for row in rows
                  if row["duration"] is not None)
    assert seen == told, (name, seen, told)
    return len(told)


def main():
    ticks = times = collections = 0
    for path in sorted(LOGS.glob("*.facts.json")):
        name = path.name.removesuffix(".facts.json")
        if name.startswith("malformed"):
            continue
        facts = json.loads(path.read_text(encoding="utf-8"))
        if any("self_ms" in function for function in facts["functions"]):
            times += same_times(name, facts)
        else:
            ticks += same_selfs(name, facts)
        collections += same_collections(name, facts)
    assert ticks > 100 and times > 10 and collections > 20, (ticks, times, collections)
    print(f"{ticks} functions by ticks, {times} by times, {collections} collections are the same")


if __name__ == "__main__":
    main()
