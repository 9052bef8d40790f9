#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What `polytrace ui --store` answers about a fleet is what the commands say with --json; flame
graphs are counted here from the rows that were put in. What cannot be asked says why."""
import calendar
import collections
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE / "support"), str(HERE.parent / "fleet/support")]
import clickhouse  # noqa: E402
import edge as edges  # noqa: E402
import facts  # noqa: E402
from ui import EXAMPLE, POLYTRACE, Server, command, skip_without_page  # noqa: E402

RANGE = {"from": str(facts.BEGIN), "to": str(facts.BEGIN + 3600)}
OPTIONS = ["--from", RANGE["from"], "--to", RANGE["to"]]
# Question, its members, and the same as words of the command.
ASKED = [
    ("services", {}, []),
    ("series", {"where": "version=2", "limit": 3}, ["--where", "version=2", "--limit", 3]),
    ("timeline", {"limit": 0}, ["--limit", 0]),
    ("timeline", {"group_by": "version", "step": "5min"},
     ["--group-by", "version", "--step", "5min", "--limit", 20]),
    ("methods", {"sort": "p99", "limit": 5}, ["--sort", "p99", "--limit", 5]),
    ("methods", {"name": "step3(", "exact": True}, ["--name", "step3(", "--exact"]),
    ("pauses", {"group_by": "host"}, ["--group-by", "host"]),
    ("moments", {"kind": "pause"}, ["--kind", "pause"]),
    ("hosts", {"what": "alloc"}, ["--what", "alloc"]),
    ("diff", {"base": "version=1", "where": "version=2"},
     ["--base", "version=1", "--where", "version=2"]),
    ("diff", {"offset": "1d"}, ["--offset", "1d"]),
    ("diff", {"base": "version=1", "where": "version=2", "by": "stack"},
     ["--base", "version=1", "--where", "version=2", "--by", "stack"]),
    ("allocations", {"resolution": "1m"}, ["--resolution", "1m"]), ("traces", {}, []),
    ("locks", {"group_by": "version"}, ["--group-by", "version"]), ("exceptions", {}, [])]


def answers_as_commands_do(server, store):
    for question, members, words in ASKED:
        mine = server.post(f"/fleet/{question}", {**RANGE, **members})
        theirs = command("fleet", question, *OPTIONS, *words, "--store", store, "--json")
        assert mine == theirs, (question, members, mine, theirs)
        assert mine["tables"][0]["rows"] or question in ("hosts", "traces"), (question, mine)


def counts_over_time(server, fleet):
    """Each step of each service a second time, from the rows."""
    answer = server.post("/fleet/timeline", {**RANGE, "limit": 0, "step": "5min"})
    names = {one["series"]: one["service_name"] for one in fleet.series}
    truth = collections.defaultdict(collections.Counter)
    for row in fleet.health:
        step = truth[row["t"] // 300 * 300, names[row["series"]]]
        step.update(calls=row["calls"], paused_ns=row["pause_ns"], bytes=row["alloc_bytes"],
                    lost=row["lost"], collections=row["gcs"], events=row["events"],
                    process_seconds=10, waited=row["wait_ns"], thrown=row["throws"])
        step["longest_pause"] = max(step["longest_pause"], row["pause_max_ns"])
    for row in fleet.method_rows:
        truth[row["t"] // 300 * 300, names[row["series"]]]["self"] += row["self_ns"]
    rows = answer["tables"][0]["rows"]
    assert len(rows) == len(truth) == 16, rows
    for row in rows:
        begin = time.strptime(row["time"], "%Y-%m-%dT%H:%M:%SZ")
        step = truth[calendar.timegm(begin), row["service"]]
        assert {key: row[key] for key in step} == dict(step), (row, step)
        assert row["calls_per_second"] == step["calls"] / 300 and row["series"] == 6
        assert abs(row["self_per_process_second"] - step["self"] / step["process_seconds"]) < 1e-6
        assert abs(row["paused_share"] - step["paused_ns"] / step["process_seconds"] / 1e7) < 1e-9
    assert answer["rows"] == len(fleet.health) + len(fleet.method_rows)
    finest = server.post("/fleet/timeline", {**RANGE, "limit": 0, "step": "10s"})
    assert {row["self"] for row in finest["tables"][0]["rows"]} == {None}
    for wrong in ({"step": "15s"}, {"step": "x"}, {"group_by": "a'b"},
                  {"step": "10s", "from": "1000000000"}):
        assert server.fault("/fleet/timeline", {**RANGE, **wrong}) == (400, "request-invalid")


def stacks_of(tree, own):
    """The sums of an answer by stack, the outermost frame first."""
    nodes, names, paths = tree["nodes"], tree["frames"]["name"], [()]
    sums = collections.Counter()
    for i, frame in enumerate(nodes["frame"]):
        if i > 0:
            paths.append((*paths[nodes["parent"][i]], names[frame]))
        if nodes[own][i]:
            sums[paths[i]] += nodes[own][i]
    return sums


def flames(server, fleet):
    def truth(carrier, figure, **labels):
        chosen, sums = fleet.who(**labels), collections.Counter()
        for row in fleet.profile:
            if row["carrier"] == carrier and row["series"] in chosen:
                sums[tuple(fleet.name(one) for one in reversed(row["stack"]))] += row[figure]
        return sums
    for weight, carrier, figure in (("time", 0, "weight"), ("objects", 3, "count"),
                                    ("wait", 4, "weight")):
        tree = server.post("/fleet/flame", {**RANGE, "weight": weight, "where": "host=b"})
        assert stacks_of(tree, "self") == truth(carrier, figure, host="b"), weight
        assert tree["total"] == sum(truth(carrier, figure, host="b").values())
        assert tree["account"]["series"] == 4 and "base" not in tree
        assert len(set(tree["frames"]["id"])) == len(tree["frames"]["name"])
    both = server.post("/fleet/flame", {**RANGE, "where": "version=2", "base": "version=1"})
    assert stacks_of(both, "self") == truth(0, "weight", version="2")
    assert stacks_of(both, "self_before") == truth(0, "weight", version="1")
    few = server.post("/fleet/flame", {**RANGE, "most": 10})
    assert sum(few["nodes"]["hidden"]) == few["cut"]["nodes"] > 0, few["cut"]
    assert len(few["nodes"]["self"]) < len(both["nodes"]["self"]), few["nodes"]
    assert sum(few["nodes"]["self"]) == sum(truth(0, "weight").values())
    assert server.fault("/fleet/flame", {**RANGE, "weight": "cpu"}) == (400, "request-invalid")


def opens_a_moment(server, store, collector, moment, call):
    got = server.post("/fleet/get", {"moment": moment})
    assert (got["took_ns"], got["at"], got["begins"]) == (call["took"], call["begin"], True), got
    assert collector.asked[-1] == "/v1/traces/000000000000abcd/0-57", collector.asked
    with tempfile.TemporaryDirectory() as folder:
        theirs = command("fleet", "get", moment, "--store", store, "--edge", collector.url,
                         "--token-file", collector.token_file, "-o", f"{folder}/x", "--json")
    for member in ("moment", "kind", "subject", "took_ns", "at", "thread", "note", "bytes"):
        assert got[member] == theirs[member], (member, got, theirs)
    server.wait_ready()
    listed = [one for one in server.get("/session")["traces"] if one["id"] == got["trace"]]
    assert len(listed) == 1 and listed[0]["name"] == f"{moment}.ptrace", listed
    methods = server.post(f"/traces/{got['trace']}/tables", {"sections": ["calls"], "limit": 0})
    told = command("report", "--sections", "calls", "--limit", 0, EXAMPLE, "--json")
    rows = next(one for one in told["tables"] if one["key"] == "methods")["rows"]
    mine = next(one for one in methods["tables"] if one["key"] == "methods")["rows"]
    assert mine == rows, "another trace"
    # Again: the same trace, not one more.
    assert server.post("/fleet/get", {"moment": moment})["trace"] == got["trace"]
    assert len(server.get("/session")["traces"]) == 1
    for wrong in ("x", moment + "1"):
        assert server.fault("/fleet/get", {"moment": wrong}) == (400, "request-invalid"), wrong
    # Nothing of it is left on disk.
    left = [path for path in Path(server.home.name).rglob("*") if path.is_file()]
    assert not left, left


def refusals(server):
    for path, members, wanted in (
            ("methods", {"where": 'service="shop'}, (400, "where-wrong")),
            ("flame", {"where": "service"}, (400, "where-wrong")),
            ("diff", {}, (400, "request-invalid")),
            ("diff", {"base": "version=1", "by": "x"}, (400, "request-invalid")),
            ("methods", {"last": "1h", "from": "1"}, (400, "request-invalid")),
            ("methods", {"resolution": "2m"}, (400, "request-invalid")),
            ("methods", {"limit": -1}, (400, "request-invalid")),
            ("methods", {"nmae": "x"}, (400, "request-invalid")),
            ("methods", {"group_by": "host"}, (400, "request-invalid")),
            ("hosts", {"what": "x"}, (400, "request-invalid")),
            ("moments", {"kind": "x"}, (400, "request-invalid")),
            ("prune", {}, (404, "unknown-path"))):
        assert server.fault(f"/fleet/{path}", members) == wanted, (path, members)
    _, _, body = server.ask("POST", "/api/1/fleet/diff", json.dumps(
        {**RANGE, "where": "version=2", "base": "version=1 and host=="}))
    fault = json.loads(body)
    assert (fault["frame"], fault["column"]) == ("base", 20), fault
    assert server.ask("POST", "/api/1/fleet/series", "{}", headers={})[0] == 401
    assert server.ask("GET", "/api/1/fleet/series")[0] == 405


def without_a_store():
    """A page of traces asks nobody; a page of nothing is not made."""
    with Server(EXAMPLE, ready=False) as server:
        assert server.get("/session")["fleet"] is None
        for question in ("series", "flame"):
            assert server.fault(f"/fleet/{question}", RANGE) == (403, "not-offered")
    for words, says in (([], "which trace"), ([str(EXAMPLE), "--token-file", "x"], "--store"),
                        (["--store", "http://user:secret@127.0.0.1/x"], "password")):
        done = subprocess.run([POLYTRACE, "ui", *words], check=False, capture_output=True,
                              text=True, env={"PATH": "/usr/bin"})
        assert done.returncode == 2 and says in done.stderr, (words, done.stderr)
        assert "secret" not in done.stderr


def store_goes_away(server, store):
    """And comes back: nothing has to be started anew."""
    store.kill()
    status, code = server.fault("/fleet/series", RANGE)
    assert (status, code) == (502, "store-unreachable"), (status, code)
    store.start()
    assert server.post("/fleet/series", RANGE)["series"] == 12


def main():
    skip_without_page()
    with clickhouse.Server() as store, tempfile.TemporaryDirectory() as folder:
        url = f"{store.url}/shop"
        subprocess.run([POLYTRACE, "fleet", "schema", "--apply", "--store", url], check=True,
                       stdout=subprocess.DEVNULL)
        fleet = facts.Fleet()
        fleet.put(store, "shop")
        collector = edges.Edge(folder, EXAMPLE)
        call = edges.slowest_call(POLYTRACE, EXAMPLE)
        moment = edges.put_moment(store, "shop", fleet.series[0], call, 1003)
        with Server("--store", url, "--edge", collector.url, "--token-file", collector.token_file,
                    ready=False) as server:
            told = server.get("/session")
            assert told["fleet"] == {"store": url, "edge": True} and told["traces"] == [], told
            answers_as_commands_do(server, url)
            counts_over_time(server, fleet)
            flames(server, fleet)
            refusals(server)
            opens_a_moment(server, url, collector, moment, call)
            store_goes_away(server, store)
        with Server("--store", url, ready=False) as server:
            assert server.get("/session")["fleet"]["edge"] is False
            assert server.fault("/fleet/get", {"moment": moment}) == (403, "not-offered")
        Path(collector.token_file).write_text("f" * 64 + "\n")
        with Server("--store", url, "--edge", collector.url, "--token-file", collector.token_file,
                    ready=False) as server:
            assert server.fault("/fleet/get", {"moment": moment}) == (502, "edge-failed")
    without_a_store()


if __name__ == "__main__":
    main()
