#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tables as files: CSV and SQLite hold what queries see, row by row; nothing half appears, nobody's
files are replaced unasked, and what cannot be done is told."""
import csv
import os
import sqlite3
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent / "support"))
from sql_questions import POLYTRACE, run, sql, sql_all  # noqa: E402

DATA = Path(os.environ["TEST_DATA"])
EXAMPLE = Path(__file__).resolve().parents[2] / "examples/everything.mlpd"
SAMPLES = ["monoblock/shipped10.mprof", "trcxml/shop.trcxml", "tracelog/app64.trace.log"]
ASKED = ["slice", "alloc", "gc", "lock_wait", "thread", "method", "class", "path", "counter",
         "thread_state", "heap_object", "notice", "chunk", "event", "event_module"]


def refused(code, *words):
    done = subprocess.run([POLYTRACE, *map(str, words)], stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, check=False)
    assert done.returncode == code, (words, done.returncode, done.stderr)
    return done.stderr


def as_csv(cell):
    if isinstance(cell, str) and cell and cell[0] in "=+-@\t\r\n":
        return "'" + cell
    return "" if cell is None else cell


def check_rows(file, folder):
    names = ",".join(ASKED)
    run("export", "--to", "sqlite", "--tables", names, file, "-o", folder / "all.sqlite")
    run("export", "--to", "csv", "--tables", names, file, "-o", folder / "all.csv")
    database = sqlite3.connect(folder / "all.sqlite")
    assert {row[0] for row in database.execute("SELECT name FROM sqlite_master WHERE type = "
                                               "'table'")} == set(ASKED)
    assert {path.stem for path in (folder / "all.csv").iterdir()} == set(ASKED)
    rows_of = sql_all(file, [f"SELECT * FROM {table}" for table in ASKED])
    columns_of = sql_all(file, [f"SELECT name FROM pragma_table_info('{table}')"
                                for table in ASKED])
    for table, expected, columns in zip(ASKED, rows_of, columns_of):
        columns = [name for name, in columns]
        told = database.execute(f'SELECT * FROM "{table}"')
        assert [column[0] for column in told.description] == columns
        assert Counter(told.fetchall()) == Counter(expected), f"{table} of SQLite"
        text = (folder / "all.csv" / f"{table}.csv").read_text(encoding="utf-8", errors="strict")
        with open(folder / "all.csv" / f"{table}.csv", encoding="utf-8", newline="") as lines:
            rows = list(csv.reader(lines))
        assert rows[0] == columns and text.endswith("\n")
        types = [type(cell) for cell in expected[0]] if expected else []
        if float not in types:
            assert Counter(map(tuple, rows[1:])) == Counter(
                tuple(str(as_csv(cell)) for cell in row) for row in expected), f"{table} of CSV"
    assert database.execute("SELECT count(*) FROM sqlite_master WHERE type = 'index' AND tbl_name "
                            "= 'slice'").fetchone() == (2,)
    database.close()
    plan = sqlite3.connect(folder / "all.sqlite").execute(
        "EXPLAIN QUERY PLAN SELECT * FROM slice WHERE ts > 5").fetchall()
    assert "slice_by_ts" in str(plan)


def check_default(folder):
    run("export", "--to", "sqlite", EXAMPLE, "-o", folder / "whole.sqlite")
    told = {row[0] for row in sqlite3.connect(folder / "whole.sqlite").execute(
        "SELECT name FROM sqlite_master WHERE type = 'table'")}
    listed = {line.split()[0] for line in run("sql", EXAMPLE, ".schema").splitlines() if line}
    assert {"slice", "alloc", "thread_state", "recording"} <= told
    assert "event" not in told
    counts = dict(sql(EXAMPLE, "SELECT kind, count(*) FROM event GROUP BY 1"))
    calls = {"enter", "leave", "unwind"}
    assert {name[6:] for name in told if name.startswith("event_")} == set(counts) - calls
    assert told <= listed, told - listed


def check_manners(folder):
    there = folder / "there.sqlite"
    there.write_text("mine")
    refused(1, "export", "--to", "sqlite", EXAMPLE, "-o", there)
    assert there.read_text() == "mine"
    run("export", "--to", "sqlite", "--tables", "thread", "--force", EXAMPLE, "-o", there)
    assert sqlite3.connect(there).execute("SELECT count(*) FROM thread").fetchone()[0] > 0
    documents = folder / "documents"
    documents.mkdir()
    (documents / "letter.txt").write_text("mine")
    refused(1, "export", "--to", "csv", "--force", EXAMPLE, "-o", documents)
    assert (documents / "letter.txt").read_text() == "mine"
    assert "no table" in refused(2, "export", "--to", "csv", "--tables", "slices", EXAMPLE, "-o",
                                 folder / "none.csv")
    refused(2, "export", "--to", "csv", "--from", "10%", EXAMPLE, "-o", folder / "none.csv")
    refused(2, "export", "--to", "sqlite", EXAMPLE, "-o", "-")
    refused(2, "export", "--to", "folded", "--tables", "slice", EXAMPLE, "-o", folder / "none")
    refused(1, "export", "--to", "sqlite", EXAMPLE, "-o", folder / "no/such/folder.sqlite")
    left = [path.name for path in folder.iterdir() if ".part" in path.name or "none" in path.name]
    assert not left, left


def check_devices():
    """What is there and no file stays."""
    full = Path("/dev/full")
    if full.exists():
        refused(1, "export", "--to", "sqlite", "--tables", "thread", "--force", EXAMPLE, "-o",
                full)


def main():
    with tempfile.TemporaryDirectory() as name:
        os.environ["POLYTRACE_CACHE"] = str(Path(name) / "cache")
        for i, file in enumerate([EXAMPLE, *(DATA / sample for sample in SAMPLES)]):
            folder = Path(name) / str(i)
            folder.mkdir()
            try:
                check_rows(file, folder)
            except AssertionError as fault:
                sys.exit(f"{file}: {fault}")
        check_default(Path(name))
        check_manners(Path(name))
        check_devices()


main()
