#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a program in C gets, in plain columns and as an Arrow stream, is what the command prints."""
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

ASKED, HOT, KINDS = sys.argv[1:]
POLYTRACE = os.environ["POLYTRACE"]
DATA = Path(os.environ["TEST_DATA"])
EXAMPLE = Path(__file__).resolve().parents[2] / "examples/everything.mlpd"
QUERIES = [
    "SELECT * FROM thread",
    "SELECT * FROM method ORDER BY method_id",
    "SELECT * FROM slice",
    "SELECT name, calls, self_ns FROM methods(NULL, NULL, NULL) ORDER BY self_ns DESC, name",
    "SELECT name, count(*) AS n, avg(dur) FROM slice GROUP BY name ORDER BY name",
    "SELECT * FROM counter",
    "SELECT * FROM alloc WHERE 0",
    "SELECT * FROM notice",
    "SELECT id, kind, subject, detail FROM event WHERE id < 3000",
    "SELECT NULL AS none, 1 AS one, 0.5 AS half, 'a \"b\" \\ ü ' || char(10) AS t, "
    "-9223372036854775807 AS least",
]


def run(*words, codes=(0,)):
    done = subprocess.run([*map(str, words)], stdin=subprocess.DEVNULL, capture_output=True,
                          text=True, timeout=300, check=False)
    assert done.returncode in codes, (words, done.returncode, done.stderr)
    return done.stdout


def of_command(file, query):
    told = json.loads(run(POLYTRACE, "sql", "--format", "json", "--no-index", file, query,
                          codes=(0, 4)))
    return ([[column["name"], column["unit"] or ""] for column in told["columns"]],
            [[plain(cell) for cell in row] for row in told["rows"]])


def plain(cell):
    """Numbers that not every reader of JSON holds are texts there."""
    return cell if cell is None or isinstance(cell, str) else str(float(cell) if isinstance(
        cell, float) else cell)


def of_c(form, file, query):
    told = json.loads(run(ASKED, form, file, query))
    return told["columns"], [[plain(cell) for cell in row] for row in told["rows"]]


def main():
    rows = 0
    for file in [EXAMPLE, DATA / "mlpd/truncated.mlpd", DATA / "mlpd/counters.mlpd"]:
        for query in QUERIES:
            wanted = of_command(file, query)
            for form in ("columns", "stream"):
                got = of_c(form, file, query)
                assert got[1] == wanted[1], (file, query, form)
                assert got[0] == wanted[0] or not wanted[1] and form == "columns", (got[0], query)
            rows += len(wanted[1])
        info = json.loads(run(ASKED, "info", file))
        assert info == json.loads(run(POLYTRACE, "info", "--json", file,
                                      codes=(0, 4))), file
    query = ("SELECT self_ns, calls, name FROM methods(NULL, NULL, NULL) "
             "ORDER BY self_ns DESC, name LIMIT 5")
    wanted = [f"{int(ns):12d} ns {int(calls):8d} calls  {name}"
              for ns, calls, name in of_command(EXAMPLE, query)[1]]
    with tempfile.TemporaryDirectory() as cache:
        os.environ["POLYTRACE_CACHE"] = cache
        assert run(HOT, EXAMPLE, 5).splitlines() == wanted
        copy = Path(cache) / "copy.ptrace"
        told = dict(line.split() for line in run(KINDS, EXAMPLE, copy).splitlines())
        info = json.loads(run(POLYTRACE, "info", "--json", copy))
        assert told == {kind: str(count) for kind, count in info["events"]["kinds"].items()}, told
    print(f"{rows} rows are equal, twice")


main()
