# SPDX-License-Identifier: Apache-2.0
"""Several ClickHouse servers of one cluster and Debian's ZooKeeper between them, on 127.0.0.1, for
one test. Where ZooKeeper is missing the test ends with 77 and the reason.

    with cluster.Cluster([2]) as servers:     # one shard of two replicas
    with cluster.Cluster([1, 1]) as servers:  # two shards
"""
import contextlib
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
from pathlib import Path

import clickhouse
from waiting import SECONDS, wait_until

NAME = "fleet"
JARS = Path("/usr/share/java")
NEEDED = ("zookeeper", "zookeeper-jute", "slf4j-api", "netty-all", "netty", "metrics-core",
          "snappy-java", "audience-annotations", "commons-cli", "commons-io", "slf4j-nop")


def need_zookeeper():
    if not (JARS / "zookeeper.jar").exists() or not shutil.which("java"):
        print("no ZooKeeper or no Java here: ./dev setup fleet installs them")
        sys.exit(77)


class ZooKeeper:
    def __init__(self):
        need_zookeeper()
        self.folder = Path(tempfile.mkdtemp(prefix="polytrace-zookeeper-"))
        self.port = clickhouse.free_ports(1)[0]
        (self.folder / "zoo.cfg").write_text(
            f"tickTime=1000\ndataDir={self.folder}/data\nclientPort={self.port}\n"
            "clientPortAddress=127.0.0.1\nadmin.enableServer=false\nmaxClientCnxns=60\n")
        jars = [JARS / f"{name}.jar" for name in NEEDED]
        with (self.folder / "log").open("wb") as log:
            self.process = subprocess.Popen(
                ["java", "-Xmx128m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-cp",
                 ":".join(str(jar) for jar in jars if jar.exists()),
                 "org.apache.zookeeper.server.ZooKeeperServerMain", f"{self.folder}/zoo.cfg"],
                cwd=self.folder, stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT,
                start_new_session=True)

    def wait(self):
        wait_until(self.answers, lambda: "ZooKeeper\n" + (self.folder / "log").read_text("utf-8"),
                   process=self.process)

    def answers(self):
        with contextlib.suppress(OSError):
            socket.create_connection(("127.0.0.1", self.port), timeout=SECONDS).close()
            return True
        return False

    def end(self):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGKILL)
            self.process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)


def has_zookeeper(server):
    """ZooKeeper takes connections before it serves sessions."""
    with contextlib.suppress(OSError, clickhouse.Refused):
        server.ask("SELECT count() FROM system.zookeeper WHERE path = '/'")
        return True
    return False


class Cluster:
    """`shards`: how many replicas each has. Servers are in `servers`, shard by shard."""

    def __init__(self, shards):
        need_zookeeper()
        self.shards = [[clickhouse.Server() for _ in range(count)] for count in shards]
        self.servers = [server for shard in self.shards for server in shard]
        self.zookeeper = ZooKeeper()
        text = "".join("<shard><internal_replication>true</internal_replication>" + "".join(
            f"<replica><host>127.0.0.1</host><port>{server.tcp}</port></replica>"
            for server in shard) + "</shard>" for shard in self.shards)
        for number, shard in enumerate(self.shards):
            for own, server in enumerate(shard):
                server.more = (
                    f"<remote_servers><{NAME}>{text}</{NAME}></remote_servers><zookeeper><node>"
                    f"<host>127.0.0.1</host><port>{self.zookeeper.port}</port></node>"
                    "<session_timeout_ms>5000</session_timeout_ms></zookeeper><macros><shard>"
                    f"{number}</shard><replica>{own}</replica></macros>")

    def __enter__(self):
        try:
            self.zookeeper.wait()
            for server in self.servers:
                server.start()
                wait_until(lambda server=server: has_zookeeper(server), "a session of ZooKeeper")
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        for server in self.servers:
            server.__exit__()
        self.zookeeper.end()

    def urls(self, database):
        """As `store.urls` has them."""
        return [[f"{server.url}/{database}" for server in shard] for shard in self.shards]
