#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The same questions, roll-ups and pushes on a ClickHouse of today, whose engine npm has as a
library: ./dev setup readers installs it, or $POLYTRACE_CLICKHOUSE_LIBRARY names one."""
import os
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
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


def main():
    environment = dict(os.environ, POLYTRACE_CLICKHOUSE_LIBRARY=str(library()))
    failed = [test for test in TESTS
              if subprocess.run([sys.executable, HERE / test], env=environment,
                                check=False).returncode != 0]
    assert not failed, failed


main()
