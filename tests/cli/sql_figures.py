#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""SQL over sample traces says what their reports say, and every query gives what the same query
gives on a plain table of SQLite with the same rows: so what tables do not look at, and what they
promise of order, is proved."""
import json
import os
import sys
import tempfile
from collections import Counter, defaultdict
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent / "support"))
from sql_questions import run, same, sql, sql_all  # noqa: E402
from sql_random import Queries, twin  # noqa: E402

DATA = Path(os.environ["TEST_DATA"])
EXAMPLE = Path(__file__).resolve().parents[2] / "examples/everything.mlpd"
LONG = bool(os.environ.get("POLYTRACE_LONG"))
#: Of each format, and what the reader had to survive something of.
SAMPLES = ["mlpd/calls.mlpd", "mlpd/alloc_bt.mlpd", "mlpd/gc.mlpd", "mlpd/exceptions_calls.mlpd",
           "mlpd/truncated.mlpd", "mlpd/counters.mlpd"]


def report(file, sections, *more):
    told = json.loads(run("report", "--json", "--limit", 0, "--show-helpers", "--sections",
                          sections, *more, file))
    return {table["key"]: table["rows"] for table in told["tables"]}


def check_calls(file):
    rows = report(file, "calls")["methods"]
    # In reports, methods of one name are one row.
    same("methods", sql(file, "SELECT name, sum(calls), sum(total_ns), sum(elapsed_ns), "
                              "sum(self_ns) FROM methods(NULL, NULL, NULL) GROUP BY name"),
         [(r["method"], r["calls"], r["total"], r["elapsed"], r["self"]) for r in rows])
    alone = sql(file, "SELECT name, max(calls), max(least_ns), max(most_ns), max(p50_ns), "
                      "max(p95_ns) FROM method_total WHERE calls > 0 GROUP BY name "
                      "HAVING count(*) = 1")
    names = {name for name, *_ in alone}
    same("method_total", alone,
         [(r["method"], r["calls"], r["least"], r["most"], r["p50"], r["p95"]) for r in rows
          if r["method"] in names])
    # The same figures, counted from the calls one by one.
    same("slice", sql(file, "SELECT name, count(*), sum(dur), sum(self_dur), min(dur), max(dur) "
                            "FROM slice GROUP BY name"),
         [(r["method"], r["calls"], r["total"], r["self"], r["least"], r["most"]) for r in rows
          if r["calls"]])
    assert sql(file, "SELECT sum(calls) FROM thread")[0][0] == (
        sql(file, "SELECT count(*) FROM slice")[0][0])
    tree = report(file, "tree")["call_tree"]
    same("call_tree", sql(file, "SELECT depth, name, calls, total_ns, self_ns FROM call_tree(NULL, "
                                "NULL, NULL, NULL)"),
         [(r["depth"], r["method"], r["calls"], r["total"], r["self"]) for r in tree])


def check_range(file):
    first, last = sql(file, "SELECT trace_start(), trace_end()")[0]
    start, end = first + (last - first) // 4, first + (last - first) // 2
    rows = report(file, "calls", "--from", start, "--to", end).get("methods", [])
    same("methods of a range",
         sql(file, "SELECT name, sum(calls), sum(total_ns), sum(elapsed_ns), sum(self_ns) FROM "
                   f"methods({start}, {end}, NULL) GROUP BY name"),
         [(r["method"], r["calls"], r["total"], r["elapsed"], r["self"]) for r in rows])
    open_at = sql(file, f"SELECT utid, depth, slice_id, ts, path_id, name FROM open_calls({start}, "
                        "NULL)")
    brute = sql(file, f"SELECT utid, depth, id, ts, path_id, name FROM slice WHERE ts <= {start} "
                      f"AND (ts + dur > {start} OR how = 'end')")
    same("open_calls", open_at, brute)
    met = f"FROM slice WHERE ts < {end} AND ts + dur > {start} ORDER BY id"
    assert sql(file, f"SELECT id FROM slice WHERE meets = span({start}, {end}) ORDER BY id") == (
        sql(file, f"SELECT id {met}"))


def check_memory(file):
    tables = report(file, "allocations")
    if "allocations" not in tables:
        return
    by_class = [(r["class"], r["count"], r["bytes"]) for r in tables["allocations"]]
    if not sql(file, "SELECT count(*) FROM alloc_sum")[0][0]:
        same("allocations by class",
             sql(file, "SELECT name, sum(objects), sum(bytes) FROM allocations('class', NULL, "
                       "NULL, NULL) GROUP BY 1"), by_class)
        same("alloc", sql(file, "SELECT class_name, sum(weight), sum(weight * size) FROM alloc "
                                "GROUP BY 1"), by_class)
        same("allocations by thread",
             sql(file, "SELECT name, objects, bytes FROM allocations('thread', NULL, NULL, NULL)"),
             [(r["thread"], r["count"], r["bytes"]) for r in tables["allocation_threads"]])


def check_others(file):
    tables = report(file, "threads,monitors,exceptions,collections,samples,jit")
    same("thread", [row for row in sql(file, "SELECT name, events, start_ts, end_ts FROM "
                                      "thread WHERE source_id IS NOT NULL")
                    if row[1]],
         [(r["thread"], r["events"], r["first"], r["last"]) for r in tables["threads"]])
    thrown = [(r["class"], r["thrown"]) for r in tables.get("thrown_classes", [])]
    same("exception", sql(file, "SELECT class_name, count(*) FROM exception GROUP BY 1"), thrown)
    waits = [(r["class"], r["contentions"], r["wait"]) for r in tables.get("monitor_classes", [])]
    same("lock_wait", sql(file, "SELECT class_name, count(*), sum(dur) FROM lock_wait GROUP BY 1"),
         waits)
    same("gc", sql(file, "SELECT ts, generation, dur FROM gc"),
         [(r["start"], r["generation"], r["duration"]) for r in tables.get("collections", [])])
    samples = sql(file, "SELECT sum(samples) FROM samples('thread', NULL, NULL, NULL)")[0][0]
    assert (samples or 0) == sum(r["hits"] for r in tables.get("sampled_threads", []))


def check_groups(file):
    """The function with kernels of its own beside the same by SQL."""
    asked = []
    for table, keys, sums in (
            ("slice", "method_id", "dur"), ("slice", "path_id", "dur,self_dur"),
            ("slice", "path_id,method_id", "self_dur"), ("slice", "utid", "dur,max:dur,min:ts"),
            ("slice", "utid,depth", "self_dur,max:id"), ("slice", "parent_id", "dur,parent_id"),
            ("slice", "method_id,utid,depth", "max:ts"), ("slice", "how,method_id", "dur"),
            ("slice", "track_id,stack_id,parent_id", "min:parent_id"), ("slice", "dur", "ts"),
            ("alloc", "utid,class_id", "size,max:size"), ("alloc", "class_name", "weight"),
            ("thread", "name", "calls"), ("counter", "counter_id", "value,min:value")):
        names = keys.split(",")
        made = [f"max({word[4:]})" if word.startswith("max:") else
                f"min({word[4:]})" if word.startswith("min:") else f"sum({word})"
                for word in sums.split(",")]
        chosen = ", ".join([f"k{i + 1}" for i in range(len(names))] + ["n"]
                           + [f"s{i + 1}" for i in range(len(made))])
        asked.append(f"SELECT {chosen} FROM group_by('{table}', '{keys}', '{sums}', NULL)")
        asked.append(f"SELECT {keys}, count(*), {', '.join(made)} FROM {table} GROUP BY {keys}")
    answers = sql_all(file, asked)
    for query, ours, theirs in zip(asked[::2], answers[::2], answers[1::2]):
        same(query, ours, theirs)


# --- a plain table with the same rows -----------------------------------------------------------

def check_queries(file, folder, seed, count):
    database, columns = twin(file, folder)
    queries = Queries(database, columns, seed)
    asked = [queries.one() for _ in range(count)]
    for number, (query, ours) in enumerate(zip(asked, sql_all(file, asked))):
        expected = database.execute(query).fetchall()
        if "ORDER BY" not in query:
            expected, ours = Counter(expected), Counter(ours)
        assert ours == expected, f"{file}: query {number}: {query}\n ours {ours}\n not {expected}"


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        os.environ["POLYTRACE_CACHE"] = str(folder / "cache")
        for file in [EXAMPLE, *(DATA / sample for sample in (SAMPLES if LONG else SAMPLES[:1]))]:
            for check in (check_calls, check_range, check_memory, check_others,
                          check_groups):
                try:
                    check(file)
                except AssertionError as fault:
                    sys.exit(f"{file}: {check.__name__}: {fault}")
        check_queries(EXAMPLE, folder, 20, 1000 if LONG else 50)


main()
