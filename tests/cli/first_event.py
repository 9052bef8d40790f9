#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Times are counted from one event, whoever counts: the earliest that `cat` prints, but for what
heads a trace. Of one recording in each format and of some whose headings are earlier."""
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

POLYTRACE = os.environ["POLYTRACE"]
DATA = Path(os.environ["TEST_DATA"])
FILES = ["mlpd/calls.mlpd", "mlpd/locks.mlpd", "tbf/shop_big.trcbin", "trcxml/shop.trcxml",
         "monoblock/review.mprof", "tracelog/app64.trace.log", "hostile/names-c1.ptrace"]
HEADINGS = {"process", "clock", "setting", "filter"}  # as src/event/kinds.def has them


def run(*words):
    done = subprocess.run([POLYTRACE, *map(str, words)], capture_output=True, text=True,
                          check=False)
    assert done.returncode in (0, 4), (words, done.returncode, done.stderr)
    return done.stdout


def number(told):
    """Large ones are texts in JSON."""
    return int(told)


def events_of(file):
    events = [json.loads(line) for line in run("cat", "--jsonl", file).splitlines()]
    return [event for event in events if event["kind"] not in HEADINGS]


def check(file, index):
    more = [] if index else ["--no-index"]
    times = [number(event["time"]) for event in events_of(file)]
    first, last = min(times), max(times)
    info = json.loads(run("info", "--json", file))["span"]
    report = json.loads(run("report", "--json", "--sections", "calls", *more, file))
    state = json.loads(run("state", "--json", "--no-cache", "--at", "0s", *more, file))
    rows = json.loads(run("sql", "--json", *more, file,
                          "SELECT trace_start(), trace_end()"))["rows"]
    told = {"info": (info["first"], info["last"]), "sql": rows[0],
            "state": (state["start"], state["end"]), "--at 0s": (state["time"], last),
            "report": (report["start"], last)}
    for who, span in told.items():
        assert tuple(map(number, span)) == (first, last), (file, index, who, span, first, last)
    shown = run("cat", "--jsonl", "--from", "0s", "--to", "1ns", file).splitlines()
    assert {number(json.loads(line)["time"]) for line in shown
            if json.loads(line)["kind"] not in HEADINGS} == {first}, (file, shown[:3])


def main():
    with tempfile.TemporaryDirectory() as folder:
        os.environ["POLYTRACE_CACHE"] = folder
        for name in FILES:
            check(DATA / name, False)
            run("index", "build", DATA / name)
            check(DATA / name, True)
    print("ok")


if __name__ == "__main__":
    sys.exit(main())
