#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Connections that are cut without a word: a proxy that takes all bytes and passes none on, and
hangs up nowhere. Between a program and its edge, over a Unix socket and TCP, and between an edge
and its hub, one way or both: each side gives up by itself, comes again, and what the store has is
what the programs counted."""
import contextlib
import os
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
import counting  # noqa: E402
from collect import POLYTRACE, wait_for  # noqa: E402
from collect_bounds import Agent, in_child, stream  # noqa: E402
from hub import Node, expect_stored, new_token  # noqa: E402

EDGE = """role = ["edge"]
[edge]
socket = "{folder}/run/collect.sock"
tcp_port = {agents}
tcp_token_file = "{keys}/agents"
heartbeat = "1s"
hubs = ["http://127.0.0.1:{hub}"]
hub_time = "2s"
token_file = "{keys}/edge"
[spool]
folder = "{folder}/state"
min_free = "1m"
[metrics]
port = 0
"""
HUB = """role = ["hub"]
[http]
listen = "127.0.0.1:{hub}"
token_file = "{keys}/tokens.toml"
[spool]
folder = "{folder}/state"
min_free = "1m"
[store]
urls = [["{store}/fleet"]]
[metrics]
port = 0
"""


class Proxy:
    """From a socket that listens to an address; mute() holds of the connections of that moment."""

    def __init__(self, listener, address):
        self.listener, self.address = listener, address
        self.listener.listen()
        self.connections = []
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                near, _ = self.listener.accept()
            except OSError:
                return
            far = socket.socket(near.family)
            try:
                far.connect(self.address)
            except OSError:
                near.close()
                continue
            one = {"up": True, "down": True}
            self.connections.append(one)
            for way, source, sink in (("up", near, far), ("down", far, near)):
                threading.Thread(target=self.carry, args=(one, way, source, sink),
                                 daemon=True).start()

    @staticmethod
    def carry(one, way, source, sink):
        """An end is passed on only where bytes are."""
        with contextlib.suppress(OSError):
            while piece := source.recv(65536):
                if one[way]:
                    sink.sendall(piece)
        if one[way]:
            with contextlib.suppress(OSError):
                sink.shutdown(socket.SHUT_WR)

    def mute(self, *ways):
        for one in self.connections:
            for way in ways or ("up", "down"):
                one[way] = False


def unix_proxy(path, address):
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(str(path))
    return Proxy(listener, str(address))


def tcp_proxy(port):
    listener = socket.socket()
    listener.bind(("127.0.0.1", 0))
    return Proxy(listener, ("127.0.0.1", port)), listener.getsockname()[1]


class Pair:
    def __init__(self, folder, server):
        self.folder, self.server = Path(folder), server
        self.keys = self.folder / "keys"
        self.keys.mkdir()
        token, lines = new_token("edge")
        (self.keys / "tokens.toml").write_text(lines)
        for name, word in (("edge", token), ("agents", "a word that both sides know")):
            (self.keys / name).write_text(word + "\n")
            (self.keys / name).chmod(0o600)
        port, agents = clickhouse.free_ports(2)
        self.to_hub, before_hub = tcp_proxy(port)
        self.hub = Node(self.folder / "hub", HUB.format(folder=self.folder / "hub", hub=port,
                                                        keys=self.keys, store=server.url))
        self.edge = Node(self.folder / "edge", EDGE.format(
            folder=self.folder / "edge", hub=before_hub, agents=agents, keys=self.keys))
        self.by_unix = unix_proxy(self.folder / "proxy.sock", self.edge.socket)
        self.by_tcp, tcp_port = tcp_proxy(agents)
        self.ways = {
            "unix": (self.by_unix, self.folder / "proxy.sock"),
            "tcp": (self.by_tcp, f"tcp:127.0.0.1:{tcp_port},token-file={self.keys}/agents")}

    def words(self):
        return self.edge.words() + self.hub.words()


def test_silent(pair):
    """A program that was greeted and says nothing any more is told why, and counted."""
    why = 'refused_total{why="heartbeat"}'
    before = pair.edge.figure(why)
    silent = Agent(pair.edge, 400, b"")
    while silent.bye is None:
        silent.hear()
    assert "heartbeats" in silent.bye, silent.bye
    assert pair.edge.figure(why) == before + 1
    wait_for("nobody", lambda: pair.edge.figure("streams") == 0)


def test_program(pair, programs, way):
    """The edge hangs up, the agent dials again and goes on at the block that the edge has not."""
    proxy, address = pair.ways[way]
    program = programs.start(programs.names[0], address, None, 5)
    wait_for("blocks", lambda: pair.edge.figure("streams") == 1)
    for _ in range(2):
        blocks = pair.edge.figure("blocks_total")
        wait_for("more blocks", lambda: pair.edge.figure("blocks_total") > blocks)  # noqa: B023
        came, left = (len(pair.edge.told(what)) for what in ("connected", "left"))
        proxy.mute()
        wait_for("an agent that comes again",
                 lambda: len(pair.edge.told("connected")) > came)  # noqa: B023
        wait_for("an edge that gave up",
                 lambda: len(pair.edge.told("left")) > left)  # noqa: B023
    assert len(pair.edge.told("resumed")) > 0
    program.end()
    expect_stored(pair.server, "fleet", program, pair.words,
                  os.getpid() if way == "unix" else None)
    assert pair.edge.figure("blocks_missing_total") == 0
    assert pair.edge.figure("events_lost_total") == 0


def test_hub(pair):
    """Whether the hub has heard the batch or not: it comes again, and counts once."""
    def calls_of(number):
        content = stream(pair.folder, f"cut{number}", 5, 900)
        child = in_child(lambda: Agent(pair.edge, 500 + number, content).end())
        sql = ("SELECT sum(count) FROM fleet.profile_10s FINAL WHERE carrier = 0 AND series IN "
               f"(SELECT series FROM fleet.series WHERE instance = '{child}')")
        wait_for("rows", lambda: pair.server.number(sql) == 900)

    calls_of(0)  # a connection is there then
    for number, ways in enumerate((("up", "down"), ("down",)), 1):
        known = pair.hub.figure("batches_known_total")
        retried = pair.edge.figure("batches_retried_total")
        pair.to_hub.mute(*ways)
        calls_of(number)
        assert pair.edge.figure("batches_retried_total") > retried
        if ways == ("down",):
            assert pair.hub.figure("batches_known_total") > known
        wait_for("an edge that has sent all",
                 lambda: pair.edge.figure('store_up{shard="0"}') == 1)


def main():
    os.environ["NO_COLOR"] = "1"
    with tempfile.TemporaryDirectory(prefix="polytrace-half-") as folder, \
            clickhouse.Server() as server:
        (Path(folder) / "programs").mkdir()
        programs = counting.Programs(Path(folder) / "programs")
        subprocess.run([POLYTRACE, "fleet", "schema", "--apply", "--store", f"{server.url}/fleet"],
                       check=True, stdout=subprocess.DEVNULL)
        pair = Pair(folder, server)
        try:
            pair.hub.start()
            pair.edge.start()
            tests = [("hub", lambda: test_hub(pair)), ("silent", lambda: test_silent(pair))]
            if programs.names:
                tests += [(way, lambda way=way: test_program(pair, programs, way))
                          for way in pair.ways]
            else:
                print("without programs: no runtime whose agent can be loaded here")
            for name, test in tests:
                begin = time.monotonic()
                test()
                print(f"{name}: {time.monotonic() - begin:.1f} s", flush=True)
            for node in (pair.edge, pair.hub):
                assert node.end() == 0, node.words()[-2000:]
        finally:
            for node in (pair.edge, pair.hub):
                node.kill()


if __name__ == "__main__":
    main()
