#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every call of a program that tells its own calls is in the recording, in order, whatever way it
ends; the VM's checks of native code are silent; everything can be recorded, the JDK included. Calls
that the recorder sums up are as many."""
import collections
import json
import subprocess

from jvm_common import LONG, Room, expect_same, short, thread_named


def told(output):
    return [tuple(line.split()) for line in output.splitlines()]


def test_every_exit(room, jdk):
    rounds = 2000 if LONG else 100
    output, stream = room.run(jdk, "filter=Exits*,jvm.accessors=yes", "Exits", str(rounds),
                              flags=("-Xcheck:jni", "-Xverify:all"))
    calls = stream.calls()
    main = thread_named(stream, "main")
    expect_same(short(calls[main]), told(output), f"JDK {jdk.version}: main")
    dead = short(calls[thread_named(stream, "dies")])
    assert dead[:2] == [("enter", "dies"), ("leave", "dies")], dead
    unwound = {stream.methods[e.id].rsplit(".", 1)[1] for e in stream.all("Unwind")}
    assert unwound == {"thrower", "locked", "<init>", "dies"}, unwound


def test_filters(room, jdk):
    _, stream = room.run(jdk, "filter=-Exits:ofInt,Exits:of*,Exits$Base", "Exits", "3")
    names = set(name for _, name in stream.calls()[thread_named(stream, "main")])
    assert names == {"Exits.ofVoid", "Exits.ofLong", "Exits.ofFloat", "Exits.ofDouble",
                     "Exits.ofReference", "Exits$Base.<init>"}, names


def balanced(calls):
    """An exit closes what is open above it; exits without entry are none of this recording."""
    repaired, lone, stack = 0, 0, []
    for what, name in calls:
        if what == "enter":
            stack.append(name)
        elif name not in stack:
            lone += 1
        else:
            while stack.pop() != name:
                repaired += 1
    return repaired, lone


def test_everything(room, jdk):
    output, stream = room.run(jdk, "filter=*,jvm.accessors=yes,events=calls+gc+monitors", "Exits",
                              "5")
    calls = stream.calls()
    own = [call for call in calls[thread_named(stream, "main")] if call[1].startswith("Exits")]
    expect_same(short(own), told(output), f"JDK {jdk.version}: main among everything")
    total = sum(len(of) for of in calls.values())
    repaired = sum(balanced(of)[0] for of in calls.values())
    assert total > 20000 and repaired < total / 1000, (total, repaired)


def report(room, *options):
    done = subprocess.run([room.agent.parent / "polytrace", "report", "--json", "--limit", "0",
                           *options, room.folder / "out.ptrace"], capture_output=True, text=True,
                          timeout=250, check=True)
    tables = json.loads(done.stdout)["tables"]
    return {table["key"]: table["rows"] for table in tables}


def test_sums(room, jdk):
    output, _ = room.run(jdk, "filter=Exits*,jvm.accessors=yes,mode=summary", "Exits", "100")
    expected = collections.Counter(name for what, name in told(output) if what == "enter")
    for sections in ("calls", "calls,tree"):
        tables = report(room, "--sections", sections, "--thread", "main")
        found = collections.Counter()
        for row in tables["methods"]:
            found[row["method"].split(" (")[0].rsplit(".", 1)[1]] += row["calls"]
        what = f"JDK {jdk.version}: {sections}"
        expect_same(sorted(found.items()), sorted(expected.items()), what)
    assert sum(row["calls"] for row in tables["call_tree"]) == expected.total(), tables
    assert tables["methods"][0]["total"] > 0, tables["methods"][0]


def main():
    room = Room("Exits", "Log")
    for jdk in room.jdks:
        test_every_exit(room, jdk)
        test_filters(room, jdk)
        test_everything(room, jdk)
        test_sums(room, jdk)
        print(f"JDK {jdk.version}: every call is told")


main()
