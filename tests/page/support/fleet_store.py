#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A store with the small fleet of tests/fleet/support/facts.py, and a stand-in for a collector, for
a test of the page: prints one line of JSON about them, then does what lines of its input say (kill,
start), answering each with one, until there are no more. Ends with 77 where there is no server."""
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "tests/fleet/support"))
import clickhouse  # noqa: E402
import edge as edges  # noqa: E402
import facts  # noqa: E402

POLYTRACE = os.environ["POLYTRACE"]
METHOD = 1003  # of facts


def tell(value):
    print(json.dumps(value), flush=True)


def main():
    trace = str(ROOT / "examples/everything.mlpd")
    with clickhouse.Server() as store, tempfile.TemporaryDirectory() as folder:
        url = f"{store.url}/shop"
        subprocess.run([POLYTRACE, "fleet", "schema", "--apply", "--store", url], check=True,
                       stdout=subprocess.DEVNULL)
        fleet = facts.Fleet()
        fleet.put(store, "shop")
        collector = edges.Edge(folder, trace)
        call = edges.slowest_call(POLYTRACE, trace)
        moment = edges.put_moment(store, "shop", fleet.series[0], call, METHOD)
        tell({"server": store.url, "url": url, "begin": facts.BEGIN, "edge": collector.url,
              "token_file": collector.token_file, "moment": moment, "method": fleet.name(METHOD),
              "offset": call["begin"] - call["first"], "took": call["took"],
              "ended": (call["at"] + call["took"]) // 10**9})
        for line in sys.stdin:
            store.kill() if line == "kill\n" else store.start()
            tell(line.strip())


if __name__ == "__main__":
    main()
