#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A store of two shards that is kept as one: rolled up, verified, pruned and watched by one
command, on real servers. What each shard has to have is added up in Python, and counted by SQL on
each server; a shard that is away is said to be missing, and the other one is done."""
import json
import os
import subprocess
import sys
import time
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parent / "support"),
                str(Path(__file__).parents[1] / "cli")]
import cluster  # noqa: E402
import facts  # noqa: E402
import tiers  # noqa: E402
from clickhouse import NO_MERGES, free_ports  # noqa: E402
from json_schemas import fits  # noqa: E402
from tiers import HOUR, POLYTRACE  # noqa: E402
from waiting import wait_until  # noqa: E402

RANGE = ["--from", facts.BEGIN, "--to", tiers.END]
FORM = ["figures", "notes", "operation", "right", "schema", "store", "tables"]  # of one shard


class Shards:
    """`urls`: one text of each shard, its replicas with commas between."""

    def __init__(self, servers, urls):
        self.servers, self.urls = servers, urls

    def run(self, *words, code=0, urls=None):
        store = [word for url in urls or self.urls for word in ("--store", url)]
        done = subprocess.run([POLYTRACE, "fleet", *map(str, words), *store], text=True,
                              capture_output=True, timeout=300, check=False)
        assert done.returncode == code, (words, done.returncode, done.stdout, done.stderr)
        return done

    def operate(self, *words, code=0, urls=None):
        """Figures, tables by their key, and everything."""
        told = json.loads(self.run(*words, "--json", code=code, urls=urls).stdout)
        fits(told, "fleet-operation.json", words[0])
        assert told["operation"] == words[0]
        return told["figures"], {table["key"]: table["rows"] for table in told["tables"]}, told

    def count(self, sql):
        """Of each server."""
        return [server.number(sql) for server in self.servers]


def parts_of(server, number):
    """What one shard has of three fleets: its series with all that is theirs."""
    rows = tiers.Rows()
    own = lambda all_of: [row for row in all_of if row["series"] % 2 == number]  # noqa: E731
    rows.profile, rows.methods, rows.health = map(own, (rows.profile, rows.methods, rows.health))
    rows.fleets[0].series = own(rows.fleets[0].series)
    store = tiers.Store(server, "fleet")
    rows.put(store)
    rows.tell(store, "moments", [
        {"series": 101, "hour": facts.BEGIN // HOUR, "one": 1, "took": took}
        for took in (9_000_000, 8_000_000, 99_000_000)], "one", "took")
    return store, rows


def by_shard(tables, figure):
    return [row[figure] for row in tables["shards"]]


def roll(shards, parts):
    figures, tables, told = shards.operate("roll")
    assert (told["shards"], told["shards_answered"], told["right"]) == (2, 2, True), told
    assert not told["notes"], told["notes"]
    for store, rows in parts:
        tiers.expect_tiers(store, rows)
    sums = [sum(counts) for counts in zip(*(shards.count(f"SELECT count() FROM fleet.{table}")
                                            for table in ("profile_1m", "profile_1h",
                                                          "methods_1h")))]
    assert by_shard(tables, "rows_out") == sums and min(sums) > 0, (tables["shards"], sums)
    assert figures["rows_out"] == sum(sums) and figures["hours_rolled"] == 6, figures
    assert [row["store"] for row in tables["shards"]] == shards.urls, tables["shards"]
    for shard in (0, 1):
        of = [row for row in tables["rolled"] if row["shard"] == shard]
        assert len(of) == 7 and sum(row["rows_out"] for row in of) == sums[shard], of
    assert shards.operate("roll")[0]["hours_rolled"] == 0
    assert shards.run("roll").stdout.startswith("2 shards:\n")


def late_rows(store, rows, number):
    """A row more of one shard, which makes an hour due; the count of a window is its own."""
    rows.put(store, rows.late(facts.BEGIN + 10 * number, 1000 + number))


def verify(shards, parts):
    figures, tables, told = shards.operate("verify", *RANGE)
    assert told["right"] and not tables["differences"], told
    totals = shards.count("SELECT count() FROM fleet.profile_10s FINAL")
    checked = [row["rows"] for row in tables["checked"] if row["table"] == "profile_10s"]
    assert checked == totals == [len(rows.profile) for _, rows in parts], (checked, totals)
    assert figures["rows_checked"] == sum(row["rows"] for row in tables["checked"])
    # One shard has less than was told: the other one is right, and which is which is told.
    store, rows = parts[1]
    rows.tell(store, "health_10s", rows.health[:5], "calls", "pause_ns", edge="edge-lost")
    _, tables, told = shards.operate("verify", *RANGE, code=4)
    assert not told["right"] and told["shards_answered"] == 2
    assert [row["outcome"] for row in tables["shards"]] == ["right", "differs"], tables["shards"]
    assert {(row["shard"], row["table"]) for row in tables["differences"]} == {(1, "health_10s")}
    assert sum(row["rows_told"] - row["rows"] for row in tables["differences"]) == 5
    assert any(note.startswith("Shard 1: Told is") for note in told["notes"]), told["notes"]
    store.ask("ALTER TABLE DB.batches DELETE WHERE edge = 'edge-lost'")
    wait_until(lambda: store.ask("SELECT count() FROM DB.batches WHERE edge = 'edge-lost'")
               == [["0"]], "a row that is deleted")
    shards.run("verify", *RANGE)


def status(shards, parts):
    now = int(time.time())
    for number, (store, _) in enumerate(parts):
        facts.insert(store.server, "fleet.batches", ["edge", "number", "written", "rows"],
                     [{"edge": edge, "number": 1, "written": now - 20, "rows": 4}
                      for edge in ("edge-of-all", f"edge-{number}")])
    figures, tables, _ = shards.operate("status")
    # One that sends to both shards is one.
    assert by_shard(tables, "edges_now") == [2, 2] and figures["edges_now"] == 3, figures
    for figure, column in (("rows", "rows"), ("bytes", "bytes_on_disk")):
        sums = shards.count(f"SELECT sum({column}) FROM system.parts WHERE active AND database = "
                            "'fleet'")
        assert by_shard(tables, figure) == sums and figures[figure] == sum(sums), figures
    assert {row["shard"] for row in tables["disk"]} == {0, 1}


def prune(shards):
    figures, tables, told = shards.operate("prune", "--dry-run", *tiers.keeping(profile_10s="1d"))
    parts = shards.count("SELECT uniqExact(partition) FROM system.parts WHERE active AND database "
                         "= 'fleet' AND table = 'profile_10s'")
    assert by_shard(tables, "partitions_dropped") == parts, (tables["shards"], parts)
    assert figures["partitions_dropped"] == sum(parts) == 4 == len(tables["partitions"])
    assert figures["rows_dropped"] == sum(shards.count("SELECT count() FROM fleet.profile_10s"))
    # What both say is said once.
    assert told["notes"] == ["Nothing was dropped: --dry-run."], told["notes"]


def replica_away(shards, parts):
    """Behind a comma stands the next one to ask."""
    dead = f"http://127.0.0.1:{free_ports(1)[0]}/fleet"
    late_rows(*parts[0], 1)
    urls = [f"{dead},{shards.urls[0]}", shards.urls[1]]
    figures, tables, told = shards.operate("roll", urls=urls)
    assert figures["hours_rolled"] == 1 and told["shards_answered"] == 2, told
    assert [row["store"] for row in tables["shards"]] == shards.urls
    tiers.expect_tiers(*parts[0])
    done = shards.run("roll", code=1, urls=[f"{dead},{dead}2"])
    assert "no other replica" in done.stderr and dead.removesuffix("/fleet") in done.stderr
    # One shard alone may have replicas, too, and its answer is as ever.
    _, _, told = shards.operate("status", urls=urls[:1])
    assert sorted(told) == FORM and told["store"] == shards.urls[0], told


def alone(shards):
    """With one --store nothing is different, but that it is told of the other shard."""
    for words in (["roll"], ["prune", "--dry-run"], ["verify", *RANGE], ["status"]):
        _, tables, told = shards.operate(*words, urls=shards.urls[1:])
        assert sorted(told) == FORM and "shards" not in tables, told
        assert not any("shard" in row for rows in tables.values() for row in rows), tables
        assert any("one of 2 shards" in note for note in told["notes"]), told["notes"]
        assert shards.run(*words, urls=shards.urls[1:]).stdout.startswith(f"{shards.urls[1]}:\n")


def wrong_words(shards):
    one = shards.urls[0]
    shards.run("roll", code=2, urls=[one, one])
    shards.run("status", code=2, urls=[f"{one},{one}"])
    shards.run("status", code=2, urls=[one, "nowhere"])
    assert "64" in shards.run("status", code=2, urls=[f"{one}{i}" for i in range(65)]).stderr
    environment = dict(os.environ, POLYTRACE_STORE=one)
    subprocess.run([POLYTRACE, "fleet", "status"], env=environment, check=True,
                   stdout=subprocess.DEVNULL)


def no_tables(shards):
    """A server that has no tables is told of, with what makes them; the other shard is done."""
    empty = shards.urls[1].replace("/fleet", "/empty")
    shards.run("roll", code=3, urls=[empty])
    _, tables, told = shards.operate("status", code=4, urls=[shards.urls[0], empty])
    assert [row["outcome"] for row in tables["shards"]] == ["right", "refused"], tables
    assert any("Shard 1:" in note and "schema --apply" in note for note in told["notes"])
    shards.run("roll", code=3, urls=[empty, empty + "2"])


def shard_away(shards, parts):
    """Killed just behind a roll that was made again, it has each row once when it comes back."""
    late_rows(*parts[1], 1)
    assert shards.operate("roll")[0]["hours_rolled"] == 1
    shards.servers[1].kill()
    late_rows(*parts[0], 2)
    figures, tables, told = shards.operate("roll", code=4)
    assert (told["shards"], told["shards_answered"], told["right"]) == (2, 1, False), told
    assert figures["hours_rolled"] == 1 and by_shard(tables, "hours_rolled") == [1, None], tables
    assert [row["outcome"] for row in tables["shards"]] == ["right", "not reached"], tables
    assert any("Shard 1:" in note and "cannot be reached" in note for note in told["notes"])
    tiers.expect_tiers(*parts[0])
    for words in (["roll"], ["prune", "--dry-run"], ["verify", *RANGE], ["status"]):
        done = shards.run(*words, code=4)
        assert done.stdout.splitlines()[0] == "1 OF 2 SHARDS ANSWERED:", done.stdout
        assert shards.urls[1] in done.stdout
    # The first one named is the one that is away.
    _, tables, _ = shards.operate("status", code=4, urls=shards.urls[::-1])
    assert by_shard(tables, "outcome") == ["not reached", "right"], tables
    shards.servers[0].kill()
    assert shards.run("roll", code=1).stdout.startswith("0 OF 2 SHARDS ANSWERED:")
    for server in shards.servers:
        server.start()
    for one in parts:
        tiers.expect_tiers(*one)
    late_rows(*parts[1], 3)
    assert shards.operate("roll")[0]["hours_rolled"] == 1
    for one in parts:
        tiers.expect_tiers(*one)


def main():
    servers = cluster.Cluster([1, 1])
    for server in servers.servers:
        server.more += NO_MERGES  # what is on a disk stays so while it is counted
    with servers:
        shards = Shards(servers.servers, [shard[0] for shard in servers.urls("fleet")])
        for url in shards.urls:
            subprocess.run([POLYTRACE, "fleet", "schema", "--apply", "--cluster", cluster.NAME,
                            "--store", url], check=True, stdout=subprocess.DEVNULL)
        parts = [parts_of(server, number) for number, server in enumerate(shards.servers)]
        steps = [(roll, shards, parts), (verify, shards, parts), (status, shards, parts),
                 (prune, shards), (replica_away, shards, parts), (alone, shards),
                 (wrong_words, shards), (no_tables, shards), (shard_away, shards, parts)]
        for step, *words in steps:
            begin = time.monotonic()
            step(*words)
            print(f"{step.__name__}: {time.monotonic() - begin:.1f} s", flush=True)


if __name__ == "__main__":
    main()
