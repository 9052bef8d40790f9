#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What NATS JetStream carries from an edge to a hub: scripted programs fill the edge's outbox while
the broker is away; then it goes into the stream while no hub is there; then a hub takes it. Sums in
a real ClickHouse server must be what was sent.

usage: bus.py POLYTRACE SENDER FOLDER small|full
SENDER is bench_fleet_send.
"""
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from fleet import PATIENCE, Edge, Senders, clickhouse
from measure import show

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests/fleet/support"))
import nats  # noqa: E402

SIZES = {"small": {"streams": 20, "seconds": 2}, "full": {"streams": 400, "seconds": 10}}
COMMON = """[bus]
url = "{bus}"
user = "{user}"
password_file = "{folder}/../password"
max_bytes = "800m"
[spool]
folder = "{folder}/state"
bytes = "1g"
min_free = "1m"
[limits]
streams_of_user = 5000
[metrics]
port = 0
"""
EDGE = """role = ["edge"]
[edge]
socket = "{folder}/run/collect.sock"
drain = "5s"
"""
HUB = """role = ["hub"]
[store]
urls = [["{store}"]]
"""
USERS = """{ user: hub, password: "a password of both" }
  { user: edge, password: "a password of both", permissions: {
    publish: ["pt.v1.default.rows.*.*", "pt.v1.default.here.*", "pt.v1.default.said.*.*"],
    subscribe: ["_INBOX.edge.default.>", "pt.v1.default.cmd.*"] } }
"""


def wait_for(what, true):
    begin = time.monotonic()
    while not true():
        if time.monotonic() - begin > PATIENCE:
            sys.exit(f"waited in vain: {what}")
        time.sleep(0.02)
    return time.monotonic() - begin


def until_still(node):
    """Seconds until its last batch went; its newest file of the outbox stays, and tells nothing."""
    begin = changed = time.monotonic()
    seen = 0
    while (now := time.monotonic()) - changed < 2 or seen == 0:
        if (count := node.figures()["batches_total"]) != seen:
            seen, changed = count, now
        if now - begin > PATIENCE:
            sys.exit("waited in vain for a batch to go")
        time.sleep(0.02)
    return changed - begin


def told(what, size, count, wall, cpu):
    show(f"{what}, MB/s", f"{size / wall / 1e6:.1f}")
    show(f"{what}, messages/s", f"{count / wall:.0f}")
    show(f"{what}, CPU s a GB", f"{cpu / size * 1e9:.1f}")


def run(tool, sender, place, size, server, broker):
    common = {"bus": broker.url, "store": f"{server.url}/fleet"}
    subprocess.run([tool, "fleet", "schema", "--apply", "--store", common["store"]], check=True,
                   stdout=subprocess.DEVNULL)
    edge = Edge(tool, Path(place) / "edge", EDGE + COMMON, user="edge", **common)
    hub = Edge(tool, Path(place) / "hub", HUB + COMMON, user="hub", **common)
    try:
        hub.start()  # makes the stream
        wait_for("a stream", lambda: hub.figures().get("bus_up") == 1)
        hub.end()
        broker.kill()
        edge.start()
        sent = Senders(sender, edge.socket, rate=0, step=10_000_000, spread=50, behind=7200,
                       **SIZES[size]).wait()
        time.sleep(3)
        edge.kill()
        broker.start()
        edge.start()  # anew, so that it need not wait for its next try
        cpu = edge.cpu()
        wall = until_still(edge)
        cpu = edge.cpu() - cpu
        state = broker.stream("PT_ROWS")["state"]
        bytes_, count = state["bytes"], state["messages"]
        print(f"{count} messages, {bytes_ / 1e6:.1f} MB; load {os.getloadavg()[0]:.1f}")
        told("edge to stream", bytes_, count, wall, cpu)
        hub.start()
        cpu = hub.cpu()
        wall = wait_for("an empty stream", lambda: broker.messages("PT_ROWS") == 0)
        told("stream to hub's disk", bytes_, count, wall, hub.cpu() - cpu)
        edge.end()
        until_still(hub)
        hub.end()
        calls = server.number("SELECT sum(count) FROM fleet.profile_10s FINAL WHERE carrier = 0")
        show("calls in the store - sent", calls - sent["calls"], 0, calls == sent["calls"])
        return calls == sent["calls"]
    finally:
        edge.kill()
        hub.kill()


def main():
    tool, sender, folder, size = sys.argv[1:5]
    with tempfile.TemporaryDirectory(prefix="polytrace-bus-", dir=folder) as place:
        (Path(place) / "password").write_text("a password of both\n")
        broker = nats.Server(Path(place) / "nats", None, USERS)
        with clickhouse.Server() as server, broker:
            sys.exit(0 if run(tool, sender, place, size, server, broker) else 1)


if __name__ == "__main__":
    main()
