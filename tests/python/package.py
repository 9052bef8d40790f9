#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The Python package: rows equal what the command prints, and what it promises of errors,
parameters, limits, Ctrl-C and lifetimes holds. Nothing but Python is needed."""
import json
import os
import signal
import subprocess
import tempfile
import threading
import unittest
from pathlib import Path

import polytrace

POLYTRACE = os.environ["POLYTRACE"]
DATA = Path(os.environ["TEST_DATA"])
EXAMPLE = Path(__file__).resolve().parents[2] / "examples/everything.mlpd"
ENDLESS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT sum(i) FROM n"
QUERIES = ["SELECT * FROM thread", "SELECT * FROM slice", "SELECT * FROM counter",
           "SELECT name, calls, self_ns FROM methods(NULL, NULL, NULL) ORDER BY self_ns, name",
           "SELECT NULL, 1, 0.5, 'ü', 9223372036854775807 AS most"]


def of_command(file, query):
    done = subprocess.run([POLYTRACE, "sql", "--json", "--no-index", file, query], text=True,
                          stdin=subprocess.DEVNULL, capture_output=True, check=False)
    assert done.returncode in (0, 4), done.stderr
    return json.loads(done.stdout)


def as_json(cell):
    """JSON of the command has numbers that not every reader holds as texts."""
    return str(cell) if isinstance(cell, int) and abs(cell) > 2**53 else cell


class Package(unittest.TestCase):
    def setUp(self):
        self.trace = polytrace.open(EXAMPLE, temporary=True)
        self.addCleanup(self.trace.close)

    def number(self, query, *more, **options):
        return next(iter(self.trace.sql(query, *more, **options)))[0]

    def fails(self, code, work):
        with self.assertRaises(polytrace.PolytraceError) as caught:
            work()
        self.assertEqual(caught.exception.code, code, caught.exception)
        return caught.exception

    def test_rows_are_those_of_the_command(self):
        for file in (EXAMPLE, DATA / "mlpd/counters.mlpd", DATA / "mlpd/truncated.mlpd"):
            with polytrace.open(file, temporary=True) as trace:
                for query in QUERIES:
                    told = of_command(file, query)
                    result = trace.sql(query)
                    self.assertEqual([c["name"] for c in told["columns"]], list(result.columns))
                    self.assertEqual([c["unit"] for c in told["columns"]],
                                     [result.units[name] for name in result.columns])
                    rows = [[as_json(cell) for cell in row] for row in result]
                    self.assertEqual(rows, [[as_json(c) for c in row] for row in told["rows"]])

    def test_a_row_has_names(self):
        row = next(iter(self.trace.sql("SELECT 7 AS seven, 'x' AS \"class\", NULL AS none")))
        self.assertEqual((row.seven, row[1], row.none), (7, "x", None))
        self.assertEqual(self.trace.sql("SELECT 1 AS a, 2 AS b").dicts(), [{"a": 1, "b": 2}])
        self.fails("usage", lambda: self.trace.sql("SELECT 1 AS a, 2 AS a").dicts())

    def test_info_is_that_of_the_command(self):
        told = subprocess.run([POLYTRACE, "info", "--json", EXAMPLE], text=True,
                              capture_output=True, check=True).stdout
        self.assertEqual(self.trace.info, json.loads(told))
        self.assertEqual(len(self.trace.threads), self.number("SELECT count(*) FROM thread"))
        self.assertEqual(self.trace.notices, self.trace.info["notices"])

    def test_a_damaged_trace_is_opened_and_tells(self):
        self.assertFalse(self.trace.partial)
        with polytrace.open(DATA / "mlpd/truncated.mlpd", temporary=True) as trace:
            self.assertTrue(trace.partial)
            self.assertEqual(trace.error.code, "frame-truncated")
            self.assertGreater(trace.error.offset, 0)
            self.assertGreater(len(list(trace.sql("SELECT * FROM event"))), 0)

    def test_errors_say_where(self):
        fault = self.fails("open-failed", lambda: polytrace.open("/nowhere/at.all"))
        self.assertEqual(fault.file, "/nowhere/at.all")
        wrong = "SELECT 1,\n  nothing FROM thread"
        fault = self.fails("query-wrong", lambda: self.trace.sql(wrong))
        self.assertEqual((fault.line, fault.column), (2, 3))
        self.fails("query-refused", lambda: self.trace.sql("ATTACH 'x' AS y"))
        self.fails("usage", lambda: self.trace.sql("  -- nothing"))
        self.trace.close()
        self.fails("usage", lambda: self.trace.sql("SELECT 1"))

    def test_parameters(self):
        self.assertEqual(self.number("SELECT ? + ?", [2**62, -5]), 2**62 - 5)
        self.assertEqual(self.number("SELECT :a || :b", {"a": "ü", "b": 0.5}), "ü0.5")
        self.assertIsNone(self.number("SELECT ?", [None]))
        self.fails("usage", lambda: self.trace.sql("SELECT ?", [1, 2]))
        self.fails("usage", lambda: self.trace.sql("SELECT ?", [2**63]))
        self.fails("query-wrong", lambda: list(self.trace.sql("SELECT ?")))
        with self.assertRaises(TypeError):
            self.trace.sql("SELECT ?", [b"bytes"])

    def test_several_statements(self):
        text = ("CREATE TEMP TABLE t AS SELECT :a AS x; SELECT 5; -- a remark\n"
                "SELECT x, :b AS y FROM t; -- the end")
        self.assertEqual(self.trace.sql(text, {"a": 1, "b": 2}).dicts(), [{"x": 1, "y": 2}])
        self.trace.sql("DROP TABLE t")
        self.fails("query-wrong", lambda: self.trace.sql("SELECT * FROM t"))
        self.fails("query-refused", lambda: self.trace.sql("CREATE TEMP TABLE u (a)",
                                                           read_only=True))

    def test_limits(self):
        self.fails("query-timeout", lambda: list(self.trace.sql(ENDLESS, timeout=0.05)))
        rows = []

        def read():
            for row in self.trace.sql("SELECT value FROM json_each('[1,2,3]')", max_rows=2):
                rows.append(row.value)

        self.fails("limit-exceeded", read)
        self.assertEqual(rows, [1, 2])

    def test_a_result_is_read_once(self):
        result = self.trace.sql("SELECT 1 AS one")
        self.assertEqual(len(list(result)), 1)
        self.fails("usage", lambda: list(result))
        self.fails("usage", result.__arrow_c_stream__)

    def test_more_rows_than_a_part_has(self):
        query = ("WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 150000) "
                 "SELECT i, nullif(i % 3, 0) AS third, 'n' || i AS t FROM n")
        for i, row in enumerate(self.trace.sql(query)):
            self.assertEqual(row, (i, i % 3 or None, f"n{i}"))
        self.assertEqual(i, 150000)

    def test_a_result_outlives_its_trace(self):
        result = self.trace.sql("SELECT count(*) AS n FROM thread")
        self.trace.close()
        self.assertGreater(next(iter(result)).n, 0)

    def test_a_capsule_that_nobody_takes(self):
        result = self.trace.sql("SELECT 1")
        capsule = result.__arrow_c_stream__()
        self.assertIn("arrow_array_stream", repr(capsule))
        del capsule, result
        self.assertEqual(self.number("SELECT 3"), 3)

    def test_ctrl_c_stops_a_query(self):
        # Whenever it comes, it ends the list.
        timer = threading.Timer(0.1, os.kill, (os.getpid(), signal.SIGINT))
        with self.assertRaises(KeyboardInterrupt):
            timer.start()
            list(self.trace.sql(ENDLESS))
        timer.join()
        self.assertEqual(self.number("SELECT 4"), 4)

    def test_another_thread_stops_a_query(self):
        done = threading.Event()

        def stop():
            while not done.wait(0.01):
                self.trace.stop()

        thread = threading.Thread(target=stop)
        thread.start()
        self.fails("stopped", lambda: list(self.trace.sql(ENDLESS)))
        done.set()
        thread.join()

    def test_threads_take_turns(self):
        wanted = len(list(self.trace.sql("SELECT * FROM slice")))
        counts = []
        threads = [threading.Thread(target=lambda: counts.append(
            len(list(self.trace.sql("SELECT * FROM slice"))))) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(counts, [wanted] * 4)

    def test_progress_tells_and_stops(self):
        told = []
        with polytrace.open(EXAMPLE, temporary=True, progress=lambda *now: told.append(now)):
            pass
        self.assertTrue(told)
        self.assertTrue(all(0 <= done <= total for done, total in told), told)
        self.fails("stopped", lambda: polytrace.open(EXAMPLE, temporary=True,
                                                     progress=lambda *_: True))
        with self.assertRaises(ZeroDivisionError):
            polytrace.open(EXAMPLE, temporary=True, progress=lambda *_: 1 // 0)

    def command(self, *words):
        return json.loads(subprocess.run([POLYTRACE, *map(str, words)], text=True, check=True,
                                         capture_output=True).stdout)

    def test_tables_and_parts_of_them(self):
        rows = [tuple(row) for row in self.trace.sql("SELECT ts, utid, name FROM slice")]
        columns = ["ts", "utid", "name"]
        self.assertEqual([tuple(row) for row in self.trace.table("slice", columns)], rows)
        middle = sorted(row[0] for row in rows)[len(rows) // 2]
        part = self.trace.table("slice", columns, start=middle, by_time=True)
        wanted = [row for row in rows if row[0] >= middle]
        self.assertEqual(sorted(map(tuple, part)), sorted(wanted))
        part = self.trace.table("slice", columns, end=middle, threads=[rows[0][1]])
        wanted = [row for row in rows if row[0] < middle and row[1] == rows[0][1]]
        self.assertEqual(sorted(map(tuple, part)), sorted(wanted))
        self.assertEqual(self.trace.table("method").columns[:2], ("method_id", "name"))
        for wrong in ({"name": "nothing"}, {"name": "slice", "columns": ["nothing"]},
                      {"name": "slice", "columns": ["ts\" FROM x --"]},
                      {"name": "method", "start": 5}):
            self.fails("query-wrong", lambda wrong=wrong: self.trace.table(**wrong))

    def test_the_call_tree(self):
        query = "SELECT * FROM call_tree(NULL, NULL, '[0,1]', 0.01)"
        self.assertEqual(list(map(tuple, self.trace.call_tree(threads=[0, 1], least_share=0.01))),
                         list(map(tuple, self.trace.sql(query))))

    def test_documents_are_those_of_the_command(self):
        options = ("--json", "--limit", 0, "--sections", "calls,collections", "--no-index")
        told = self.command("report", *options, EXAMPLE)
        self.assertEqual(self.trace.report("calls,collections"), told)
        self.fails("usage", lambda: self.trace.report("nothing"))
        self.fails("usage", lambda: self.trace.report("calls", threads=[99999]))
        at = told["start"] if "start" in told else self.number("SELECT trace_start()")
        at += 100_000_000
        told = self.command("report", *options, "--from", at, EXAMPLE)
        self.assertEqual(self.trace.report("calls,collections", start=at), told)
        told = self.command("state", "--json", "--no-cache", "--at", at, EXAMPLE)
        self.assertEqual(self.trace.state(at), told)
        told = self.command("state", "--json", "--no-cache", "--at", at, "--path",
                            "Threads/*/Method", EXAMPLE)
        self.assertEqual(self.trace.state(at, "Threads/*/Method"), told)
        with polytrace.open(DATA / "mlpd/calls.mlpd", temporary=True) as other:
            told = self.command("diff", "--json", "--limit", 0, EXAMPLE, DATA / "mlpd/calls.mlpd")
            self.assertEqual(self.trace.diff(other), told)

    def test_an_index_is_kept_where_it_is_wanted(self):
        with tempfile.TemporaryDirectory() as folder:
            for _ in range(2):
                with polytrace.open(EXAMPLE, index=folder) as trace:
                    self.assertGreater(len(trace.threads), 0)
            self.assertTrue(any(Path(folder).rglob("*")))


if __name__ == "__main__":
    unittest.main()
