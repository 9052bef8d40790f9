#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`polytrace state` of a moment at which the JVM said that three threads are parked, inside calls
that were recorded, and that one has ended: nothing says that they run."""
import json
import os
import subprocess

from jvm_common import Room

POLYTRACE = os.environ["POLYTRACE"]


def run(*words):
    return subprocess.run([POLYTRACE, *map(str, words)], capture_output=True, text=True,
                          check=True).stdout


def moment_of(trace):
    """Of the last call of mark(), which main makes."""
    out = run("cat", "--jsonl", "--name", "mark", "--kind", "enter", trace)
    return max(json.loads(line)["time"] for line in out.splitlines())


def statuses(trace, *words):
    states = json.loads(run("state", "--json", "--no-cache", "--at", moment_of(trace), *words,
                            trace))
    by_path = {state["path"]: state["value"] for state in states["states"]}
    names = {path.rsplit("/", 1)[0]: value for path, value in by_path.items()
             if path.startswith("/Threads/") and path.endswith("/Name")}
    return states["ended_threads_left_out"], {name: by_path[f"{place}/Status"]
                                              for place, name in names.items()}


def main():
    room = Room("Parked")
    for jdk in room.jdks:
        room.run(jdk, "events=calls+threads", "Parked")
        trace = room.folder / "out.ptrace"
        left_out, shown = statuses(trace)
        assert {shown[f"parked-{i}"] for i in range(3)} == {"unknown"}, shown
        assert "gone" not in shown and left_out >= 1, (left_out, shown)
        assert statuses(trace, "--all")[1]["gone"] == "ended"
        text = run("state", "--no-cache", "--at", moment_of(trace), trace)
        assert "left out (--all shows" in text and "running" not in text.split("\nRecording")[0]
        assert "Loaded" not in text, "no load of a class was recorded"


main()
