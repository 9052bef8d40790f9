#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A hub that is away for longer than an edge's outbox has room: rows of methods go first, then
those of single processes become their group's, also when the edge is killed meanwhile. Calls and
self time of the group stay what they were, and it is told: in the metrics, as lost, in answers."""
import json
import os
import random
import re
import shutil
import string
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parent / "support"),
                str(Path(__file__).parents[1] / "cli")]
import clickhouse  # noqa: E402
from collect import POLYTRACE, wait_for  # noqa: E402
from collect_bounds import Agent, in_child, stream  # noqa: E402
from failures import crc32c  # noqa: E402
from half_open import EDGE, HUB  # noqa: E402
from hub import Node, new_token  # noqa: E402

CALLS = 3000
METHODS = 4000
MARK = 0.001  # of the outbox: the first process has less, some together more


def numbered(content, number):
    """The same stream of another process: its header tells which."""
    mine = bytearray(content)
    mine[16:24] = number.to_bytes(8, "little")
    mine[28:32] = crc32c(mine[:28]).to_bytes(4, "little")
    return bytes(mine)


def ballast(folder, draw, name):
    """A program whose methods have names that nothing can pack."""
    stream(folder, name, METHODS, METHODS)
    source, made = Path(folder, name + ".trcxml"), Path(folder, name + "-long.ptrace")
    source.write_text(re.sub(r'(<methodDef name=")m\d+', lambda match: match[1] + "".join(
        draw.choices(string.ascii_letters + string.digits, k=900)), source.read_text()))
    subprocess.run([POLYTRACE, "convert", "-q", source, "-o", made], check=True)
    return made.read_bytes()


def weight_of(server, folder, content):
    """Self time of a stream's calls, as a push of it as a file adds it up."""
    file, database = Path(folder, "plain.ptrace"), f"plain_{draw_name()}"
    file.write_bytes(content)
    subprocess.run([POLYTRACE, "fleet", "schema", "--apply", "--store", f"{server.url}/{database}"],
                   check=True, stdout=subprocess.DEVNULL)
    subprocess.run([POLYTRACE, "push", file, "--to", f"{server.url}/{database}", "--label",
                    "service=plain"], check=True, stdout=subprocess.DEVNULL)
    return server.number(f"SELECT sum(weight) FROM {database}.profile_10s FINAL WHERE carrier = 0")


def draw_name():
    return "".join(random.choices(string.ascii_lowercase, k=8))


class Site:
    def __init__(self, folder, server):
        self.folder, self.server = Path(folder), server
        keys = self.folder / "keys"
        keys.mkdir()
        token, lines = new_token("edge")
        (keys / "tokens.toml").write_text(lines)
        for name, word in (("edge", token), ("agents", "a word that both sides know")):
            (keys / name).write_text(word + "\n")
            (keys / name).chmod(0o600)
        port, agents = clickhouse.free_ports(2)
        told = {"hub": port, "keys": keys, "store": server.url, "agents": agents}
        self.hub = Node(self.folder / "hub", HUB.format(folder=self.folder / "hub", **told))
        edge = EDGE.format(folder=self.folder / "edge", **told).replace(
            'heartbeat = "1s"', 'heartbeat = "1h"')  # scripted agents answer none
        self.edge = Node(self.folder / "edge", edge + f"""[outbox]
bytes = "16m"
high = {MARK}
[limits]
streams_of_user = 200
""")

    def send(self, content, numbers):
        """A program each, one after the other, until all of it is worked on."""
        def begin(number):
            agent = Agent(self.edge, number, numbered(content, number))
            agent.end()
            assert agent.bye is None, agent.bye
        children = [in_child(lambda: begin(number)) for number in numbers]  # noqa: B023
        ended = {event["who"].split()[-1] for event in self.edge.told("ended")}
        wait_for("ends", lambda: ended.update(
            event["who"].split()[-1] for event in self.edge.told("ended"))
            or ended >= set(map(str, children)))
        return children

    def sum(self, table, figure, more="1"):
        return self.server.number(f"SELECT sum({figure}) FROM fleet.{table} FINAL WHERE {more}")


def answer(server, *words):
    done = subprocess.run([POLYTRACE, "fleet", *words, "--store",
                           f"{server.url}/fleet"], capture_output=True, text=True, check=True)
    return done.stdout


def test_thinned(site):
    draw = random.Random(1)
    content = stream(site.folder, "thin", 60, CALLS)
    edge, server = site.edge, site.server
    edge.start()
    first = site.send(content, [100])
    assert edge.figure("rows_thinned_total") == 0
    processes = 1
    while edge.figure("rows_thinned_total") == 0:
        assert processes < 400, edge.figure("outbox_bytes")
        site.send(content, [100 + processes])
        processes += 1
    thinned = edge.figure("rows_thinned_total")
    assert any("rows of methods are dropped" in event["text"] for event in edge.told("outbox"))
    calls = weight = 0
    number = 1000
    while edge.figure("outbox_bytes") <= (16 << 20) * (1 + MARK) / 2:
        more = ballast(site.folder, draw, f"ballast{number}")
        before = edge.figure("outbox_bytes")
        site.send(more, [number])
        calls, weight = calls + METHODS, weight + weight_of(server, site.folder, more)
        number += 1
        wait_for("rows that are packed",
                 lambda: edge.figure("outbox_bytes") > before)  # noqa: B023
    site.send(content, range(500, 530))
    edge.kill()
    edge.start()  # what it had not kept for good is computed again
    site.send(content, range(530, 540))
    processes += 40
    calls += processes * CALLS
    weight += processes * weight_of(server, site.folder, content)
    site.hub.start()
    wait_for("all calls", lambda: site.sum("profile_10s", "count", "carrier = 0") == calls)
    wait_for("what tells of them", lambda: site.sum("health_10s", "calls") == calls)
    assert site.sum("profile_10s", "weight", "carrier = 0") == weight
    alone = f"series IN (SELECT series FROM fleet.series WHERE instance = '{first[0]}')"
    assert site.sum("profile_10s", "count", f"carrier = 0 AND {alone}") == CALLS
    joined = "series IN (SELECT series FROM fleet.series WHERE host = '(many)')"
    assert 0 < site.sum("profile_10s", "count", joined) < calls, edge.told("outbox")
    assert any("those of their groups" in event["text"] for event in edge.told("outbox"))
    lost, of_methods = site.sum("health_10s", "lost"), site.sum("methods_1m", "calls")
    assert lost >= thinned and 0 < of_methods < calls, (lost, thinned, of_methods, calls)
    told = json.loads(answer(server, "methods", "--last", "1h", "--json"))
    several = server.number("SELECT uniqExact(series) FROM fleet.series WHERE host = '(many)'")
    assert told["series_thinned"] == several > 0 and told["events_lost"] == lost, told
    assert "were thinned" in answer(server, "methods", "--last", "1h")
    before = json.loads(answer(server, "methods", "--from", "2020-01-01T00:00:00Z",
                               "--to", "2020-01-02T00:00:00Z", "--json"))
    assert before["series_thinned"] == 0
    for node in (edge, site.hub):
        assert node.end() == 0, node.words()[-2000:]


def main():
    os.environ["NO_COLOR"] = "1"
    if not shutil.which("zstd"):
        print("no zstd here")
        sys.exit(77)
    with tempfile.TemporaryDirectory(prefix="polytrace-thinned-") as folder, \
            clickhouse.Server() as server:
        subprocess.run([POLYTRACE, "fleet", "schema", "--apply", "--store", f"{server.url}/fleet"],
                       check=True, stdout=subprocess.DEVNULL)
        site = Site(folder, server)
        begin = time.monotonic()
        try:
            test_thinned(site)
        finally:
            for node in (site.edge, site.hub):
                node.kill()
        print(f"{time.monotonic() - begin:.1f} s")


if __name__ == "__main__":
    main()
