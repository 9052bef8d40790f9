# SPDX-License-Identifier: Apache-2.0
"""Queries of an index beside plain SQLite over the same rows, in turn; by DuckDB where it is found.

usage: sql.py POLYTRACE TRACE FOLDER RUNS
Ours are whole processes less what SELECT 1 takes, SQLite's are queries of an open database. Ratios
are medians of those of each turn; above 1 we are faster. "By DuckDB" are ours with --engine duckdb.
"""
import json
import os
import shutil
import sqlite3
import statistics
import subprocess
import sys
import time

from measure import run, verdict

ROW = "{:<36} {:>10} {:>10} {:>7} {:>10}  {}"
METHODS = """SELECT method_id, count(*), sum(min(ts + dur, {1}) - max(ts, {0})) FROM slice
WHERE ts < {1} AND ts + dur > {0} GROUP BY 1"""
#: What is asked, of us, of SQLite; {0} and {1} are two moments, a hundredth of the trace apart.
QUESTIONS = [
    ("sum of a column", "SELECT sum(dur) FROM slice", None),
    ("group by one key", "SELECT method_id, sum(dur) FROM slice GROUP BY 1", None),
    ("rows of a stretch", "SELECT count(*), sum(dur) FROM slice WHERE ts >= {0} AND ts < {1}",
     None),
    ("rows of a thread", "SELECT count(*), sum(dur) FROM slice WHERE utid = {2}", None),
    ("the first ten rows", "SELECT * FROM slice LIMIT 10", None),
    ("calls that meet a stretch",
     "SELECT count(*) FROM slice WHERE meets = span({0}, {1})",
     "SELECT count(*) FROM slice WHERE ts < {1} AND ts + dur > {0}"),
    ("methods of a stretch", "SELECT * FROM methods({0}, {1}, NULL)", METHODS),
    ("call tree of a stretch", "SELECT * FROM call_tree({0}, {1}, NULL, 0.01)", None),
    ("one group_by of all", "SELECT * FROM group_by('slice', 'method_id', 'dur', NULL)",
     "SELECT method_id, count(*), sum(dur) FROM slice GROUP BY 1"),
]
#: What is promised: M rows a second of a sum and of a grouping; ms to the first rows.
LEAST_SPEEDS = {"sum of a column": 20, "rows of a thread": 20, "one group_by of all": 100}
MOST_FIRST = 100
#: Without functions that it does not have.
NOT_BY_DUCKDB = ("group_by(", "span(")


def wall(action):
    began = time.monotonic()
    action()
    return time.monotonic() - began


def show(what, ours, theirs, ratio, told="", duck=""):
    print(ROW.format(what, ours, theirs, ratio, duck, told), flush=True)


class Peers:
    def __init__(self, tool, trace, folder):
        self.tool, self.trace, self.folder = tool, trace, folder
        self.index = os.environ["POLYTRACE_CACHE"] = os.path.join(folder, "cache")
        self.file = os.path.join(folder, "plain.sqlite")

    def ask(self, query, engine="sqlite"):
        return json.loads(subprocess.run(
            [self.tool, "sql", "--engine", engine, "--json", self.trace, query],
            capture_output=True, text=True, check=True).stdout)["rows"]

    def has_duckdb(self):
        return subprocess.run([self.tool, "sql", "--engine", "duckdb", self.trace, "SELECT 1"],
                              capture_output=True, check=False).returncode == 0

    def load(self):
        """An index each time; the other's rows come out of it, which is not counted."""
        shutil.rmtree(self.index, ignore_errors=True)
        ours = wall(lambda: run([self.tool, "index", "build", "--no-progress", self.trace]))
        run([self.tool, "export", "--to", "sqlite", "--tables", "slice", "--force",
             "--no-progress", self.trace, "-o", self.file])
        rows = sqlite3.connect(self.file).execute("SELECT * FROM slice").fetchall()
        copy = os.path.join(self.folder, "copy.sqlite")
        if os.path.exists(copy):
            os.remove(copy)
        places = ", ".join("?" * len(rows[0]))
        columns = ", ".join(f"c{i}" for i in range(len(rows[0])))

        def insert():
            data = sqlite3.connect(copy)
            data.execute("PRAGMA journal_mode = OFF")
            data.execute(f"CREATE TABLE slice ({columns})")
            data.executemany(f"INSERT INTO slice VALUES ({places})", rows)
            data.execute("CREATE INDEX a ON slice(c1)")
            data.execute("CREATE INDEX b ON slice(c3)")
            data.commit()
        theirs = wall(insert)
        os.remove(copy)
        return ours, theirs, len(rows)

    def folder_bytes(self):
        return sum(os.path.getsize(os.path.join(at, name))
                   for at, _, names in os.walk(self.index) for name in names)


def main():
    tool, trace, folder, runs = sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4])
    peers = Peers(tool, trace, folder)
    print(ROW.format(f"medians of {runs} runs", "polytrace", "SQLite", "ratio", "by DuckDB", ""))
    ours, theirs, rows = peers.load()
    show(f"{rows / 1e6:.1f} M calls loaded, s", f"{ours:.2f}", f"{theirs:.2f}",
         f"{theirs / ours:.1f}", verdict(ours < theirs))
    sizes = peers.folder_bytes(), os.path.getsize(peers.file)
    show("bytes a call", f"{sizes[0] / rows:.1f}", f"{sizes[1] / rows:.1f}",
         f"{sizes[1] / sizes[0]:.1f}")
    first, last = peers.ask("SELECT trace_start(), trace_end()")[0]
    busiest, calls = peers.ask("SELECT utid, calls FROM thread ORDER BY calls DESC LIMIT 1")[0]
    moments = (first + (last - first) * 2 // 5, first + (last - first) * 41 // 100, busiest)
    data = sqlite3.connect(peers.file)
    began = statistics.median(wall(lambda: peers.ask("SELECT 1")) for _ in range(runs))
    duck_began = statistics.median(
        wall(lambda: peers.ask("SELECT 1", "duckdb")) for _ in range(runs)) \
        if peers.has_duckdb() else None
    show("opened, ms", f"{began * 1000:.0f}", "", "",
         duck=f"{duck_began * 1000:.0f}" if duck_began else "none")
    for what, our_query, their_query in QUESTIONS:
        our_query = our_query.format(*moments)
        their_query = (their_query or our_query).format(*moments)
        has_peer = "call_tree" not in our_query
        by_duck = duck_began and not any(word in our_query for word in NOT_BY_DUCKDB)
        turns = [(max(wall(lambda q=our_query: peers.ask(q)) - began, 1e-4),
                  wall(lambda q=their_query: data.execute(q).fetchall()) if has_peer else 0,
                  max(wall(lambda q=our_query: peers.ask(q, "duckdb")) - duck_began, 1e-4)
                  if by_duck else 0)
                 for _ in range(runs)]
        ours, theirs, duck = (statistics.median(turn[i] for turn in turns) for i in range(3))
        ratio = statistics.median(turn[1] / turn[0] for turn in turns)
        told = ""
        read = calls if what == "rows of a thread" else rows
        if what in LEAST_SPEEDS:
            told = f"{read / ours / 1e6:.0f} M rows/s: " + verdict(
                read / ours / 1e6 >= LEAST_SPEEDS[what])
        if what == "the first ten rows":
            told = verdict((ours + began) * 1000 <= MOST_FIRST)
        show(what + ", ms", f"{ours * 1000:.1f}", f"{theirs * 1000:.1f}" if has_peer else "",
             f"{ratio:.2f}" if has_peer else "", told, f"{duck * 1000:.1f}" if by_duck else "")


if __name__ == "__main__":
    main()
