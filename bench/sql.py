# SPDX-License-Identifier: Apache-2.0
"""Queries of an index beside plain SQLite over the same rows, in turn.

usage: sql.py POLYTRACE TRACE FOLDER RUNS
Ours are whole processes less what SELECT 1 takes, SQLite's are queries of an open database. Ratios
are medians of those of each turn; above 1 we are faster.
"""
import json
import os
import shutil
import sqlite3
import statistics
import subprocess
import sys
import time

from measure import run

ROW = "{:<44} {:>12} {:>12} {:>8}  {}"
METHODS = """SELECT method_id, count(*), sum(min(ts + dur, {1}) - max(ts, {0})) FROM slice
WHERE ts < {1} AND ts + dur > {0} GROUP BY 1"""
#: What is asked, of us, of SQLite; {0} and {1} are two moments, a hundredth of the trace apart.
QUESTIONS = [
    ("sum of a column", "SELECT sum(dur) FROM slice", None),
    ("group by one key", "SELECT method_id, sum(dur) FROM slice GROUP BY 1", None),
    ("rows of a stretch", "SELECT count(*), sum(dur) FROM slice WHERE ts >= {0} AND ts < {1}",
     None),
    ("calls that meet a stretch",
     "SELECT count(*) FROM slice WHERE meets = span({0}, {1})",
     "SELECT count(*) FROM slice WHERE ts < {1} AND ts + dur > {0}"),
    ("methods of a stretch", "SELECT * FROM methods({0}, {1}, NULL)", METHODS),
    ("call tree of a stretch", "SELECT * FROM call_tree({0}, {1}, NULL, 0.01)", None),
    ("one group_by of all", "SELECT * FROM group_by('slice', 'method_id', 'dur', NULL)",
     "SELECT method_id, count(*), sum(dur) FROM slice GROUP BY 1"),
]
#: Of the specification: M rows a second that a table gives.
LEAST_SPEED = 20


def wall(action):
    began = time.monotonic()
    action()
    return time.monotonic() - began


def show(what, ours, theirs, ratio, held=""):
    print(ROW.format(what, ours, theirs, ratio, held), flush=True)


class Peers:
    def __init__(self, tool, trace, folder):
        self.tool, self.trace, self.folder = tool, trace, folder
        self.index = os.environ["POLYTRACE_CACHE"] = os.path.join(folder, "cache")
        self.file = os.path.join(folder, "plain.sqlite")

    def ask(self, query):
        return json.loads(subprocess.run(
            [self.tool, "sql", "--json", self.trace, query],
            capture_output=True, text=True, check=True).stdout)["rows"]

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
    print(ROW.format(f"medians of {runs} runs", "polytrace", "SQLite", "ratio", ""))
    ours, theirs, rows = peers.load()
    show(f"{rows / 1e6:.1f} M calls loaded, s", f"{ours:.2f}", f"{theirs:.2f}",
         f"{theirs / ours:.1f}", "held" if ours < theirs else "MISSED")
    sizes = peers.folder_bytes(), os.path.getsize(peers.file)
    show("bytes a call", f"{sizes[0] / rows:.1f}", f"{sizes[1] / rows:.1f}",
         f"{sizes[1] / sizes[0]:.1f}")
    first, last = peers.ask("SELECT trace_start(), trace_end()")[0]
    stretch = first + (last - first) * 2 // 5, first + (last - first) * 41 // 100
    data = sqlite3.connect(peers.file)
    began = statistics.median(wall(lambda: peers.ask("SELECT 1")) for _ in range(runs))
    show("opened, ms", f"{began * 1000:.0f}", "", "")
    for what, our_query, their_query in QUESTIONS:
        our_query = our_query.format(*stretch)
        their_query = (their_query or our_query).format(*stretch)
        has_peer = "call_tree" not in our_query
        turns = [(max(wall(lambda q=our_query: peers.ask(q)) - began, 1e-4),
                  wall(lambda q=their_query: data.execute(q).fetchall()) if has_peer else None)
                 for _ in range(runs)]
        ours = statistics.median(one for one, _ in turns)
        if not has_peer:
            show(what + ", ms", f"{ours * 1000:.1f}", "", "")
            continue
        theirs = statistics.median(one for _, one in turns)
        ratio = statistics.median(b / a for a, b in turns)
        show(what + ", ms", f"{ours * 1000:.1f}", f"{theirs * 1000:.1f}", f"{ratio:.2f}")
        if what == "sum of a column":
            speed = rows / ours / 1e6
            show("  M rows/s", f"{speed:.1f}", "", "",
                 "held" if speed >= LEAST_SPEED else "MISSED")


if __name__ == "__main__":
    main()
