#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every query of docs/cookbook.md is one of .examples, and the other way round; each succeeds on
the example traces; what a report has, they say alike."""
import os
import re
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent / "support"))
from sql_questions import run, sql, sql_all, tables  # noqa: E402

ROOT = Path(__file__).resolve().parents[2]
MLPD = ROOT / "examples/everything.mlpd"
SHOP = ROOT / "examples/shop.trcxml"


def report(file, section, key):
    return tables("report", "--json", "--limit", 0, "--show-helpers", "--sections", section,
                  file)[key]


def cookbook():
    page = (ROOT / "docs/cookbook.md").read_text(encoding="utf-8")
    found = re.findall(r"^\*\*([^\n]*)\*\*\n\n```sql\n(.*?);\n```$", page, re.S | re.M)
    told = re.findall(r"^-- ([^\n]*)\n(.*?);\n$", run("sql", MLPD, ".examples"), re.S | re.M)
    assert found == told, "docs/cookbook.md has other queries than .examples"
    return dict(found)


def check_reports(book):
    methods = sorted(report(MLPD, "calls", "methods"), key=lambda row: -row["self"])
    ours = sql(MLPD, book["Where did time go?"])
    # In reports, methods of one name are one row.
    alone = {name for name, in sql(MLPD, "SELECT name FROM methods(NULL, NULL, NULL) GROUP BY 1 "
                                         "HAVING count(*) = 1")}
    assert [(name, calls) for name, calls, _ in ours if name in alone][:5] == [
        (row["method"], row["calls"]) for row in methods if row["method"] in alone][:5]
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
        sql_all(SHOP, book.values())
        told = sql_all(MLPD, book.values())
        empty = [question for question, rows in zip(book, told) if not rows]
        # The example has everything, but no counters' change and no two that wait at once.
        assert len(empty) <= 8, empty
        check_reports(book)


main()
