#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runtime helpers that are not shown: their time is self time of whoever called them, their calls
are nobody's, in the report with and without its tree, in profiles and in flame pages. The truth is
made from the events, one by one."""
import json
import os
import subprocess
import tempfile
from collections import Counter, defaultdict
from pathlib import Path

POLYTRACE = os.environ["POLYTRACE"]
DATA = Path(os.environ["TEST_DATA"])
TRACES = ["mlpd/calls.mlpd", "mlpd/exceptions_calls.mlpd", "mlpd/everything.mlpd.gz"]


def polytrace(*words):
    return subprocess.run([POLYTRACE, *map(str, words)], capture_output=True, text=True,
                          timeout=150, check=True).stdout


def is_helper(name):
    return name.startswith("(wrapper ")


class Truth:
    """Calls and self time by name; helpers' time is that of the nearest caller that is none."""

    def __init__(self, trace):
        self.names, self.stacks, self.last = {}, defaultdict(list), {}
        self.calls, self.selfs, self.of_helpers = Counter(), Counter(), 0
        for line in polytrace("cat", "--jsonl", trace).splitlines():
            self.take(json.loads(line))
        for thread, stack in self.stacks.items():
            while stack:
                self.pop(stack, self.last[thread])

    def take(self, event):
        kind, thread = event["kind"], event["thread"]
        if kind == "method" and event.get("name"):
            self.names[event["method"]] = event["name"]
        if thread is None:
            return
        self.last[thread] = max(self.last.get(thread, 0), event["time"])
        stack = self.stacks[thread]
        if kind == "enter":
            stack.append([event["method"], event["time"], 0])
        elif kind in ("leave", "unwind") and any(call[0] == event["method"] for call in stack):
            while self.pop(stack, event["time"]) != event["method"]:
                pass

    def pop(self, stack, end):
        method, start, callees = stack.pop()
        name = self.names.get(method, f"unknown method {method}")
        owned = end - start - callees
        if stack:
            stack[-1][2] += end - start
        if is_helper(name):
            self.of_helpers += owned
            owners = [self.names.get(call[0], "") for call in reversed(stack)]
            name = next((owner for owner in owners if not is_helper(owner)), None)
        else:
            self.calls[name] += 1
        self.selfs[name] += owned
        return method


def rows_of(trace, sections):
    report = json.loads(polytrace("report", "--json", "--limit", "0", "--sections", sections,
                                  trace))
    return {table["key"]: table for table in report["tables"]}


def folded(trace, weight, folder):
    """Of the innermost frames."""
    out = Path(folder, weight)
    polytrace("export", "-q", "-f", "--to", "folded", "--weight", weight, "--depth", "0", trace,
              "-o", out)
    sums = Counter()
    for line in out.read_text(encoding="utf-8").splitlines():
        if not line.startswith("#"):
            stack, value = line.rsplit(" ", 1)
            sums[stack.split(";")[-1]] += int(value)
    return sums


def expect(what, found, wanted):
    wrong = {name: (found.get(name, 0), wanted.get(name, 0)) for name in found.keys() | wanted
             if found.get(name, 0) != wanted.get(name, 0)}
    assert not wrong, f"{what}: {len(wrong)} differ, (found, true): {list(wrong.items())[:5]}"


def test(trace, folder):
    truth = Truth(trace)
    assert truth.of_helpers > 0, "a trace without helpers tells nothing"
    unowned = truth.selfs.pop(None, 0)
    for sections in ("calls", "calls,tree"):
        table = rows_of(trace, sections)["methods"]
        calls = {row["method"]: row["calls"] for row in table["rows"]}
        selfs = {row["method"]: row["self"] for row in table["rows"]}
        expect(f"{sections}: calls", calls, truth.calls)
        expect(f"{sections}: self", selfs, truth.selfs)
        assert any("Runtime helpers" in note for note in table["notes"]), table["notes"]
    frames = folded(trace, "calls", folder)
    expect("folded calls", frames, {name.replace(";", ":"): n for name, n in truth.calls.items()})
    frames = folded(trace, "time", folder)
    assert frames.pop("(runtime helpers)", 0) == unowned
    expect("folded time", +frames,
           +Counter({name.replace(";", ":"): n for name, n in truth.selfs.items()}))


def main():
    with tempfile.TemporaryDirectory() as folder:
        for trace in TRACES:
            test(DATA / trace, folder)
            print(f"{trace}: helpers count for their callers")


main()
