# SPDX-License-Identifier: Apache-2.0
"""What a query gives to Python, in M rows/s, beside the same rows from sqlite3 and from DuckDB.

usage: python.py POLYTRACE TRACE FOLDER RUNS
Ways and peers that need a module that is not here say so. Medians; runs of all ways in turn.
"""
import importlib.util
import os
import sqlite3
import statistics
import subprocess
import sys
import time

import polytrace

QUERY = "SELECT ts, dur, utid, depth, method_id FROM slice"
ROW = "{:<52} {:>8} {:>8} {:>10}"


def count_rows(result):
    return sum(1 for _ in result)


#: What a way is called, the module that it needs, and how many rows it got.
WAYS = [
    ("batches(): columns, a part at a time", None,
     lambda trace: sum(len(batch) for batch in trace.sql(QUERY).batches())),
    ("numpy()", "numpy", lambda trace: len(trace.sql(QUERY).numpy()["ts"])),
    ("pandas()", "pandas", lambda trace: len(trace.sql(QUERY).pandas())),
    ("arrow()", "pyarrow", lambda trace: len(trace.sql(QUERY).arrow())),
    ("polars()", "polars", lambda trace: len(trace.sql(QUERY).polars())),
    ("rows, a named tuple each", None, lambda trace: count_rows(trace.sql(QUERY))),
]


def peers_of(folder):
    file = os.path.join(folder, "slice.sqlite")
    peers = [("sqlite3, rows of the table", None,
              lambda _: count_rows(sqlite3.connect(file).execute(QUERY)))]
    if importlib.util.find_spec("duckdb"):
        import duckdb  # pylint: disable=import-error,import-outside-toplevel
        data = duckdb.connect()
        data.execute("INSTALL sqlite; LOAD sqlite")
        data.execute(f"CREATE TABLE slice AS SELECT * FROM sqlite_scan('{file}', 'slice')")
        peers.append(("DuckDB, fetchnumpy() of its own table", "numpy",
                      lambda _: len(data.execute(QUERY).fetchnumpy()["ts"])))
        peers.append(("DuckDB, arrow() of its own table", "pyarrow",
                      lambda _: len(data.execute(QUERY).arrow())))
    else:
        print("DuckDB is not here: Python has no module duckdb")
    return peers


def timed(way, trace):
    """Wall and CPU seconds, and the rows."""
    began = time.monotonic(), time.process_time()
    rows = way(trace)
    return time.monotonic() - began[0], time.process_time() - began[1], rows


def show(name, rows, wall, cpu):
    print(ROW.format(name, f"{wall:.2f}", f"{cpu:.2f}", f"{rows / wall / 1e6:.1f}"))


def main():
    tool, path, folder, runs = sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4])
    trace = polytrace.open(path)
    rows = next(iter(trace.sql("SELECT count(*) FROM slice")))[0]
    if not os.path.exists(os.path.join(folder, "slice.sqlite")):
        trace.export("sqlite", os.path.join(folder, "slice.sqlite"), tables=["slice"])
    all_ways = []
    for name, module, way in WAYS + peers_of(folder):
        if module is None or importlib.util.find_spec(module):
            all_ways.append((name, way, []))
        else:
            print(f"{name}: {module} is not installed")
    for _ in range(runs):
        for name, way, times in all_ways:
            wall, cpu, got = timed(way, trace)
            assert got == rows, (name, got, rows)
            times.append((wall, cpu))
    print(ROW.format(f"{rows / 1e6:.1f} M rows of 5 numbers, medians of {runs}", "s", "CPU s",
                     "M rows/s"))
    for name, _, times in all_ways:
        show(name, rows, *map(statistics.median, zip(*times)))
    wall, cpu, events = timed(lambda _: sum(len(batch) for batch in polytrace.read(
        path, ["ts", "utid", "kind"]).batches()), trace)
    show("read(): events without an index", events, wall, cpu)
    told = subprocess.run([tool, "version"], capture_output=True, text=True, check=True).stdout
    print(told.strip().splitlines()[0])


if __name__ == "__main__":
    main()
