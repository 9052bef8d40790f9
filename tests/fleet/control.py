#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Programs are commanded through a hub, two edges and a real ClickHouse server: those that the
condition means and no others, by those who may and no others; the first one that suffers stops it
for the rest; and `commands` has a row for all that was asked and became of it."""
import collections
import http.client
import json
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parent / "support"),
                str(Path(__file__).parents[1] / "cli")]
import clickhouse  # noqa: E402
import collect  # noqa: E402
import counting  # noqa: E402
import hub  # noqa: E402
from certificates import Authority  # noqa: E402
from collect import POLYTRACE, field, frame, wait_for  # noqa: E402
from collect_bounds import NOTICE, Agent  # noqa: E402
from json_schemas import fits  # noqa: E402
from waiting import wait_until  # noqa: E402

ALL = '["start", "stop", "pause", "resume", "filters", "flush", "annotate", "gc", "heap-dump", ' \
      '"level"]'
BOTH = """role = ["edge", "hub"]
[edge]
socket = "{folder}/run/collect.sock"
[http]
listen = "127.0.0.1:{port}"
token_file = "{keys}/tokens.toml"
[spool]
folder = "{folder}/state"
min_free = "1m"
[store]
urls = [["{store}/fleet_c"]]
[control]
allow = ["flush"]
[metrics]
port = 0
"""
RUN_GC, ANSWER, OUTCOME = 9, 66, 15


class Orders:
    """What was asked of hubs, and which rows that makes in which database."""

    def __init__(self, fleet):
        self.fleet = fleet
        self.rows = collections.Counter()

    def ask(self, verb, body, token="a/boss", status=200, database="fleet_a"):
        body = {"where": 'service="shop"', **body} if isinstance(body, dict) else body
        text = json.dumps(body) if isinstance(body, dict) else body
        got, answer, _ = self.fleet.caller().ask("POST", f"/v1/agents/{verb}", text,
                                                 self.fleet.tokens[token])
        assert got == status, (verb, body, got, answer)
        self.note(verb, token, got, answer, database)
        return json.loads(answer) if answer.startswith("{") else answer

    def note(self, verb, token, status, answer, database="fleet_a"):
        who = token.split("/")[1]
        if not answer.startswith("{"):
            outcome = {400: "invalid", 403: "refused", 429: "busy"}[status]
            self.rows[database, who, verb, outcome] += 1
            return
        told = json.loads(answer)
        fits(told, "fleet-control.json", verb)
        self.rows[database, who, verb, "asked"] += 1
        for program in told["programs"]:
            self.rows[database, who, verb, program["outcome"]] += 1
        if not told["programs"]:
            self.rows[database, who, verb, "not_found"] += 1

    def one(self, verb, program, more=None, outcome="ok", **how):
        told = self.ask(verb, {"where": f"instance={program.process.pid}", **(more or {})}, **how)
        assert told["matched"] == 1 and len(told["programs"]) == 1, told
        assert told["programs"][0]["outcome"] == outcome, told
        return told["programs"][0]

    def is_idle(self, program):
        """Whether it records nothing any more; one that does has a note more."""
        body = {"where": f"instance={program.process.pid}", "text": "still there?"}
        got, answer, _ = self.fleet.caller().ask("POST", "/v1/agents/annotate", json.dumps(body),
                                                 self.fleet.tokens["a/boss"])
        self.note("annotate", "a/boss", got, answer)
        return json.loads(answer)["programs"][0]["outcome"] == "wrong_state"


class Fleet:
    def __init__(self, folder, server):
        self.folder, self.server = Path(folder), server
        self.keys = self.folder / "keys"
        authority = Authority(self.keys, "ca")
        authority.issue("hub", "IP:127.0.0.1", "serverAuth")
        authority.issue("a", "URI:tenant/a/edge/one", "clientAuth")
        self.tokens, lines = {}, ""
        for name, roles in (("a/boss", '["control"]'), ("a/dumper", '["control", "dump"]'),
                            ("a/reader", '["read", "push"]'), ("a/two", '["push"]'),
                            ("b/boss", '["control", "dump"]'), ("boss", '["control"]')):
            self.tokens[name], told = hub.new_token(name, roles)
            lines += told
            file = self.keys / (name.replace("/", "-") + ".token")
            file.write_text(self.tokens[name] + "\n")
            file.chmod(0o600)
        (self.keys / "tokens.toml").write_text(lines)
        self.port, self.own_port = clickhouse.free_ports(2)
        common = {"port": self.port, "keys": self.keys, "store": server.url}
        self.hub = hub.Node(self.folder / "hub",
                            hub.HUB.format(folder=self.folder / "hub", **common))
        cert = f'cert = "{self.keys}/a.pem"\nkey = "{self.keys}/a.key"'
        self.one = hub.Node(self.folder / "one", hub.EDGE.format(
            folder=self.folder / "one", shown=cert, **common) + f"[control]\nallow = {ALL}\n")
        self.two = hub.Node(self.folder / "two", hub.EDGE.format(
            folder=self.folder / "two", shown=f'token_file = "{self.keys}/a-two.token"', **common))
        common["port"] = self.own_port
        self.both = hub.Node(self.folder / "both",
                             BOTH.format(folder=self.folder / "both", **common))
        self.nodes = (self.hub, self.one, self.two, self.both)

    def caller(self):
        return hub.Caller(self.port, self.keys)

    def edges(self):
        """How many times each edge has come to this run of the hub."""
        return collections.Counter(event["who"] for event in self.hub.told("control"))

    def command(self, *words, token="a-boss", code=0):
        done = subprocess.run(
            [POLYTRACE, "fleet", "control", *words, "--hub", f"https://127.0.0.1:{self.port}",
             "--ca", self.keys / "ca.pem", "--token-file", self.keys / f"{token}.token"],
            capture_output=True, text=True, check=False)
        assert done.returncode == code, (words, done)
        return done


def wait_known(orders, program):
    """The hub sees who it is, by its store's labels."""
    def is_known():
        got, answer, _ = orders.fleet.caller().ask(
            "POST", "/v1/agents/flush", json.dumps({"where": f"instance={program.process.pid}"}),
            orders.fleet.tokens["a/boss"])
        orders.note("flush", "a/boss", got, answer)
        told = json.loads(answer)["programs"]
        return told and int(told[0]["series"], 16) != 0
    wait_for("a program that is known", is_known)


def own_counts(program):
    """Its end, and whether what it printed is what it always prints."""
    program.end()
    counts = program.counts()
    assert counts["twig"] == 100 * counts["turn"] and counts["leaf"] == 295 * counts["turn"], counts
    assert counts["thrower"] == counts["turn"] > 0, counts


def test_one_of_many(fleet, orders, programs):
    """Only the one that is meant stops, and goes on at another level; nobody notices."""
    running = [programs.start(name, fleet.one.socket, None, 3, ",label=service:shop")
               for name in programs.names[:2] + programs.names[:1]]
    for program in running:
        wait_known(orders, program)
    one, others = running[0], running[1:]
    orders.one("stop", one)
    orders.one("stop", one, outcome="wrong_state", status=409)
    for other in others:
        orders.one("resume", other, outcome="wrong_state", status=409)
        orders.one("annotate", other, {"text": "a word"})
    if programs.names[0] == "java":
        orders.one("level", one, {"events": ["gc"], "duration": "2s"})
        orders.one("gc", one)
        wait_for("the stream's end", lambda: fleet.one.told("ended"))
        wait_for("the level's end", lambda: orders.is_idle(one))
        orders.one("stop", one, outcome="wrong_state", status=409)
        orders.one("start", one, {"duration": "1h", "filters": ["Counts * INCLUDE"]})
        orders.one("filters", one, {"filters": ["Counts leaf INCLUDE", "* * EXCLUDE"]})
    told = orders.ask("pause", {"limit": 9, "canary": 0, "rate": 50})
    assert told["matched"] == 3 == len(told["programs"]), told
    assert {program["outcome"] for program in told["programs"]} <= {"ok", "wrong_state"}, told
    orders.ask("resume", {"limit": 9, "canary": 0, "rate": 50})
    assert orders.ask("flush", {})["matched"] == 3
    assert len(orders.ask("flush", {})["programs"]) == 1
    return running


def test_who_may(fleet, orders, programs, running):
    """Roles, tenants, an edge that allows nothing; orders that are none."""
    java = running[0]
    for token in ("a/boss", "a/reader"):
        orders.ask("heap-dump", {}, token, 403)
    orders.ask("gc", {}, "a/reader", 403)
    if programs.names[0] == "java":
        orders.one("heap-dump", java, token="a/dumper")
    for verb in ("flush", "gc", "heap-dump", "pause"):
        orders.ask(verb, {}, "b/boss", 404, "fleet_b")
    for body in ("", "[]", "{", {"where": ""}, {"where": "service=="}, {"limit": 0}, {"rate": 0},
                 {"rate": 1e9}, {"wait": "1h"}, {"events": ["gc"]}, {"path": "/etc/passwd"},
                 {"where": 'service=~"(a{1000}){1000}"'}, {"where": 'service=~"("'},
                 {"where": 'service=~"' + "x" * 300 + '"'}, {"limit": 1000, "rate": 0.01}):
        orders.ask("gc", body, status=400)
    for verb, body in (("level", {"events": ["gc"]}), ("level", {"duration": "5s"}),
                       ("start", {}), ("filters", {}), ("annotate", {"text": "x" * 1001}),
                       ("start", {"duration": "48h"})):
        orders.ask(verb, body, status=400)
    caller = fleet.caller()
    assert caller.ask("POST", "/v1/agents/shutdown", "{}", fleet.tokens["a/boss"])[0] == 404
    assert caller.ask("POST", "/v1/agents/gc", "{}", "wrong")[0] == 401
    assert caller.ask("POST", "/v1/agents/gc", "{}")[0] == 401
    assert caller.ask("GET", "/v1/edge", None, fleet.tokens["a/boss"])[0] == 403
    assert caller.ask("GET", "/v1/edge", None, fleet.tokens["a/two"],
                      {"Polytrace-Edge": "edge-x"})[0] == 400
    assert caller.ask("POST", "/v1/agents/gc", "x" * 70_000, fleet.tokens["a/boss"])[0] == 413

    quiet = programs.start(programs.names[-1], fleet.two.socket, None, 3, ",label=service:quiet")
    wait_for("a program of the edge that allows nothing",
             lambda: fleet.two.figure("streams") == 1)
    for verb in ("flush", "gc", "stop", "level"):
        more = {"events": ["gc"], "duration": "5s"} if verb == "level" else {}
        wait_for("its labels", lambda: fleet.two.figure("blocks_total") > 0)
        orders.one(verb, quiet, more, "forbidden", status=403)
    own_counts(quiet)


class Scripted(Agent):
    """Obeys, and gives the second part of its story when it has been told to collect."""

    def __init__(self, node, stream, calm, after):
        super().__init__(node, stream, calm)
        self.after, self.obeyed, self.is_over = after, 0, False
        self.thread = threading.Thread(target=self.live, daemon=True)
        self.thread.start()

    def welcome(self):
        return field(4, 2) + field(6, 2) + field(10, b"scripted")

    def obey(self, message, request):
        if message == RUN_GC:
            self.obeyed += 1
            self.socket.sendall(frame(ANSWER, field(OUTCOME, 0) + field(16, 1), request))

    def live(self):
        self.give()
        while not self.is_over and self.bye is None:
            self.hear()
            if self.obeyed == 1 and self.after:
                self.stream, self.content, self.after = self.stream + 100, self.after, None
                self.sent = self.kept = 0
                self.give()

    def give(self):
        self.send(len(self.content))
        while self.kept < len(self.content) and self.bye is None:
            self.hear()
        if self.bye is None:
            self.socket.sendall(frame(NOTICE, field(30, 4)))


def story(folder, service, begin, pause, windows):
    """A native stream of a service: in each 10 s a call, and a collection of that length."""
    def at(step):
        return f"{begin + step:.6f}"
    lines = ['<?xml version="1.0" encoding="UTF-8"?>', "<TRACE>",
             f'<node nodeId="n" hostname="h" ipaddress="10.0.0.7" timezone="0" time="{at(0)}"/>',
             f'<processCreate processId="p" pid="1" nodeIdRef="n" time="{at(0)}"/>',
             f'<agentCreate agentId="a" processIdRef="p" agentName="scripted" agentType="Profiler" '
             f'time="{at(0)}" agentParameters="" version="1"/>',
             f'<option key="label.service" value="{service}"/>',
             f'<traceStart traceId="t" agentIdRef="a" time="{at(0)}"/>',
             f'<threadStart threadId="1" time="{at(0.1)}" groupName="g" parentName="" '
             'objIdRef="1" threadName="main"/>',
             f'<classDef time="{at(0.1)}" classId="1" sourceName="S" name="Type"/>',
             '<methodDef name="m" signature="()V" startLineNumber="1" endLineNumber="2" '
             'classIdRef="1" methodId="1"/>']
    for window in range(windows):
        second = 10 * window + 1
        lines += [f'<methodEntry threadIdRef="1" time="{at(second)}" methodIdRef="1" '
                  'classIdRef="1"/>',
                  f'<methodExit threadIdRef="1" time="{at(second + 1)}" methodIdRef="1" '
                  'classIdRef="1"/>',
                  f'<gcStart time="{at(second + 2)}"/>',
                  f'<gcFinish time="{at(second + 2 + pause)}" totalObjSpace="9" '
                  'usedObjSpace="1" usedObjects="1"/>']
    source, made = Path(folder, "story.trcxml"), Path(folder, "story.ptrace")
    source.write_text("\n".join(lines + ["</TRACE>"]))
    subprocess.run([POLYTRACE, "convert", "-q", "-f", source, "-o", made], check=True,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return made.read_bytes()


def test_canary(fleet, orders):
    """Three of one kind: where the first one pauses longer afterwards, the others are spared."""
    now, before = time.time(), fleet.one.figure("streams")
    for pause, obeyed in ((4.0, 1), (0.011, 3)):
        agents = []
        for i in range(3):
            service = f"canary{i}x{obeyed}"
            calm = story(fleet.folder, service, now - 300, 0.01, 5)
            after = story(fleet.folder, service, now - 200, pause, 4)
            agents.append(Scripted(fleet.one, 1000 * obeyed + i, calm, after))
        ids = {f"{agent.stream:016x}" for agent in agents}
        wait_for("the first part of all", lambda: ids <= {  # noqa: B023
            event.get("stream") for event in fleet.one.told("ended")})
        told = orders.ask("gc", {"where": 'service=~"^canary[0-9]x"', "limit": 9, "rate": 20,
                                 "wait": "4s"})
        assert told["matched"] == 3, told
        outcomes = collections.Counter(one["outcome"] for one in told["programs"])
        if obeyed == 1:
            assert outcomes == {"ok": 1, "stopped": 2} and "pauses" in told["canary"], told
        else:
            assert outcomes == {"ok": 3}, told
        assert sum(agent.obeyed for agent in agents) == obeyed, told
        for agent in agents:
            agent.is_over = True
            agent.socket.shutdown(socket.SHUT_RDWR)
            agent.thread.join(collect.HANGS)
        wait_for("they are gone", lambda: fleet.one.figure("streams") == before)


def test_command(fleet, orders, running):
    """polytrace fleet control, and what it ends with."""
    where = f"instance={running[1].process.pid}"
    done = fleet.command("annotate", "a mark", "--where", where)
    assert ": ok" in done.stdout, done
    orders.rows["fleet_a", "boss", "annotate", "asked"] += 1
    orders.rows["fleet_a", "boss", "annotate", "ok"] += 1
    done = fleet.command("flush", "--where", where, "--json")
    orders.note("flush", "a/boss", 200, done.stdout)
    done = fleet.command("flush", "--where", "service=nobody", code=1)
    assert "fleet series" in done.stderr, done
    orders.rows["fleet_a", "boss", "flush", "asked"] += 1
    orders.rows["fleet_a", "boss", "flush", "not_found"] += 1
    done = fleet.command("heap-dump", "--where", where, code=1)
    assert "role dump" in done.stderr, done
    orders.rows["fleet_a", "boss", "heap-dump", "refused"] += 1
    done = fleet.command("level", "--where", where, code=2)
    assert "events" in done.stderr, done
    orders.rows["fleet_a", "boss", "level", "invalid"] += 1


def test_hub_killed(fleet, orders, running):
    """In the middle of an order: it is in the store all the same, and edges come back."""
    body = json.dumps({"where": 'service="shop"', "limit": 9, "rate": 50, "wait": "60s",
                       "text": "before the end"})

    def ask():
        try:
            fleet.caller().ask("POST", "/v1/agents/annotate", body, fleet.tokens["a/boss"])
        except (OSError, http.client.HTTPException):
            return
        raise AssertionError("the hub answered")

    begun = fleet.hub.figure('commands_total{outcome="ok"}')
    asker = threading.Thread(target=ask)
    asker.start()
    wait_for("the first one", lambda: fleet.hub.figure('commands_total{outcome="ok"}') > begun)
    fleet.hub.kill()
    asker.join()
    fleet.hub.start()
    wait_for("both edges", lambda: len(fleet.edges()) == 2)
    for outcome in ("asked", "ok"):
        orders.rows["fleet_a", "boss", "annotate", outcome] += 1
    orders.one("flush", running[1])


def test_edge_away(fleet, orders, running):
    """Stopped, not gone: told in time, and it takes commands again when it goes on."""
    fleet.one.process.send_signal(signal.SIGSTOP)
    begin = time.monotonic()
    told = orders.ask("flush", {"where": f"instance={running[1].process.pid}"}, status=404)
    assert told["silent_edges"] and time.monotonic() - begin < collect.HANGS, told
    fleet.one.process.send_signal(signal.SIGCONT)
    orders.one("flush", running[1])


def test_both(fleet, programs):
    """One process that is edge and hub."""
    program = programs.start(programs.names[-1], fleet.both.socket, None, 3, ",label=service:own")
    wait_for("a program", lambda: fleet.both.figure("streams") == 1)
    for verb, code, word in (("flush", 0, ": ok"), ("gc", 1, "control.allow")):
        done = subprocess.run(
            [POLYTRACE, "fleet", "control", verb, "--where", "service=own", "--hub",
             f"http://127.0.0.1:{fleet.own_port}", "--token-file", fleet.keys / "boss.token"],
            capture_output=True, text=True, check=False)
        assert done.returncode == code and word in done.stdout, done
    own_counts(program)


def test_rows(fleet, orders):
    """What the store has of it is what was asked, and who reads it sees the same."""
    outcomes = ("ok unsupported forbidden wrong_state invalid failed not_reached busy no_answer "
                "stopped refused not_found asked").split()

    def have():
        rows = collections.Counter()
        for database in ("fleet_a", "fleet_b"):
            for who, what, outcome, text in fleet.server.rows(
                    "SELECT who, what, outcome, text FROM (SELECT DISTINCT * FROM "
                    f"{database}.commands)"):
                assert re.search(r"\[[\w-]+\]$", text), text
                rows[database, who, what, outcomes[int(outcome)]] += 1
        return rows

    wanted = +orders.rows
    wait_until(lambda: have() == wanted,
               lambda: sorted(set(have().items()) ^ set(wanted.items())))
    killed = fleet.server.rows("SELECT outcome FROM (SELECT DISTINCT * FROM fleet_a.commands) "
                               "WHERE text LIKE '%before the end%'")
    assert killed == [["12"]], killed
    done = subprocess.run([POLYTRACE, "fleet", "commands", "--last", "1h", "--store",
                           f"{fleet.server.url}/fleet_b", "--json", "--limit", "0"],
                          capture_output=True, text=True, check=True)
    told = json.loads(done.stdout)
    fits(told, "fleet.json", "fleet commands")
    assert len(told["tables"][0]["rows"]) == sum(
        count for key, count in wanted.items() if key[0] == "fleet_b"), told
    done = subprocess.run([POLYTRACE, "fleet", "commands", "--last", "1h", "--store",
                           f"{fleet.server.url}/fleet_a", "--where", 'service=~"^canary"', "--json",
                           "--limit", "0"], capture_output=True, text=True, check=True)
    rows = json.loads(done.stdout)["tables"][0]["rows"]
    assert [row["command"] for row in rows] == ["gc"] * 6, rows


def main():
    if not shutil.which("openssl"):
        print("no openssl here")
        sys.exit(77)
    with tempfile.TemporaryDirectory(prefix="polytrace-control-") as folder, \
            clickhouse.Server() as server:
        (Path(folder) / "programs").mkdir()
        programs = counting.Programs(Path(folder) / "programs")
        programs.names = [name for name in programs.names if name != "dotnet"]
        if not programs.names:
            print("no runtime whose agent can be loaded here")
            sys.exit(77)
        for database in ("fleet_a", "fleet_b", "fleet_c"):
            subprocess.run([POLYTRACE, "fleet", "schema", "--apply", "--store",
                            f"{server.url}/{database}"], check=True, stdout=subprocess.DEVNULL)
        fleet = Fleet(folder, server)
        orders = Orders(fleet)
        running = []
        try:
            for node in fleet.nodes:
                node.start()
            wait_for("both edges", lambda: len(fleet.edges()) == 2)
            for test, words in ((test_one_of_many, (orders, programs)),
                                (test_who_may, (orders, programs)), (test_canary, (orders,)),
                                (test_command, (orders,)), (test_hub_killed, (orders,)),
                                (test_edge_away, (orders,)), (test_both, (programs,)),
                                (test_rows, (orders,))):
                begin = time.monotonic()
                more = (running,) if test in (test_who_may, test_command, test_hub_killed,
                                              test_edge_away) else ()
                running = test(fleet, *words, *more) or running
                print(f"{test.__name__}: {time.monotonic() - begin:.1f} s", flush=True)
            for program in running:
                own_counts(program)
            for node in fleet.nodes[::-1]:
                assert node.end() == 0, node.words()[-2000:]
                for secret in fleet.tokens.values():
                    assert secret not in node.everything(), node.folder
        finally:
            for node in fleet.nodes:
                node.kill()
            for program in running:
                program.process.kill()


if __name__ == "__main__":
    main()
