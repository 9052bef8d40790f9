#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Questions at a hub's door, POST /v1/fleet/<question>, about a real ClickHouse server: the answers
are those of the commands, each tenant hears of its own alone, who may not ask or asks wrongly is
refused by name, and a store that takes its time holds up nobody but who asks it."""
import concurrent.futures
import http.client
import json
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parent / "support"),
                str(Path(__file__).parents[1] / "cli")]
import clickhouse  # noqa: E402
import facts  # noqa: E402
from collect import HANGS, POLYTRACE, field, wait_for  # noqa: E402
from hub import Node, new_token  # noqa: E402

HUB = """role = ["hub"]
[http]
listen = "127.0.0.1:{port}"
token_file = "{folder}/tokens.toml"
[spool]
folder = "{folder}/hub/state"
min_free = "1m"
[store]
urls = [["{store}/nobody"]]
[metrics]
port = 0
[[tenant]]
name = "a"
database = "fleet_a"
[[tenant]]
name = "b"
database = "fleet_b"
"""
RANGE = {"from": str(facts.BEGIN), "to": str(facts.BEGIN + 3600)}
OPTIONS = ["--from", RANGE["from"], "--to", RANGE["to"]]
# Question, its members, and the same as words of the command.
ASKED = [
    ("methods", {}, []),
    ("methods", {"where": "version=2", "sort": "p99", "limit": 3},
     ["--where", "version=2", "--sort", "p99", "--limit", 3]),
    ("series", {"limit": 5}, ["--limit", 5]), ("services", {}, []), ("hosts", {}, []),
    ("pauses", {"group_by": "host"}, ["--group-by", "host"]), ("traces", {}, []),
    ("timeline", {"step": "5min", "limit": 0}, ["--step", "5min", "--limit", 0]),
    ("moments", {"kind": "pause"}, ["--kind", "pause"]),
    ("diff", {"base": "version=1", "where": "version=2"},
     ["--base", "version=1", "--where", "version=2"]),
    ("allocations", {}, []), ("locks", {}, []), ("exceptions", {}, [])]
MOST_OF_TENANT = 16


class Door:
    def __init__(self, folder, store):
        folder.mkdir()
        self.store = store
        self.port = clickhouse.free_ports(1)[0]
        self.tokens, lines = {}, ""
        for name, roles in (("a/reader", '["read"]'), ("b/reader", '["read"]'),
                            ("a/pusher", '["push"]'), ("c/reader", '["read"]'),
                            ("a/boss", '["push", "control", "dump", "admin"]')):
            self.tokens[name], told = new_token(name, roles)
            lines += told
        (folder / "tokens.toml").write_text(lines)
        self.hub = Node(folder / "hub",
                        HUB.format(port=self.port, folder=folder, store=store.url))

    def send(self, method, path, body, who):
        link = http.client.HTTPConnection("127.0.0.1", self.port, timeout=HANGS)
        token = self.tokens.get(who, who)
        link.request(method, path, body, {"Authorization": f"Bearer {token}"} if token else {})
        answer = link.getresponse()
        told = answer.status, answer.read().decode(), dict(answer.getheaders())
        link.close()
        return told

    def ask(self, question, members, who="a/reader"):
        status, text, _ = self.send("POST", f"/v1/fleet/{question}",
                                    json.dumps({**RANGE, **members}), who)
        return status, json.loads(text) if text.startswith("{") else text

    def figure(self, result):
        return self.hub.figure(f'questions_total{{result="{result}"}}')


def test_answers(door, fleet):
    """To the last member what the command prints."""
    for question, members, words in ASKED:
        status, mine = door.ask(question, members)
        done = subprocess.run(
            [POLYTRACE, "fleet", question, *OPTIONS, *map(str, words), "--json", "--store",
             f"{door.store.url}/fleet_a"], check=True, text=True, stdout=subprocess.PIPE)
        assert (status, mine) == (200, json.loads(done.stdout)), (question, members, mine)
        assert mine["tables"][0]["rows"] or question in ("hosts", "traces"), (question, mine)
    status, tree = door.ask("flame", {"where": "host=b", "weight": "time"})
    chosen = fleet.who(host="b")
    truth = sum(row["weight"] for row in fleet.profile
                if row["carrier"] == facts.CALLS and row["series"] in chosen)
    assert status == 200 and tree["schema"] == "polytrace.ui.fleet-flame/1", tree
    assert tree["total"] == sum(tree["nodes"]["self"]) == truth, (tree["total"], truth)
    assert door.figure("answered") == len(ASKED) + 1


def refused(door, why, act):
    before = door.hub.figure(f'refused_total{{why="{why}"}}')
    act()
    assert door.hub.figure(f'refused_total{{why="{why}"}}') == before + 1, why


def require(have, wanted):
    assert have == wanted, (have, wanted)


def test_who_may(door):
    """The role `read`, and no other; of a tenant that there is."""
    for who, status, why in ((None, 401, "token"), ("wrong", 401, "token"),
                             ("a/pusher", 403, "role"), ("a/boss", 403, "role"),
                             ("c/reader", 403, "tenant")):
        refused(door, why, lambda: require(door.ask("methods", {}, who)[0], status))  # noqa: B023
    # And `read` may nothing else.
    refused(door, "role", lambda: require(
        door.send("PUT", "/v1/traces", b"x", "a/reader")[0], 403))


def test_tenants(door):
    """Whatever stands in the question, it is about one's own database."""
    mine = door.ask("series", {"where": "service=shop"})[1]
    assert mine["series"] == 6 and mine["store"].endswith("/fleet_a"), mine
    for question, _, _ in ASKED:
        members = {"base": "version=1", "where": "version=2"} if question == "diff" else {
            "where": "service=shop or service!=shop"}
        status, theirs = door.ask(question, members, "b/reader")
        assert status == 200 and theirs["store"].endswith("/fleet_b"), theirs
        assert (theirs["series"], theirs["events"], theirs["rows"]) == (0, 0, 0), theirs
        assert not any(table["rows"] for table in theirs["tables"]), theirs
    for key in ("database", "store", "tenant"):
        status, told = door.ask("methods", {key: "fleet_a"}, "b/reader")
        assert status == 400 and f'"{key}"' in told["message"], told


def test_wrong(door):
    """400 names the key."""
    wrong = door.figure("wrong")
    cases = [({"wher": "x"}, '"wher"'), ({"limit": -1}, '"limit"'), ({"where": 5}, '"where"'),
             ({"exact": "yes"}, '"exact"'), ({"group_by": "host"}, '"group_by"')]
    for members, says in cases:
        status, told = door.ask("methods", members)
        assert status == 400 and says in told["message"], (members, told)
    status, told = door.ask("methods", {"where": "version=2 and host=="})
    assert (status, told["code"], told["frame"], told["column"]) == (
        400, "where-wrong", "where", 20), told
    for method, path, body, status in (
            ("POST", "methods", "{", 400), ("POST", "methods", "[]", 400),
            ("POST", "methods?limit=3", "{}", 400), ("POST", "prune", "{}", 404),
            ("POST", "", "{}", 404), ("POST", "series/x", "{}", 404),
            ("POST", "get", '{"moment": "0000000000000001-1-1"}', 404),
            ("GET", "methods", None, 405), ("POST", "methods", " " * (65 << 10), 413)):
        assert door.send(method, f"/v1/fleet/{path}", body, "a/reader")[0] == status, (path, body)
    assert door.figure("wrong") == wrong + len(cases) + 8


def message(number, value):
    """A field of protobuf that is a text, a message, or many numbers."""
    return field(number << 3 | 2, value)


def profile():
    """The least that is a profile of pprof."""
    return (message(1, b"\x08\x01\x10\x02") +
            message(2, message(1, b"\x01") + message(2, b"\x07")) +
            message(4, b"\x08\x01\x22\x02\x08\x01") + message(5, b"\x08\x01\x10\x03") +
            b"".join(message(6, text) for text in (b"", b"samples", b"count", b"main")))


def test_slow_store(door):
    """Who has too many questions under way is told when to come again; other tenants are asked,
    and what is sent is taken as ever."""
    with concurrent.futures.ThreadPoolExecutor(MOST_OF_TENANT + 2) as threads:
        door.store.process.send_signal(signal.SIGSTOP)
        try:
            asked = [threads.submit(door.send, "POST", "/v1/fleet/series", json.dumps(RANGE),
                                    "a/reader") for _ in range(MOST_OF_TENANT + 1)]
            busy, _ = concurrent.futures.wait(
                asked, HANGS, return_when=concurrent.futures.FIRST_COMPLETED)
            other = threads.submit(door.ask, "series", {}, "b/reader")
            status, text, _ = door.send("PUT", "/v1/traces?label=service:slow", profile(),
                                        "a/pusher")
            assert status == 200, text
            assert door.hub.get("/healthz")[0] == 200
        finally:
            door.store.process.send_signal(signal.SIGCONT)
        status, _, fields = busy.pop().result()
        assert status == 429 and int(fields["Retry-After"]) > 0, (status, fields)
        told = sorted(one.result()[0] for one in asked)
        assert told == [200] * MOST_OF_TENANT + [429], told
        assert other.result()[0] == 200, other.result()
    assert door.figure("busy") == 1
    wait_for("the profile", lambda: door.store.number(
        "SELECT count() FROM fleet_a.series FINAL WHERE service_name = 'slow'") == 1)


def test_store_away(door):
    failed = door.figure("failed")
    door.store.kill()
    status, told = door.ask("series", {})
    assert (status, told["code"]) == (502, "store-unreachable"), told
    assert door.figure("failed") == failed + 1
    door.store.start()
    assert door.ask("series", {"where": "service=shop"})[1]["series"] == 6


def test_end(door):
    """A question that is not answered yet holds up no end."""
    with concurrent.futures.ThreadPoolExecutor(1) as threads:
        door.store.process.send_signal(signal.SIGSTOP)
        try:
            asked = threads.submit(door.send, "POST", "/v1/fleet/series", json.dumps(RANGE),
                                   "a/reader")
            wait_for("the question", lambda: connections_to(door.store.http))
            assert door.hub.end() == 0, door.hub.words()[-2000:]
            fault = asked.exception(HANGS)
            assert isinstance(fault, (OSError, http.client.HTTPException)), fault
        finally:
            door.store.process.send_signal(signal.SIGCONT)


def test_one_server_away(folder, store):
    """Of several servers one that answers is asked; without tenants, about the store's own."""
    dead = clickhouse.free_ports(1)[0]
    door = Door(folder / "alone", store)
    text = door.hub.file.read_text("utf-8").split("[[tenant]]")[0]
    door.hub.file.write_text(text.replace(
        f'[["{store.url}/nobody"]]',
        f'[["http://127.0.0.1:{dead}/fleet_a"], ["{store.url}/fleet_a"]]'))
    try:
        door.hub.start()
        status, told = door.ask("series", {"where": "service=shop"}, "c/reader")
        assert (status, told["series"], told["store"]) == (200, 6, f"{store.url}/fleet_a"), told
    finally:
        door.hub.kill()


def with_reader(folder, store, name, lines):
    """A hub that writes as `secret`, with these lines more of [store]."""
    door = Door(folder / name, store)
    (folder / name / "password").write_text("open sesame\n")
    text = door.hub.file.read_text("utf-8")
    own = f'user = "secret"\npassword_file = "{folder}/{name}/password"\n{lines}'
    door.hub.file.write_text(text.replace("[metrics]", own + "[metrics]"))
    return door


def logged(store, user, condition):
    """How many such statements of this user about the tenant's database the server's log has."""
    store.ask("SYSTEM FLUSH LOGS")
    return store.number(
        f"SELECT count() FROM system.query_log WHERE type = 1 AND user = '{user}' AND "
        f"position(query, 'fleet_a.') > 0 AND {condition}")


def test_reader(folder, store, fleet):
    """Questions are asked by a user who can write nothing; rows are written by the other one."""
    try:
        store.ask("INSERT INTO fleet_a.commands (who) VALUES ('me')", user="reader")
        raise AssertionError("the reader wrote")
    except clickhouse.Refused as fault:
        assert "readonly" in str(fault), fault
    door = with_reader(folder, store, "reading", 'read_user = "reader"\n')
    try:
        door.hub.start()
        test_answers(door, fleet)
        status, text, _ = door.send("PUT", "/v1/traces?label=service:read", profile(), "a/pusher")
        assert status == 200, text
        wait_for("the profile", lambda: store.number(
            "SELECT count() FROM fleet_a.series FINAL WHERE service_name = 'read'") == 1)
        # What is logged last was done last: the rest is in the log by then.
        wait_for("the log", lambda: logged(store, "secret", "match(query, '^INSERT')") > 0)
        assert logged(store, "reader", "match(query, '^SELECT')") > len(ASKED)
        require(logged(store, "reader", "NOT match(query, '^SELECT')"), 0)
        require(logged(store, "secret", "NOT match(query, '^INSERT') AND "
                                        "position(query, 'schema_version') = 0"), 0)
    finally:
        door.hub.kill()
    # The writer's password is not the reader's.
    door = with_reader(folder, store, "refused", 'read_user = "secret"\n')
    try:
        door.hub.start()
        status, told = door.ask("series", {})
        assert (status, told["code"]) == (502, "store-refused"), told
        status, text, _ = door.send("PUT", "/v1/traces?label=service:more", profile(), "a/pusher")
        assert status == 200, text
    finally:
        door.hub.kill()


def connections_to(port):
    """Established ones, as the kernel lists them."""
    wanted = f":{port:04X}"
    lines = Path("/proc/net/tcp").read_text("ascii").splitlines()[1:]
    return [line for line in lines if line.split()[2].endswith(wanted) and line.split()[3] == "01"]


def logging_store():
    """A server that logs who asks what."""
    store = clickhouse.Server()
    store.more = ("<query_log><database>system</database><table>query_log</table></query_log>")
    users = clickhouse.USERS
    for before in ("<readonly>1</readonly>", "<max_threads>2</max_threads>"):
        users = users.replace(before, before + "<log_queries>1</log_queries>")
    (store.folder / "users.xml").write_text(users)
    return store


def main():
    with tempfile.TemporaryDirectory(prefix="polytrace-questions-") as folder, \
            logging_store() as store:
        for database in ("fleet_a", "fleet_b"):
            subprocess.run([POLYTRACE, "fleet", "schema", "--apply", "--store",
                            f"{store.url}/{database}"], check=True, stdout=subprocess.DEVNULL)
        fleet = facts.Fleet()
        fleet.put(store, "fleet_a")
        door = Door(Path(folder) / "both", store)
        try:
            door.hub.start()
            for test, needs in ((test_answers, True), (test_who_may, False), (test_tenants, False),
                                (test_wrong, False), (test_slow_store, False),
                                (test_store_away, False), (test_end, False)):
                begin = time.monotonic()
                test(door, fleet) if needs else test(door)
                print(f"{test.__name__}: {time.monotonic() - begin:.1f} s", flush=True)
            for secret in door.tokens.values():
                assert secret not in door.hub.everything(), "a secret in the log"
            test_one_server_away(Path(folder), store)
            test_reader(Path(folder), store, fleet)
        finally:
            door.hub.kill()


if __name__ == "__main__":
    main()
