#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Edges that publish on NATS JetStream and a hub that takes it from there, with a real nats-server
and a real ClickHouse server: each tenant's database holds what its programs did, also when broker,
hub and edges were killed or stood still in the middle, or the stream was full; who has no business
there is refused by the broker or by the hub, and that is told."""
import contextlib
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parent / "support"),
                str(Path(__file__).parents[1] / "cli")]
import clickhouse  # noqa: E402
import nats  # noqa: E402
from certificates import Authority  # noqa: E402
from collect import POLYTRACE, wait_for  # noqa: E402
from collect_bounds import Agent, in_child, stream  # noqa: E402
from hub import Node, packed, text  # noqa: E402
from waiting import wait_until  # noqa: E402

# As docs/fleet.md shows it: the hub may everything, an edge publish for its tenant.
USERS = """  { user: hub, password: "of the hub, long" }
  { user: one, password: "of the first edge", permissions: {
    publish: ["pt.v1.a.rows.*.*"], subscribe: ["_INBOX.edge.a.>", "_INBOX.one.>"] } }
  { user: two, password: "of the second one", permissions: {
    publish: ["pt.v1.b.rows.*.*"], subscribe: ["_INBOX.edge.b.>"] } }
"""
PASSWORDS = {"hub": "of the hub, long", "one": "of the first edge", "two": "of the second one",
             "wrong": "nobody's at all"}
BUS = """[bus]
url = "{url}"
ca = "{keys}/{ca}.pem"
user = "{user}"
password_file = "{keys}/{password}"
{more}
[spool]
folder = "{folder}/state"
min_free = "1m"
[metrics]
port = 0
"""
HUB = """[store]
urls = [["{store}/nobody"]]
[[tenant]]
name = "a"
database = "fleet_a"
[[tenant]]
name = "b"
database = "fleet_b"
"""
EDGE = """[edge]
socket = "{folder}/run/collect.sock"
"""
LANE = 5


class Fleet:
    def __init__(self, folder, server):
        self.folder, self.server = Path(folder), server
        self.keys = self.folder / "keys"
        authority = Authority(self.keys, "ca")
        authority.issue("broker", "IP:127.0.0.1", "serverAuth")
        Authority(self.keys, "other")
        for user, password in PASSWORDS.items():
            secret = self.keys / user
            secret.write_text(password + "\n")
            secret.chmod(0o600)
        # Room for the stream once: a hub that comes again must not ask for it a second time.
        self.broker = nats.Server(self.folder / "nats", self.keys, USERS, room="3MB")
        self.hub = self.node("hub", "hub", 'max_bytes = "2m"')
        self.one = self.node("one", "one", 'tenant = "a"')
        self.two = self.node("two", "two", 'tenant = "b"')
        self.nodes = (self.hub, self.one, self.two)
        self.streams = 100
        self.sent = {"fleet_a": 0, "fleet_b": 0}

    def node(self, name, user, more, ca="ca", password=None):
        folder = self.folder / name
        told = BUS.format(url=self.broker.url, keys=self.keys, ca=ca, user=user, more=more,
                          password=password or user, folder=folder)
        if user == "hub":
            return Node(folder, 'role = ["hub"]\n' + told + HUB.format(store=self.server.url))
        return Node(folder, 'role = ["edge"]\n' + EDGE.format(folder=folder) + told)

    def program(self, edge, methods=7, calls=2100):
        """Does so many calls, which its edge has on its disk then."""
        self.streams += 1
        number = self.streams
        content = stream(self.folder, f"program{number}", methods, calls)

        def run():
            agent = Agent(edge, number, content).end()
            assert agent.bye is None, agent.bye
        in_child(run)
        self.sent["fleet_a" if edge is self.one else "fleet_b"] += calls

    def client(self, user):
        return contextlib.closing(nats.Client(self.broker, user, PASSWORDS[user]))

    def words(self):
        return "".join(node.words()[-2000:] for node in self.nodes) + self.broker.words()

    def stored(self, database):
        return self.server.number(f"SELECT sum(count) FROM {database}.profile_10s FINAL "
                                  "WHERE carrier = 0")

    def expect_sums(self):
        def have():
            return {name: self.stored(name) for name in self.sent}
        wait_until(lambda: have() == self.sent, lambda: (have(), self.sent, self.words()))


def fields(number, edge="edge-of-test", name=None):
    return {"Polytrace-Edge": edge, "Polytrace-Batch": number, "Polytrace-Before": 0,
            "Nats-Msg-Id": name or f"{edge}.{number}"}


def frames(seed, count=1):
    """Rows with names that no compression makes smaller."""
    today = int(time.time()) // 86400
    return b"".join(
        (seed * 1_000_000 + i).to_bytes(8, "little") + b"\x01" + text(os.urandom(300).hex()) +
        text("") + bytes(4) + today.to_bytes(2, "little") for i in range(count))


def test_sums(fleet):
    for edge in (fleet.one, fleet.two):
        fleet.program(edge)
    fleet.expect_sums()
    stream_of = fleet.broker.stream("PT_ROWS")["config"]
    told = {name: stream_of[name] for name in ("retention", "discard", "max_bytes", "max_age",
                                               "duplicate_window", "storage")}
    assert told == {"retention": "workqueue", "discard": "new", "max_bytes": 2 << 20,
                    "max_age": 24 * 3600 * 10**9, "duplicate_window": 120 * 10**9,
                    "storage": "file"}, told
    edges = fleet.server.rows("SELECT DISTINCT edge FROM fleet_a.batches")
    assert edges == [[(fleet.one.folder / "state/name").read_text().strip()]], edges
    assert fleet.hub.figure("bus_up") == 1 and fleet.hub.figure("batches_taken_total") > 0
    # What was taken has left the stream.
    wait_for("an empty stream", lambda: fleet.broker.messages("PT_ROWS") == 0)


def test_twice(fleet):
    """Within the window the stream knows it again, beyond it the hub does."""
    body, subject = packed(fleet.folder), f"pt.v1.a.rows.frames.{LANE}"
    taken, known = (fleet.hub.figure(name) for name in
                    ("batches_taken_total", "batches_known_total"))
    with fleet.client("one") as client:
        first = client.publish(subject, body, fields(900))
        assert first["stream"] == "PT_ROWS" and "duplicate" not in first, first
        again = client.publish(subject, body, fields(900))
        assert again.get("duplicate") is True, again
        # Beside each other both would be kept, and the second replace the first in the store.
        wait_for("one", lambda: fleet.hub.figure("batches_taken_total") == taken + 1)
        client.publish(subject, body, fields(900, name="another-name"))
    wait_for("both", lambda: fleet.hub.figure("batches_known_total") == known + 1)
    assert fleet.hub.figure("batches_taken_total") == taken + 1
    wait_for("the row", lambda: fleet.server.number(
        "SELECT count() FROM fleet_a.frames FINAL WHERE id = 77") == 1)
    assert fleet.server.number("SELECT count() FROM fleet_b.frames WHERE id = 77") == 0


def test_edges_refused(fleet):
    """By the broker: a wrong password, another's tenant, and another authority's certificate by
    the edge. Each keeps its rows and says why, once."""
    cases = (("a-password", 'tenant = "a"', {"password": "wrong"}, "Authorization"),
             ("a-tenant", 'tenant = "b"', {}, "Permissions Violation"),
             ("an-authority", 'tenant = "a"', {"ca": "other"}, "certificate"))
    edges = [fleet.node(name, "one", more, **rest) for name, more, rest, _ in cases]
    try:
        for edge in edges:
            edge.start()
            content = stream(fleet.folder, edge.folder.name, 3, 30)
            in_child(lambda: Agent(edge, 7, content).end())  # noqa: B023
        for edge, (*_, word) in zip(edges, cases):
            wait_for(word, lambda: any(word.lower() in event["text"].lower()  # noqa: B023
                                       for event in edge.told("store")))  # noqa: B023
            assert len(edge.told("store")) == 1, edge.told("store")
            assert edge.figure("rows_total") == 0
            assert PASSWORDS["wrong"] not in edge.everything()
    finally:
        for edge in edges:
            edge.kill()
    assert "Violation" in fleet.broker.words()


def test_messages_refused(fleet):
    """By the hub, as what is posted to it: a tenant that it has not, damage, rows of another table.
    They come again later, but hold up nobody else in their lane."""
    good = packed(fleet.folder)

    def refused(why, subject, body, count=1):
        before = fleet.hub.figure(f'refused_total{{why="{why}"}}')
        for _ in range(count):
            number = int(time.monotonic_ns())
            answer = client.publish(subject, body, fields(number))
            assert answer["stream"] == "PT_ROWS", answer
        wait_for(why, lambda: fleet.hub.figure(f'refused_total{{why="{why}"}}') >= before + count)

    with fleet.client("hub") as client:
        refused("tenant", f"pt.v1.zzz.rows.frames.{LANE}", good)
        refused("rows", f"pt.v1.a.rows.stacks.{LANE}", good)
        refused("bomb", f"pt.v1.a.rows.frames.{LANE}", packed(fleet.folder, raw=bytes(60 << 20)))
        assert fleet.hub.figure("bus_refused_total") == 0
        refused("rows", f"pt.v1.a.rows.frames.{LANE}", good[:-1], 20)
        # More than 16 do not wait.
        wait_for("some that are dropped", lambda: fleet.hub.figure("bus_refused_total") == 7)
        assert any("is dropped" in event["text"] for event in fleet.hub.told("bus"))
        taken = fleet.hub.figure("batches_taken_total")
        client.publish(f"pt.v1.a.rows.frames.{LANE}", packed(fleet.folder, rows=frames(9)),
                       fields(910))
        wait_for("a good one", lambda: fleet.hub.figure("batches_taken_total") == taken + 1)


def test_kills(fleet):
    """Of broker, hub and edge, with rows under way; and programs that run meanwhile."""
    fleet.program(fleet.one)
    fleet.broker.kill()
    for edge in (fleet.one, fleet.two):
        fleet.program(edge)
    wait_for("a hub alone", lambda: fleet.hub.figure("bus_up") == 0)
    for edge in (fleet.one, fleet.two):
        wait_for("an edge alone", lambda: edge.figure('store_up{shard="0"}') == 0  # noqa: B023
                 and edge.figure("outbox_bytes") > 0)  # noqa: B023
    fleet.two.kill()
    fleet.broker.start()
    fleet.two.start()
    fleet.program(fleet.two)
    fleet.hub.kill()
    for moment in (0.4, 1.2):
        fleet.hub.start()
        fleet.program(fleet.one)
        time.sleep(moment)  # wait: any moment will do
        fleet.broker.kill()
        fleet.broker.start()
        fleet.hub.kill()
        fleet.one.kill()
        fleet.one.start()
    fleet.hub.start()
    fleet.expect_sums()


def test_stands_still(fleet):
    """A broker that says nothing for 15 s, and hangs up nowhere."""
    fleet.broker.process.send_signal(signal.SIGSTOP)
    begin = time.monotonic()
    for edge in (fleet.one, fleet.two):
        fleet.program(edge)
    time.sleep(max(0, begin + 15 - time.monotonic()))  # wait: it stands still that long
    wait_for("an edge alone", lambda: fleet.one.figure('store_up{shard="0"}') == 0)
    wait_for("its word", lambda: any(event["weight"] == "warning"
                                     for event in fleet.one.told("store")))
    fleet.broker.process.send_signal(signal.SIGCONT)
    fleet.expect_sums()


def test_full(fleet):
    """No hub, and a stream that takes no more: edges keep what they have, and say it once."""
    assert fleet.hub.end() == 0, fleet.hub.words()[-2000:]
    seed, filled = 50, 0
    with fleet.client("one") as client:
        for count in (600, 60, 6, 1):
            while True:
                body = packed(fleet.folder, rows=frames(seed, count), count=count)
                answer = client.publish(f"pt.v1.a.rows.frames.{LANE}", body, fields(seed))
                if "error" in answer:
                    break
                seed, filled = seed + 1, filled + count
    assert filled > 600 and "maximum bytes" in answer["error"]["description"], answer
    fleet.program(fleet.one)
    wait_for("an edge that keeps", lambda: any("maximum bytes" in event["text"]
                                               for event in fleet.one.told("store")))
    assert fleet.one.figure("outbox_bytes") > 0
    fleet.hub.start()
    fleet.expect_sums()
    sql = ("SELECT uniqExact(id) FROM fleet_a.frames WHERE id >= 50000000 AND "
           f"id < {seed}000000")
    wait_for("all that filled it", lambda: fleet.server.number(sql) == filled)
    wait_for("an empty outbox", lambda: fleet.one.figure('store_up{shard="0"}') == 1)


def test_checked(fleet):
    """What cannot be is said before anything begins."""
    for more, word in (('token_file = "/t"', "one of bus.user"), ("replicas = 9", "1 to 5"),
                       ('tenant = "a.b"', "letters"), ('creds_file = "c"', "absolute")):
        file = fleet.folder / "wrong.toml"
        file.write_text(BUS.format(url=fleet.broker.url, keys=fleet.keys, ca="ca", user="one",
                                   password="one", more=more, folder=fleet.folder))
        told = subprocess.run([POLYTRACE, "collect", "--check", "--config", file], text=True,
                              capture_output=True, check=False)
        assert told.returncode == 2 and word in told.stderr, (more, told)


def has_bus(folder):
    file = Path(folder) / "probe.toml"
    file.write_text('[bus]\nurl = "nats://127.0.0.1:4222"\n')
    told = subprocess.run([POLYTRACE, "collect", "--check", "--config", file], text=True,
                          capture_output=True, check=False)
    if told.returncode != 0:
        assert "libnats-dev" in told.stderr, told
    return told.returncode == 0


def main():
    os.environ["NO_COLOR"] = "1"
    if not shutil.which("openssl") or not shutil.which("zstd"):
        print("no openssl or no zstd here")
        sys.exit(77)
    with tempfile.TemporaryDirectory(prefix="polytrace-bus-") as folder:
        if not has_bus(folder):
            print("polytrace was built without libnats, and refuses [bus]: ./dev setup build")
            sys.exit(77)
        run(folder)


def run(folder):
    with clickhouse.Server() as server:
        for database in ("fleet_a", "fleet_b"):
            subprocess.run([POLYTRACE, "fleet", "schema", "--apply", "--store",
                            f"{server.url}/{database}"], check=True, stdout=subprocess.DEVNULL)
        fleet = Fleet(folder, server)
        with fleet.broker:
            try:
                for node in fleet.nodes:
                    node.start()
                for test in (test_checked, test_sums, test_twice, test_edges_refused,
                             test_messages_refused, test_kills, test_stands_still, test_full):
                    begin = time.monotonic()
                    test(fleet)
                    print(f"{test.__name__}: {time.monotonic() - begin:.1f} s", flush=True)
                for node in (fleet.two, fleet.one, fleet.hub):
                    assert node.end() == 0, node.words()[-2000:]
                for node in fleet.nodes:
                    for password in PASSWORDS.values():
                        assert password not in node.everything(), node.folder
            finally:
                for node in fleet.nodes:
                    node.kill()


if __name__ == "__main__":
    main()
