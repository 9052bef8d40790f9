#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Results as arrays and frames of NumPy, pandas, pyarrow and polars equal the rows, NULL and all 64
bits of numbers included. Those that are not here are told, and skipped."""
import importlib.util
import os
import subprocess
import sys
import unittest
from pathlib import Path

import polytrace

SYSTEM = "/usr/bin/python3"
EXAMPLE = Path(__file__).resolve().parents[2] / "examples/everything.mlpd"
QUERIES = ["SELECT * FROM slice", "SELECT * FROM thread", "SELECT * FROM counter WHERE 0",
           "SELECT utid, name, calls FROM thread ORDER BY utid",
           "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 70000) "
           "SELECT 9007199254740993 + i AS big, nullif(i % 3, 0) AS third, i / 2.0 AS half, "
           "nullif(i % 5, 0) * 0.5 AS fifth, 'n' || i AS t, nullif('x', 'x') AS none FROM n"]


def have(name):
    found = importlib.util.find_spec(name) is not None
    return unittest.skipUnless(found, f"{name} is not installed")


class Frames(unittest.TestCase):
    def setUp(self):
        self.trace = polytrace.open(EXAMPLE, temporary=True)
        self.addCleanup(self.trace.close)

    def each(self):
        for query in QUERIES:
            with self.subTest(query):
                yield query, [tuple(row) for row in self.trace.sql(query)]

    def numpy_equals(self):
        for query, rows in self.each():
            columns = self.trace.sql(query).numpy()
            cells = [column.tolist() for column in columns.values()]
            self.assertEqual(list(zip(*cells)), rows)

    def pandas_equals(self):
        import pandas
        for query, rows in self.each():
            frame = self.trace.sql(query).pandas()
            cells = [[None if pandas.isna(cell) else cell for cell in frame[name]]
                     for name in frame.columns]
            self.assertEqual(list(zip(*cells)), rows)

    @have("numpy")
    def test_numpy(self):
        self.numpy_equals()

    @have("pandas")
    def test_pandas(self):
        self.pandas_equals()

    @have("pandas")
    def test_pandas_without_pyarrow(self):
        # In a program of its own, which cannot import it.
        code = ("import sys; sys.modules['pyarrow'] = None; import unittest, frames; "
                "unittest.main(frames, argv=['x', 'Frames.test_pandas'])")
        subprocess.run([sys.executable, "-c", code], cwd=Path(__file__).parent, check=True,
                       capture_output=True)

    @have("pyarrow")
    def test_pyarrow(self):
        import pyarrow
        for query, rows in self.each():
            table = self.trace.sql(query).arrow()
            table.validate(full=True)
            self.assertEqual(list(zip(*(column.to_pylist() for column in table.columns))), rows)
        table = pyarrow.table(self.trace.sql("SELECT ts, name FROM slice"))
        self.assertEqual(table.schema.field("ts").metadata, {b"polytrace.unit": b"ns"})
        self.assertTrue(pyarrow.types.is_dictionary(table.schema.field("name").type))

    def check_batches(self, rows_of):
        for query, rows in self.each():
            told = [rows_of(batch) for batch in self.trace.sql(query).batches()]
            self.assertEqual([row for part in told for row in part], rows)

    @have("numpy")
    def test_batches_as_arrays(self):
        self.check_batches(lambda batch: list(zip(*(column.tolist()
                                                    for column in batch.numpy().values()))))

    @have("pyarrow")
    def test_batches_as_tables(self):
        self.check_batches(lambda batch: list(zip(*(column.to_pylist()
                                                    for column in batch.arrow().columns))))

    @have("polars")
    def test_polars(self):
        for query, rows in self.each():
            self.assertEqual(self.trace.sql(query).polars().rows(), rows)


if __name__ == "__main__":
    if not any(importlib.util.find_spec(name) for name in ("numpy", "pandas", "pyarrow", "polars")):
        # Debian's packages are for its own Python.
        if os.access(SYSTEM, os.X_OK) and not os.path.samefile(sys.executable, SYSTEM):
            os.execv(SYSTEM, [SYSTEM, *sys.argv])
        print("skipped: none of numpy, pandas, pyarrow and polars is installed")
        sys.exit(77)
    unittest.main()
