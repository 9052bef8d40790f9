#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A hub that keeps its store, on two real servers and for two tenants: what is due is rolled up and
what is old goes, of each, as often as it starts; where one is away the rest is done, and that is
told. What has to be there is added up in Python."""
import sys
import tempfile
import time
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parent / "support"),
                str(Path(__file__).parents[1] / "cli")]
import clickhouse  # noqa: E402
import facts  # noqa: E402
import tiers  # noqa: E402
from collect import wait_for  # noqa: E402
from hub import Node  # noqa: E402

HUB = """role = ["hub"]
[http]
listen = "127.0.0.1:{port}"
token_file = "{folder}/tokens.toml"
[spool]
folder = "{folder}/hub/state"
min_free = "1m"
[store]
urls = [{urls}]
[roll]
enabled = true
[metrics]
port = 0
[[tenant]]
name = "a"
database = "fleet_a"
[[tenant]]
name = "b"
database = "fleet_b"
"""
LONG = "3600d"
KEPT = [*tiers.TABLES, "streams"]


class Kept:
    """Two tenants on two servers: four parts, each with rows of its own."""

    def __init__(self, servers):
        self.parts = []
        for number, server in enumerate(servers):
            for database in ("fleet_a", "fleet_b"):
                store = tiers.Store(server, database)
                store.run("schema", "--apply")
                rows = tiers.Rows()
                rows.profile = [{**row, "count": row["count"] + number} for row in rows.profile]
                rows.put(store)
                self.parts.append((store, rows))

    def expect(self, *parts):
        for part in parts or self.parts:
            tiers.expect_tiers(*part)


def told(node, weight):
    return [event["text"] for event in node.told("roll") if event["weight"] == weight]


def test_rolls(hub, kept):
    hub.start()
    wait_for("four parts", lambda: len(told(hub, "news")) == 2)
    assert all(text.startswith(f"roll of fleet_{one}, 6 hours rolled, 8 days") for text, one
               in zip(told(hub, "news"), "ab")), told(hub, "news")
    kept.expect()
    assert hub.figure("roll_failures_total") == 0 and not told(hub, "warning")
    assert hub.figure("roll_age_seconds") < 3600
    assert hub.end() == 0


def test_server_away(hub, servers, kept):
    """The other one's rows are rolled all the same."""
    late = [part for part in kept.parts if part[0].server is servers[0]]
    for store, rows in late:
        rows.put(store, rows.late(facts.BEGIN, 1000))
    servers[1].kill()
    hub.start()
    wait_for("a failure", lambda: hub.figure("roll_failures_total") == 1)
    warnings = told(hub, "warning")
    assert len(warnings) == 2 and all(servers[1].url in text and "cannot be reached" in text
                                      for text in warnings), warnings
    kept.expect(*late)
    assert hub.end() == 0
    servers[1].start()
    kept.expect()


def test_prunes(hub, kept):
    """Only where it is told to, and what it is told."""
    for store, _ in kept.parts:
        assert store.ask("SELECT count() FROM DB.profile_10s") != [["0"]]
        facts.insert(store.server, f"{store.database}.streams", ["stream", "version", "touched"],
                     [{"stream": 1, "version": 2, "touched": facts.BEGIN}])
    keep = "".join(f'{table} = "{"1d" if table in ("profile_10s", "streams") else LONG}"\n'
                   for table in KEPT)
    text = hub.file.read_text("utf-8").replace("enabled = true", "enabled = true\nprune = true")
    hub.file.write_text(text.replace("[metrics]", f"[keep]\n{keep}[metrics]"))
    hub.start()
    wait_for("both tenants", lambda: sum("prune of" in text for text in told(hub, "news")) == 2)
    for text in told(hub, "news"):
        assert "4 partitions dropped" in text and "2 positions of streams dropped" in text, text
    for store, rows in kept.parts:
        assert store.ask("SELECT count() FROM DB.profile_10s") == [["0"]]
        assert store.ask("SELECT count() FROM DB.streams") == [["0"]]
        assert store.ask("SELECT count() FROM DB.methods_1m") == [[str(len(rows.methods))]]
    kept.expect()
    assert hub.figure("roll_failures_total") == 0, told(hub, "warning")
    assert hub.end() == 0


def main():
    with tempfile.TemporaryDirectory(prefix="polytrace-rolls-") as name, \
            clickhouse.Server() as first, clickhouse.Server() as second:
        folder, servers = Path(name), [first, second]
        kept = Kept(servers)
        (folder / "tokens.toml").write_text("")
        hub = Node(folder / "hub", HUB.format(
            port=clickhouse.free_ports(1)[0], folder=folder,
            urls=", ".join(f'["{server.url}/nobody"]' for server in servers)))
        try:
            for test, *words in ((test_rolls, hub, kept), (test_server_away, hub, servers, kept),
                                 (test_prunes, hub, kept)):
                begin = time.monotonic()
                test(*words)
                print(f"{test.__name__}: {time.monotonic() - begin:.1f} s", flush=True)
        finally:
            hub.kill()


if __name__ == "__main__":
    main()
