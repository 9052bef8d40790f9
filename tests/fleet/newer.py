#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The same questions, roll-ups and pushes on a ClickHouse of today, whose engine npm has as a
library: ./dev setup readers installs it, or $POLYTRACE_CLICKHOUSE_LIBRARY names one."""
import os
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE / "support"))
import clickhouse  # noqa: E402

ROOT = HERE.parents[1]
TESTS = ("questions.py", "tiers.py", "push.py", "dropped.py", "grafana.py")


def library():
    caches = os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")
    readers = Path(os.environ.get("POLYTRACE_READERS", f"{caches}/polytrace/readers"))
    told = os.environ.get("POLYTRACE_CLICKHOUSE_LIBRARY")
    file = Path(told or readers / "node_modules/@chdb/lib-linux-x64-gnu/libchdb.so")
    if file.exists():
        return file
    print("no library of a newer ClickHouse here: ./dev setup readers")
    sys.exit(77)


def codecs():
    """share/clickhouse/codecs.sql is taken, and what was there before stays what it was."""
    def ask(*words):
        return subprocess.run([os.environ["POLYTRACE"], *words], check=True,
                              capture_output=True).stdout
    with clickhouse.Server() as server:
        store = f"{server.url}/shop"
        ask("fleet", "schema", "--apply", "--store", store)
        ask("push", ROOT / "examples/shop.trcxml", "--at", "2026-11-21T10:00:00Z", "--label",
            "service=shop", "--to", store)
        sums = "SELECT count(), sum(count), sum(weight) FROM shop.profile_10s"
        before = server.rows(sums)
        lines = (ROOT / "share/clickhouse/codecs.sql").read_text("utf-8").splitlines()
        text = "\n".join(line for line in lines if not line.startswith("--"))
        for statement in text.replace("ALTER TABLE ", "ALTER TABLE shop.").split(";\n"):
            if statement.strip():
                server.ask(statement)
        server.ask("OPTIMIZE TABLE shop.profile_10s FINAL")
        assert server.rows(sums) == before and int(before[0][0]) > 0, before
        told = server.rows("SELECT name, compression_codec FROM system.columns WHERE database = "
                           "'shop' AND table = 'profile_10s' AND compression_codec != ''")
        assert ["weight", "CODEC(T64('bit'), ZSTD(1))"] in [[name, codec.replace("\\", "")]
                                                           for name, codec in told], told


def main():
    os.environ["POLYTRACE_CLICKHOUSE_LIBRARY"] = str(library())
    failed = [test for test in TESTS
              if subprocess.run([sys.executable, HERE / test], check=False).returncode != 0]
    assert not failed, failed
    codecs()


main()
