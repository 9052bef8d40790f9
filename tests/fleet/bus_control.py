#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Programs of edges that have a bus and no hub's address, commanded and read through a hub, with a
real nats-server: those of one's own tenant alone, also after the broker was away; who may not say
there that it is there keeps sending rows."""
import http.client
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parent / "support"),
                str(Path(__file__).parents[1] / "cli")]
import bus  # noqa: E402
import clickhouse  # noqa: E402
import collect  # noqa: E402
import control  # noqa: E402
import counting  # noqa: E402
import hub  # noqa: E402
import nats  # noqa: E402
import pieces  # noqa: E402
from certificates import Authority  # noqa: E402
from collect import POLYTRACE, wait_for  # noqa: E402
from collect_bounds import Agent, in_child, stream  # noqa: E402

# As docs/fleet.md shows it; `old` is as it was before edges took commands from there.
USERS = "".join(
    f'  {{ user: {user}, password: "{bus.PASSWORDS[user]}"{more} }}\n' for user, more in (
        ("hub", ""), *((user, f""", permissions: {{
    publish: ["pt.v1.{tenant}.rows.*.*", "pt.v1.{tenant}.here.*", "pt.v1.{tenant}.said.*.*"],
    subscribe: ["_INBOX.edge.{tenant}.>", "pt.v1.{tenant}.cmd.*"] }}""")
                       for user, tenant in (("one", "a"), ("two", "b"))),
        ("wrong", """, permissions: {
    publish: ["pt.v1.a.rows.*.*"], subscribe: ["_INBOX.edge.a.>"] }""")))
BIG = 0xb16


class Fleet:
    def __init__(self, folder, server):
        self.folder, self.server = Path(folder), server
        self.keys = self.folder / "keys"
        authority = Authority(self.keys, "ca")
        for name in ("broker", "hub"):
            authority.issue(name, "IP:127.0.0.1", "serverAuth")
        for user, password in bus.PASSWORDS.items():
            self.secret(user, password)
        self.tokens, lines = {}, ""
        for name, roles in (("a/boss", '["control", "read"]'), ("b/boss", '["control", "read"]')):
            self.tokens[name], told = hub.new_token(name, roles)
            lines += told
        self.secret("tokens.toml", lines)
        self.secret("port", pieces.PORT_TOKEN)
        self.broker = nats.Server(self.folder / "nats", self.keys, USERS)
        self.port = clickhouse.free_ports(1)[0]
        text = hub.HUB.format(folder=self.folder / "hub", port=self.port, keys=self.keys,
                              store=server.url)
        self.hub = hub.Node(self.folder / "hub", text + self.bus("hub", 'max_bytes = "100m"'))
        self.one, self.two, self.old = (
            hub.Node(self.folder / name, 'role = ["edge"]\n' + bus.EDGE.format(
                folder=self.folder / name) + 'heartbeat = "1h"\n' + bus.BUS.format(
                    folder=self.folder / name, **self.words(user, f'tenant = "{tenant}"'))
                + pieces.MORE.format(token=self.keys / "port")
                + f"[control]\nallow = {control.ALL}\n")
            for name, user, tenant in (("one", "one", "a"), ("two", "two", "b"),
                                       ("old", "wrong", "a")))
        self.nodes = (self.hub, self.one, self.two, self.old)

    def secret(self, name, text):
        file = self.keys / name
        file.write_text(text + "\n")
        file.chmod(0o600)

    def words(self, user, more):
        return {"url": self.broker.url, "keys": self.keys, "ca": "ca", "user": user,
                "password": user, "more": more}

    def bus(self, user, more):
        return bus.BUS.format(folder="", **self.words(user, more)).split("[spool]")[0]

    def caller(self):
        return hub.Caller(self.port, self.keys)

    def name(self, node):
        return (node.folder / "state/name").read_text().strip()

    def is_met(self, node, times=1):
        """Whether it came to this run of the hub so often."""
        return sum(event.get("who") == self.name(node) and event["text"] == "takes commands"
                   for event in self.hub.told("control")) >= times


def test_commands(fleet, orders, programs):
    """Each tenant's boss reaches its own programs; what they count is what they always count."""
    name = programs.names[0]
    mine, other = (programs.start(name, edge.socket, None, 3, ",label=service:shop")
                   for edge in (fleet.one, fleet.two))
    control.wait_known(orders, mine)
    assert orders.ask("flush", {"limit": 9})["matched"] == 1
    wait_for("the other tenant's", lambda: fleet.caller().ask(
        "POST", "/v1/agents/flush", f'{{"where": "instance={other.process.pid}"}}',
        fleet.tokens["b/boss"])[0] == 200)
    orders.ask("flush", {"where": f"instance={other.process.pid}"}, status=404)
    orders.one("pause", mine)
    orders.one("resume", mine)
    return mine, other


def test_piece(fleet):
    """More than one message holds, and the same as at the edge's own port."""
    content = stream(fleet.folder, "big", 300, 60_000, 4_000)

    def run():
        agent = Agent(fleet.one, BIG, content).end()
        assert agent.bye is None, agent.bye
    in_child(run)
    wait_for("the end of a stream", lambda: any(
        event.get("stream") == f"{BIG:016x}" for event in fleet.one.told("ended")))
    path = f"/v1/traces/{BIG:016x}/0-9"
    link = http.client.HTTPConnection("127.0.0.1", fleet.one.port, timeout=collect.HANGS)
    link.request("GET", path, None, {"Authorization": f"Bearer {pieces.PORT_TOKEN}"})
    want = link.getresponse().read()
    link.close()
    status, have, _ = fleet.caller().ask_raw("GET", path, None, fleet.tokens["a/boss"])
    assert (status, have) == (200, want), (status, len(have), len(want), have[:200])
    assert len(have) > 1 << 19, "it goes in several messages"
    status, text, _ = fleet.caller().ask("GET", path, None, fleet.tokens["b/boss"])
    assert status == 404, (status, text)


def test_old(fleet):
    """One that the broker lets send rows, and no more: it says so once, and sends them."""
    wait_for("a complaint", lambda: any(
        "permissions violation" in event["text"].lower() for event in fleet.old.told("control")))
    assert not fleet.is_met(fleet.old)
    content = stream(fleet.folder, "old", 3, 30)
    in_child(lambda: Agent(fleet.old, 7, content).end())
    wait_for("its rows", lambda: fleet.old.figure("rows_total") > 0)
    assert len(fleet.old.told("control")) == 1, fleet.old.told("control")


def test_broker_killed(fleet, orders, mine):
    fleet.broker.kill()
    wait_for("a hub alone", lambda: any("no edge is reached" in event["text"]
                                        for event in fleet.hub.told("control")))
    orders.ask("flush", {"where": f"instance={mine.process.pid}"}, status=404)
    fleet.broker.start()
    wait_for("the edge again", lambda: fleet.is_met(fleet.one, 2))
    control.wait_known(orders, mine)  # an answer that comes late, as on a busy machine, is none
    orders.one("flush", mine)


def test_edge_ends(fleet, orders, mine):
    """It says so: nobody waits for it, and it is told as away."""
    assert fleet.one.end() == 0, fleet.one.words()[-2000:]
    told = orders.ask("flush", {"where": f"instance={mine.process.pid}"}, status=404)
    assert not told["silent_edges"], told  # which one that is waited for is
    status, text, _ = fleet.caller().ask("GET", f"/v1/traces/{BIG:016x}/0-0", None,
                                         fleet.tokens["a/boss"])
    assert status == 504 and fleet.name(fleet.one) in text, (status, text)


def run(folder, server, programs):
    for database in ("fleet_a", "fleet_b"):
        subprocess.run([POLYTRACE, "fleet", "schema", "--apply", "--store",
                        f"{server.url}/{database}"], check=True, stdout=subprocess.DEVNULL)
    fleet = Fleet(folder, server)
    orders = control.Orders(fleet)
    running = ()
    with fleet.broker:
        try:
            for node in fleet.nodes:
                node.start()
            wait_for("two edges", lambda: fleet.is_met(fleet.one) and fleet.is_met(fleet.two))
            running = test_commands(fleet, orders, programs)
            for test, words in ((test_piece, ()), (test_old, ()),
                                (test_broker_killed, (orders, running[0])),
                                (test_edge_ends, (orders, running[0]))):
                begin = time.monotonic()
                test(fleet, *words)
                print(f"{test.__name__}: {time.monotonic() - begin:.1f} s", flush=True)
            for program in running:
                control.own_counts(program)
            for node in (fleet.two, fleet.old, fleet.hub):
                assert node.end() == 0, node.words()[-2000:]
            for node in fleet.nodes:
                for secret in [*bus.PASSWORDS.values(), *fleet.tokens.values()]:
                    assert secret not in node.everything(), node.folder
        finally:
            for node in fleet.nodes:
                node.kill()
            for program in running:
                program.process.kill()


def main():
    if not shutil.which("openssl"):
        print("no openssl here")
        sys.exit(77)
    with tempfile.TemporaryDirectory(prefix="polytrace-bus-control-") as folder:
        if not bus.has_bus(folder):
            print("polytrace was built without libnats")
            sys.exit(77)
        (Path(folder) / "programs").mkdir()
        programs = counting.Programs(Path(folder) / "programs")
        programs.names = [name for name in programs.names if name != "dotnet"]
        if not programs.names:
            print("no runtime whose agent can be loaded here")
            sys.exit(77)
        with clickhouse.Server() as server:
            run(folder, server, programs)


if __name__ == "__main__":
    main()
