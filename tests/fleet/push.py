#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`polytrace push` into a real ClickHouse server: what lies there against a walk over the events
that `cat` tells, against what other programs counted in the same recordings, and against itself
when it
is sent twice."""
import collections
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parent / "support"), str(Path(__file__).parents[1] / "cli")]
import clickhouse  # noqa: E402
from json_schemas import fits  # noqa: E402

POLYTRACE = os.environ["POLYTRACE"]
DATA = Path(os.environ["TEST_DATA"])
WINDOW = 10**10
HELPER = "(wrapper "
LONELY = ("(runtime helpers)",)  # that nothing called


def run(*words, codes=(0,)):
    done = subprocess.run([POLYTRACE, *map(str, words)], stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode in codes, (words, done.returncode, done.stdout, done.stderr)
    return done


def make_tables(server, name):
    """As `fleet schema --apply` makes them, from the statements that are part of the program."""
    server.ask(f"CREATE DATABASE {name}")
    text = (Path(__file__).parents[2] / "src/warehouse/sql/0001_base.sql").read_text("utf-8")
    text = "\n".join(line for line in text.splitlines() if not line.startswith("--"))
    for statement in text.split(";\n"):
        for old, new in (("{db}", name), ("{MT}", "MergeTree()"), ("{RMT}", "ReplacingMergeTree()"),
                         ("{RMT:", "ReplacingMergeTree("), (")}", "))"), ("}", ")")):
            statement = statement.replace(old, new)
        if statement.strip():
            server.ask(statement)
    server.ask(f"INSERT INTO {name}.schema_version VALUES (100, now(), 'test')")


def naive_calls(file):
    """(window, path) -> [calls, self], path of names without helpers; by the rules of
    docs/collector.md and no other code: one Python loop over `cat --jsonl`."""
    told = run("cat", "--jsonl", file, codes=(0, 4)).stdout
    events = [json.loads(line) for line in told.splitlines()]
    names, clock = {}, None
    for event in events:
        if event["kind"] == "method":
            names.setdefault(event["method"], event.get("name"))
        if event["kind"] == "clock" and clock is None and event.get("wall"):
            clock = int(event["wall"]) - int(event["time"])
    sums = collections.defaultdict(lambda: [0, 0])
    stacks, last = collections.defaultdict(list), {}

    def path(stack):
        whole = tuple(names[call] for call in stack if not names[call].startswith(HELPER))
        return whole or LONELY

    def pass_time(thread, time):
        stack, at = stacks[thread], last.get(thread, time)
        while stack and at < time:
            window = (at + clock) // WINDOW
            part = min(time, (window + 1) * WINDOW - clock)
            sums[window * 10, path(stack)][1] += part - at
            at = part
        last[thread] = max(time, last.get(thread, time))

    def leave(thread, time):
        stack = stacks[thread]
        if not names[stack[-1]].startswith(HELPER):
            sums[(time + clock) // WINDOW * 10, path(stack)][0] += 1
        stack.pop()

    ends = {}
    for event in events:
        thread, time = event["thread"], int(event["time"])
        ends[thread] = max(time, ends.get(thread, time))
        if event["kind"] == "enter":
            pass_time(thread, time)
            stacks[thread].append(event["method"])
        elif event["kind"] in ("leave", "unwind") and event["method"] in stacks[thread]:
            pass_time(thread, time)
            while stacks[thread][-1] != event["method"]:
                leave(thread, time)
            leave(thread, time)
    for thread, stack in stacks.items():
        pass_time(thread, ends[thread])
        while stack:
            leave(thread, ends[thread])
    return {key: tuple(value) for key, value in sums.items() if value != [0, 0]}


def stored_calls(server, db):
    frames = {row[0]: row[1] for row in server.rows(f"SELECT id, name FROM {db}.frames FINAL")}
    stacks = {row[0]: json.loads(row[1]) for row in
              server.rows(f"SELECT hex(id), frames FROM {db}.stacks FINAL")}
    sums = {}
    for time, stack, count, weight in server.rows(
            f"SELECT toUInt32(t), hex(stack), sum(count), sum(weight) FROM {db}.profile_10s FINAL "
            "WHERE carrier = 0 GROUP BY t, stack"):
        path = tuple(frames[str(frame)] for frame in reversed(stacks[stack]))
        sums[int(time), path] = (int(count), int(weight))
    return sums


def totals(server, db):
    return [server.ask(f"SELECT {what} FROM {db}.{table} FINAL") for table, what in (
        ("profile_10s", "count(), sum(count), sum(weight)"),
        ("methods_1m", "count(), sum(calls), sum(self_ns), sum(total_ns), max(max_ns), "
                       "sum(arraySum(tally))"),
        ("health_10s", "count(), sum(calls), sum(events), sum(alloc_bytes), sum(gcs), "
                       "sum(pause_ns)"),
        ("moments", "count(), sum(took)"), ("frames", "count(), sum(id)"),
        ("stacks", "count()"), ("series", "count(), sum(series)"),
        ("traces", "count(), sum(events)"),
        ("batches", "count(), sum(rows), sum(count), sum(weight)"))]


def check_calls(server):
    db = "calls"
    make_tables(server, db)
    file = DATA / "mlpd/calls.mlpd"
    to = f"{server.url}/{db}"
    done = run("push", file, "--to", to, "--label", "service=recurse", "--label", "version=1")
    assert "48 h" in done.stderr, done.stderr  # an old recording
    stored = stored_calls(server, db)
    naive = naive_calls(file)
    # The lightest paths are one row, exactly.
    more = [value for key, value in stored.items() if key[1] == ("(... more)",)]
    heavy = {key: value for key, value in stored.items() if key[1] != ("(... more)",)}
    assert heavy.items() <= naive.items(), list(heavy.items() - naive.items())[:6]
    assert len(heavy) >= 390 and len(more) == 1, (len(heavy), more)
    rest = [value for key, value in naive.items() if key not in heavy]
    assert more == [(sum(v[0] for v in rest), sum(v[1] for v in rest))], more
    assert max(v[1] for v in rest) <= min(v[1] for v in heavy.values())
    # What another program counted in the same bytes.
    facts = json.loads((DATA / "mlpd/calls.facts.json").read_text("utf-8"))["calls"]["top"]
    by_method = collections.Counter()
    for (_, path), (count, _) in naive.items():
        by_method[path[-1]] += count
    for name in facts:
        if not name.startswith(HELPER):
            assert by_method[name] == facts[name], (name, by_method[name], facts[name])
    # The report's own sums.
    report = json.loads(run("report", "--json", "--sections", "calls", "--limit", "0", file).stdout)
    rows = next(table for table in report["tables"] if table["key"] == "methods")["rows"]
    assert sum(row["calls"] for row in rows) == sum(v[0] for v in stored.values())
    owned = sum(v[1] for key, v in naive.items() if key[1] != LONELY)
    assert sum(row["self"] for row in rows) == owned
    assert sum(v[1] for v in stored.values()) == sum(v[1] for v in naive.values())
    # Twice: the same sums, and batches that tell of it.
    before = totals(server, db)
    assert server.number(f"SELECT max(attempts) FROM {db}.batches") == 1
    again = run("push", file, "--to", to, "--label", "service=recurse", "--label", "version=1")
    assert "had it before" in again.stdout, again.stdout
    after = totals(server, db)
    assert after == before, [pair for pair in zip(before, after) if pair[0] != pair[1]]
    assert server.number(f"SELECT max(attempts) FROM {db}.batches") == 2
    # Batches add up to the tables.
    assert (server.rows(f"SELECT sum(rows), sum(count), sum(weight) FROM {db}.batches FINAL "
                        "WHERE target = 'profile_10s'")
            == server.rows(f"SELECT count(), sum(count), sum(weight) FROM {db}.profile_10s FINAL"))
    series = server.rows(f"SELECT service_name, version, instance FROM {db}.series FINAL")
    assert series == [["recurse", "1", "29042"]], series


def check_every_recording(server):
    """Sums of each carrier against reports of the same recordings."""
    db = "every"
    make_tables(server, db)
    for file in sorted((DATA / "mlpd").glob("*.mlpd*")):
        name = file.name.split(".")[0]
        done = run("push", file, "--to", f"{server.url}/{db}", "--label", f"service={name}",
                   "--json", codes=(0, 4))
        document = json.loads(done.stdout)
        fits(document, "push.json", name)
        pushed = document["traces"][0]
        assert pushed["events_refused"] == 0 and pushed["time_refused"] == 0, (name, pushed)
        report = json.loads(run("report", "--json", "--limit", "0", file, codes=(0, 4)).stdout)
        tables = {table["key"]: table["rows"] for table in report["tables"]}
        sums = {int(row[0]): (int(row[1]), int(row[2])) for row in server.rows(
            f"SELECT carrier, sum(count), sum(weight) FROM {db}.profile_10s FINAL "
            f"WHERE series = {int(pushed['series'], 16)} GROUP BY carrier")}
        calls = tables.get("methods", [])
        assert sums.get(0, (0, 0))[0] == sum(row["calls"] for row in calls), (name, sums)
        allocated = tables.get("allocations", [])
        told = (sum(row["count"] for row in allocated), sum(row["bytes"] for row in allocated))
        assert sums.get(3, (0, 0)) == told, (name, sums, told)
        health = server.rows(
            f"SELECT sum(gcs), sum(throws), sum(events) FROM {db}.health_10s FINAL "
            f"WHERE series = {int(pushed['series'], 16)}")[0]
        facts = json.loads((DATA / f"mlpd/{name}.facts.json").read_text("utf-8"))
        assert int(health[1]) == facts["throws"], (name, health)
        assert int(health[0]) == sum(facts["gc"]["starts"].values()), (name, health, facts["gc"])


def trace_text(calls):
    """TPTP's XML of that many calls of one method, each in a line of equal length."""
    begin, lines = 1_750_000_000, []
    for i in range(calls):
        lines += [f'<{what} threadIdRef="1" time="{begin + i / 1e3 + later:.6f}" methodIdRef="1" '
                  'classIdRef="1"/>' for what, later in (("methodEntry", 0), ("methodExit", 5e-4))]
    return [f"""<?xml version="1.0" encoding="UTF-8"?>
<TRACE>
<node nodeId="n" hostname="h" ipaddress="10.0.0.7" timezone="0" time="{begin}"/>
<processCreate processId="p" pid="1" nodeIdRef="n" time="{begin}"/>
<agentCreate agentId="a" processIdRef="p" agentName="a" agentType="Profiler" time="{begin}"
 agentParameters="" version="1"/>
<traceStart traceId="t" agentIdRef="a" time="{begin}"/>
<threadStart threadId="1" time="{begin}" groupName="g" parentName="" objIdRef="1" threadName="m"/>
<classDef time="{begin}" classId="1" sourceName="S" name="Type"/>
<methodDef name="one" signature="()V" startLineNumber="1" endLineNumber="2" classIdRef="1"
 methodId="1"/>
<methodDef name="two" signature="()V" startLineNumber="1" endLineNumber="2" classIdRef="1"
 methodId="2"/>
""", *[line + "\n" for line in lines], "</TRACE>\n"]


def check_edited(server):
    """A trace of the same size in which one call, anywhere, is another is another trace."""
    make_tables(server, "edited")
    calls, to = 4000, f"{server.url}/edited"
    lines = trace_text(calls)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "a.trcxml")
        for changed in (None, *range(1, 2 * calls, 800)):
            text = list(lines)
            if changed:
                text[changed] = text[changed].replace('methodIdRef="1"', 'methodIdRef="2"')
                text[changed + 1] = text[changed + 1].replace('methodIdRef="1"', 'methodIdRef="2"')
            file.write_text("".join(text), encoding="utf-8")
            done = run("push", file, "--to", to, "--label", "service=edited")
            assert "had it before" not in done.stdout, (changed, done.stdout)
    streams = server.number("SELECT uniqExact(digest) FROM edited.traces")
    assert streams == 1 + len(range(1, 2 * calls, 800)), streams


def check_refusals(server):
    file = DATA / "mlpd/calls.mlpd"
    assert "without the tables" in run("push", file, "--to", f"{server.url}/nothing",
                                       codes=(3,)).stderr
    run("push", file, "--to", "http://127.0.0.1:1/x", codes=(1,))
    run("push", file, "--to", f"{server.url}/calls", "--label", "1=2", codes=(2,))
    run("push", file, "--to", f"{server.url}/calls", "--at", "noon", codes=(2,))
    run("push", "-", "--to", f"{server.url}/calls", codes=(2,))
    # In the future: refused, said, and nothing of it is there.
    db = "future"
    make_tables(server, db)
    to = f"{server.url}/{db}"
    done = run("push", file, "--to", to, "--at", "2099-01-01T00:00:00Z", codes=(4,))
    assert "impossible times" in done.stderr, done.stderr
    assert server.number(f"SELECT count() FROM {db}.profile_10s") == 0
    # At a time that is given.
    run("push", file, "--to", to, "--at", "2026-01-02T03:04:05Z")
    began = server.ask(f"SELECT toString(min(t)) FROM {db}.profile_10s").strip()
    assert began == "2026-01-02 03:04:00", began


def main():
    with clickhouse.Server() as server:
        check_calls(server)
        check_every_recording(server)
        check_edited(server)
        check_refusals(server)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory():
        main()
