#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""SQL over the page's server: the rows of `polytrace sql`, within limits, and nothing else."""
import json
import os
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "support"))
from ui import EXAMPLE, POLYTRACE, Server, skip_without_page  # noqa: E402


def same_rows(server, trace):
    """Each query of the cookbook, as the command answers it."""
    examples = server.get(trace + "/sql")["examples"]
    assert len(examples) >= 40, len(examples)
    with tempfile.TemporaryDirectory() as cache:
        script = ";\n".join(example["query"] for example in examples)
        done = subprocess.run(
            [POLYTRACE, "sql", "--format", "jsonl", EXAMPLE, script], check=True,
            capture_output=True, text=True, env=dict(os.environ, POLYTRACE_CACHE=cache))
    theirs = iter(done.stdout.splitlines())
    rows = 0
    for example in examples:
        mine = server.post(trace + "/sql", {"query": example["query"], "limit": 100000})
        assert mine["rows_left_out"] == 0 and not mine["partial"], example
        names = [column["name"] for column in mine["columns"]]
        for row in mine["rows"]:
            assert dict(zip(names, row)) == json.loads(next(theirs)), example
        rows += len(mine["rows"])
    assert next(theirs, None) is None and rows > 200, rows


def tells_what_there_is(server, trace):
    told = server.get(trace + "/sql")
    tables = {table["name"]: [c["name"] for c in table["columns"]] for table in told["tables"]}
    for name in ("slice", "thread", "method_total", "gc", "exception"):
        row = server.post(trace + "/sql", {"query": f"SELECT * FROM {name} LIMIT 1"})
        assert [c["name"] for c in row["columns"]] == tables[name], name
    assert any(one["name"] == "methods(t0, t1, threads)" for one in told["functions"]), told


def keeps_its_limits(server, trace):
    few = server.post(trace + "/sql", {"query": "SELECT * FROM slice", "limit": 3})
    assert len(few["rows"]) == 3 and few["rows_left_out"] is None, few
    given = server.post(trace + "/sql", {"query": "SELECT :a + 1 AS b, :c AS c", "parameters": [
        {"name": "a", "value": "41"}, {"name": "c", "value": "text"}]})
    assert given["rows"] == [[42, "text"]], given
    endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n) SELECT sum(i) FROM n"
    assert server.fault(trace + "/sql", {"query": endless, "timeout_ms": 100}) == (
        413, "query-timeout")
    # Four are answered at once; a fifth is told to come again.
    got = []
    asking = [threading.Thread(target=lambda: got.append(server.fault(
        trace + "/sql", {"query": endless + f" -- {i}", "timeout_ms": 3000}))) for i in range(4)]
    for one in asking:
        one.start()
    for one in asking:
        one.join()
    assert set(got) <= {(413, "query-timeout"), (503, "busy")}, got
    assert (413, "query-timeout") in got, got
    assert server.post(trace + "/sql", {"query": "SELECT 1"})["rows"] == [[1]]


def only_reads(server, trace):
    for query, code in (
            ("CREATE TABLE x(a)", "query-refused"), ("CREATE TEMP TABLE x(a)", "query-refused"),
            ("ATTACH 'x.db' AS x", "query-refused"), ("PRAGMA user_version = 3", "query-refused"),
            ("SELECT load_extension('x')", "query-refused"), ("DELETE FROM slice", "query-wrong"),
            ("SELECT readfile('/etc/passwd')", "query-wrong"), ("SELEC 1", "query-wrong"),
            ("SELECT 1; SELECT 2", "query-wrong"), ("SELECT * FROM nowhere", "query-wrong")):
        status, told = server.fault(trace + "/sql", {"query": query})
        assert (status, told) == (403 if code == "query-refused" else 400, code), (query, told)
    for query in ("", "-- nothing"):
        assert server.fault(trace + "/sql", {"query": query}) == (400, "request-invalid"), query


def main():
    skip_without_page()
    with Server(EXAMPLE) as server:
        trace, = server.traces()
        same_rows(server, trace)
        tells_what_there_is(server, trace)
        keeps_its_limits(server, trace)
        only_reads(server, trace)


if __name__ == "__main__":
    main()
