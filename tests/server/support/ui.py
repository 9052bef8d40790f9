# SPDX-License-Identifier: Apache-2.0
"""A running `polytrace ui`, and requests to it as any client makes them."""
import contextlib
import http.client
import json
import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "support"))
from waiting import SECONDS, wait_until  # noqa: E402

POLYTRACE = os.environ["POLYTRACE"]
DATA = Path(os.environ["TEST_DATA"])
ROOT = Path(__file__).resolve().parents[3]
EXAMPLE = ROOT / "examples/everything.mlpd"


def endpoints():
    """(name, method, path, query, what it answers) of each row of endpoints.def."""
    table = (ROOT / "src/server/endpoints.def").read_text()
    pattern = r'^ENDPOINT\((\w+), (\w+), "([^"]+)", "([^"]*)", \w+, "([^"]+)"\)'
    rows = re.findall(pattern, table, re.M)
    assert len(rows) == table.count("\nENDPOINT("), "a row is not understood"
    return rows


def address_of(path, trace):
    """Of an endpoint, with a trace and numbers in the places of the words in braces."""
    return "/api/1" + re.sub(r"{\w+}", "0", path.replace("/traces/{trace}", trace))


def skip_without_page():
    """A program that was built without the page says so."""
    done = subprocess.run([POLYTRACE, "ui", str(EXAMPLE), "--port", "70000"], check=False,
                          capture_output=True, text=True)
    if "built without the page" in done.stderr:
        print("skipped: this program was built without the page")
        sys.exit(77)


class Server:
    """`polytrace ui --json` with a cache of its own, until it is closed. `under`: words before the
    command; `more`: of its surroundings."""

    def __init__(self, *words, ready=True, under=(), more=None):
        self.home = tempfile.TemporaryDirectory()
        folder = self.home.name
        os.mkdir(folder + "/tmp")
        # A sanitizer looks at all that a server does, as it starts once. It keeps what was freed:
        # of that little, as tests measure memory.
        sanitizer = os.environ.get("ASAN_OPTIONS", "") + (
            ":report_globals=1:detect_leaks=1:quarantine_size_mb=1")
        surroundings = dict(os.environ, POLYTRACE_CACHE=folder + "/cache", HOME=folder,
                            ASAN_OPTIONS=sanitizer,
                            XDG_STATE_HOME=folder + "/state", TMPDIR=folder + "/tmp")
        surroundings |= more or {}
        line = [*under, POLYTRACE, "ui", "--json", *map(str, words)]
        self.process = subprocess.Popen(line, text=True,
                                        env=surroundings, stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE)
        line = self.process.stdout.readline()
        assert line, self.process.stderr.read()
        self.told = json.loads(line)
        assert self.told["schema"] == "polytrace.ui/1", self.told
        self.port = self.told["port"]
        self.token = self.told["url"].split("#token=")[1].split("/")[0]
        if ready:
            self.wait_ready()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        os.kill(self.told["pid"], signal.SIGINT)
        self.process.communicate(timeout=SECONDS)
        self.home.cleanup()

    def headers(self, **more):
        return {"Authorization": "Bearer " + self.token, **more}

    def ask(self, method, path, body=None, headers=None):
        """(status, head, bytes) of one request on a connection of its own."""
        with contextlib.closing(http.client.HTTPConnection("127.0.0.1", self.port,
                                                           timeout=SECONDS)) as link:
            link.request(method, path, body=body,
                         headers=self.headers() if headers is None else headers)
            reply = link.getresponse()
            return reply.status, reply.headers, reply.read()

    def get(self, path):
        status, _, body = self.ask("GET", "/api/1" + path)
        assert status == 200, (path, status, body)
        return json.loads(body)

    def post(self, path, question):
        status, _, body = self.ask("POST", "/api/1" + path, json.dumps(question))
        assert status == 200, (path, question, status, body)
        return json.loads(body)

    def fault(self, path, question):
        """(status, code) of what is refused."""
        status, _, body = self.ask("POST", "/api/1" + path, json.dumps(question))
        assert status >= 400, (path, question, body[:200])
        return status, json.loads(body)["code"]

    def raw(self, sent, wait=10):
        """All that comes back on a connection that `sent` was written to."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=wait) as link:
            link.sendall(sent)
            return read_all(link)

    def wait_ready(self):
        def is_ready():
            states = [trace["state"] for trace in self.get("/session")["traces"]]
            assert "failed" not in states, self.get("/session")
            return set(states) == {"ready"}
        wait_until(is_ready, "traces that are ready", process=self.process)

    def ask_everything(self):
        """Every endpoint but the stream once, with what makes those that write do so."""
        trace = self.traces()[0]
        bodies = {"export": {"target": "folded", "weight": "time"}, "keep_notes": {"marks": []},
                  "states": {"path": ["**"], "from": 0, "to": 1000, "points": 1},
                  "heap": {"question": "dominators"}, "tables": {"sections": ["calls", "heap"]},
                  "sql": {"query": "SELECT count(*) FROM slice"}}
        for name, method, path, known, _ in endpoints():
            if name == "stream":
                continue
            address = address_of(path, trace) + ("?at=1" if "at" in known.split() else "")
            status = self.ask(method, address, json.dumps(bodies.get(name, {})))[0]
            assert status == 200 or name not in bodies, (name, status)

    def traces(self):
        return ["/traces/" + trace["id"] for trace in self.get("/session")["traces"]]


def read_all(link):
    """What a socket gives until it ends, or nothing more comes."""
    parts = []
    with contextlib.suppress(OSError):
        while part := link.recv(1 << 16):
            parts.append(part)
    return b"".join(parts)


def status_of(reply):
    return int(reply.split(b" ", 2)[1]) if reply.startswith(b"HTTP/") else 0


def command(*words):
    """The JSON that a command prints."""
    done = subprocess.run([POLYTRACE, *map(str, words)], check=False, capture_output=True)
    return json.loads(done.stdout)
