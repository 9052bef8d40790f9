#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What goes wrong between a program and the store: a collector that is killed at twenty moments, a
store that stands still or is slow, streams whose blocks come twice, in another order, damaged or
not at all, clocks that are wrong. The sums in the store are what was sent, or the rest is told."""
import json
import os
import random
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parent / "support")]
import clickhouse  # noqa: E402
from collect import HANGS, POLYTRACE, Collector, field, frame, wait_for  # noqa: E402
from collect_bounds import (CREDIT, OFFSET, STREAM, WELCOME, Agent, expect_calls,  # noqa: E402
                            in_child, number, numbers, stream)
from waiting import wait_until  # noqa: E402

HEADER, BLOCK_HEADER = 32, 72
KILLS = 20


class Resuming(Agent):
    """Dials again whenever the collector hangs up, and goes on where it is told to."""

    def __init__(self, collector, number_of_stream, content):
        self.collector, self.pause = collector, 0.002
        super().__init__(collector, number_of_stream, content)

    def greet(self):
        self.socket.sendall(frame(WELCOME, field(4, 2) + field(10, b"scripted")
                                  + field(STREAM, self.stream)))

    def dial(self):
        self.socket.close()
        self.heard, self.credit, self.bye, self.sent = b"", 0, None, 0
        wait_until(self.is_met, "a collector")

    def is_met(self):
        try:
            self.socket = socket.socket(socket.AF_UNIX)
            self.socket.settimeout(HANGS)
            self.socket.connect(self.collector.socket)
            self.greet()
            return True
        except OSError:
            return False

    def understand(self, message, told):
        if message == CREDIT and OFFSET in told:
            self.sent = number(told[OFFSET])

    def send_all(self):
        self.dial()
        while self.kept < len(self.content):
            before = self.sent
            self.send(min(len(self.content), self.sent + 8192))
            while self.bye is None and self.sent == len(self.content) > self.kept:
                self.hear()
            if self.bye is not None:
                self.dial()
            elif self.sent == before:
                self.hear()
            time.sleep(self.pause)  # wait: pace of a program
        self.socket.close()


def blocks(content):
    """The stream's header, and each block with its header."""
    parts, at = [content[:HEADER]], HEADER
    while at < len(content):
        size = BLOCK_HEADER + int.from_bytes(content[at + 4:at + 8], "little")
        parts.append(content[at:at + size])
        at += size
    return parts


def crc32c(data):
    crc = 0xffffffff
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82f63b78 if crc & 1 else 0)
    return crc ^ 0xffffffff


def verify(server):
    done = subprocess.run([POLYTRACE, "fleet", "verify", "--json", "--store",
                           f"{server.url}/fleet"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, (done.stdout, done.stderr)


def no_row_twice(server):
    rows = "SELECT count() FROM fleet.profile_10s FINAL"
    keys = ("SELECT uniqExact(service, carrier, hour, stack, subject, series, t, gen) "
            "FROM fleet.profile_10s")
    assert server.number(rows) == server.number(keys)


def test_killed_often(server, collector, folder):
    """At moments that are drawn: while blocks come, are kept, are aggregated and sent."""
    content = stream(folder, "killed", 300, 120_000)
    seed = random.randrange(1 << 30)
    print(f"moments of seed {seed}", flush=True)
    drawn = random.Random(seed)
    done = threading.Event()

    def kill_and_start():
        for _ in range(KILLS):
            time.sleep(drawn.uniform(0.02, 0.6))  # wait: any moment will do
            collector.kill()
            collector.start()
        done.set()

    def program():
        agent = Resuming(collector, 21, content)
        agent.pause = 12.0 / (len(content) / 8192)
        agent.send_all()
    killer = threading.Thread(target=kill_and_start)
    killer.start()
    child = in_child(program)
    killer.join()
    expect_calls(server, collector, child, 120_000)
    verify(server)
    no_row_twice(server)


class Slow:
    """A way to the store on which every request waits before it goes on."""

    def __init__(self, server, delay):
        self.server, self.delay, self.requests = server, delay, 0
        self.door = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self.door.getsockname()[1]}"
        threading.Thread(target=self.run, daemon=True).start()

    def run(self):
        while True:
            client, _ = self.door.accept()
            there = socket.create_connection(("127.0.0.1", self.server.http))
            threading.Thread(target=self.carry, args=(there, client, 0), daemon=True).start()
            threading.Thread(target=self.carry, args=(client, there, self.delay),
                             daemon=True).start()

    def carry(self, source, to, delay):
        try:
            while data := source.recv(65536):
                self.requests += b"POST " in data[:5]
                time.sleep(delay)  # wait: a slow way
                to.sendall(data)
            to.shutdown(socket.SHUT_WR)
        except OSError:
            pass


def test_store_stands_still(server, collector, folder):
    """Stopped in mid-stream for a time, nothing is lost and nobody waits for it."""
    content = stream(folder, "still", 100, 20_000)
    os.kill(server.process.pid, signal.SIGSTOP)
    try:
        child = in_child(lambda: Agent(collector, 22, content).end())
        wait_for("rows that wait", lambda: collector.figure("outbox_bytes") > 0)
        assert collector.get("/healthz")[0] == 200
        time.sleep(10)  # wait: it stands still that long
    finally:
        os.kill(server.process.pid, signal.SIGCONT)
    expect_calls(server, collector, child, 20_000)
    wait_for("a store", lambda: collector.figure('store_up{shard="0"}') == 1)
    verify(server)


def test_many_programs_at_once(server, collector, folder):
    """What waited for the store goes there together: many batches, few inserts."""
    content = stream(folder, "many", 10, 300)
    server.kill()
    sent, inserts = collector.figure("batches_total"), collector.figure("inserts_total")
    children = []
    for i in range(25):
        # Each stream has a number of its own, which its header tells.
        mine = bytearray(content)
        mine[16:24] = (1000 + i).to_bytes(8, "little")
        mine[28:32] = crc32c(mine[:28]).to_bytes(4, "little")
        children.append(in_child(lambda: Agent(collector, 1000 + i,  # noqa: B023
                                               bytes(mine)).end()))  # noqa: B023
    wait_for("all of them in the outbox", lambda: len(
        [event for event in collector.told("ended") if event["who"].split()[-1] in
         map(str, children)]) == len(children))
    time.sleep(1)  # wait: rows are packed every second
    server.start()
    for child in children:
        expect_calls(server, collector, child, 300)
    wait_for("a store", lambda: collector.figure('store_up{shard="0"}') == 1)
    sent = collector.figure("batches_total") - sent
    inserts = collector.figure("inserts_total") - inserts
    done = server.number("SELECT value FROM system.events WHERE event = 'InsertQuery'")
    assert sent >= 2 * inserts and done <= 2 * inserts, (sent, inserts, done)
    verify(server)


def test_slow_store(server, folder):
    """Each piece that goes to the store waits for half a second."""
    place = Path(folder) / "slow"
    place.mkdir()
    way = Slow(server, 0.5)
    collector = Collector(place, way.url)
    try:
        collector.start()
        streams = [(30 + i, stream(place, f"slow{i}", 50, 5_000)) for i in range(4)]
        children = [in_child(lambda: Agent(collector, *one).end())  # noqa: B023
                    for one in streams]
        for child in children:
            expect_calls(server, collector, child, 5_000)
        assert way.requests > 0 and collector.end() == 0
    finally:
        collector.kill()
    verify(server)


def reported_calls(folder, content):
    """What a report counts of the same bytes as a file."""
    file = Path(folder, "sent.ptrace")
    file.write_bytes(content)
    done = subprocess.run([POLYTRACE, "report", "--json", "--no-index", "--limit", "0",
                           "--sections", "calls", file],
                          capture_output=True, text=True, check=False)
    assert done.returncode in (0, 4), done.stderr
    return sum(row["calls"] for row in json.loads(done.stdout)["tables"][0]["rows"])


def test_blocks(server, collector, folder):
    """Twice: the second one is dropped. Away or late: told as missing. Damaged: the connection
    ends, and what comes again from there is taken."""
    whole = stream(folder, "blocks", 100, 60_000)
    parts = blocks(whole)
    assert len(parts) > 6, len(parts)
    middle = len(parts) // 2

    twice = b"".join([*parts[:middle + 1], *parts[middle:]])
    before = collector.figure("blocks_duplicate_total")
    child = in_child(lambda: Agent(collector, 41, twice).end())
    expect_calls(server, collector, child, 60_000)
    assert collector.figure("blocks_duplicate_total") == before + 1

    away = b"".join([*parts[:middle], *parts[middle + 1:]])
    late = b"".join([*parts[:middle], parts[middle + 1], parts[middle], *parts[middle + 2:]])
    for number_of_stream, content in ((42, away), (43, late)):
        before = collector.figure("blocks_missing_total")
        child = in_child(lambda: Agent(  # noqa: B023
            collector, number_of_stream, content).end())  # noqa: B023
        wait_for("a gap", lambda: collector.figure(
            "blocks_missing_total") == before + 1)  # noqa: B023
        expect_calls(server, collector, child, reported_calls(folder, away))
        lost = ("SELECT sum(lost) FROM fleet.health_10s FINAL WHERE series IN (SELECT series FROM "
                f"fleet.series WHERE instance = '{child}')")
        wait_for("a loss that is told", lambda: server.number(lost) >= 1)  # noqa: B023

    flipped = bytearray(whole)
    at = len(b"".join(parts[:middle])) + BLOCK_HEADER + 100
    flipped[at] ^= 4

    def damaged_once():
        agent = Agent(collector, 44, bytes(flipped))
        agent.send(len(flipped))
        while agent.bye is None:
            agent.hear()
        Resuming(collector, 44, whole).send_all()
    child = in_child(damaged_once)
    expect_calls(server, collector, child, 60_000)
    verify(server)


def test_clocks(server, collector, folder):
    """An hour behind: in the windows of that clock, and the skew is told. An hour ahead: refused
    and counted."""
    content = stream(folder, "behind", 20, 3_000, shift=-3600)
    child = in_child(lambda: Agent(collector, 51, content).end())
    expect_calls(server, collector, child, 3_000)
    last = server.number("SELECT toUInt32(max(t)) FROM fleet.profile_10s WHERE series IN (SELECT "
                         f"series FROM fleet.series WHERE instance = '{child}')")
    assert -3700 < last - time.time() < -3500, last
    wait_for("its health", lambda: server.number(
        "SELECT count() FROM fleet.health_10s WHERE series IN (SELECT series FROM fleet.series "
        f"WHERE instance = '{child}')") > 0)
    told = subprocess.run([POLYTRACE, "fleet", "series", "--json", "--last", "2h", "--store",
                           f"{server.url}/fleet"], capture_output=True, text=True, check=True)
    rows = json.loads(told.stdout)["tables"][0]["rows"]
    skews = {row["instance"]: row["skew_ms"] for row in rows}
    assert -3_700_000 < skews[str(child)] < -3_500_000, (child, skews)

    before = collector.figure("events_refused_total")
    content = stream(folder, "ahead", 20, 3_000, shift=3600)
    child = in_child(lambda: Agent(collector, 52, content).end())
    wait_for("refusals", lambda: collector.figure("events_refused_total") >= before + 6_000)
    assert server.number("SELECT count() FROM fleet.profile_10s WHERE series IN (SELECT series "
                         f"FROM fleet.series WHERE instance = '{child}')") == 0


def test_clock_set_back(server, collector, folder):
    """By 30 s in mid-stream, ours with the program's: its own time goes on, so that from there on
    it is 30 s ahead of us. Its rows stand in windows of its clock, each call once; the skew is
    told while it runs, and with the series."""
    calls = 20_000
    content = stream(folder, "set-back", 20, calls, shift=30, later=30)

    def program():
        agent = Agent(collector, 53, content)
        agent.send(len(content) // 3)
        wait_for("no skew", lambda: collector.figure("clock_skew_seconds") < 20)
        agent.send(len(content))
        wait_for("a skew", lambda: 20 <= collector.figure("clock_skew_seconds") <= 31)
        agent.end()
        assert agent.bye is None, agent.bye
    begin = time.time()
    child = in_child(program)
    expect_calls(server, collector, child, calls)
    mine = f"series IN (SELECT series FROM fleet.series WHERE instance = '{child}')"
    wait_for("its health", lambda: server.number(  # which goes to the store apart
        f"SELECT sum(calls) FROM fleet.health_10s FINAL WHERE {mine}") == calls)
    windows = [(int(t), int(count)) for t, count in server.rows(
        f"SELECT toUInt32(t), sum(calls) FROM fleet.health_10s FINAL WHERE {mine} GROUP BY t "
        "HAVING sum(events) > 0 ORDER BY t")]
    assert sum(count for _, count in windows) == calls, windows
    assert 20 <= windows[-1][0] - windows[0][0] <= 40, windows
    assert windows[0][0] <= begin and windows[-1][0] > begin + 10, (begin, windows)
    # A call counts where it ends: about half of them on either side.
    before = sum(count for t, count in windows if t < windows[0][0] + 20)
    assert calls / 2 - 3 <= before <= calls / 2 + 3, windows
    skew = server.number(f"SELECT max(skew_ms) FROM fleet.series WHERE {mine}")
    assert 20_000 <= skew <= 31_000, skew
    no_row_twice(server)
    verify(server)


def main():
    os.environ["NO_COLOR"] = "1"
    with tempfile.TemporaryDirectory(prefix="polytrace-failures-") as folder, \
            clickhouse.Server() as server:
        subprocess.run([POLYTRACE, "fleet", "schema", "--apply", "--store", f"{server.url}/fleet"],
                       check=True, stdout=subprocess.DEVNULL)
        collector = Collector(folder, server.url)
        try:
            collector.start()
            for test in (test_killed_often, test_store_stands_still, test_many_programs_at_once,
                         test_blocks, test_clocks, test_clock_set_back):
                begin = time.monotonic()
                test(server, collector, folder)
                print(f"{test.__name__}: {time.monotonic() - begin:.1f} s", flush=True)
            assert collector.end() == 0
            test_slow_store(server, folder)
        finally:
            collector.kill()


if __name__ == "__main__":
    main()
