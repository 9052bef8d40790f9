#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tracks, their tiles and series are what the events add up to, counted here from what `cat`
prints; states over time are those of `history query`; and a trace that is opened again leaves
nothing open."""
import collections
import json
import os
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "support"))
from ui import DATA, EXAMPLE, POLYTRACE, Server, command, skip_without_page  # noqa: E402

SERIES_HEAD = struct.Struct("<IHHqIIIIqIII")
TILE_ROW = struct.Struct("<IIdIIII")
BUCKET_COUNTS = (1, 13, 700)
# Units of counters and what their numbers are multiplied with.
SCALES = {"time": 100, "percentage": 100}


def events_of(file):
    done = subprocess.run([POLYTRACE, "cat", "--jsonl", file], check=False, capture_output=True)
    found = [json.loads(line) for line in done.stdout.splitlines()]
    # Numbers beyond 2^53 are texts.
    return [{**event, "time": int(event["time"])} for event in found
            if event.get("time") is not None]


def read_series(body, ids):
    """{id: (first bucket, [(least, most, last, sum, count)])}, and the level."""
    magic, version, _, base, level, rows, points, _, _, at_rows, at, size = (
        SERIES_HEAD.unpack_from(body))
    assert (magic, version, base, size) == (0x31535450, 1, 0, len(body))
    columns = []
    for code in "ddddI":
        columns.append(struct.unpack_from(f"<{points}{code}", body, at))
        at += points * 8
    found, begin = {}, 0
    for i in range(rows):
        track, count, first = struct.unpack_from("<IId", body, at_rows + 16 * i)
        found[ids[track]] = (int(first), list(zip(*(c[begin:begin + count] for c in columns))))
        begin += count
    return level, found


def ask_series(server, trace, tracks, span, points):
    question = {"tracks": [track["number"] for track in tracks], "from": span[0], "to": span[1],
                "points": points}
    status, _, body = server.ask("POST", "/api/1" + trace + "/series", json.dumps(question))
    assert status == 200, body
    level, found = read_series(body, {track["number"]: track["id"] for track in tracks})
    width = span[1] - span[0]
    assert 1 << level <= max(1, width // points) < 2 << level or level == 0
    return level, found


def in_buckets(spans, level, first, count):
    """Nanoseconds of the spans in each bucket."""
    sums = [0] * count
    for start, end in spans:
        for bucket in range(max(first, start >> level), min(first + count, (end >> level) + 1)):
            part = min(end, (bucket + 1) << level) - max(start, bucket << level)
            sums[bucket - first] += max(part, 0)
    return sums


def outermost(events, origin):
    """When threads were in a call; nothing where calls do not nest."""
    open_calls, since, last, spans = collections.defaultdict(list), {}, {}, []
    for event in events:
        thread, at = event.get("thread"), event["time"] - origin
        last[thread] = at
        if event["kind"] == "enter":
            if not open_calls[thread]:
                since[thread] = at
            open_calls[thread].append(event["method"])
        elif event["kind"] in ("leave", "unwind"):
            if not open_calls[thread] or open_calls[thread][-1] != event.get("method"):
                return None
            open_calls[thread].pop()
            if not open_calls[thread]:
                spans.append((since[thread], at))
    spans += [(since[thread], last[thread]) for thread, stack in open_calls.items() if stack]
    return spans


def allocated(events, origin):
    found = []
    for event in events:
        if event["kind"] == "alloc":
            found.append((event["time"] - origin, max(event.get("weight", 1), 1) * event["size"]))
        if event["kind"] == "alloc_summary":
            found.append((event["time"] - origin, event["bytes"]))
    return found


def counter_values(events, origin):
    """{name: [(time, value)]}; names that several counters have are left out."""
    defs = {e["counter"]: e for e in events if e["kind"] == "counter_def"}
    names = collections.Counter(e["name"] for e in defs.values())
    values = collections.defaultdict(list)
    for event in events:
        told = defs.get(event.get("counter"))
        if event["kind"] != "counter" or told is None or names[told["name"]] > 1:
            continue
        if event["type"] == "string":
            continue
        number = event["real"] if event["type"] == "real" else event.get("number", 0)
        scale = 1000 if event["type"] == "interval" else SCALES.get(told.get("unit"), 1)
        values[told["name"]].append((event["time"] - origin, number * scale))
    return values


def heap_values(events, origin, field):
    return [(e["time"] - origin, e[field]) for e in events
            if e["kind"] == "heap_size" and e.get("generation") is None and field in e]


def same_values(points, values, level, first):
    """Each bucket against the values in it; behind them what was told last."""
    before = [value for time, value in values if time >> level < first]
    last = before[-1] if before else 0
    for i, (least, most, told_last, total, count) in enumerate(points):
        inside = [value for time, value in values if time >> level == first + i]
        if inside:
            last = inside[-1]
            assert (least, most, count) == (min(inside), max(inside), len(inside))
            assert abs(total - sum(inside)) <= 1e-9 * abs(total)
        else:
            assert count == 0 and total == 0
        assert told_last == last, (i, told_last, last)


def series_are_their_events(server, trace, info, file, events):
    """Gives how many series of which sort were compared."""
    tracks = [t for t in server.get(trace + "/tracks")["tracks"] if t["kind"] == "series"]
    if not tracks:
        return set()
    by_id = {track["id"]: track for track in tracks}
    origin, end = int(info["first_offset"]), info["end"]
    calls, bytes_told = outermost(events, origin), allocated(events, origin)
    counters, compared = counter_values(events, origin), set()
    for span in ((0, end), (end // 3, end // 3 * 2 + 7), (-50, 1)):
        for points in BUCKET_COUNTS:
            level, found = ask_series(server, trace, tracks, span, points)
            for name, (first, told) in found.items():
                sums = [point[3] for point in told]
                assert first == span[0] >> level
                assert first + len(told) == ((span[1] - 1) >> level) + 1
                if name == "series:activity" and calls is not None:
                    assert sums == in_buckets(calls, level, first, len(told)), (file, points)
                elif name == "series:alloc.bytes":
                    wanted = [0] * len(told)
                    for time, size in bytes_told:
                        if 0 <= (time >> level) - first < len(told):
                            wanted[(time >> level) - first] += size
                    assert sums == wanted, (file, span, points)
                elif name.startswith("series:heap."):
                    same_values(told, heap_values(events, origin, name[12:]), level, first)
                elif by_id[name]["name"] in counters:
                    same_values(told, counters[by_id[name]["name"]], level, first)
                else:
                    continue
                compared.add(name.split(".")[0])
    return compared


def tile_figures(server, trace, track, end, width):
    """[(row, name, start, end, busy, count)] of all items of a track."""
    question = {"tracks": [{"track": track["number"]}], "from": min(track["first"] or 0, 0),
                "to": max(end, (track["last"] or 0) + 1), "width": width, "budget": 200000}
    status, _, body = server.ask("POST", "/api/1" + trace + "/tiles", json.dumps(question))
    assert status == 200, body
    head = SERIES_HEAD.unpack_from(body)
    base, items, at = head[3], head[6], head[10]
    columns = []
    for code, size in (("d", 8),) * 4 + (("I", 4),) * 3:
        columns.append(struct.unpack_from(f"<{items}{code}", body, at))
        at += (items * size + 7) // 8 * 8
    start, stop, busy, _, count, name, row = columns
    return [(row[i], name[i], start[i] + base, stop[i] + base, busy[i], count[i])
            for i in range(items)]


def table(report, key):
    return next((t["rows"] for t in report["tables"] if t["key"] == key), [])


def tracks_are_their_events(server, trace, info, file, events):
    """What is no call: counted once at each level, and as long as reports say."""
    tracks = server.get(trace + "/tracks")["tracks"]
    report = command("report", "--json", "--limit", "0", "--sections",
                     "collections,monitors", file)
    marks = collections.Counter()
    for event in events:
        kind = event["kind"]
        if kind in ("throw", "note", "lost"):
            marks[{"throw": 0, "note": 2, "lost": 3}[kind]] += 1
        if kind == "sample" and event.get("mode") != "change":
            marks[1] += 1
    sums = collections.defaultdict(collections.Counter)
    for track in tracks:
        if track["kind"] in ("calls", "series"):
            continue
        assert track["items"] > 0 and track["first"] <= track["last"], track
        for width in (1, 50, 4000):
            items = tile_figures(server, trace, track, info["end"], width)
            # A wide one is counted where it begins.
            assert sum(item[5] for item in items) == track["items"], (file, track, width)
            assert all(item[0] < track["rows"] for item in items)
        for row, name, start, stop, busy, count in items:
            sums[track["kind"]][row, name] += count
            sums[track["kind"], "busy"][name] += busy
    assert sum(marks.values()) == sum(sums["marks"].values()), (file, marks, sums["marks"])
    for (row, name), count in sums["marks"].items():
        assert row == name and marks[row] == count, (file, row)
    collections_told = table(report, "collections")
    assert sum(sums["collections"].values()) == len(collections_told), file
    waits = table(report, "monitor_totals")
    assert sums["status", "busy"][1] == sum(row["wait"] for row in waits), (file, waits)
    return set(sums)


def parts_of_time(server, trace, file):
    """Blocked, waiting and paused are parts of self; the paused ones are what `--subtract gc`
    leaves out."""
    answer = server.post(trace + "/profile", {"weight": "time", "most": 200000,
                                              "least_share": 0})["nodes"]
    if "paused" not in answer:
        return False
    for own, *parts in zip(answer["self"], answer["blocked"], answer["waiting"], answer["paused"]):
        assert sum(parts) <= own
    whole = command("report", "--json", "--sections", "calls", "--limit", "0", file)
    less = command("report", "--json", "--sections", "calls", "--limit", "0", "--subtract",
                   "gc", file)
    left_out = sum(sum(row["self"] for row in table(one, "methods")) * sign
                   for one, sign in ((whole, 1), (less, -1)))
    assert sum(answer["paused"]) == left_out, (file, sum(answer["paused"]), left_out)
    return left_out > 0


def same_states(server, trace, info, file):
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([POLYTRACE, "history", "build", file, "-o", folder + "/h"], check=False,
                       capture_output=True)
        first, end = int(info["first_offset"]), info["end"]
        span = (end // 5, end // 5 * 4)
        for points, words in ((0, []), (7, ["--samples", "7"])):
            theirs = command("history", "query", folder + "/h", "--json", "--path", "Threads/**",
                             "--from", first + span[0], "--to", first + span[1] - 1, *words)
            mine = server.post(trace + "/states", {"path": ["Threads/**"], "from": span[0],
                                                   "to": span[1], "points": points})
            assert mine["table"]["rows"] == theirs["table"]["rows"], (file, points)
            assert mine["table"]["rows"], file


def refuses_nonsense(server, trace):
    calls = next(t for t in server.get(trace + "/tracks")["tracks"] if t["kind"] == "calls")
    series = next(t for t in server.get(trace + "/tracks")["tracks"] if t["kind"] == "series")
    wrong = (400, "request-invalid")
    span = {"from": 0, "to": 10}
    assert server.fault(trace + "/series", {"tracks": [calls["number"]], **span}) == wrong
    assert server.fault(trace + "/tiles", {"tracks": [{"track": series["number"]}],
                                           **span}) == wrong
    assert server.fault(trace + "/series", {"tracks": [series["number"]], "from": 5,
                                            "to": 5}) == wrong
    assert server.fault(trace + "/series", {"tracks": [series["number"]], "points": 262145,
                                            **span}) == wrong
    many = {"tracks": [series["number"]] * 20, "from": 0, "to": 1 << 40, "points": 262144}
    assert server.fault(trace + "/series", many) == (413, "limit-exceeded")
    assert server.fault(trace + "/states", {"path": ["Nothing/Here"], **span}) == wrong
    assert server.fault(trace + "/states", {"from": 1 << 60, "to": (1 << 60) + 1}) == wrong
    assert server.ask("GET", f"/api/1{trace}/state?at={1 << 60}")[0] == 400


def opens_the_same_file_once():
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "a.mlpd").write_bytes(EXAMPLE.read_bytes())
        with Server("--root", folder, EXAMPLE) as server:
            held = Path(f"/proc/{server.told['pid']}/fd")
            server.post("/traces", {"file": "a.mlpd"})
            server.wait_ready()
            before = len(os.listdir(held))
            for _ in range(40):
                server.post("/traces", {"file": "a.mlpd"})
            assert len(os.listdir(held)) < before + 10, os.listdir(held)


def main():
    skip_without_page()
    compared, paused = set(), False
    files = [EXAMPLE, DATA / "mlpd/counters.mlpd", DATA / "mlpd/exceptions.mlpd",
             *sorted((DATA / "tracelog").glob("*.trclog"))[:2],
             *sorted((DATA / "trcxml").glob("*.trcxml"))[:2]]
    for file in (file for file in files if file.exists()):
        with Server(file) as server:
            trace, = server.traces()
            info, events = server.get(trace), events_of(file)
            compared |= series_are_their_events(server, trace, info, file, events)
            compared |= tracks_are_their_events(server, trace, info, file, events)
            paused = parts_of_time(server, trace, file) or paused
    assert {"series:activity", "series:alloc", "series:heap", "series:counter", "marks",
            "collections", "pauses", "status"} <= compared, compared
    assert paused, "no trace with pauses inside of calls"
    with Server(EXAMPLE) as server:
        trace, = server.traces()
        same_states(server, trace, server.get(trace), EXAMPLE)
        refuses_nonsense(server, trace)
    opens_the_same_file_once()


if __name__ == "__main__":
    main()
