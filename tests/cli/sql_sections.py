#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every figure of a report, asked in SQL, over samples of every format. SECTIONS says for each
section what tables and functions tell of it; a section without a row there fails. Whole, as a
report shows them, all its tables are functions: report_<key>. Beside sql_figures (calls one by
one), sql_times (parts of time) and sql_derived (states, retained sizes)."""
import json
import math
import os
import re
import sys
import tempfile
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent / "support"))
from sql_questions import run, same, sql, sql_all  # noqa: E402

DATA = Path(os.environ["TEST_DATA"])
EXAMPLE = Path(__file__).resolve().parents[2] / "examples/everything.mlpd"
SHOP = EXAMPLE.parent / "shop.trcxml"
SAMPLES = ["mlpd/locks.mlpd", "tbf/shop_little.trcbin", "tracelog/line32.trace.log", "mlpd/gc.mlpd",
           "mlpd/exceptions_calls.mlpd", "mlpd/counters.mlpd", "mlpd/alloc_bt.mlpd",
           "mlpd/heapshot.mlpd.gz", "mlpd/truncated.mlpd", "mlpd/jit.mlpd.gz",
           "mlpd/threads.mlpd.gz", "monoblock/shipped10.mprof", "monoblock/review.mprof",
           "tracelog/app64.trace.log"]
LONG = bool(os.environ.get("POLYTRACE_LONG"))
#: Words of SQL that columns of a report are called by: they have a _ behind.
RESERVED = {"from", "references", "to", "values", "window"}
#: Sentences about the figures of other sections: their functions have them, no table beside them.
SENTENCES = []

ALL = "(NULL, NULL, NULL)"
#: What a recorder had added up before it wrote it is in other tables than what it told one by one.
ADDED_UP = "(SELECT count(*) FROM event_summary_begin) = 0"
SUMMED = "(SELECT count(*) FROM alloc_sum) = 0"
#: Of snapshots that have references alone, a report has classes and sizes by the allocations.
WHOLE = "(SELECT count(*) FROM heap_object WHERE class_id IS NULL AND size = 0) = 0"
UNTOLD = re.compile("method_id IS NOT NULL|" + "|".join(map(re.escape, (ADDED_UP, SUMMED, WHOLE))))


#: Classes of one name together.
BY_NAME = "by name"
#: Methods of one name are one row of a report: only those with a name of their own.
ALONE = "alone"


def added_up(rows):
    sums = {}
    for name, *figures in rows:
        sums[name] = [a + b for a, b in zip(sums.get(name, [0] * len(figures)), figures)]
    return [(name, *figures) for name, figures in sums.items()]


def named(row):
    return not any(str(cell).startswith(("(", "unknown", "?")) for cell in row)


def spans(table, of, more=""):
    return (f"SELECT {of}, count(*), sum(dur), max(dur) FROM {table} WHERE dur IS NOT NULL {more} "
            f"GROUP BY {of}")


#: Section: its table, the columns, what tells the same; which rows, where not all are told so.
SECTIONS = {
    "suspects": SENTENCES,
    "summary": SENTENCES,
    # Calls that a recorder had added up are no calls of the trace: they are counted beside them.
    "calls": [("methods", "method calls total",
               "SELECT name, sum(calls), sum(total) FROM (SELECT method_id, name, calls, total_ns "
               f"AS total FROM methods{ALL} UNION ALL SELECT s.subject, m.name, s.calls, s.total "
               "FROM event_summary_begin s JOIN method m ON m.method_id = s.subject) "
               "GROUP BY name"),
              ("methods", "method calls total elapsed self least p50 p95 most",
               "SELECT name, calls, total_ns, elapsed_ns, self_ns, least_ns, p50_ns, p95_ns, "
               f"most_ns FROM method_stats{ALL} WHERE {ADDED_UP}", ALONE)],
    "tree": [("call_tree", "depth method calls total self",
              "SELECT depth, name, calls, total_ns, self_ns FROM call_tree(NULL, NULL, NULL, NULL) "
              f"WHERE {ADDED_UP}"),
             # Depth first, heaviest first: rows go down for as long as it does.
             ("heaviest_path", "depth method calls total self",
              "SELECT depth, name, calls, total_ns, self_ns FROM (SELECT *, row_number() OVER () - "
              f"1 AS n FROM call_tree(NULL, NULL, NULL, NULL)) WHERE depth = n AND {ADDED_UP}")],
    "callers": [("callers", "method caller calls total",
                 "SELECT m.name, coalesce(c.name, '(outermost)'), c.calls, c.total_ns FROM "
                 "method_total m, callers(m.method_id, NULL, NULL) c "
                 f"WHERE {ADDED_UP}")],
    "sandwich": [("bottom_up", "depth method calls time",
                  "SELECT depth, name, calls, self_ns FROM bottom_up(NULL, NULL, NULL, NULL) WHERE "
                  f"{ADDED_UP}")],
    "cpu": [("cpu_methods", "method self",
             f"SELECT name, cpu_ns FROM methods{ALL} WHERE cpu_ns > 0 AND {ADDED_UP}"),
            ("cpu_threads", "thread used alive",
             "SELECT t.name, sum(c.used), t.end_ts - t.start_ts FROM event_cpu c JOIN thread t "
             "USING (utid) WHERE c.scope = 'thread' AND coalesce(c.bogus, 0) = 0 AND c.used > 0 "
             "GROUP BY utid")],
    "samples": [("sampled_methods", "method self",
                 "SELECT name, sum(weight) FROM samples('method', NULL, NULL, NULL) WHERE name IS "
                 "NOT NULL GROUP BY key", lambda row: named(row) and row[1]),
                ("sampled_methods", "method inclusive",
                 "SELECT name, sum(weight) FROM samples('inclusive', NULL, NULL, NULL) WHERE name "
                 "IS NOT NULL GROUP BY key", named),
                ("sampled_threads", "thread hits",
                 "SELECT name, weight FROM samples('thread', NULL, NULL, NULL)",
                 lambda row: row[0] not in ("0xffffffffffffffff", "(events of no thread)"))],
    "allocations": [("allocations", "class count bytes",
                     "SELECT name, objects, bytes FROM allocations('class', NULL, NULL, NULL) "
                     f"WHERE {SUMMED}", BY_NAME),
                    ("allocations", "class count bytes",
                     "SELECT class_name, sum(n), sum(bytes) FROM (SELECT class_name, weight AS n, "
                     "weight * size AS bytes FROM alloc UNION ALL SELECT class_name, objects, size "
                     "FROM alloc_sum) GROUP BY 1", BY_NAME),
                    ("allocation_threads", "thread count bytes",
                     "SELECT name, objects, bytes FROM allocations('thread', NULL, NULL, NULL) "
                     f"WHERE {SUMMED}")],
    "survival": [("survival", "class made bytes",
                  "SELECT class_name, sum(weight), sum(weight * size) FROM alloc WHERE EXISTS "
                  "(SELECT 1 FROM report_survival(NULL, NULL)) GROUP BY 1", BY_NAME)],
    "collections": [("collections", "start generation duration",
                     "SELECT ts, generation, dur FROM gc"),
                    ("collection_generations", "generation count total longest",
                     spans("gc", "generation")),
                    ("collection_pauses", "generation count total longest",
                     "SELECT generation, count(*), sum(pause_ns), max(pause_ns) FROM gc WHERE "
                     "pause_ns > 0 GROUP BY 1"),
                    ("pause_histogram", "pauses total",
                     "SELECT count(*), sum(p.dur) FROM report_pause_histogram(NULL, NULL) h JOIN "
                     "gc_pause p ON p.dur >= h.from_ AND p.dur < h.below GROUP BY h.from_"),
                    # What is in use, where that is told.
                    ("heap_size", "resizes first last largest",
                     "SELECT count(*), min(used) FILTER (WHERE n = 1), min(used) FILTER (WHERE "
                     "back = 1), max(used) FROM (SELECT used, row_number() OVER (ORDER BY ts, id) "
                     "AS n, row_number() OVER (ORDER BY ts DESC, id DESC) AS back FROM (SELECT "
                     "coalesce(used, total) AS used, ts, id FROM heap_size WHERE generation IS "
                     "NULL AND coalesce(used, total) IS NOT NULL)) HAVING count(*) > 0",
                     lambda row: row[0])],
    "heap": [("heap_snapshots", "snapshot start objects bytes",
              f"SELECT id, ts, objects, size FROM heap_dump WHERE {WHOLE}"),
             ("heap_classes", "snapshot class objects bytes",
              f"SELECT dump_id, class_name, count(*), sum(size) FROM heap_object WHERE {WHOLE} "
              "GROUP BY 1, 2"),
             ("heap_references", "snapshot from to count",
              "SELECT r.dump_id, o.class_name, coalesce(t.class_name, '(not in the snapshot)'), "
              "count(*) FROM heap_reference r JOIN heap_object o ON o.id = r.owner_id LEFT JOIN "
              f"heap_object t ON t.id = r.owned_id WHERE {WHOLE} GROUP BY 1, 2, 3")],
    "roots": [("root_regions", "region source registered",
               "SELECT coalesce(name, ''), replace(source, '_', ' '), count(*) FROM "
               "event_root_region WHERE stage = 'registered' GROUP BY 1, 2"),
              ("root_kinds", "kind roots",
               "SELECT coalesce(type, iif(flags & 255 < 5, substr('stack    finalizerhandle   "
               "other    misc     ', (flags & 255) * 9 + 1, 9), 'kind ' || (flags & 255)) || '') "
               "AS kind, count(*) FROM event_root WHERE type IS NOT NULL GROUP BY 1",
               lambda row: row[0].isupper())],
    "handles": [("handles", "kind created destroyed",
                 "SELECT replace(type, '_', ''), sum(stage = 'created'), "
                 "sum(stage = 'destroyed') FROM event_handle WHERE type IS NOT NULL GROUP BY 1")],
    "finalization": [("finalization", "rounds objects",
                      "SELECT sum(stage = 'round_start'), sum(stage = 'object_start') FROM "
                      "event_finalize HAVING count(*) > 0"),
                     ("finalization", "round_total round_longest",
                      "SELECT sum(ts - began), max(ts - began) FROM (SELECT stage, ts, lag(ts) "
                      "OVER (PARTITION BY utid ORDER BY id) AS began FROM event_finalize WHERE "
                      "stage IN ('round_start', 'round_end')) WHERE stage = 'round_end' HAVING "
                      "count(*) > 0")],
    "monitors": [("monitor_totals", "contentions acquired wait longest",
                  "SELECT count(*), sum(got), sum(dur), max(dur) FROM lock_wait HAVING count(*)"),
                 ("monitors", "object class contentions wait longest",
                  spans("lock_wait", "object_id, class_name").replace("GROUP BY object_id, "
                                                                      "class_name",
                                                                      "GROUP BY 1, 2")),
                 ("monitors", "object contentions wait longest",
                  "SELECT key, waits, wait_ns, most_ns FROM lock_waits('object', NULL, NULL)"),
                 ("monitor_threads", "thread contentions wait longest",
                  "SELECT name, waits, wait_ns, most_ns FROM lock_waits('thread', NULL, NULL)"),
                 ("monitor_classes", "class contentions wait longest",
                  "SELECT name, waits, wait_ns, most_ns FROM lock_waits('class', NULL, NULL)")],
    "exceptions": [("thrown_classes", "class thrown",
                    "SELECT class_name, count(*) FROM exception GROUP BY 1"),
                   # A site is the innermost method that the runtime did not make.
                   ("throw_sites", "class method thrown",
                    "SELECT class_name, (SELECT name FROM stack_of(e.path_id) WHERE name NOT GLOB "
                    "'(wrapper *' ORDER BY depth DESC LIMIT 1) AS site, count(*) FROM exception e "
                    "WHERE site IS NOT NULL GROUP BY 1, 2", lambda row: not row[1].startswith("(")),
                   ("clauses", "clause method count",
                    "SELECT replace(clause, '_clause', ''), name, count(*) FROM exception_clause "
                    "WHERE name NOT GLOB '(*' GROUP BY 1, 2",
                    lambda row: not row[1].startswith("("))],
    "threads": [("threads", "thread first last events",
                 "SELECT name, start_ts, end_ts, events FROM thread WHERE source_id IS NOT NULL "
                 "AND events > 0", lambda row: row[3]),
                ("threads", "thread cpu", "SELECT name, cpu_ns FROM thread WHERE source_id IS NOT "
                 "NULL AND cpu_ns IS NOT NULL", lambda row: row[1] is not None),
                ("threads", "first events",  # each event counts for one life of its thread's id
                 "SELECT start_ts, n FROM thread JOIN (SELECT utid, count(*) AS n FROM event "
                 "GROUP BY 1) USING (utid) WHERE source_id IS NOT NULL", lambda row: row[1])],
    "jit": [("compilation", "method times time longest",
             "SELECT name, count(*), sum(dur), max(dur) FROM jit WHERE method_id IS NOT NULL "
             "GROUP BY method_id"),
            ("code_helpers", "kind count bytes",
             "SELECT type, count(*), sum(coalesce(size, 0)) FROM event_code GROUP BY 1")],
    "counters": [],  # in units of their own: check_counters
    "domains": [("metadata", "kind loaded unloaded", " UNION ALL ".join(
        f"SELECT '{word}', count(DISTINCT subject), count(DISTINCT iif(life = 'end', subject, "
        f"NULL)) FROM event_{kind} HAVING count(*) > 0" for word, kind in (
            ("domains", "domain"), ("assemblies", "assembly"), ("contexts", "context"))),
        lambda row: row[0] != "images")],
    "left-out": SENTENCES,
}


def report(file, *more):
    told = json.loads(run("report", "--json", "--all", "--limit", 0, "--show-helpers", *more, file))
    return {table["key"]: table for table in told["tables"]}


def plain(row):
    """Whole numbers that JSON cannot hold are texts; of reals what both print alike."""
    return tuple(float(f"{cell:.9g}") if isinstance(cell, float) else
                 int(cell) if isinstance(cell, str) and re.fullmatch("-?[0-9]{16,19}", cell) else
                 cell for cell in row)


def check_sections():
    text = " ".join(run("report", "--help").split())
    listed = re.search(r"--sections SECTION.*?by commas: (.*?) --method", text)[1]
    assert listed.split(", ") == list(SECTIONS), listed


def check_rows(file, tables):
    asked = [row for rows in SECTIONS.values() for row in rows]
    answers = sql_all(file, [row[2] for row in asked])
    faults = []
    for (key, columns, query, *keep), rows in zip(asked, answers):
        told = [plain(row[column] for column in columns.split())
                for row in tables.get(key, {"rows": []})["rows"]]
        if keep == [BY_NAME]:
            told, rows = added_up(told), added_up(rows)
        elif keep == [ALONE]:
            names = Counter(row[0] for row in rows)
            told, rows = ([row for row in some if names[row[0]] <= 1] for some in (told, rows))
        elif keep:
            told, rows = ([row for row in some if keep[0](row)] for some in (told, rows))
        try:
            if rows or not UNTOLD.search(query):
                same(f"{key}: {columns}", [plain(row) for row in rows], told)
        except AssertionError as fault:
            faults.append(f"{file}: {fault}")
    return faults


def check_whole(file, tables, span="NULL, NULL"):
    """report_<key> is the table: its columns, its rows, in its order."""
    names = list(tables)
    words = [[column["key"] + "_" * (column["key"] in RESERVED) for column in table["columns"]]
             for table in tables.values()]
    asked = [f"SELECT {', '.join(columns)} FROM report_{key}({span})"
             for key, columns in zip(names, words)]
    asked += [f"SELECT name FROM pragma_table_info('report_{key}')" for key in names]
    answers = sql_all(file, asked)
    for key, columns, rows, own in zip(names, words, answers, answers[len(names):]):
        assert [name for name, in own] == columns, (key, own)
        told = [plain(row[column["key"]] for column in tables[key]["columns"])
                for row in tables[key]["rows"]]
        ours = [plain(row) for row in rows]
        assert ours == told, (f"{file}: report_{key}: "
                              f"{[both for both in zip(ours, told) if both[0] != both[1]][:2]}")


def check_stretch(file):
    first, last = sql(file, "SELECT trace_start(), trace_end()")[0]
    start, end = first + (last - first) // 4, first + (last - first) // 2
    check_whole(file, report(file, "--from", start, "--to", end), f"{start}, {end}")


def check_notes(file, tables):
    told = [(f"report_{key}", note) for key, table in tables.items()
            for note in table.get("notes", [])]
    ours = sql(file, "SELECT function, note FROM report_notes(NULL, NULL) WHERE function IS NOT "
                     "NULL")
    assert ours == told, (ours, told)


def check_counters(file, tables):
    rows = tables["counters"]["rows"]
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


def check(file):
    tables = report(file)
    faults = check_rows(file, tables)
    check_whole(file, tables)
    check_counters(file, tables)
    check_notes(file, tables)
    return faults, set(tables)


def main():
    with tempfile.TemporaryDirectory() as name:
        os.environ["POLYTRACE_CACHE"] = str(Path(name) / "cache")
        check_sections()
        faults, known = [], set()
        for file in [EXAMPLE, SHOP, *(DATA / one for one in (SAMPLES if LONG else SAMPLES[:3]))]:
            found, keys = check(file)
            faults += found
            known |= keys
        if faults:
            sys.exit("\n".join(faults))
        check_stretch(EXAMPLE)
        listed = set(re.findall(r"^ *report_(\w+)\(", run("sql", EXAMPLE, ".functions"), re.M))
        assert listed == known | {"notes"}, listed ^ known


main()
