# SPDX-License-Identifier: Apache-2.0
"""How fast a hub takes rows of an edge, and brings them into a store: both by itself, and beside
clickhouse-client, which is given the very bytes that the hub sent."""
import shutil
import subprocess
import sys
import threading
import time
import urllib.parse
import http.client
import http.server
from pathlib import Path

import fleet_questions

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests/fleet/support"))
from certificates import Authority  # noqa: E402
from clickhouse import free_ports  # noqa: E402

ROWS_OF_BATCH = 120_000  # about what a hub sends at once: 8 MiB
AWAY = "http://127.0.0.1:9/away"


class Recorder(http.server.ThreadingHTTPServer):
    """Passes on what comes, and keeps the rows of each INSERT in a file of its table, behind the
    columns as the first one told them."""

    daemon_threads = True

    def __init__(self, port, folder):
        self.store, self.folder, self.columns = port, Path(folder), {}
        self.folder.mkdir()
        super().__init__(("127.0.0.1", 0), Recording)
        threading.Thread(target=self.serve_forever, daemon=True).start()


class Recording(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        query = urllib.parse.parse_qs(urllib.parse.urlparse(self.path).query).get("query", [""])[0]
        link = http.client.HTTPConnection("127.0.0.1", self.server.store)
        link.request("POST", self.path, body)
        answer = link.getresponse()
        text = answer.read()
        link.close()
        if query.startswith("INSERT INTO "):
            assert answer.status == 200, text
            name, columns = query.removeprefix("INSERT INTO ").split(" FORMAT ")[0].split(" ", 1)
            table = name.split(".")[1]
            self.server.columns[table] = columns
            with (self.server.folder / table).open("ab") as out:
                out.write(body)
        self.send_response(answer.status)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, *_):
        pass


class Delivery:
    def __init__(self, bench):
        self.bench, self.server = bench, bench.server
        self.database = bench.database = "delivered"
        self.folder = bench.folder / "delivery"
        self.folder.mkdir()
        self.keys = self.folder / "keys"
        Authority(self.keys, "ca").issue("hub", "IP:127.0.0.1", "serverAuth")
        token = subprocess.run([bench.tool, "collect", "--new-token", "bench"], check=True,
                               text=True, stdout=subprocess.PIPE).stdout.splitlines()
        lines = [line for line in token if not line.startswith("#")]
        lines[-1] = 'roles = ["push"]'
        (self.keys / "tokens.toml").write_text("\n".join(lines) + "\n")
        secret = self.keys / "token"
        secret.touch(0o600)
        secret.write_text(token[1].removeprefix("# ") + "\n")
        port = free_ports(1)[0]
        self.edge = bench.collector("to_hub", self.folder / "edge", port=port, keys=self.keys,
                                    drain="15s")
        self.hub = bench.collector("hub", self.folder / "hub", port=port, keys=self.keys, url=AWAY)

    def run(self):
        try:
            self.bench.make_database(self.database)
            sent = self.record()
            taking = self.take()
            copy = self.folder / "again"
            shutil.copytree(self.hub.folder, copy)
            rows, wall, bringing = self.bring(f"{self.server.url}/{self.database}")
            self.hub.end()
            self.tell(rows, wall, taking, bringing)
            self.bench.expect_sums(self.edge, sent)
            ours, theirs = wall / rows * 1e6, self.by_client(copy) / rows * 1e6
            self.bench.told("seconds for a million rows, beside clickhouse-client",
                            f"{ours:.2f} : {theirs:.2f}", f"{ours / theirs:.2f} <= 1.5",
                            ours <= 1.5 * theirs)
        finally:
            self.edge.kill()
            self.hub.kill()
            shutil.rmtree(self.folder, ignore_errors=True)

    def record(self):
        """Programs run; the edge makes rows of all that they did, and has no hub."""
        self.edge.start()
        senders = self.bench.senders(self.edge.socket, streams=self.bench.streams, rate=0,
                                     seconds=4, step=10_000_000, spread=50, behind=7200)
        sent = senders.wait()
        while self.edge.figures()["waiting_bytes"]:
            time.sleep(0.2)
        self.edge.stop()
        self.edge.aim(drain="120s")
        return sent

    def take(self):
        """The hub's seconds of CPU until all rows are in its outbox, and its store is away."""
        self.hub.start()
        idle = self.hub.cpu()
        self.edge.start()
        self.edge.end()
        cpu = self.hub.cpu() - idle
        self.hub.kill()  # what it answered for is on its disk
        return cpu

    def bring(self, url):
        """Rows, seconds and seconds of CPU until the store has them."""
        self.hub.aim(url=url)
        begin = time.monotonic()
        self.hub.start()
        rows, wall, cpu = 0, 1.0, 0.0
        while (now := time.monotonic() - begin) < min(wall + 5, 120) or rows == 0:
            if (came := self.hub.figures()["rows_total"]) != rows:
                rows, wall, cpu = came, now, self.hub.cpu()
            time.sleep(0.1)
        return rows, wall, cpu

    def tell(self, rows, wall, taking, bringing):
        told = self.bench.told
        print(f"{rows} rows waited, for the last {wall:.1f} s")
        told("rows a second into the store", f"{rows / wall:.0f}", "250000",
             rows / wall >= 250_000)
        each = (taking + bringing) * 1e6 / rows
        print(f"  to take them {taking * 1e6 / rows:.2f} us a row, to bring them "
              f"{bringing * 1e6 / rows:.2f}")
        told("microseconds of the hub's CPU a row", f"{each:.2f}", "0.40", each <= 0.4)

    def by_client(self, state):
        """Seconds that clickhouse-client takes for the same bytes, table by table."""
        for name in ("recorded", "by_client"):
            self.bench.make_database(name)
        recorder = Recorder(int(self.server.url.rsplit(":", 1)[1]), self.folder / "rows")
        shutil.rmtree(self.hub.folder)
        state.rename(self.hub.folder)
        self.bring(f"http://127.0.0.1:{recorder.server_address[1]}/recorded")
        self.hub.end()
        recorder.shutdown()
        seconds = 0.0
        for table, columns in recorder.columns.items():
            insert = f"INSERT INTO by_client.{table} {columns} FORMAT RowBinary"
            words = fleet_questions.client(self.server, insert,
                                           max_insert_block_size=ROWS_OF_BATCH)
            begin = time.monotonic()
            with (recorder.folder / table).open("rb") as data:
                subprocess.run(words, stdin=data, check=True)
            seconds += time.monotonic() - begin
            counts = [self.server.number(f"SELECT count() FROM {name}.{table} FINAL")
                      for name in ("recorded", "by_client")]
            if counts[0] != counts[1]:
                sys.exit(f"{table}: {counts}")
        return seconds
