#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every trace as every other format: what its report says by class, method and thread name is what
that of the original says, as far as the target can hold such events at all, which it tells."""
import collections
import json
import os
import subprocess
import tempfile
from pathlib import Path

POLYTRACE = os.environ["POLYTRACE"]
DATA = Path(os.environ["TEST_DATA"])
SOURCES = ["mlpd", "monoblock", "tbf", "trcxml", "tracelog"]
TARGETS = ["mlpd", "monoblock", "tbf", "trcxml", "tracelog", "native"]
TPTP = {"tbf", "trcxml"}
HOLD_THREAD_NAMES = {"mlpd", "tbf", "trcxml", "native"}
# What a table is made of, and its columns: the name, and figures.
TABLES = {
    "allocations": (["alloc", "alloc_summary"], "class", ["count", "bytes"]),
    "methods": (["enter", "leave", "unwind", "summary_begin"], "method", ["calls"]),
}


def run(*words):
    return subprocess.run([POLYTRACE, *map(str, words)], capture_output=True, text=True,
                          timeout=100, check=False)


def report(trace):
    done = run("report", "--json", "--limit", "0", trace)
    assert done.returncode in (0, 4), done
    return {table["key"]: table["rows"] for table in json.loads(done.stdout)["tables"]}


def figures(tables, key):
    _, name, columns = TABLES[key]
    sums = {}
    for row in tables.get(key, []):
        old = sums.get(row[name], [0] * len(columns))
        sums[row[name]] = [a + row[column] for a, column in zip(old, columns)]
    return sums


def compare(what, source, before, after, lost, target):
    seen = 0
    for key, (kinds, _, _) in TABLES.items():
        # Calls of CoreProfiler's logs are samples, where a setting says so.
        of_stacks = key == "methods" and source == "tracelog"
        made_of = [*kinds, "sample", "setting"] if of_stacks else kinds
        if any(kind in lost for kind in made_of):
            continue
        wanted = figures(before, key)
        if target in TPTP and key == "allocations":  # $ stands before nested classes
            wanted = {name.replace("/", "$" if "." in name else "."): row
                      for name, row in wanted.items()}
        assert figures(after, key) == wanted, (what, key)
        seen += len(figures(before, key))
    if target in HOLD_THREAD_NAMES and "thread" not in lost:
        named = collections.defaultdict(set)  # an id may be that of one thread after the other
        for row in before.get("threads", []):
            named[row["id"]].add(row["thread"].removesuffix(" (after its end)"))
        for row in after.get("threads", []):
            wanted = named[row["id"]]
            if wanted and not any(name.startswith("0x") for name in wanted):
                name = row["thread"].removesuffix(" (after its end)")
                assert name in wanted, (what, row, wanted)
                seen += 1
    return seen


def main():
    seen = traces = 0
    for source in SOURCES:
        for trace in sorted((DATA / source).iterdir()):
            if trace.suffix in (".json", ".txt", ".md", ".py") or trace.is_dir():
                continue
            before = report(trace)
            traces += 1
            for target in TARGETS:
                with tempfile.TemporaryDirectory() as folder:
                    output = Path(folder, f"converted.{target}")
                    done = run("convert", "--json", "--to", target, "-o", output, trace)
                    assert done.returncode in (0, 4), (trace, target, done)
                    told = json.loads(done.stdout)
                    lost = set(told["lost"]) | {field.removesuffix(".kind")
                                                for field in told["fields_lost"]
                                                if field.endswith(".kind")}
                    seen += compare(f"{trace.name} as {target}", source, before,
                                    report(output), lost, target)
    assert traces > 30 and seen > 4000, (traces, seen)
    print(f"{traces} traces, {len(TARGETS)} targets: {seen} names and their figures are the same")


main()
