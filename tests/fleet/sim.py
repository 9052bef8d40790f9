#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tools/fleet_sim.py against sums that can be done in the head, and against a wrong figure."""
import json
import subprocess
import sys
import tempfile
from pathlib import Path

TOOL = Path(__file__).resolve().parents[2] / "tools/fleet_sim.py"


def run(*words):
    return subprocess.run([sys.executable, TOOL, *map(str, words)], check=False, text=True,
                          capture_output=True)


def simulated(folder, text):
    Path(folder, "fleet.toml").write_text(text)
    done = run(Path(folder, "fleet.toml"), "--json")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def fleet(level, paths, processes=1000):
    """All of one level, and so busy that each window has each path."""
    shares = {name: int(name == level) for name in ("health", "summary", "events")}
    return (f"[fleet]\nprocesses = {processes}\nmachines = 100\nservices = 1\n"
            "restarts_per_day = 0\nhubs = 1\n[levels]\n"
            + "".join(f"{name} = {share}\n" for name, share in shares.items())
            + f"[process]\ncalls_per_second = 1000000\npaths = {paths}\nmethods = 10\nzipf = 1.0\n"
            "[run]\ndrawn = 7\nminutes = 2\n")


def main():
    with tempfile.TemporaryDirectory() as folder:
        health = simulated(folder, fleet("health", 50))["rows_per_second"]
        assert health == {"profile_10s": 0, "methods_1m": 0, "health_10s": 100, "moments": 0,
                          "names": 0}, health
        summary = simulated(folder, fleet("summary", 50))
        rates = summary["rows_per_second"]
        assert rates["profile_10s"] == 5000 and rates["health_10s"] == 100, rates
        assert abs(rates["methods_1m"] - 1000 * 10 / 60) < 0.01 and rates["moments"] == 0, rates
        assert summary["stacks"] == 50, summary
        # An edge keeps 400 rows of a window, and 8 calls of it as moments.
        events = simulated(folder, fleet("events", 500))["rows_per_second"]
        assert events["profile_10s"] == 40_000 and events["moments"] == 800, events
        twice = simulated(folder, fleet("summary", 50, 2000))
        once = summary["rows_per_second_in_all"]
        assert abs(twice["rows_per_second_in_all"] - 2 * once) < 0.1, (twice, once)
        assert simulated(folder, fleet("summary", 50)) == summary
        Path(folder, "wrong.toml").write_text("[fleet]\nprocesess = 1\n")
        wrong = run(Path(folder, "wrong.toml"))
        assert wrong.returncode == 2 and "procesess" in wrong.stderr, wrong
        # A run whose programs had 96 stacks, as counted here by their rule, in two windows.
        told = {"begin": 1000, "seconds": 15, "block": 4000, "spread": 1, "streams": 10,
                "profile_10s": 10 * 2 * 96, "methods_1m": 10 * 45, "health_10s": 20, "stacks": 96,
                "edge_memory_mib": 18}
        file = Path(folder, "told.json")
        file.write_text(json.dumps(told))
        assert run("--check", file).returncode == 0, run("--check", file).stdout
        file.write_text(json.dumps({**told, "profile_10s": 10 * 2 * 60}))
        assert run("--check", file).returncode == 1
    example = run()
    assert example.returncode == 0 and "rows/s" in example.stdout, example


if __name__ == "__main__":
    main()
