#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Positions of streams that nobody goes on with are dropped, on a real server: all rows of such a
stream and no row of any other, also while rows come. Which are which is known from how they were
made."""
import subprocess
import sys
import threading
import time
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parent / "support"),
                str(Path(__file__).parents[1] / "cli")]
import clickhouse  # noqa: E402
import facts  # noqa: E402
import tiers  # noqa: E402
from collect import wait_for  # noqa: E402
from tiers import DAY  # noqa: E402

COLUMNS = ["stream", "version", "series", "edge", "next_block", "ended", "touched", "state"]
KEEP = [word for table in tiers.TABLES for word in ("--keep", f"{table}={tiers.LONG}")]


def row(stream, version, touched, ended=0):
    return {"stream": stream, "version": version, "series": stream % 7, "edge": "edge-1",
            "next_block": version // 2, "ended": ended, "touched": touched, "state": "open calls"}


class Streams:
    """What was put in, and what is there."""

    def __init__(self, store):
        self.store, self.rows = store, []

    def put(self, *rows):
        self.rows += rows
        facts.insert(self.store.server, f"{self.store.database}.streams", COLUMNS, rows)

    def stored(self):
        return {(int(a), int(b), int(c)) for a, b, c in self.store.ask(
            "SELECT stream, version, toUInt32(touched) FROM DB.streams")}

    def expected(self, before):
        """Of streams that something was told of since; and how many streams and rows are not."""
        latest = {}
        for one in self.rows:
            latest[one["stream"]] = max(latest.get(one["stream"], 0), one["touched"])
        kept = [one for one in self.rows if latest[one["stream"]] >= before]
        return ({(one["stream"], one["version"], one["touched"]) for one in kept},
                sum(touched < before for touched in latest.values()), len(self.rows) - len(kept))


def fill(streams, now):
    """Old and young ones in each of the partitions, by 16; those that are both."""
    old, young = now - 40 * DAY, now - DAY
    streams.put(*[row(100 + i, 2, old + i) for i in range(32)])
    streams.put(*[row(100 + i, 5, old + 60 + i, ended=1) for i in range(16)])  # two rows, ended
    streams.put(*[row(200 + i, 2, young) for i in range(32)])
    streams.put(*[row(200 + i, 5, young + 5, ended=1) for i in range(8)])
    # Went on after a long while: the row before it is its own still, as nobody merged them.
    streams.put(row(301, 2, old))
    streams.put(row(301, 4, young))
    # A clock that was set back: the further position is the one with the older time.
    streams.put(row(302, 2, young))
    streams.put(row(302, 4, old))
    streams.put(row(2 ** 64 - 1, 2 ** 63, old))


def dropped(tables):
    return [one for one in tables["partitions"] if one["table"] == "streams"]


def prune(store, streams, now):
    left, count, rows = streams.expected(now - 30 * DAY)
    assert count == 33 and rows == 49 and len(left) == len(streams.rows) - rows
    figures, tables, told = store.operate("prune", "--dry-run", *KEEP)
    assert (figures["streams_dropped"], figures["rows_dropped"]) == (count, rows), figures
    (one,) = dropped(tables)
    assert (one["outcome"], one["partition"], one["rows"]) == ("would be dropped", None, rows), one
    assert len(streams.stored()) == len(streams.rows), "a dry run dropped something"
    figures, tables, told = store.operate("prune", *KEEP)
    assert (figures["streams_dropped"], figures["rows_dropped"]) == (count, rows), figures
    assert dropped(tables)[0]["outcome"] == "dropped" and not told["notes"], told
    assert streams.stored() == left
    # There is nothing more to do, and no mutation is begun for it.
    begun = "SELECT count() FROM system.mutations WHERE table = 'streams'"
    before = store.ask(begun)
    figures, tables, _ = store.operate("prune", *KEEP)
    assert figures["streams_dropped"] == 0 and not dropped(tables), figures
    assert store.ask(begun) == before == [["1"]]
    # Longer and shorter.
    assert store.operate("prune", "--dry-run", "--keep", "streams=12h", *KEEP)[0][
        "streams_dropped"] == 34
    assert store.operate("prune", "--dry-run", "--keep", "streams=100d", *KEEP)[0][
        "streams_dropped"] == 0
    lines = store.run("prune", "--dry-run", "--keep", "streams=12h", *KEEP).stdout.splitlines()
    assert any("would be dropped" in line and "streams" in line for line in lines), lines


def prune_meanwhile(store, streams, now):
    """Hubs write on, also to streams that are old by now: nothing of what comes is lost."""
    come, end = [], threading.Event()

    def write():
        number = 0
        while not end.is_set():
            number += 1
            # Of a stream that goes on after all, and of new ones.
            come.append(row(1000 + number % 16, 1000 + number, now - number % 5))
            come.append(row(5000 + number, 2, now))
            facts.insert(store.server, f"{store.database}.streams", COLUMNS, come[-2:])
            time.sleep(0.02)  # wait: each is a part, of which it takes some hundred

    streams.put(*[row(1000 + i, 2, now - 50 * DAY) for i in range(16)])
    streams.put(*[row(6000 + i, 2, now - 50 * DAY) for i in range(3000)])
    before = streams.stored()
    writer = threading.Thread(target=write)
    writer.start()
    try:
        wait_for("first rows", lambda: len(come) > 10)
        began = len(come)
        runs = [subprocess.Popen(store.command("prune", *KEEP), stdout=subprocess.DEVNULL)
                for _ in range(2)]  # and two at once are no harm
        for one in runs:
            assert one.wait(timeout=120) == 0
        assert len(come) > began, "nothing came meanwhile"
    finally:
        end.set()
        writer.join()
    stored = streams.stored()
    lost = {(one["stream"], one["version"], one["touched"]) for one in come} - stored
    assert not lost, sorted(lost)[:5]
    assert not any(6000 <= stream < 9000 for stream, _, _ in stored)
    left = {one for one in before if one[2] >= now - 30 * DAY or one[0] in (301, 302)}
    assert left <= stored, sorted(left - stored)[:5]


def main():
    server = clickhouse.Server()
    server.more = clickhouse.NO_MERGES
    with server:
        store = tiers.Store(server, "shop")
        store.run("schema", "--apply")
        streams, now = Streams(store), int(time.time())
        fill(streams, now)
        assert len(streams.stored()) == len(streams.rows)
        prune(store, streams, now)
        prune_meanwhile(store, streams, now)


if __name__ == "__main__":
    main()
