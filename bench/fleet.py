#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Scripted programs send to a real `polytrace collect`, which sends to a real ClickHouse server:
what the collector takes of the machine, and whether what the store has is what was sent.

usage: fleet.py POLYTRACE SENDER FOLDER small|full [PART...]
SENDER is bench_fleet_send. CPU time is the collector's own, of /proc; so are its peaks of memory.
"""
import contextlib
import http.server
import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.parse
import urllib.request
from pathlib import Path

import fleet_questions
import fleet_store
from measure import run, show

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests/fleet/support"))
import clickhouse  # noqa: E402

SIZES = {"small": {"streams": 50, "idlers": 200, "seconds": 5},
         "full": {"streams": 1000, "idlers": 4000, "seconds": 30}}
RATE = 20_000  # events a second and program
TICKS = os.sysconf("SC_CLK_TCK")
PATIENCE = 300  # seconds: what takes longer hangs
SPOOL = """drain = "{drain}"
[spool]
folder = "{folder}/state"
bytes = "1g"
min_free = "1m"
[limits]
streams_of_user = 5000
[metrics]
port = 0
token_file = "{folder}/token"
"""
EDGE = '[edge]\nsocket = "{folder}/run/collect.sock"\n'
STORE = '[store]\nurls = [["{url}"]]\n'
BOTH = 'role = ["edge", "hub"]\n' + EDGE + SPOOL + STORE
TO_HUB = 'role = ["edge"]\n' + EDGE + """hubs = ["https://127.0.0.1:{port}"]
ca = "{keys}/ca.pem"
token_file = "{keys}/token"
""" + SPOOL
HUB = 'role = ["hub"]\n[edge]\n' + SPOOL + STORE + """[http]
listen = "127.0.0.1:{port}"
cert = "{keys}/hub.pem"
key = "{keys}/hub.key"
token_file = "{keys}/tokens.toml"
"""


class Edge:
    """A collector of its own in a folder of its own; `config` says what it is."""

    def __init__(self, tool, folder, config=BOTH, **words):
        self.tool, self.folder, self.config = tool, Path(folder), config
        self.words = {"folder": self.folder, "drain": "120s"}
        (self.folder / "run").mkdir(parents=True)
        self.token = self.folder / "token"
        self.token.touch(0o600)
        self.token.write_text("0123456789abcdef" * 4)
        self.socket = self.folder / "run/collect.sock"
        self.file = self.folder / "collect.toml"
        self.process = None
        self.runs = 0
        self.aim(**words)

    def aim(self, **words):
        self.words.update(words)
        self.file.write_text(self.config.format(**self.words))

    def start(self):
        self.runs += 1
        self.log = self.folder / f"log-{self.runs}"
        self.process = subprocess.Popen(
            [self.tool, "collect", "--config", self.file, "--json"], stdin=subprocess.DEVNULL,
            stdout=self.log.open("wb"), stderr=subprocess.STDOUT)
        begin = time.monotonic()
        while not (lines := [line for line in self.log.read_text("utf-8", "replace").splitlines()
                             if '"started"' in line]):
            if self.process.poll() is not None or time.monotonic() - begin > PATIENCE:
                sys.exit(f"the collector did not start: {self.log.read_text()[-2000:]}")
            time.sleep(0.02)
        self.port = int(lines[0].split("127.0.0.1:")[1].split("/")[0])

    def figures(self):
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        with opener.open(f"http://127.0.0.1:{self.port}/metrics", timeout=PATIENCE) as answer:
            lines = answer.read().decode().splitlines()
        return {name.removeprefix("polytrace_"): int(value) for name, value in
                (line.rsplit(" ", 1) for line in lines if not line.startswith("#"))}

    def cpu(self):
        words = Path(f"/proc/{self.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(words[11]) + int(words[12])) / TICKS

    def memory(self, name="VmHWM"):
        """MiB."""
        for line in Path(f"/proc/{self.process.pid}/status").read_text().splitlines():
            if line.startswith(name + ":"):
                return int(line.split()[1]) / 1024
        return 0

    def end(self):
        """Sends what is here, and ends. Seconds of CPU that it took in all."""
        with contextlib.suppress(ProcessLookupError):
            self.process.terminate()
        _, status, usage = os.wait4(self.process.pid, 0)
        self.process.returncode = os.waitstatus_to_exitcode(status)
        if self.process.returncode != 0:
            sys.exit(f"the collector gave {self.process.returncode}: "
                     f"{self.log.read_text()[-2000:]}")
        return usage.ru_utime + usage.ru_stime

    def stop(self):
        """Ends, and keeps what there is nobody for."""
        self.process.terminate()
        self.process.wait()

    def kill(self):
        if self.process and self.process.poll() is None:
            self.process.kill()
            self.process.wait()


class Senders:
    """The programs. `last` is what they told last of themselves."""

    def __init__(self, program, socket, **options):
        self.process = subprocess.Popen(
            [program, str(socket), *[f"{name}={value}" for name, value in options.items()]],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
        self.last = {"what": "", "greeted": 0, "seconds": 0}
        self.thread = threading.Thread(target=self.listen, daemon=True)
        self.thread.start()

    def listen(self):
        for line in self.process.stdout:
            self.last = json.loads(line)

    def wait(self):
        if self.process.wait(timeout=PATIENCE) != 0:
            print(f"the senders gave up: {self.last}")
        self.thread.join()
        return self.last

    def kill(self):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()


class StoreProxy(http.server.ThreadingHTTPServer):
    """Keeps each INSERT that passes, to be sent again: what an edge does that got no answer."""

    daemon_threads = True

    def __init__(self, target):
        self.target = target
        self.inserts = []
        super().__init__(("127.0.0.1", 0), Passing)
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def url(self):
        return f"http://127.0.0.1:{self.server_address[1]}"


class Passing(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        if self.headers.get("Expect", "").lower() == "100-continue":
            pass  # http.server has answered it
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        names = {name: value for name, value in self.headers.items()
                 if name.lower() in ("content-encoding", "x-clickhouse-user", "authorization",
                                     "x-clickhouse-key")}
        request = urllib.request.Request(self.server.target + self.path, body, names)
        try:
            with opener.open(request, timeout=PATIENCE) as answer:
                status, text = answer.status, answer.read()
        except urllib.error.HTTPError as fault:
            status, text = fault.code, fault.read()
        words = urllib.parse.parse_qs(urllib.parse.urlparse(self.path).query)
        if status == 200 and "INSERT" in words.get("query", [""])[0].upper():
            self.server.inserts.append(request)
        self.send_response(status)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    do_GET = do_POST

    def log_message(self, *_):
        pass


class Bench:
    def __init__(self, tool, sender, folder, size):
        self.tool, self.sender, self.folder = tool, sender, Path(folder)
        self.size = size
        self.__dict__.update(SIZES[size])
        self.missed = 0
        self.parts = 0

    def told(self, what, figure, target, held):
        self.missed += not held
        show(what, figure, target, held)

    def make_database(self, name):
        subprocess.run([self.tool, "fleet", "schema", "--apply", "--store",
                        f"{self.server.url}/{name}"], check=True, stdout=subprocess.DEVNULL)

    def collector(self, kind, folder, **words):
        return Edge(self.tool, folder, {"to_hub": TO_HUB, "hub": HUB}[kind], **words)

    def senders(self, socket, **options):
        return Senders(self.sender, socket, **options)

    @contextlib.contextmanager
    def edge(self, proxy=None):
        """An edge with a database of its own."""
        self.parts += 1
        self.database = f"fleet{self.parts}"
        store = f"{self.server.url}/{self.database}"
        self.make_database(self.database)
        edge = Edge(self.tool, self.folder / self.database,
                    url=f"{proxy.url()}/{self.database}" if proxy else store)
        try:
            edge.start()
            yield edge
        finally:
            edge.kill()
            shutil.rmtree(edge.folder, ignore_errors=True)

    def stored(self):
        """Calls, own nanoseconds, and events lost, of all series."""
        one = self.server.rows(f"SELECT sum(count), sum(weight) FROM {self.database}.profile_10s "
                               "FINAL WHERE carrier = 0")[0]
        lost = self.server.number(f"SELECT sum(lost) FROM {self.database}.health_10s FINAL")
        return int(one[0]), int(one[1]), lost

    def expect_sums(self, edge, sent):
        """All that was sent is in the store: `edge` has ended."""
        calls, own, lost = self.stored()
        same = (calls, own) == (sent["calls"], sent["own_ns"])
        self.told("calls in the store - sent, and lost", f"{calls - sent['calls']}, {lost}", "0, 0",
                  same and lost == 0)

    def watched(self, edge, senders):
        """What was sent, the edge's CPU seconds for it, and the lag of its windows meanwhile."""
        lags, before = [], edge.cpu()
        while senders.process.poll() is None:
            time.sleep(0.25)
            if senders.last["seconds"] < self.seconds:
                lags.append(edge.figures()["window_lag_seconds"])
        sent = senders.wait()
        lags.sort()
        return sent, edge.cpu() - before, lags[int(len(lags) * 0.99)] if lags else 0

    def told_cpu(self, sent, cpu):
        each = cpu * 1e9 / max(sent["events"], 1)
        rate = sent["events"] / sent["seconds"]
        print(f"{rate / 1e6:.2f} M events/s and {sent['bytes'] / 1e6 / sent['seconds']:.0f} MB/s "
              f"came, for {cpu:.1f} s of the edge's CPU and {sent['cpu']:.1f} s of the senders'")
        self.told("nanoseconds of CPU an event", f"{each:.1f}", "50", each <= 50)
        cores = each * self.streams * RATE / 1e9
        most = self.streams * RATE / 20e6
        self.told(f"cores for {self.streams * RATE / 1e6:.0f} M events/s", f"{cores:.2f}",
                  f"{most:.2f}", cores <= most)

    def paced(self):
        with self.edge() as edge:
            empty = edge.memory()
            begin = time.time()
            senders = Senders(self.sender, edge.socket, streams=self.streams, rate=RATE,
                              seconds=self.seconds, block=4000, spread=1)
            sent, cpu, lag = self.watched(edge, senders)
            peak = edge.memory()
            edge.end()
            print(f"{self.streams} programs of {RATE} events/s; the edge empty {empty:.0f} MiB")
            self.told_cpu(sent, cpu)
            self.told("peak of its memory, MiB", f"{peak:.0f}", "384", peak <= 384)
            self.told("lag of windows, p99, s", lag, 5, lag <= 5)
            self.expect_sums(edge, sent)
            self.check_simulation({"begin": begin, "seconds": self.seconds, "block": 4000,
                                   "spread": 1, "streams": self.streams, "edge_memory_mib": peak})

    def check_simulation(self, told):
        """What tools/fleet_sim.py expects of such a fleet, beside what came."""
        for table in ("profile_10s", "methods_1m", "health_10s", "stacks"):
            told[table] = self.server.number(f"SELECT count() FROM {self.database}.{table} FINAL")
        file = self.folder.parent / "fleet.json"
        file.write_text(json.dumps(told))
        tool = Path(__file__).resolve().parents[1] / "tools/fleet_sim.py"
        print("what tools/fleet_sim.py expects, within 20 %:", flush=True)
        self.missed += subprocess.run([tool, "--check", file], check=False).returncode != 0

    def unpaced(self):
        with self.edge() as edge:
            senders = Senders(self.sender, edge.socket, streams=self.streams, rate=0,
                              seconds=self.seconds)
            sent, cpu, _ = self.watched(edge, senders)
            peak = edge.memory()
            edge.end()
            print("without pacing:")
            self.told_cpu(sent, cpu)
            self.told("peak of its memory, MiB", f"{peak:.0f}", "384", peak <= 384)
            self.expect_sums(edge, sent)

    def idle(self):
        with self.edge() as edge:
            empty = edge.memory("VmRSS")
            seconds = 100  # it takes 50 until a silent one is put away
            senders = Senders(self.sender, edge.socket, streams=self.idlers, rate=1,
                              seconds=seconds)
            while (edge.figures()["streams_put_away"] < self.idlers
                   and senders.last["seconds"] < seconds - 20):
                time.sleep(0.5)
            before, begin = edge.cpu(), time.monotonic()
            time.sleep(10)
            share = (edge.cpu() - before) / (time.monotonic() - begin)
            more = edge.memory("VmRSS") - empty
            peak = edge.memory() - empty
            print(f"{self.idlers} idle programs; {peak:.0f} MiB at the worst")
            self.told("cores of the edge", f"{share:.4f}", "0.01", share <= 0.01)
            target = 64 * self.idlers / 4000
            self.told("memory over empty, MiB", f"{more:.1f}", f"{target:.1f}", more <= target)
            senders.wait()

    def restart(self):
        with self.edge() as edge:
            senders = Senders(self.sender, edge.socket, streams=self.streams, rate=RATE // 20,
                              block=1000, seconds=self.seconds + 15)
            while senders.last["greeted"] < self.streams or senders.last["seconds"] < 5:
                time.sleep(0.2)
            edge.kill()
            begin = time.monotonic()
            edge.start()
            up = time.monotonic() - begin
            while senders.last["resumed"] < self.streams:
                time.sleep(0.05)
            took = time.monotonic() - begin
            sent = senders.wait()
            edge.end()
            print(f"killed with {self.streams} programs: up again after {up:.1f} s")
            self.told("all resumed after, s", f"{took:.1f}", "10", took <= 10)
            self.expect_sums(edge, sent)

    def store(self):
        fleet_store.Delivery(self).run()

    def storm(self):
        """Each batch comes three times, the last two in another order."""
        proxy = StoreProxy(self.server.url)
        with self.edge(proxy) as edge:
            senders = Senders(self.sender, edge.socket, streams=self.streams // 5 or 1, rate=2000,
                              seconds=self.seconds)
            sent = senders.wait()
            edge.end()
            again = list(reversed(proxy.inserts)) + proxy.inserts
            opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
            for request in again:
                opener.open(request, timeout=PATIENCE).close()
            proxy.shutdown()
            done = subprocess.run([self.tool, "fleet", "verify", "--last", "2h", "--store",
                                   f"{self.server.url}/{self.database}"], check=False,
                                  capture_output=True, text=True)
            print(f"{len(proxy.inserts)} batches, each three times")
            self.told("fleet verify", f"exit code {done.returncode}", "0", done.returncode == 0)
            if done.returncode != 0:
                print(done.stdout[-2000:], done.stderr[-1000:])
            self.expect_sums(edge, sent)


    def piece(self):
        """The events around a moment, from an edge that keeps them."""
        with self.edge() as edge:
            # Of calls that last as long the first of each 10 s is a moment.
            Senders(self.sender, edge.socket, streams=1, rate=320_000, block=16_000,
                    seconds=25).wait()
            store = ["--store", f"{self.server.url}/{self.database}"]
            begin, rows = time.monotonic(), []
            while not rows and time.monotonic() - begin < PATIENCE:
                time.sleep(0.5)
                done = subprocess.run([self.tool, "fleet", "moments", *store, "--json", "--limit",
                                       "0"], check=True, capture_output=True)
                rows = json.loads(done.stdout)["tables"][0]["rows"]
            # One in the middle has 50 blocks on both sides.
            name = min((row["moment"] for row in rows),
                       key=lambda name: abs(int(name.split("-")[1]) - 250))
            get = [self.tool, "fleet", "get", name, *store, "--token-file", str(edge.token),
                   "--edge", f"http://127.0.0.1:{edge.port}", "-o", str(edge.folder / "piece"),
                   "-f", "--json"]
            walls = sorted(run(get)["wall"] for _ in range(5))
            told = json.loads(subprocess.run(get, check=True, capture_output=True).stdout)
            print(f"{told['bytes']} bytes: {told['note']}")
            self.told("a piece of 100 blocks, s", f"{walls[2]:.2f}", 1, walls[2] <= 1)

    def questions(self):
        fleet_questions.Questions(self, self.size).run()


def main():
    tool, sender, folder, size = sys.argv[1:5]
    long = ["idle"] if size == "full" else []
    parts = sys.argv[5:] or ["paced", "unpaced", "restart", "store", "storm", "piece", "questions",
                             *long]
    stored = clickhouse.Server()
    stored.more = fleet_questions.COMPRESSION
    with tempfile.TemporaryDirectory(prefix="polytrace-fleet-", dir=folder) as place, \
            stored as server:
        bench = Bench(tool, sender, place, size)
        bench.server = server
        for part in parts:
            print(f"--- {part}; load {os.getloadavg()[0]:.1f}")
            getattr(bench, part)()
    print(f"{bench.missed} targets were missed" if bench.missed else "all targets were held")


if __name__ == "__main__":
    main()
