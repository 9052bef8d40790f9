#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Replicas and shards, on servers of the test's own: what is sent twice to two replicas is there
once, one that is killed in the middle of an insert costs nothing, rows of a series have one shard,
and an answer without a shard says so. Calls are counted by a walk over the events in Python."""
import collections
import json
import os
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parent / "support"),
                str(Path(__file__).parents[1] / "cli")]
import cluster  # noqa: E402
import push  # noqa: E402
from clickhouse import free_ports  # noqa: E402
from json_schemas import fits  # noqa: E402
from waiting import wait_until  # noqa: E402

POLYTRACE = os.environ["POLYTRACE"]
FILE = Path(os.environ["TEST_DATA"], "mlpd/calls_depth20.mlpd")
BEGAN = "2026-09-30T10:00:59Z"
RANGE = ["--from", "2026-09-30T10:00:00Z", "--to", "2026-09-30T11:00:00Z"]
SERIES = 8


def run(*words, code=0):
    done = subprocess.run([POLYTRACE, *map(str, words)], stdin=subprocess.DEVNULL, text=True,
                          capture_output=True, check=False, timeout=120)
    assert done.returncode == code, (words, done.returncode, done.stdout, done.stderr)
    return done


def send(to, instance, code=0):
    return run("push", FILE, *[word for url in to for word in ("--to", url)], "--at", BEGAN,
               "--label", "service=recurse", "--label", f"instance={instance}", code=code)


def calls(server, database, final=" FINAL"):
    return server.number(f"SELECT sum(count) FROM {database}.profile_10s{final} WHERE carrier = 0")


def sync(server, database):
    for table in ("series", "stacks", "frames", "profile_10s", "profile_1m", "batches"):
        server.ask(f"SYSTEM SYNC REPLICA {database}.{table}")


class Breaking:
    """A way to a server that ends in the middle of an insert: so much of it goes through, then the
    server is killed, and nobody listens any more."""

    def __init__(self, server, share):
        self.server, self.share, self.broken = server, share, False
        self.port = free_ports(1)[0]
        self.door = socket.create_server(("127.0.0.1", self.port))
        self.url = f"http://127.0.0.1:{self.port}"
        threading.Thread(target=self.run, daemon=True).start()

    def run(self):
        while not self.broken:
            try:
                client, _ = self.door.accept()
            except OSError:
                return
            if self.broken:
                client.close()
                return
            there = socket.create_connection(("127.0.0.1", self.server.http))
            threading.Thread(target=self.back, args=(there, client), daemon=True).start()
            threading.Thread(target=self.forth, args=(client, there), daemon=True).start()

    def back(self, there, client):
        try:
            while data := there.recv(65536):
                if self.share < 1 or not self.broken:
                    client.sendall(data)
        except OSError:
            pass
        self.close(client, there)

    def forth(self, client, there):
        try:
            while data := client.recv(65536):
                if b"profile_10s%20" in data:
                    self.end(client, there, data)
                    return
                there.sendall(data)
        except OSError:
            pass
        self.close(client, there)

    def end(self, client, there, data):
        """The whole request, as its head tells its length; then a part of it, and the end."""
        head, _, body = data.partition(b"\r\n\r\n")
        length = int(head.lower().split(b"content-length: ")[1].split(b"\r\n")[0])
        if b"100-continue" in head.lower():
            client.sendall(b"HTTP/1.1 100 Continue\r\n\r\n")
        while len(body) < length:
            body += client.recv(65536)
        self.broken = True
        there.sendall(head + b"\r\n\r\n" + body[:int(length * self.share)])
        self.door.shutdown(socket.SHUT_RDWR)
        self.door.close()
        time.sleep(1)  # wait: the server works on what it has
        self.server.kill()
        self.close(client, there)

    @staticmethod
    def close(*ends):
        for one in ends:
            try:
                one.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
            one.close()


def replicas(truth):
    with cluster.Cluster([2]) as servers:
        first, second = servers.servers
        for database in ("twice", "cut", "lost"):
            for server in servers.servers:
                run("fleet", "schema", "--apply", "--replicated", "--cluster", cluster.NAME,
                    "--store", f"{server.url}/{database}")
        # The same to one and to the other: one copy, also without FINAL.
        send([f"{first.url}/twice"], 1)
        sync(second, "twice")
        send([f"{second.url}/twice"], 1)
        sync(first, "twice")
        for server in servers.servers:
            assert calls(server, "twice", "") == calls(server, "twice") == truth
        # Rolled up by one, rolled up for both.
        run("fleet", "roll", "--store", f"{first.url}/twice")
        sync(second, "twice")
        rolled = "SELECT sum(count) FROM twice.profile_1m WHERE carrier = 0"
        assert first.number(rolled) == second.number(rolled) == truth
        run("fleet", "verify", *RANGE, "--store", f"{second.url}/twice")
        dropped_streams(first, second)
        # Killed while half of an insert, and while all of it, is on its way.
        for database, share in (("cut", 0.5), ("lost", 1)):
            way = Breaking(first, share)
            send([f"{way.url}/{database},{second.url}/{database}"], 1)
            assert way.broken
            assert calls(second, database) == truth
            first.start()
            sync(first, database)
            for server in servers.servers:
                assert calls(server, database, "") == calls(server, database) == truth
        # One of two is away from the beginning.
        first.kill()
        send([f"{first.url}/cut,{second.url}/cut"], 2)
        assert calls(second, "cut") == 2 * truth
        send([f"{first.url}/cut"], 3, code=1)


def dropped_streams(first, second):
    """What one is told to drop, the other one drops, too, and nothing else."""
    first.ask("INSERT INTO twice.streams (stream, version, touched) VALUES (1, 2, 1000), "
              "(2, 2, toUInt32(now()))")
    second.ask("SYSTEM SYNC REPLICA twice.streams")
    has = "SELECT arraySort(groupArray(stream)) FROM twice.streams"
    assert second.ask(has).strip() == "[1,2]"
    keep = [word for table in ("profile_10s", "profile_1m", "methods_1m", "health_10s", "moments")
            for word in ("--keep", f"{table}=20000d")]
    told = json.loads(run("fleet", "prune", *keep, "--store", f"{second.url}/twice",
                          "--json").stdout)
    assert told["figures"]["streams_dropped"] == 1, told
    wait_until(lambda: all(server.ask(has).strip() == "[2]" for server in (first, second)),
               lambda: [server.ask(has) for server in (first, second)])


def answer(url, *words, code=0):
    told = json.loads(run("fleet", *words, *RANGE, "--store", url, "--json", code=code).stdout)
    fits(told, "fleet.json", words[0])
    return told


def asked_calls(url, *words, code=0):
    """Calls of a flame graph."""
    told = run("fleet", "flame", "--weight", "calls", "--to", "folded", "-q", "-o", "-", *RANGE[:2],
               "--until", RANGE[3], "--store", url, *words, code=code)
    return sum(int(line.rpartition(" ")[2]) for line in told.stdout.splitlines()
               if not line.startswith("#"))


def shards(truth):
    with cluster.Cluster([1, 1]) as servers:
        first, second = servers.servers
        urls = [shard[0] for shard in servers.urls("fleet")]
        for url in urls:
            run("fleet", "schema", "--apply", "--cluster", cluster.NAME, "--store", url)
        for instance in range(SERIES):
            send(urls, instance)
        has = [calls(server, "fleet") for server in servers.servers]
        assert sum(has) == SERIES * truth and min(has) > 0, has
        of = [set(server.ask(f"SELECT DISTINCT series FROM fleet.{table}").split())
              for table in ("series", "profile_10s") for server in servers.servers]
        assert of[0] == of[2] and of[1] == of[3] and not of[0] & of[1], of
        names = [server.number("SELECT count() FROM fleet.stacks") for server in servers.servers]
        assert min(names) > 0, names
        for instance in range(SERIES):  # again: each where it was
            send(urls, instance)
        assert has == [calls(server, "fleet") for server in servers.servers]
        for url in urls:
            assert asked_calls(url) == SERIES * truth
            told = answer(url, "series")
            assert (told["shards"], told["shards_answered"], told["series"]) == (2, 2, SERIES)
        assert "; 2 shards" in run("fleet", "services", *RANGE, "--store",
                                   urls[0]).stdout.splitlines()[0]
        many_series(first, urls[0], truth)
        tiers_of_shards(urls, truth)
        second.kill()
        told = answer(urls[0], "services", code=4)
        assert (told["shards"], told["shards_answered"]) == (2, 1), told
        assert told["series"] == len(of[0]) + 2100, told
        line = run("fleet", "services", *RANGE, "--store", urls[0], code=4).stdout.splitlines()[0]
        assert line.endswith("; 1 OF 2 SHARDS ANSWERED"), line
        assert asked_calls(urls[0], code=4) == has[0]
        second.start()
        assert asked_calls(urls[0]) == SERIES * truth


def many_series(server, url, truth):
    """More than are written into a statement: each shard looks its own up."""
    rows = "".join(f"{9 * 10 ** 9 + i}\t77\t1\tmany\t1\t1790000000\n" for i in range(2100))
    server.ask("INSERT INTO fleet.series (series, service, grp, service_name, version, first) "
               "FORMAT TabSeparated", rows.encode())
    assert asked_calls(url, "--where", 'service=~"many|recurse"') == SERIES * truth
    assert answer(url, "series", "--where", 'service=~"many|recurse"')["series"] == SERIES + 2100


def tiers_of_shards(urls, truth):
    """Coarser rows are asked once all shards have them, and drops of one are everybody's."""
    tiers = lambda: answer(urls[0], "allocations", "--resolution", "1h")["tiers"]  # noqa: E731
    for url, tier in zip(urls, ("profile_10s", "profile_1h")):
        told = json.loads(run("fleet", "roll", "--store", url, "--json").stdout)
        assert any("one of 2 shards" in note for note in told["notes"]), told["notes"]
        assert tiers() == [tier], (url, tiers())
        assert asked_calls(urls[1], "--resolution", "1h") == SERIES * truth
        run("fleet", "verify", *RANGE, "--store", url)


def main():
    walked = collections.Counter()
    for (_, path), (count, _) in push.naive_calls(FILE).items():
        walked[path[-1]] += count
    truth = sum(walked.values())
    assert truth > 0
    for test in (replicas, shards):
        begin = time.monotonic()
        test(truth)
        print(f"{test.__name__}: {time.monotonic() - begin:.1f} s", flush=True)


if __name__ == "__main__":
    main()
