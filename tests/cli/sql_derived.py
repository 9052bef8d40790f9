#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What is made of a trace beside its index, in SQL: states of threads and of everything else say
what `history` and `state` say; heap snapshots what `heap` says; pieces of the source hold all
events. Over samples of every format that has such things."""
import csv
import io
import json
import os
import subprocess
import sys
import tempfile
from collections import defaultdict
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent / "support"))
from sql_questions import POLYTRACE, run, same, sql, sql_all, tables  # noqa: E402

DATA = Path(os.environ["TEST_DATA"])
EXAMPLE = Path(__file__).resolve().parents[2] / "examples/everything.mlpd"
SAMPLES = ["mlpd/locks.mlpd", "mlpd/gc.mlpd", "mlpd/truncated.mlpd", "mlpd/threads.mlpd.gz",
           "monoblock/shipped10.mprof", "trcxml/shop.trcxml", "tbf/shop_little.trcbin",
           "tracelog/app64.trace.log"]
#: All of them take minutes with sanitizers; other tests ask the others.
HEAPS = ["mlpd/gcroots.mlpd.gz", "mlpd/heapshot.mlpd.gz", "mlpd/heapshot_shutdown.mlpd.gz"]
ASKED = SAMPLES + HEAPS if os.environ.get("POLYTRACE_LONG") else SAMPLES[1::6] + HEAPS[:1]
#: Wrong questions to functions, each refused as one; and odd ones that have answers.
WRONG = ["activity(NULL, NULL, 0, NULL)", "activity(NULL, NULL, 2000000, NULL)",
         "activity(NULL, NULL, 'x', NULL)", "activity(NULL, NULL, 1048576, '[0, 1, 2]')",
         "slice_lod(NULL, NULL, 0, NULL)", "slice_lod(NULL, NULL, NULL, NULL)",
         "bottom_up(NULL, NULL, NULL, 'x')", "state_at(0, 5)", "state_at('x', NULL)",
         "heap_classes('x')", "heap_classes(-1)", "heap_path(0, 'x')", "heap_path(0, NULL)",
         "heap_path(0, '0x')", "heap_path(0, '0xzz')"]
FINE = ["activity(5, 5, 10, NULL)", "activity(9223372036854775807, -9223372036854775808, 9, NULL)",
        "activity(-9223372036854775808, 9223372036854775807, 1, 7)",
        "activity(NULL, NULL, 10, 4294967295)", "slice_lod(NULL, NULL, 9223372036854775807, NULL)",
        "slice_lod(9223372036854775807, -9223372036854775808, 1, NULL)",
        "state_at(-9223372036854775808, NULL)", "state_range('', NULL, -9223372036854775808)",
        "state_range('/', NULL, NULL)", "state_range('no/such', NULL, NULL)",
        "state_range('**/../*', 5, 4)", "heap_classes(99999999999)", "heap_path(0, '0x1')",
        "bottom_up(NULL, NULL, '[]', 2)"]
LETTERS = {"running": "Running", "blocked": "S", "waiting": "S", "paused": "R", "ended": "X",
           "unknown": None}


def text_of(value):
    """Numbers as they are compared: those of states are texts in CSV."""
    return "" if value is None else str(value)


def rows_of_history(file, folder):
    """(path, start, end, value) of all states, as `history export` writes them."""
    history = folder / "states"
    run("history", "build", file, "-o", history, "-f")
    out = run("history", "export", history, "-o", "-")
    return list(csv.DictReader(io.StringIO(out)))


def check_states(file, folder):
    rows = [row for row in rows_of_history(file, folder) if row["type"] != "null"]
    last = max(int(row["end"]) for row in rows)
    def dur(row):
        return int(row["end"]) - int(row["start"]) + (int(row["end"]) != last)
    ours = sql(file, "SELECT path, ts, dur, value FROM state_range('**', NULL, NULL) WHERE type "
                     "<> 'double'")
    same("state_range", [(path, ts, d, text_of(value)) for path, ts, d, value in ours],
         [("/" + row["path"].lstrip("/"), int(row["start"]), dur(row), row["value"])
          for row in rows if row["type"] != "double"])
    status = [row for row in rows if row["path"].endswith("/Status")]
    ids = sql(file, "SELECT source_id, utid FROM thread WHERE source_id IS NOT NULL "
                    "ORDER BY utid")
    numbers, seen = {}, defaultdict(int)
    for number, utid in ids:
        seen[number] += 1
        numbers[number + (f"#{seen[number]}" if seen[number] > 1 else "")] = utid
    same("thread_state", sql(file, "SELECT utid, ts, dur, status, state FROM thread_state"),
         [(numbers[row["path"].split("/")[-2]], int(row["start"]), dur(row), row["value"],
           LETTERS[row["value"]]) for row in status])
    objects = {(row["path"].rsplit("/", 1)[0], row["value"]) for row in rows
               if row["path"].endswith("/Waits for")}
    told = sql(file, "SELECT DISTINCT blocked_on FROM thread_state WHERE blocked_on IS NOT NULL "
                     "AND status IN ('blocked', 'waiting')")
    assert {value for value, in told} <= {value for _, value in objects}
    running = [(int(row["start"]), row["value"]) for row in rows
               if row["path"].lstrip("/") == "Recording" and row["value"] != "ended"]
    # States begin with the first event that tells one, recording with the first of all.
    phases = sql(file, "SELECT ts, state FROM recording ORDER BY ts")
    assert phases[0][0] == int(sql(file, "SELECT trace_start()")[0][0])
    running = [row for row in running if row[0] != last]
    assert (phases[1:], phases[0][1]) == (running[1:], running[0][1]), (phases, running)


def check_moment(file):
    first, end = map(int, sql(file, "SELECT trace_start(), trace_end()")[0])
    at = first + (end - first) // 3
    told = json.loads(run("state", "--json", "--all", "--no-cache", "--at", at, file))["states"]
    same("state_at", [(path, ts, kind) for path, ts, kind in
                      sql(file, f"SELECT path, ts, type FROM state_at({at}, NULL)")],
         [(row["path"], int(row["start"]), row["type"]) for row in told])
    chosen = sql(file, f"SELECT path, value FROM state_at({at}, 'Threads/*/Status')")
    same("a pattern", chosen, [(row["path"], row["value"]) for row in told
                               if row["path"].endswith("/Status")])
    assert not sql(file, f"SELECT * FROM state_at({end + 1000}, NULL)")


def check_chunks(file):
    chunks = sql(file, "SELECT id, source_offset, bytes, first_event, events FROM chunk "
                       "ORDER BY id")
    events = int(dict(sql(file, "SELECT key, value FROM trace_info"))["events"])
    assert sum(row[4] for row in chunks) == events
    for i, (number, offset, size, first, count) in enumerate(chunks):
        assert number == i
        if i + 1 < len(chunks):
            assert (offset + size, first + count) == (chunks[i + 1][1], chunks[i + 1][3])
        else:
            assert size is None
    # Of each piece the events by their times, one by one.
    found = {}
    for chunk, ts in sql(file, "SELECT chunk_id, ts FROM event ORDER BY id"):
        found.setdefault(chunk, []).append(ts)
    assert {number: len(times) for number, times in found.items()} == {
        row[0]: row[4] for row in chunks if row[4]}
    told = {row[0]: row[1:] for row in sql(file, "SELECT id, ts, end_ts FROM chunk")}
    for number, times in found.items():
        times = [ts for ts in times if ts is not None]
        assert told[number] == ((times[0], times[-1]) if times else (None, None)), number


def check_heap(file):
    snapshots = tables("report", "--json", "--limit", 0, "--sections", "heap", file).get(
        "heap_snapshots", [])
    assert len(snapshots) == len(sql(file, "SELECT * FROM heap_dump"))
    same("heap_root", sql(file, "SELECT dump_id, count(*) FROM heap_root WHERE dump_id IS NOT NULL "
                                "GROUP BY 1"),
         [(row["snapshot"], row["roots"]) for row in snapshots if row["roots"]])
    for dump in range(len(snapshots)):
        asked = ["--json", "--limit", 0, "--snapshot", dump, file]
        classes = tables("heap", "--classes", *asked)["heap_classes"]
        same("heap_classes", sql(file, "SELECT name, objects, bytes, retained FROM "
                                       f"heap_classes({dump})"),
             [(r["class"], r["objects"], r["bytes"], r["retained"]) for r in classes])
        # What only a root tells of is in no row of objects.
        told = {row[0] for row in sql(file, "SELECT object_id FROM heap_object WHERE dump_id = "
                                            f"{dump}")}
        most = [row for row in tables("heap", "--dominators", *asked)["heap_dominators"]
                if row["object"] in told]
        same("retained_size",
             sql(file, "SELECT object_id, retained_size FROM heap_object WHERE dump_id = "
                       f"{dump} AND retained_size > 0"),
             [(r["object"], r["retained"]) for r in most])
        same("dominator_id",
             sql(file, "SELECT o.object_id, d.object_id FROM heap_object o JOIN heap_object d ON "
                       f"d.id = o.dominator_id WHERE o.dump_id = {dump}"),
             [(r["object"], r["held_by"].split()[-1]) for r in most
              if r["held_by"].split()[-1] in told])
        for row in most[:3] + most[-3:]:
            path = tables("heap", "--path", row["object"], *asked)["heap_path"]
            ours = sql(file, "SELECT step, object_id, name, size, retained, root FROM "
                             f"heap_path({dump}, '{row['object']}')")
            assert ours == [(r["step"], r["object"], r["class"], r["bytes"], r["retained"],
                             r["root"] or None) for r in path], (row, ours, path)
    if snapshots:
        assert sql(file, "SELECT name FROM heap_classes(NULL)") == (
            sql(file, f"SELECT name FROM heap_classes({len(snapshots) - 1})"))
    assert not sql(file, "SELECT * FROM heap_classes(99)")


def check_views(file):
    """Perfetto's: one row for each of what they are of."""
    of = (("heap_graph_object", "heap_object"), ("heap_graph_reference", "heap_reference"),
          ("stack_profile_frame", "method"))
    answers = sql_all(file, [f"SELECT count(*) FROM {name}" for both in of for name in both])
    assert answers[::2] == answers[1::2], (of, answers)
    roots = sql(file, "SELECT count(DISTINCT object_id) FROM heap_root WHERE dump_id IS NOT NULL "
                      "AND EXISTS (SELECT 1 FROM heap_object o WHERE o.dump_id = "
                      "heap_root.dump_id AND o.object_id = heap_root.object_id)")
    assert sql(file, "SELECT count(DISTINCT o.object_id) FROM heap_graph_object g JOIN heap_object "
                     "o USING (id) WHERE root_type IS NOT NULL") == roots
    assert sql(file, "SELECT count(*) FROM instant") == (
        sql(file, "SELECT (SELECT count(*) FROM exception) + (SELECT count(*) FROM recording)"))


def check_edges():
    for query in WRONG:
        done = subprocess.run([POLYTRACE, "sql", EXAMPLE, f"SELECT * FROM {query}"],
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
        assert done.returncode == 2 and done.stderr.startswith("polytrace: "), (query, done.stderr)
    sql_all(EXAMPLE, [f"SELECT * FROM {query}" for query in FINE])


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        os.environ["POLYTRACE_CACHE"] = str(folder / "cache")
        native = folder / "everything.ptrace"
        run("convert", EXAMPLE, "-o", native)
        traces = [EXAMPLE, native, *(DATA / sample for sample in ASKED)]
        for file in traces:
            for check, more in ((check_states, [folder]), (check_moment, []), (check_chunks, []),
                                (check_heap, []), (check_views, [])):
                try:
                    check(file, *more)
                except AssertionError as fault:
                    sys.exit(f"{file}: {check.__name__}: {fault}")
        check_edges()
        # A second question answers from what the first one kept.
        kept = list((folder / "cache/states").iterdir())
        assert len(kept) >= len(traces) - 2, kept


main()
