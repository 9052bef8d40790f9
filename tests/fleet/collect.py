#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`polytrace collect` between real programs and a real ClickHouse server: the sums in the store are
what the programs counted themselves, also when the store was away, when the collector was killed,
and while strangers send it nonsense."""
import collections
import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parent / "support"), str(Path(__file__).parents[1] / "cli")]
import clickhouse  # noqa: E402
import counting  # noqa: E402
from json_schemas import fits  # noqa: E402
from waiting import SECONDS, wait_until  # noqa: E402

POLYTRACE = os.environ["POLYTRACE"]
CONFIG = """role = ["edge", "hub"]
[edge]
socket = "{folder}/run/collect.sock"
labels = {{ zone = "eu-1" }}
drain = "20s"
[spool]
folder = "{folder}/state"
min_free = "{min_free}"
[store]
urls = [["{url}/fleet"]]
[metrics]
port = 0
"""


HANGS = SECONDS


def wait_for(what, true):
    return wait_until(true, what)


class Collector:
    """`disk`: bytes of a disk of its own, which is seen below seen() only."""

    def __init__(self, folder, url, disk=0, min_free="1m"):
        self.folder = Path(folder)
        self.file = self.folder / "collect.toml"
        self.file.write_text(CONFIG.format(folder=folder, url=url, min_free=min_free))
        self.under = [] if disk == 0 else [
            "unshare", "-m", "sh", "-c",
            f"mount -t tmpfs -o size={disk},mode=0700 tmpfs {folder}/state && exec \"$@\"",
            "sh"]
        self.socket = str(self.folder / "run/collect.sock")
        self.process = None
        self.runs = 0

    def start(self):
        self.runs += 1
        self.log = self.folder / f"log-{self.runs}"
        self.process = subprocess.Popen(
            [*self.under, POLYTRACE, "collect", "--config", self.file, "--json"],
            stdin=subprocess.DEVNULL,
            stdout=self.log.open("wb"), stderr=(self.folder / "complaints").open("ab"))
        wait_for("started", lambda: self.told("started") or self.process.poll() is not None)
        assert self.process.poll() is None, self.words()
        self.port = int(self.told("started")[0]["text"].split("127.0.0.1:")[1].split("/")[0])

    def seen(self, path):
        return Path(f"/proc/{self.process.pid}/root{self.folder}", path)

    def told(self, what):
        lines = self.log.read_text("utf-8").split("\n")[:-1]
        return [event for event in map(json.loads, lines) if event["what"] == what]

    def words(self):
        return self.log.read_text("utf-8") + (self.folder / "complaints").read_text("utf-8")

    def get(self, path):
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        try:
            with opener.open(f"http://127.0.0.1:{self.port}{path}", timeout=HANGS) as answer:
                return answer.status, answer.read().decode()
        except urllib.error.HTTPError as fault:
            return fault.code, fault.read().decode()

    def figure(self, name):
        for line in self.get("/metrics")[1].splitlines():
            if line.rsplit(" ", 1)[0] == "polytrace_" + name:
                return int(line.rsplit(" ", 1)[1])
        raise AssertionError(name)

    def end(self, sign=signal.SIGTERM):
        self.process.send_signal(sign)
        code = self.process.wait(timeout=HANGS)
        for line in self.log.read_text("utf-8").splitlines():
            fits(json.loads(line), "collect.json", "collect")
        return code

    def kill(self):
        if self.process and self.process.poll() is None:
            self.process.kill()
            self.process.wait()


def stored(server, instance=None):
    """Calls by the last part of the method's name, of a process or of all."""
    where = "" if instance is None else (
        f"  WHERE series IN (SELECT series FROM fleet.series WHERE instance = '{instance}')")
    rows = server.rows(
        "SELECT name, sum(count) FROM (SELECT frames[1] AS id, count FROM (SELECT stack, count "
        f"FROM fleet.profile_10s FINAL{where or ' WHERE 1'} AND carrier = 0) ANY INNER JOIN "
        "(SELECT id AS stack, frames FROM fleet.stacks) USING stack) ANY INNER JOIN "
        "(SELECT id, name FROM fleet.frames) USING id GROUP BY name")
    calls = collections.Counter()
    for name, count in rows:
        plain = name.split("(")[0].replace(":", ".").split()[0].split(".")[-1]
        calls[plain] += int(count)
    return {method: calls[method] for method in counting.METHODS}


def expect_stored(server, collector, program, instance):
    counts = program.counts()
    wait_for(f"the end of {instance}'s stream",
             lambda: any(f" {instance}" in event["who"] for event in collector.told("ended")))
    wait_until(lambda: stored(server, instance) == counts, lambda: (
        instance, stored(server, instance), counts, collector.words()[-3000:]))


def test_programs(server, collector, programs):
    running = [programs.start(name, collector.socket, 200, 2) for name in programs.names]
    for program in running:
        expect_stored(server, collector, program, program.process.pid)
    rows = server.rows("SELECT instance, host, agent, label_names, label_values FROM fleet.series")
    for program in running:
        mine = [row for row in rows if row[0] == str(program.process.pid)]
        assert len(mine) >= 1 and mine[0][1] == socket.gethostname(), (mine, rows)
        assert "'zone'" in mine[0][3] and "'eu-1'" in mine[0][4], mine


def strange(collector, data):
    """What the collector says to who begins so, until it hangs up."""
    with socket.socket(socket.AF_UNIX) as one:
        one.settimeout(HANGS)
        one.connect(collector.socket)
        heard = b""
        try:
            one.sendall(data)
            while piece := one.recv(65536):
                heard += piece
        except OSError:
            pass
        return heard


def frame(message, body, request=bytes(4)):
    return ((len(body) + 8).to_bytes(4, "little") + message.to_bytes(2, "little") + bytes(2) +
            request + body)


def field(number, value):
    def varint(n):
        out = bytearray()
        while n >= 0x80:
            out.append(n & 0x7F | 0x80)
            n >>= 7
        return bytes(out) + bytes([n])
    data = varint(value) if isinstance(value, int) else value
    return varint(number) + varint(len(data)) + data


def test_strangers(server, collector, programs):
    """Each is refused by name; a program that runs meanwhile loses nothing."""
    program = programs.start(programs.names[0], collector.socket, 300, 5)
    wait_for("a program", lambda: collector.figure("streams") >= 1)
    welcome = frame(65, field(4, 2) + field(10, b"evil") + field(9, b"\x1b[31m"))
    for why, data in (
            ("protocol", b"\xff" * 100), ("protocol", b"GET / HTTP/1.1\r\n\r\n" * 9),
            ("protocol", frame(68, field(27, 1) + field(29, b"x"))),
            ("format", frame(65, field(4, 0))),
            ("order", welcome + frame(68, field(27, 7) + field(28, 5) + field(29, b"x"))),
            ("credit", welcome + frame(68, field(27, 7) + field(29, bytes(900_000)))),
            ("stream", welcome + frame(68, field(27, 7) + field(28, 0) + field(29, bytes(5000))))):
        name = f'refused_total{{why="{why}"}}'
        before = collector.figure(name)
        heard = strange(collector, data)
        assert heard, (why, "nothing was said")
        wait_for(why, lambda: collector.figure(name) > before)  # noqa: B023
    before = collector.figure('refused_total{why="silence"}')
    assert strange(collector, b"") and collector.figure('refused_total{why="silence"}') > before
    crowd = []
    for _ in range(80):
        one = socket.socket(socket.AF_UNIX)
        one.connect(collector.socket)
        crowd.append(one)
    wait_for("a crowd", lambda: collector.figure('refused_total{why="user"}') >= 10)
    for one in crowd:
        one.close()
    wait_for("all gone", lambda: collector.figure("streams") <= 1)
    expect_stored(server, collector, program, program.process.pid)


def test_store_away(server, collector, programs):
    server.kill()
    program = programs.start(programs.names[0], collector.socket, 200, 2)
    counts = program.counts()
    wait_for("rows in the outbox", lambda: collector.figure('store_up{shard="0"}') == 0
             and collector.figure("outbox_bytes") > 0)
    assert collector.get("/readyz")[0] == 200
    server.start()
    instance = program.process.pid
    wait_until(lambda: stored(server, instance) == counts, lambda: (
        stored(server, instance), counts, collector.words()[-3000:]))
    wait_for("an empty outbox", lambda: collector.figure('store_up{shard="0"}') == 1)


def test_killed(server, collector, programs):
    """kill -9 twice in mid-stream; the agent dials again and goes on."""
    program = programs.start(programs.names[0], collector.socket, None, 10)
    for run in range(3):
        wait_for("some of it", lambda: collector.figure("streams") >= 1
                 and collector.figure("blocks_total") > 0)
        if run < 2:
            begun = collector.figure("blocks_total")
            wait_for("more of it", lambda: collector.figure("blocks_total") > begun)  # noqa: B023
            collector.kill()
            collector.start()
    program.end()
    expect_stored(server, collector, program, program.process.pid)


def test_cut_off(server, collector, programs):
    """A program that is killed: what it had not told yet is missing, and answers say so."""
    program = programs.start(programs.names[0], collector.socket, None, 10)
    instance = program.process.pid
    wait_for("a program", lambda: any(f" {instance}" in event["who"]
                                      for event in collector.told("connected")))
    wait_for("calls of it", lambda: stored(server, instance)["leaf"] > 0)
    program.process.kill()
    program.process.communicate()
    wait_for("its end", lambda: any(f" {instance}" in event["who"] for event in
                                    collector.told("ended")))
    (end,) = [event["text"] for event in collector.told("ended") if f" {instance}" in event["who"]]
    assert end.endswith(", 1 blocks missing, its end among them"), end

    def answer():
        return subprocess.run([POLYTRACE, "fleet", "methods", "--store", f"{server.url}/fleet",
                               "--where", f"instance={instance}"], capture_output=True, text=True,
                              check=True).stdout
    wait_until(lambda: "1 LOST" in answer(), answer)


def test_full_disk(server, folder, programs):
    """Full in mid-stream: it says so, agents keep their data, and when there is room again all of
    it comes. `min_free` and the disk's own end are the same to it."""
    if subprocess.run(["unshare", "-m", "true"], check=False, capture_output=True).returncode != 0:
        print("without a disk of its own: no mounts here")
        return
    for number, min_free in enumerate(("0", "1m")):
        place = Path(folder) / f"full-{number}"
        (place / "state").mkdir(parents=True)
        collector = Collector(place, server.url, 6 << 20, min_free)
        try:
            collector.start()
            program = programs.start(programs.names[0], collector.socket, None, 4)
            wait_for("some of it", lambda: collector.figure("blocks_total") > 0)
            ballast = collector.seen("state/ballast")
            with ballast.open("wb", buffering=0) as file:
                with contextlib.suppress(OSError):
                    while file.write(bytes(4096)):
                        pass
            wait_for("a full disk", lambda: collector.get("/readyz")[0] == 503)
            assert collector.get("/healthz")[0] == 200 and program.process.poll() is None
            time.sleep(1)  # wait: the program works on while the disk is full
            ballast.unlink()
            wait_for("room", lambda: collector.get("/readyz")[0] == 200)
            program.end()
            expect_stored(server, collector, program, program.process.pid)
            assert collector.figure("events_lost_total") == 0 and collector.end() == 0
        finally:
            collector.kill()


def test_restart_changes_nothing(server, collector):
    before = stored(server)
    rows = "SELECT count(), sum(count), sum(weight) FROM fleet.profile_10s FINAL"
    sums = server.rows(rows)
    assert collector.end() == 0
    collector.start()
    assert collector.end() == 0
    assert not collector.told("stopped"), collector.words()[-2000:]
    assert stored(server) == before and server.rows(rows) == sums


def test_folders(collector):
    for folder in [collector.folder / "state", *(collector.folder / "state").glob("*/")]:
        if folder.is_dir():
            assert folder.stat().st_mode & 0o777 == 0o700, folder
    assert os.stat(collector.socket).st_mode & 0o777 == 0o660
    for path, code in (("/healthz", 200), ("/readyz", 200), ("/", 404)):
        assert collector.get(path)[0] == code, path


def main():
    with tempfile.TemporaryDirectory(prefix="polytrace-collect-") as folder, \
            clickhouse.Server() as server:
        (Path(folder) / "programs").mkdir()
        programs = counting.Programs(Path(folder) / "programs")
        if not programs.names:
            print("no runtime whose agent can be loaded here")
            sys.exit(77)
        subprocess.run([POLYTRACE, "fleet", "schema", "--apply", "--store", f"{server.url}/fleet"],
                       check=True, stdout=subprocess.DEVNULL)
        collector = Collector(folder, server.url)
        try:
            collector.start()
            for test in (test_programs, test_strangers, test_store_away, test_killed,
                         test_cut_off):
                begin = time.monotonic()
                test(server, collector, programs)
                print(f"{test.__name__}: {time.monotonic() - begin:.1f} s", flush=True)
            test_full_disk(server, folder, programs)
            test_folders(collector)
            test_restart_changes_nothing(server, collector)
        finally:
            collector.kill()


if __name__ == "__main__":
    main()
