#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Parts of time in SQL, over samples of every format: how much of each method's own time was spent
waiting and paused, activity over time, calls as a picture needs them. Each is counted again from
calls, waits and pauses one by one, and compared with the report where that has it."""
import os
import sys
import tempfile
from bisect import bisect_right
from collections import defaultdict
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent / "support"))
from sql_questions import run, same, sql, tables  # noqa: E402

DATA = Path(os.environ["TEST_DATA"])
EXAMPLE = Path(__file__).resolve().parents[2] / "examples/everything.mlpd"
SAMPLES = ["mlpd/locks.mlpd", "mlpd/gc.mlpd", "mlpd/truncated.mlpd", "mlpd/threads.mlpd.gz",
           "monoblock/shipped10.mprof", "trcxml/shop.trcxml", "tbf/shop_little.trcbin",
           "tracelog/app64.trace.log"]
#: All of them take minutes with sanitizers; other tests ask the others.
ASKED = SAMPLES if os.environ.get("POLYTRACE_LONG") else SAMPLES[::3]


class Calls:
    """All calls of a trace with what interrupted them."""

    def __init__(self, file):
        self.by_thread = defaultdict(list)
        for row in sql(file, "SELECT utid, ts, dur, depth, id, method_id FROM slice ORDER BY id"):
            self.by_thread[row[0]].append(row[1:])
        self.pauses = [(ts, ts + dur) for ts, dur in sql(file, "SELECT ts, dur FROM gc_pause")]
        self.blocked, self.waiting = defaultdict(list), defaultdict(list)
        for table, to in (("lock_wait", self.blocked), ("object_wait", self.waiting)):
            for utid, begin, dur in sql(file, f"SELECT utid, ts, dur FROM {table}"):
                to[utid].append((begin, begin + dur))

    def selfs(self, utid):
        """(begin, end, method): where a call had time of its own."""
        open_calls, at = [], None
        for ts, dur, depth, _, method in self.by_thread[utid]:
            while len(open_calls) > depth:
                end, of = open_calls.pop()
                yield at, end, of
                at = max(at, end)
            if open_calls:
                yield at, ts, open_calls[-1][1]
            open_calls.append((ts + dur, method))
            at = ts
        while open_calls:
            end, of = open_calls.pop()
            yield at, end, of
            at = max(at, end)

    def state(self, utid, moment):
        """Of the span that begins then and has no edge in it."""
        def has(spans):
            return any(begin <= moment < end for begin, end in spans)
        if has(self.pauses):
            return "paused"
        if has(self.blocked[utid]):
            return "blocked"
        return "waiting" if has(self.waiting[utid]) else "ran"

    def parts(self):
        """By method: nanoseconds in each state."""
        all_parts = defaultdict(lambda: defaultdict(int))
        for utid in self.by_thread:
            edges = sorted({edge for span in self.pauses + self.blocked[utid] + self.waiting[utid]
                            for edge in span})
            for begin, end, method in self.selfs(utid):
                while begin < end:
                    next_edge = bisect_right(edges, begin)
                    until = min(end, edges[next_edge]) if next_edge < len(edges) else end
                    all_parts[method][self.state(utid, begin)] += until - begin
                    begin = until
        return all_parts


def has_summaries(file):
    """Calls that the recorder had added up, which are no calls of the trace: reports count them."""
    return sql(file, "SELECT count(*) FROM event_summary_begin")[0][0] != 0


def check_parts(file, calls):
    query = "SELECT method_id, blocked_ns, waiting_ns, paused_ns, self_ns FROM {}"
    ours = sql(file, query.format("methods(NULL, NULL, NULL)"))
    parts = calls.parts()
    same("parts of self", ours,
         [(row[0], parts[row[0]]["blocked"], parts[row[0]]["waiting"], parts[row[0]]["paused"],
           sum(parts[row[0]].values())) for row in ours])
    same("method_stats", sql(file, query.format("method_stats(NULL, NULL, NULL)")), ours)
    sums = sql(file, "SELECT method_id, sum(blocked_ns), sum(waiting_ns), sum(paused_ns), "
                     "sum(self_ns) FROM call_tree(NULL, NULL, NULL, NULL) GROUP BY 1")
    same("call_tree", [row for row in sums if row[0] is not None], ours)
    up = sql(file, "SELECT method_id, sum(blocked_ns), sum(waiting_ns), sum(paused_ns), "
                   "sum(self_ns) FROM bottom_up(NULL, NULL, NULL, NULL) WHERE depth = 0 GROUP BY 1")
    same("bottom_up", up, [row for row in ours if row[0] in {one[0] for one in up}])
    if has_summaries(file):
        return
    counted = tables("report", "--json", "--limit", 0, "--show-helpers", "--sections", "calls",
                     "--subtract", "gc,waits", file).get("methods", [])
    # In reports, methods of one name are one row.
    same("report --subtract",
         sql(file, "SELECT name, sum(calls), sum(self_ns - blocked_ns - waiting_ns - paused_ns) "
                   "FROM methods(NULL, NULL, NULL) GROUP BY name"),
         [(row["method"], row["calls"], row["self"]) for row in counted])


def check_bottom_up(file):
    if has_summaries(file):
        return
    rows = tables("report", "--json", "--limit", 0, "--show-helpers", "--sections", "sandwich",
                  file).get("bottom_up", [])
    same("bottom_up", sql(file, "SELECT depth, name, calls, self_ns FROM bottom_up(NULL, NULL, "
                                "NULL, NULL)"),
         [(row["depth"], row["method"], row["calls"], row["time"]) for row in rows])


def check_stats(file):
    """Of a stretch, from what lies in it of each call."""
    if has_summaries(file):
        return
    first, last = map(int, sql(file, "SELECT trace_start(), trace_end()")[0])
    start, end = first + (last - first) // 4, first + (last - first) // 2
    rows = tables("report", "--json", "--limit", 0, "--show-helpers", "--sections", "calls",
                  "--from", start, "--to", end, file).get("methods", [])
    alone = sql(file, "SELECT name, max(calls), max(least_ns), max(most_ns), max(p50_ns), "
                      f"max(p95_ns) FROM method_stats({start}, {end}, NULL) GROUP BY name "
                      "HAVING count(*) = 1")
    names = {name for name, *_ in alone}
    same("method_stats of a stretch", alone,
         [(r["method"], r["calls"], r["least"], r["most"], r["p50"], r["p95"]) for r in rows
          if r["method"] in names])


def overlap(begin, end, start, stop):
    return max(0, min(end, stop) - max(begin, start))


def check_activity(file, calls):
    outermost = [(utid, ts, ts + dur) for utid, some in calls.by_thread.items()
                 for ts, dur, depth, *_ in some if depth == 0]
    begins = [(utid, ts) for utid, some in calls.by_thread.items() for ts, *_ in some]
    allocs = sql(file, "SELECT utid, ts, weight, weight * size FROM alloc") + sql(
        file, "SELECT utid, ts, objects, size FROM alloc_sum")
    busiest = max(calls.by_thread, key=lambda utid: len(calls.by_thread[utid]), default=0)
    for thread in (None, busiest):
        rows = sql(file, "SELECT ts, dur, utid, calls, busy_ns, blocked_ns, waiting_ns, "
                         "alloc_objects, alloc_bytes FROM activity(NULL, NULL, 13, "
                         f"{'NULL' if thread is None else thread})")
        assert len(rows) <= 13
        for i, (ts, dur, utid, *figures) in enumerate(rows):
            assert utid == thread and (i == 0 or ts == rows[i - 1][0] + dur)
            def mine(of, thread=thread):
                return thread is None or of == thread
            waits = [sum(overlap(*span, ts, ts + dur) for one, spans in of.items() if mine(one)
                         for span in spans) for of in (calls.blocked, calls.waiting)]
            expected = [sum(mine(u) and ts <= at < ts + dur for u, at in begins),
                        sum(overlap(b, e, ts, ts + dur) for u, b, e in outermost if mine(u)),
                        *waits,
                        sum(n for u, at, n, _ in allocs if mine(u) and ts <= at < ts + dur),
                        sum(n for u, at, _, n in allocs if mine(u) and ts <= at < ts + dur)]
            assert figures == expected, f"activity of {thread} at {ts}: {figures}, not {expected}"


def check_lod(file, calls):
    first, last, origin = map(int, sql(
        file, "SELECT trace_start(), trace_end(), (SELECT ts FROM event WHERE ts IS NOT NULL ORDER "
              "BY id LIMIT 1)")[0])
    for start, end, step in ((first, last + 1, max((last - first) // 50, 1)),
                             (first + (last - first) // 3, first + (last - first) // 2, 1000)):
        level = step.bit_length() - 1
        buckets = range((start - origin) >> level, ((end - 1 - origin) >> level) + 1)
        expected, narrow = [], defaultdict(list)
        for utid, some in calls.by_thread.items():
            for ts, dur, depth, number, _ in some:
                bucket = (ts - origin) >> level
                if dur >> level:
                    if ts < end and (ts >= start or ts + dur > start):
                        expected.append((utid, depth, max(ts, start), min(ts + dur, end),
                                         int(bucket in buckets), dur, number, 0))
                elif bucket in buckets:
                    narrow[utid, depth, bucket].append((ts, dur, number))
        for (utid, depth, _), some in narrow.items():
            begin, stop = some[0][0], max(ts + dur for ts, dur, _ in some)
            if begin >= end or (begin < start and stop <= start):
                continue
            longest = max(some, key=lambda one: one[1])
            expected.append((utid, depth, max(begin, start), min(stop, end), len(some), longest[1],
                             longest[2], 1))
        rows = sql(file, "SELECT utid, depth, ts, dur, calls, longest_ns, slice_id, merged FROM "
                         f"slice_lod({start}, {end}, {step}, NULL)")
        same("slice_lod", [(*row[:3], row[2] + row[3], *row[4:]) for row in rows], expected)


def main():
    with tempfile.TemporaryDirectory() as name:
        os.environ["POLYTRACE_CACHE"] = str(Path(name) / "cache")
        native = Path(name) / "everything.ptrace"
        run("convert", EXAMPLE, "-o", native)
        for file in [EXAMPLE, native, *(DATA / sample for sample in ASKED)]:
            calls = Calls(file)
            for check, more in ((check_parts, [calls]), (check_bottom_up, []), (check_stats, []),
                                (check_activity, [calls]), (check_lod, [calls])):
                try:
                    check(file, *more)
                except AssertionError as fault:
                    sys.exit(f"{file}: {check.__name__}: {fault}")


main()
