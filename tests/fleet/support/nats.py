# SPDX-License-Identifier: Apache-2.0
"""A NATS server of its own for one test: Debian's, on 127.0.0.1, over TLS where it has keys, with
free ports, JetStream in a folder of the test's, ended by its process id; and a client that is not
the product's. Where there is no nats-server the test ends with 77 and the reason.

    with nats.Server(folder, keys, users) as server:   # users: the text of its [users]
        server.url                                     # tls://127.0.0.1:PORT
        server.messages("PT_ROWS")                     # in the stream
"""
import json
import os
import shutil
import signal
import socket
import ssl
import subprocess
import sys
import urllib.request
from pathlib import Path

from clickhouse import free_ports
from waiting import wait_until

CONFIG = """listen: "127.0.0.1:{port}"
http: "127.0.0.1:{monitor}"
pid_file: "{folder}/pid"
jetstream {{ store_dir: "{folder}/jetstream", max_file_store: {room}, max_memory_store: 16MB }}
{tls}authorization {{ users = [
{users}] }}
"""
TLS = 'tls {{ cert_file: "{keys}/broker.pem", key_file: "{keys}/broker.key", timeout: 5 }}\n'
PATIENCE = 60


class Server:
    """`keys`: a folder with broker.pem, broker.key and ca.pem; without, there is no TLS."""

    def __init__(self, folder, keys, users, room="1GB"):
        self.program = shutil.which("nats-server",
                                    path=os.environ.get("PATH", "") + ":/usr/sbin:/usr/local/bin")
        if not self.program:
            print("no nats-server here: ./dev setup fleet installs it")
            sys.exit(77)
        self.folder, self.keys = Path(folder), keys
        self.folder.mkdir()
        self.port, self.monitor = free_ports(2)
        self.url = f"{'tls' if keys else 'nats'}://127.0.0.1:{self.port}"
        self.file = self.folder / "nats.conf"
        self.file.write_text(CONFIG.format(
            port=self.port, monitor=self.monitor, folder=self.folder, users=users, room=room,
            tls=TLS.format(keys=keys) if keys else ""))
        self.process = None

    def __enter__(self):
        try:
            self.start()
        except BaseException:
            self.kill()
            raise
        return self

    def __exit__(self, *_):
        self.kill()

    def start(self):
        """Also again, after kill(): what was stored is still there."""
        self.process = subprocess.Popen(
            [self.program, "-c", self.file], stdin=subprocess.DEVNULL,
            stdout=(self.folder / "log").open("ab"), stderr=subprocess.STDOUT)
        wait_until(self.answers, lambda: "nats-server\n" + self.words(), process=self.process)

    def answers(self):
        try:
            self.ask("/healthz")
            return True
        except OSError:
            return False

    def kill(self, sign=signal.SIGKILL):
        if self.process and self.process.poll() is None:
            self.process.send_signal(signal.SIGCONT)
            self.process.send_signal(sign)
            self.process.wait()

    def words(self):
        return (self.folder / "log").read_text("utf-8", "replace")[-3000:]

    def ask(self, path):
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        with opener.open(f"http://127.0.0.1:{self.monitor}{path}", timeout=PATIENCE) as answer:
            return json.load(answer)

    def stream(self, name):
        """Its configuration and state, as the server tells them; None: there is none."""
        told = self.ask("/jsz?streams=1&config=1")
        for account in told.get("account_details", []):
            for stream in account.get("stream_detail", []):
                if stream["name"] == name:
                    return stream
        return None

    def messages(self, name):
        stream = self.stream(name)
        return stream["state"]["messages"] if stream else 0


class Client:
    """Speaks the protocol itself, as its description has it."""

    def __init__(self, server, user, password):
        self.server = server
        self.socket = socket.create_connection(("127.0.0.1", server.port), timeout=PATIENCE)
        self.file = self.socket.makefile("rb")
        assert self.file.readline().startswith(b"INFO ")
        if server.keys:
            context = ssl.create_default_context(cafile=Path(server.keys) / "ca.pem")
            self.socket = context.wrap_socket(self.socket, server_hostname="127.0.0.1")
            self.file = self.socket.makefile("rb")
        self.inbox = f"_INBOX.{user}.test"
        self.number = 0
        self.send("CONNECT " + json.dumps({"user": user, "pass": password, "verbose": False,
                                           "pedantic": False, "headers": True}))
        self.send(f"SUB {self.inbox}.* 1")

    def send(self, line, data=b""):
        self.socket.sendall(line.encode() + b"\r\n" + (data + b"\r\n" if data else b""))

    def publish(self, subject, body, fields):
        """What the stream answers, as JSON; or the text of what went wrong."""
        self.number += 1
        head = ("NATS/1.0\r\n" + "".join(f"{name}: {value}\r\n" for name, value in fields.items())
                + "\r\n").encode()
        self.send(f"HPUB {subject} {self.inbox}.{self.number} {len(head)} {len(head) + len(body)}",
                  head + body)
        while True:
            line = self.file.readline().decode().strip()
            if line == "PING":
                self.send("PONG")
            elif line.startswith("MSG "):
                size = int(line.split()[-1])
                return json.loads(self.file.read(size + 2)[:size])
            elif line.startswith("HMSG "):
                size = int(line.split()[-1])
                return self.file.read(size + 2)[:size].decode()
            elif line.startswith("-ERR") or not line:
                return line or "hung up"

    def close(self):
        self.file.close()
        self.socket.close()
