#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Figures of a report's sections, asked in SQL, over samples of every format: what a report adds up
is what tables and functions give. Beside sql_figures (methods, tree, allocations by class and
thread, threads, waits by class, collections one by one), sql_times (parts of time, bottom-up) and
sql_derived (states, heap snapshots)."""
import json
import math
import os
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent / "support"))
from sql_questions import run, same, sql  # noqa: E402

DATA = Path(os.environ["TEST_DATA"])
EXAMPLE = Path(__file__).resolve().parents[2] / "examples/everything.mlpd"
SHOP = EXAMPLE.parent / "shop.trcxml"
SAMPLES = ["mlpd/locks.mlpd", "mlpd/gc.mlpd", "mlpd/exceptions_calls.mlpd", "mlpd/counters.mlpd",
           "mlpd/alloc_bt.mlpd", "monoblock/shipped10.mprof", "tbf/shop_little.trcbin",
           "tracelog/app64.trace.log"]
LONG = bool(os.environ.get("POLYTRACE_LONG"))


def report(file, *sections):
    told = json.loads(run("report", "--json", "--limit", 0, "--show-helpers", "--sections",
                          ",".join(sections), file))
    return {table["key"]: table["rows"] for table in told["tables"]}


def check_callers(file):
    rows = report(file, "callers").get("callers", [])
    same("callers", sql(file, "SELECT m.name, c.name, c.calls, c.total_ns FROM method_total m, "
                              "callers(m.method_id, NULL, NULL) c WHERE c.name IS NOT NULL"),
         [(r["method"], r["caller"], r["calls"], r["total"]) for r in rows
          if r["caller"] != "(outermost)"])


def check_samples(file):
    tables = report(file, "samples")
    rows = tables.get("sampled_methods", [])
    for by, key in (("method", "self"), ("inclusive", "inclusive")):
        same(f"samples by {by}",
             [row for row in sql(file, f"SELECT name, sum(weight) FROM samples('{by}', NULL, NULL, "
                                       "NULL) WHERE name IS NOT NULL GROUP BY 1")
              if not row[0].startswith("unknown")],
             [(r["method"], r[key]) for r in rows if r[key] and r["method"] != "?"])
    same("samples by thread",
         sql(file, "SELECT name, weight FROM samples('thread', NULL, NULL, NULL) WHERE key IN "
                   "(SELECT utid FROM thread WHERE source_id IS NOT NULL)"),
         [(r["thread"], r["hits"]) for r in tables.get("sampled_threads", [])
          if r["thread"] != "0xffffffffffffffff"])


def check_collections(file):
    tables = report(file, "collections")
    same("collections by generation",
         sql(file, "SELECT generation, count(*), sum(dur), max(dur) FROM gc GROUP BY 1"),
         [(r["generation"], r["count"], r["total"], r["longest"])
          for r in tables.get("collection_generations", [])])
    same("pauses by generation",
         sql(file, "SELECT generation, count(*), sum(pause_ns), max(pause_ns) FROM gc WHERE "
                   "pause_ns > 0 GROUP BY 1"),
         [(r["generation"], r["count"], r["total"], r["longest"])
          for r in tables.get("collection_pauses", [])])
    for row in tables.get("pause_histogram", []):
        assert sql(file, "SELECT count(*), sum(dur) FROM gc_pause WHERE dur >= "
                         f"{row['from']} AND dur < {row['below']}") == [
            (row["pauses"], row["total"])], row
    for row in tables.get("heap_size", []):
        # What is in use, where that is told.
        told = [size for size, in sql(file, "SELECT coalesce(used, total) FROM heap_size WHERE "
                                            "generation IS NULL AND coalesce(used, total) IS NOT "
                                            "NULL ORDER BY ts, id")]
        if told:
            assert (row["resizes"], row["first"], row["last"], row["largest"]) == (
                len(told), told[0], told[-1], max(told)), (row, told)


def check_monitors(file):
    tables = report(file, "monitors")
    for row in tables.get("monitor_totals", []):
        assert sql(file, "SELECT count(*), sum(got), sum(dur), max(dur) FROM lock_wait") == [
            (row["contentions"], row["acquired"], row["wait"], row["longest"])], row
    same("waits by object",
         sql(file, "SELECT object_id, class_name, count(*), sum(dur), max(dur) FROM lock_wait "
                   "GROUP BY 1, 2"),
         [(r["object"], r["class"], r["contentions"], r["wait"], r["longest"])
          for r in tables.get("monitors", [])])
    for by, table, key in (("object", "monitors", "object"),
                           ("thread", "monitor_threads", "thread"),
                           ("class", "monitor_classes", "class")):
        # Objects are told by their number, the others by their name.
        name = "key" if by == "object" else "name"
        same(f"lock_waits by {by}",
             sql(file, f"SELECT {name}, waits, wait_ns, most_ns FROM "
                       f"lock_waits('{by}', NULL, NULL)"),
             [(r[key], r["contentions"], r["wait"], r["longest"]) for r in tables.get(table, [])])
    same("blocked by thread",
         sql(file, "SELECT t.name, sum(l.dur) FROM lock_wait l JOIN thread t USING (utid) "
                   "GROUP BY l.utid"),
         [(r["thread"], r["wait"]) for r in tables.get("monitor_threads", [])])


def check_exceptions(file):
    tables = report(file, "exceptions")
    # A site is the innermost method that the runtime did not make.
    thrown = sql(file, "SELECT class_name, (SELECT name FROM stack_of(e.path_id) WHERE name NOT "
                       "GLOB '(wrapper *' ORDER BY depth DESC LIMIT 1) AS site, count(*) FROM "
                       "exception e WHERE site IS NOT NULL GROUP BY 1, 2")
    same("throw sites", thrown,
         [(r["class"], r["method"], r["thrown"]) for r in tables.get("throw_sites", [])
          if not r["method"].startswith("(")])
    same("clauses",
         sql(file, "SELECT replace(clause, '_clause', ''), name, count(*) FROM "
                   "exception_clause WHERE "
                   "name NOT GLOB '(*' GROUP BY 1, 2"),
         [(r["clause"], r["method"], r["count"]) for r in tables.get("clauses", [])
          if not r["method"].startswith("(")])


def check_counters(file):
    rows = report(file, "counters").get("counters", [])
    # A report says times in ms and percent as such: all values of a counter by one factor.
    told = {(section, name): rest for section, name, *rest in
            sql(file, "SELECT t.section, t.name, count(*), min(c.value), max(c.value) FROM "
                      "counter c JOIN counter_track t USING (counter_id) WHERE c.value IS NOT "
                      "NULL GROUP BY c.counter_id")}
    rows = [row for row in rows if row["least"] is not None]
    assert told.keys() == {(row["section"], row["name"]) for row in rows}
    for row in rows:
        count, least, most = told[row["section"], row["name"]]
        assert count == row["values"], row
        assert math.isclose(least * float(row["most"]), most * float(row["least"])), (row, least)


def check_events(file):
    """Sections about events that have no table but their own."""
    tables = report(file, "handles", "finalization", "domains")
    same("handles",
         sql(file, "SELECT replace(type, '_', ''), sum(stage = 'created'), "
                   "sum(stage = 'destroyed') FROM event_handle WHERE type IS NOT NULL GROUP BY 1"),
         [(r["kind"], r["created"], r["destroyed"]) for r in tables.get("handles", [])])
    for row in tables.get("finalization", []):
        assert sql(file, "SELECT sum(stage = 'round_start'), sum(stage = 'object_start') FROM "
                         "event_finalize") == [(row["rounds"], row["objects"])], row
    images = [r["name"] for r in tables.get("images", []) if r["name"]]
    told = {name for name, in sql(file, "SELECT name FROM event_module WHERE name IS NOT NULL")}
    assert set(images) <= told, (images, told)


CHECKS = (check_callers, check_samples, check_collections, check_monitors, check_exceptions,
          check_counters, check_events)


def main():
    with tempfile.TemporaryDirectory() as name:
        os.environ["POLYTRACE_CACHE"] = str(Path(name) / "cache")
        files = [EXAMPLE, SHOP, *(DATA / sample for sample in (SAMPLES if LONG else SAMPLES[::3]))]
        faults = []
        for file in files:
            for check in CHECKS:
                try:
                    check(file)
                except AssertionError as fault:
                    faults.append(f"{file}: {check.__name__}: {fault}")
        if faults:
            sys.exit("\n".join(faults))


main()
