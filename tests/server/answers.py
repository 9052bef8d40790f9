#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What `polytrace ui` answers is what the commands say of the same trace, figure by figure; what no
command says is counted here from the events that `cat` prints."""
import collections
import json
import os
import re
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "support"))
from ui import (DATA, EXAMPLE, POLYTRACE, ROOT, Server, address_of, command,  # noqa: E402
                endpoints, skip_without_page)

LONG = bool(os.environ.get("POLYTRACE_LONG"))
LEFT_OUT = collections.Counter()  # rows, by whether the times of their calls were
TILE_ROW, HEAD = struct.Struct("<IIdIIII"), struct.Struct("<IHHqIIIIqIII")


def samples():
    chosen = [EXAMPLE]
    for folder in ("mlpd", "tracelog", "tbf", "trcxml", "monoblock"):
        files = sorted(path for path in (DATA / folder).rglob("*") if path.is_file() and
                       path.suffix not in (".json", ".csv", ".md", ".txt", ".cs", ".java", ".py",
                                           ".zst"))
        chosen += files if LONG else files[:1]
    return chosen


def ranges(info):
    """A part that cuts calls, one that is empty, one of a nanosecond; offsets."""
    end = info["end"]
    return [(end // 4, end * 2 // 3), (end + 10, end + 20), (end // 2, end // 2 + 1)]


def times(info, part):
    first = int(info["first_offset"])
    return ["--from", str(first + part[0]), "--to", str(first + part[1])]


def same_tables(server, trace, info, file):
    for key in [section["key"] for section in info["sections"] if section["key"] != "sandwich"]:
        mine = server.post(trace + "/tables", {"sections": [key], "limit": 0})
        theirs = command("report", "--json", "--sections", key, "--limit", "0", file)
        assert mine["tables"] == theirs["tables"], (file, key)
        assert mine["empty_sections"] == theirs["empty_sections"], (file, key)
        assert mine["start"] == theirs["start"]
    same_methods_at_once(server, trace, info, file)
    if int(info["first_offset"]) < 0:
        return
    for part in ranges(info):
        keys = ["calls", "tree", "allocations", "monitors"]
        mine = server.post(trace + "/tables", {"selection": {"from": part[0], "to": part[1]},
                                               "sections": keys, "limit": 5})
        theirs = command("report", "--json", "--sections", ",".join(keys), "--limit", "5",
                         *times(info, part), file)
        assert mine["tables"] == theirs["tables"], (file, part)


def same_methods_at_once(server, trace, info, file):
    """How long calls took may be left out; all else is as with it."""
    late = ("least", "p50", "p95", "most")
    for part in [None, *ranges(info)]:
        question = {"sections": ["calls"], "limit": 0}
        if part:
            question["selection"] = {"from": part[0], "to": part[1]}
        whole, quick = (server.post(trace + "/tables", {**question, "durations": told})["tables"]
                        for told in (True, False))
        for a, b in zip(whole, quick, strict=True):
            for row in b["rows"]:
                times = [row[key] for key in late]
                assert None not in times or times == [None] * 4, (file, row)
                LEFT_OUT[times[0] is None] += 1
            plain = [[{key: value for key, value in row.items() if key not in late}
                      for row in table["rows"]] for table in (a, b)]
            assert plain[0] == plain[1], (file, part)


def folded(file, weight, part, *more):
    """Stacks with their own values, as `flame --folded` writes them."""
    with tempfile.TemporaryDirectory() as folder:
        name = folder + "/out"
        subprocess.run([POLYTRACE, "flame", "--folded", "--weight", weight, "--limit", "0",
                        "--depth", "0", *part, *more, file, "-o", name], check=False,
                       capture_output=True)
        if not Path(name).exists():
            return None
        found = collections.Counter()
        for line in Path(name).read_text(errors="replace").splitlines():
            stack, _, value = line.rpartition(" ")
            if not line.startswith("#"):
                found[stack] += int(value)
        return found


def stacks(answer):
    nodes, names = answer["nodes"], answer["frames"]["name"]
    paths, found = [""], collections.Counter()
    for i in range(1, len(nodes["parent"])):
        above = paths[nodes["parent"][i]]
        name = names[nodes["frame"][i]].replace(";", ":")
        paths.append(above + ";" + name if above else name)
        if int(nodes["self"][i]):
            found[paths[i]] += int(nodes["self"][i])
    return found


def same_profiles(server, trace, info, file):
    whole = {"most": 200000, "least_share": 0}
    for weight in [weight["key"] for weight in info["weights"]]:
        for part in [None, *ranges(info)]:
            selection = {} if part is None else {"from": part[0], "to": part[1]}
            answer = server.post(trace + "/profile", {"weight": weight, "selection": selection,
                                                      **whole})
            theirs = folded(file, weight, [] if part is None else times(info, part))
            mine = stacks(answer)
            assert sum(mine.values()) == int(answer["total"]), (file, weight, part)
            if theirs is None:
                continue
            theirs = +theirs
            assert sum(theirs.values()) == int(answer["total"]), (file, weight, part)
            assert len(mine) == len(theirs) and sorted(mine.values()) == sorted(theirs.values()), (
                file, weight, part, list((mine - theirs).items())[:5],
                list((theirs - mine).items())[:5])
        up = server.post(trace + "/profile", {"weight": weight, "shape": "up", **whole})
        assert int(up["total"]) == int(up["selected_total"]), (file, weight)


def tile_items(body):
    """By (track, band, tile): (start, end, busy, longest, count, name, row, flags) each."""
    magic, version, _, base, level, rows, items, _, _, at_rows, at, size = HEAD.unpack_from(body)
    assert (magic, version, size) == (0x31545450, 1, len(body))
    columns = []
    for code, width in (("d", 8),) * 4 + (("I", 4),) * 3 + (("B", 1),):
        columns.append(struct.unpack_from(f"<{items}{code}", body, at))
        at += (items * width + 7) // 8 * 8
    assert at == size
    found = {}
    for i in range(rows):
        track, band, index, first, count, _, _ = TILE_ROW.unpack_from(body, at_rows + 32 * i)
        found[track, band, index] = [tuple(column[n] for column in columns)
                                     for n in range(first, first + count)]
    return level, base, found


def calls_of(file):
    """Of `cat --jsonl`: [(thread, depth, start, end)] of calls that nest without exception."""
    done = subprocess.run([POLYTRACE, "cat", "--jsonl", "--kind", "enter,leave,unwind", file],
                          check=False, capture_output=True, text=True)
    open_calls, found = collections.defaultdict(list), []
    for line in done.stdout.splitlines():
        event = json.loads(line)
        stack = open_calls[event["thread"]]
        if event["kind"] == "enter":
            stack.append((len(stack), int(event["time"]), event.get("method")))
        elif stack and stack[-1][2] == event.get("method"):
            depth, start, method = stack.pop()
            found.append((event["thread"], depth, start, int(event["time"]), method))
    return found


def counts_in_tiles(server, trace, info, file):
    """Items of any level count each call once, where it begins."""
    tracks = [track for track in server.get(trace + "/tracks")["tracks"]
              if track["kind"] == "calls"]
    total = sum(track["items"] for track in tracks)
    first = min([track["first"] for track in tracks], default=0)
    for width in (1, 7, 1600):
        question = {"tracks": [{"track": track["number"]} for track in tracks], "from": first,
                    "to": max(info["end"], first + 1), "width": width, "budget": 200000}
        status, head, body = server.ask("POST", "/api/1" + trace + "/tiles", json.dumps(question))
        assert status == 200 and head["Content-Type"] == "application/octet-stream", (file, body)
        level, _, found = tile_items(body)
        assert sum(item[4] for items in found.values() for item in items) == total, (file, width)
        for (track, band, index), items in list(found.items())[:3]:
            one = server.ask("GET", f"/api/1{trace}/tile/{track}/{level}/{int(index)}/{band}")
            assert one[0] == 200 and "immutable" in one[1]["Cache-Control"]
            again = tile_items(one[2])
            assert len(next(iter(again[2].values()))) == len(items)
            tag = one[1]["ETag"]
            assert server.ask("GET", f"/api/1{trace}/tile/{track}/{level}/{int(index)}/{band}",
                              headers=server.headers(**{"If-None-Match": tag}))[0] == 304


def measures_calls(server, trace, file):
    """Durations of the method with most calls, and its calls one by one, of the example."""
    first = int(server.get(trace)["first_offset"])
    by_method = collections.defaultdict(list)
    for thread, depth, start, end, method in calls_of(file):
        by_method[method].append((end - start, start, thread, depth))
    method, calls = max(by_method.items(), key=lambda item: len(item[1]))
    listed = server.post(trace + "/search", {"text": "", "kind": "method"})["ids"]
    parts = [listed[at:at + 64] for at in range(0, len(listed), 64)]
    told = [one for part in parts
            for one in server.post(trace + "/durations", {"methods": part})["methods"]]
    same = [one for one in told if one["calls"] == len(calls) and one["most"] == max(calls)[0]]
    assert same, method
    one = same[0]
    lengths = sorted(call[0] for call in calls)
    assert (one["least"], one["most"], one["sum"]) == (lengths[0], lengths[-1], sum(lengths))
    assert one["median"]["end"] - one["median"]["start"] == lengths[(len(lengths) - 1) // 2]
    assert [call["end"] - call["start"] for call in one["slowest"]] == lengths[:-21:-1]
    for call in one["slowest"][:5] + [one["median"]]:
        found = server.post(trace + "/at", {"call": call["call"]})["call"]
        assert {key: found[key] for key in call} == call
        inside = sum(1 for thread, depth, start, end, _ in calls_of(file)
                     if (thread, call["start"] + first <= start, end <= call["end"] + first) ==
                     (calls[0][2], True, True) and depth > call["row"])
        assert found["calls_inside"] <= inside or len({c[2] for c in calls}) > 1, (found, inside)


def walks_calls(server, trace):
    """Next and previous calls of a method are those of its durations, in order."""
    names = server.post(trace + "/search", {"text": "", "kind": "method"})["ids"]
    answer = server.post(trace + "/durations", {"methods": names[:64]})
    one = max((m for m in answer["methods"] if m["calls"] <= 20), key=lambda m: m["calls"])
    starts = sorted(call["start"] for call in one["slowest"])
    at, seen = -(1 << 60), []
    while True:
        call = server.post(trace + "/seek", {"methods": [one["method"]], "after": at})["call"]
        if call is None:
            break
        at = call["start"]
        seen.append(at)
    assert seen == sorted(set(starts)), (seen, starts)
    last = server.post(trace + "/seek", {"methods": [one["method"]], "before": 1 << 60})["call"]
    assert last["start"] == starts[-1]


def names_holders_as_reports_do(server, trace, file):
    """Who held a lock while another waited; nobody where the trace does not tell."""
    names = {thread["index"]: thread["name"] for thread in server.get(trace + "/tracks")["threads"]}
    told = collections.Counter()
    for wait in server.post(trace + "/waits", {})["waits"]:
        lock = f"{wait['class'] or '(class not recorded)'} {wait['lock']}"
        for holder in {one["thread"]: one for one in wait["holders"]} or [None]:
            told[names.get(holder, "(not told)"), names[wait["waiter"]], lock] += 1
    rows = command("report", "--json", "--sections", "monitors", "--limit", "0", file)["tables"]
    blockers = next((table["rows"] for table in rows if table["key"] == "lock_blockers"), [])
    assert told == {(row["holder"], row["waiter"], row["lock"]): row["waits"]
                    for row in blockers}, (told, blockers)


def same_events(server, trace, file):
    lines = subprocess.run([POLYTRACE, "cat", "--jsonl", file], check=False,
                           capture_output=True).stdout.splitlines()
    seen, number = [], 0
    while len(seen) < min(len(lines), 2500):
        status, head, body = server.ask("POST", "/api/1" + trace + "/events",
                                        json.dumps({"limit": 1000, "after": {"number": number}}))
        assert status == 200
        seen += body.splitlines()
        number = int(head["Polytrace-Next"])
    assert seen == lines[:len(seen)], file


def same_heap(server, trace, file):
    for word, *options in (["summary"], ["classes", "--classes"], ["dominators", "--dominators"]):
        mine = server.post(trace + "/heap", {"question": word})
        theirs = command("heap", "--json", *options, file)
        assert mine["tables"] == theirs["tables"], word


def same_states(server, trace, info, file):
    at = info["end"] // 2
    mine = server.get(f"{trace}/state?at={at}")
    theirs = command("state", "--json", "--no-cache", "--at", int(info["first_offset"]) + at, file)
    assert mine["states"] == theirs["states"] and mine["time"] == theirs["time"]


def refuses_what_it_does_not_know(server, trace):
    for path in ("/profile", "/tables", "/tiles", "/search", "/seek", "/at", "/durations",
                 "/events", "/waits", "/heap", "/names", "/export"):
        for question in ({"misspelt": 1}, {"selection": {"form": 1}}, {"selection": 5}, [1], "x",
                         {"limit": -1}, {"limit": 10 ** 6}, {"selection": {"threads": [10 ** 6]}},
                         {"selection": {"from": 5, "to": 1}}):
            if path in ("/at", "/tiles", "/names") and isinstance(question, dict) and (
                    "limit" in question or "selection" in question):
                continue
            if "limit" in question and path in ("/profile", "/search", "/seek", "/durations",
                                                "/export"):
                continue
            fault = server.fault(trace + path, question)
            assert fault == (400, "request-invalid"), (path, question)
        status = server.ask("POST", "/api/1" + trace + path, "{" + '"a":{' * 20 + "}" * 21)[0]
        assert status == 400, path
    for rule in ({"op": "only"}, {"op": "other", "text": "x"},
                 {"op": "only", "text": "x", "regex": "y"},
                 {"op": "only", "regex": "("}):
        assert server.fault(trace + "/profile", {"selection": {"rules": [rule]}})[0] == 400, rule
    # A band that no track has is empty, however far below it lies.
    assert server.ask("GET", f"/api/1{trace}/tile/0/10/0/4294967295")[0] == 200
    assert server.ask("GET", f"/api/1{trace}/tile/0/40/9007199254740993/0")[0] == 400
    assert server.fault("/traces/0123456789abcdef/profile", {}) == (404, "unknown-trace")
    assert server.ask("GET", "/api/1" + trace + "/profile")[0] == 405


def refuses_queries_that_it_does_not_know(server, trace):
    """Behind the "?" of each endpoint stand the names of its row and no others, each once."""
    for _, method, path, known, _ in endpoints():
        address = address_of(path, trace)
        names = known.split()
        wrong = ["x=1", "x", "%", "=", "at=1&x=1", *[name.rstrip("*") + "s=1" for name in names],
                 *[f"{name}=1&{name}=1" for name in names if not name.endswith("*")]]
        if "at" not in names:
            wrong.append("at=1")
        for query in wrong:
            status, _, body = server.ask(method, f"{address}?{query}", "{}")
            told = json.loads(body)
            assert (status, told["code"]) == (400, "request-invalid"), (path, query, body)
            assert "?" in told["message"], (path, query, body)
    at = server.get(trace)["end"] // 2
    whole = server.get(f"{trace}/state?at={at}")["states"]
    paths = sorted({state["path"] for state in whole if state["path"]})[:2]
    part = server.get(f"{trace}/state?at={at}&path={paths[0]}&path={paths[1]}")["states"]
    assert {state["path"] for state in part} == set(paths), (paths, part)


def follows_rules(server, trace):
    """Each rule against the stacks of the whole."""
    whole = {"weight": "time", "most": 200000, "least_share": 0}
    plain = stacks(server.post(trace + "/profile", whole))
    word = max((frame for stack in plain for frame in stack.split(";")[1:]),
               key=lambda frame: sum(frame in stack for stack in plain))

    def fits(frame):
        return word.lower() in frame.lower()

    def expected(op):
        found = collections.Counter()
        for stack, value in plain.items():
            frames = stack.split(";")
            hits = [i for i, frame in enumerate(frames) if fits(frame)]
            if op == "only" and hits:
                found[stack] += value
            if op == "not" and not hits:
                found[stack] += value
            if op == "root" and hits:
                found[";".join(frames[hits[0]:])] += value
            if op == "hide":
                found[";".join(f for f in frames if not fits(f)) or "(hidden)"] += value
            if op == "collapse":
                kept = [f for i, f in enumerate(frames)
                        if i == 0 or not (fits(f) and fits(frames[i - 1]))]
                found[";".join(kept)] += value
        return found

    for op in ("only", "not", "root", "hide"):
        asked = {**whole, "selection": {"rules": [{"op": op, "text": word}]}}
        assert stacks(server.post(trace + "/profile", asked)) == expected(op), (op, word)
    asked = {**whole, "selection": {"rules": [{"op": "collapse", "text": word}]}}
    total = sum(plain.values())
    assert sum(stacks(server.post(trace + "/profile", asked)).values()) == total


def compares(server, trace, file):
    answer = server.post("/compare", {"a": {"trace": trace[8:]}, "b": {"trace": trace[8:]}})
    assert answer["total"] == answer["total_before"]
    assert answer["nodes"]["self"] == answer["nodes"]["self_before"]
    theirs = command("diff", "--json", file, file)
    assert answer["tables"] == theirs["tables"]
    info = server.get(trace)
    part = ranges(info)[0]
    side = {"trace": trace[8:], "selection": {"from": part[0], "to": part[1]}}
    answer = server.post("/compare", {"a": side, "b": side})
    theirs = command("diff", "--json", *times(info, part), file, file)
    assert answer["tables"] == theirs["tables"], (answer["tables"], theirs["tables"])
    totals = next(table for table in answer["tables"] if table["key"] == "diff_totals")
    spans = [row["span"] for row in totals["rows"]]
    assert spans == [part[1] - part[0], part[1] - part[0], 0], (spans, part)


def names_files_safely():
    """Of a trace whose name would be markup, a header or a path, what is saved has a plain name."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / '..x "y"\r\nSet-Cookie: a=b; <b>\u202e=cmd().mlpd'
        file.write_bytes(EXAMPLE.read_bytes())
        with Server(file) as server:
            trace, = server.traces()
            status, head, _ = server.ask("POST", "/api/1" + trace + "/export",
                                         json.dumps({"target": "folded", "weight": "time"}))
            assert status == 200 and "Set-Cookie" not in head, head
            name = re.fullmatch(r'attachment; filename="([^"]*)"', head["Content-Disposition"])[1]
            assert re.fullmatch(r"[A-Za-z0-9_-][A-Za-z0-9._-]*", name), name


def exports(server, trace, file):
    status, head, body = server.ask("POST", "/api/1" + trace + "/export",
                                    json.dumps({"target": "folded", "weight": "time"}))
    assert status == 200 and head["Content-Disposition"].startswith("attachment; filename="), body
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([POLYTRACE, "export", "--to", "folded", "--weight", "time", file, "-o",
                        folder + "/out"], check=False, capture_output=True)
        assert body == Path(folder + "/out").read_bytes()


def keeps_notes(server, trace):
    path = "/api/1" + trace + "/notes"
    status, head, body = server.ask("GET", path)
    assert (status, body) == (200, b"{}")
    status, after, _ = server.ask("PUT", path, '{"marks":[{"at":5,"name":"x"}]}',
                                  server.headers(**{"If-Match": head["ETag"]}))
    assert status == 200 and after["ETag"] != head["ETag"]
    assert server.ask("PUT", path, "{}", server.headers(**{"If-Match": head["ETag"]}))[0] == 412
    assert json.loads(server.ask("GET", path)[2]) == {"marks": [{"at": 5, "name": "x"}]}
    assert server.ask("PUT", path, "no JSON")[0] == 400


def documents_every_address():
    """docs/reference/ui.md has the rows of endpoints.def, word for word."""
    rows = [(method, path, says) for _, method, path, _, says in endpoints()]
    text = (ROOT / "docs/reference/ui.md").read_text(encoding="utf-8")
    page = re.findall(r"^\| (\w+) \| `([^`]+)` \| (.+) \|$", text, re.M)
    assert sorted(rows) == sorted(page), set(rows) ^ set(page)


def main():
    skip_without_page()
    documents_every_address()
    for file in samples():
        with Server(file) as server:
            trace, = server.traces()
            info = server.get(trace)
            theirs = command("info", "--json", file)
            assert all(info[key] == theirs[key] for key in theirs if key != "file"), file
            same_tables(server, trace, info, file)
            same_profiles(server, trace, info, file)
            counts_in_tiles(server, trace, info, file)
            same_events(server, trace, file)
    assert LEFT_OUT[True] > 0 and LEFT_OUT[False] > 0, LEFT_OUT
    with Server(EXAMPLE) as server:
        trace, = server.traces()
        info = server.get(trace)
        measures_calls(server, trace, EXAMPLE)
        walks_calls(server, trace)
        names_holders_as_reports_do(server, trace, EXAMPLE)
        same_heap(server, trace, EXAMPLE)
        same_states(server, trace, info, EXAMPLE)
        refuses_what_it_does_not_know(server, trace)
        refuses_queries_that_it_does_not_know(server, trace)
        follows_rules(server, trace)
        compares(server, trace, EXAMPLE)
        exports(server, trace, EXAMPLE)
        keeps_notes(server, trace)
    names_files_safely()


if __name__ == "__main__":
    main()
