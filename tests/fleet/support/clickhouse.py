# SPDX-License-Identifier: Apache-2.0
"""A ClickHouse server of its own for one test: Debian's, on 127.0.0.1, with free ports, its users
and its data in a temporary folder, ended by its process id. Where none is installed the test ends
with 77 and the reason.

    with clickhouse.Server() as server:
        server.ask("SELECT 1")           # text, tab-separated
        server.url                       # http://127.0.0.1:PORT

What `more` holds is part of its configuration from its next start on.

Where $POLYTRACE_CLICKHOUSE_LIBRARY names one, the engine of that library answers instead, behind
engine.py: a newer ClickHouse, without users, replicas and other protocols.
"""
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import urllib.error
import urllib.parse
import urllib.request
from pathlib import Path

# For all who start a server.
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "support"))
from waiting import SECONDS, wait_until  # noqa: E402

ENGINE = Path(__file__).parent / "engine.py"
CONFIG = """<?xml version="1.0"?>
<yandex>
  <logger><level>warning</level><log>{folder}/server.log</log>
    <errorlog>{folder}/error.log</errorlog></logger>
  <listen_host>127.0.0.1</listen_host>
  <http_port>{http}</http_port><tcp_port>{tcp}</tcp_port>
  <interserver_http_port>{inter}</interserver_http_port>
  <interserver_http_host>127.0.0.1</interserver_http_host>
  <path>{folder}/data/</path><tmp_path>{folder}/tmp/</tmp_path>
  <user_files_path>{folder}/files/</user_files_path>
  <format_schema_path>{folder}/schemas/</format_schema_path>
  <users_config>{folder}/users.xml</users_config>
  <default_profile>default</default_profile><default_database>default</default_database>
  <mark_cache_size>67108864</mark_cache_size><max_concurrent_queries>50</max_concurrent_queries>
  <timezone>UTC</timezone>{more}
</yandex>
"""
# "default" may do everything; "reader" only reads and may change no setting; "secret" has a
# password.
USERS = """<?xml version="1.0"?>
<yandex>
  <profiles><default><max_threads>2</max_threads></default>
    <reading><readonly>1</readonly></reading></profiles>
  <quotas><default/></quotas>
  <users>
    <default><password></password><networks><ip>127.0.0.1</ip></networks>
      <profile>default</profile><quota>default</quota></default>
    <reader><password></password><networks><ip>127.0.0.1</ip></networks>
      <profile>reading</profile><quota>default</quota></reader>
    <secret><password>open sesame</password><networks><ip>127.0.0.1</ip></networks>
      <profile>default</profile><quota>default</quota></secret>
  </users>
</yandex>
"""

# For `more`: rows that replace each other stay side by side, as they may on any server for a while.
NO_MERGES = "<merge_tree>" + "".join(
    f"<max_bytes_to_merge_at_{room}_space_in_pool>1</max_bytes_to_merge_at_{room}_space_in_pool>"
    for room in ("min", "max")) + "</merge_tree>"


def program():
    """The server and the words before its options, or None."""
    for name, words in (("clickhouse", ["server"]), ("clickhouse-server", [])):
        found = shutil.which(name, path=os.environ.get("PATH", "") + ":/usr/sbin")
        if found:
            return [found, *words]
    return None


def free_ports(count):
    held = [socket.socket() for _ in range(count)]
    for one in held:
        one.bind(("127.0.0.1", 0))
    ports = [one.getsockname()[1] for one in held]
    for one in held:
        one.close()
    return ports


class Refused(Exception):
    """What the server answered instead."""


class Server:
    def __init__(self):
        self.library = os.environ.get("POLYTRACE_CLICKHOUSE_LIBRARY")
        self.command = [sys.executable, ENGINE, self.library] if self.library else program()
        if not self.command:
            print("no clickhouse-server here: ./dev setup fleet installs it")
            sys.exit(77)
        self.folder = Path(tempfile.mkdtemp(prefix="polytrace-clickhouse-"))
        self.http, self.tcp, self.inter = free_ports(3)
        self.url = f"http://127.0.0.1:{self.http}"
        self.process = None
        self.more = ""
        (self.folder / "users.xml").write_text(USERS)

    def __enter__(self):
        try:
            self.start()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        self.kill()
        shutil.rmtree(self.folder, ignore_errors=True)

    def start(self):
        """Also again, after kill(): its data is still there."""
        (self.folder / "config.xml").write_text(CONFIG.format(
            folder=self.folder, http=self.http, tcp=self.tcp, inter=self.inter, more=self.more))
        words = [self.folder / "data", str(self.http)] if self.library else [
            f"--config-file={self.folder}/config.xml"]
        self.process = subprocess.Popen(
            [*self.command, *words], cwd=self.folder,
            stdin=subprocess.DEVNULL, stdout=(self.folder / "out.log").open("ab"),
            stderr=subprocess.STDOUT, start_new_session=True)
        wait_until(self.answers, lambda: "a server\n" + self.log(), process=self.process)

    def answers(self):
        try:
            self.ask("SELECT 1")
            return True
        except (OSError, Refused):
            return False

    def kill(self, sign=signal.SIGKILL):
        if self.process and self.process.poll() is None:
            self.process.send_signal(sign)
            self.process.wait()

    def log(self):
        return "\n".join(path.read_text("utf-8", "replace")[-3000:]
                         for path in sorted(self.folder.glob("*.log")))

    def ask(self, sql, data=None, **parameters):
        """The answer as text. With `data` (bytes), `sql` is an INSERT and the data its rows."""
        if data is None:
            url, body = self.url + "/?" + urllib.parse.urlencode(parameters), sql.encode()
        else:
            url, body = self.url + "/?" + urllib.parse.urlencode({"query": sql, **parameters}), data
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        try:
            with opener.open(urllib.request.Request(url, body), timeout=SECONDS) as answer:
                return answer.read().decode("utf-8", "replace")
        except urllib.error.HTTPError as fault:
            raise Refused(fault.read().decode("utf-8", "replace")) from None

    def rows(self, sql):
        """The answer as lists of texts."""
        return [line.split("\t") for line in self.ask(sql).splitlines()]

    def number(self, sql):
        return int(self.ask(sql).strip())
