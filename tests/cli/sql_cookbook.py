#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every query of docs/cookbook.md is one of .examples, and the other way round; each succeeds on
the example traces; what a report has, they say alike."""
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

POLYTRACE = os.environ["POLYTRACE"]
ROOT = Path(__file__).resolve().parents[2]
MLPD = ROOT / "examples/everything.mlpd"
SHOP = ROOT / "examples/shop.trcxml"


def run(*words):
    done = subprocess.run([POLYTRACE, *map(str, words)], stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, check=False)
    assert done.returncode == 0, (words, done.returncode, done.stderr)
    return done.stdout


def sql(file, query):
    return json.loads(run("sql", "--json", file, query))["rows"]


def report(file, section, key):
    told = json.loads(run("report", "--json", "--limit", 0, "--show-helpers", "--sections", section,
                          file))
    return next(table["rows"] for table in told["tables"] if table["key"] == key)


def cookbook():
    page = (ROOT / "docs/cookbook.md").read_text(encoding="utf-8")
    found = re.findall(r"^\*\*([^\n]*)\*\*\n\n```sql\n(.*?);\n```$", page, re.S | re.M)
    told = re.findall(r"^-- ([^\n]*)\n(.*?);\n$", run("sql", MLPD, ".examples"), re.S | re.M)
    assert found == told, "docs/cookbook.md has other queries than .examples"
    return dict(found)


def check_reports(book):
    methods = sorted(report(MLPD, "calls", "methods"), key=lambda row: -row["self"])
    ours = sql(MLPD, book["Where did time go?"])
    assert [(name, calls) for name, calls, _ in ours][:5] == [
        (row["method"], row["calls"]) for row in methods][:5]
    classes = {row["class"]: (row["count"], row["bytes"])
               for row in report(MLPD, "allocations", "allocations")}
    for name, objects, _ in sql(MLPD, book["What is allocated most?"]):
        assert classes[name][0] == objects, name
    thrown = {row["class"]: row["thrown"] for row in report(MLPD, "exceptions", "thrown_classes")}
    assert dict(sql(MLPD, book["Exceptions by class?"])) == thrown
    waits = {row["thread"]: (row["contentions"], row["wait"])
             for row in report(MLPD, "monitors", "monitor_threads")}
    assert {name: (n, ns) for name, n, ns in sql(MLPD, book["Who waited for locks?"])} == waits
    least = {row["window"]: row["least"] / 100
             for row in report(MLPD, "collections", "mutator_utilisation")}
    told = sql(MLPD, "SELECT * FROM mmu('[1000000, 10000000, 100000000]')")
    assert all(abs(least[window] - part) < 1e-5 for window, part in told), (least, told)


def main():
    with tempfile.TemporaryDirectory() as folder:
        os.environ["POLYTRACE_CACHE"] = folder
        book = cookbook()
        for file in (MLPD, SHOP):
            for question, query in book.items():
                try:
                    sql(file, query)
                except AssertionError as fault:
                    sys.exit(f"{question}: {fault}")
        empty = [question for question, query in book.items() if not sql(MLPD, query)]
        # The example has everything, but no counters' change and no two that wait at once.
        assert len(empty) <= 8, empty
        check_reports(book)


main()
