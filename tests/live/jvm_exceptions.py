#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Each exception that a program throws is told once, at the method that throws it, and with the
methods that catch it or pass it on: as the program counts them itself, and as often as the JDK's
own recorder sees one made."""
import os
import re
import subprocess
from collections import Counter

from jvm_common import HERE, LONG, Room

PROGRAM = os.environ.get("POLYTRACE", str(HERE.parent.parent / "build/release/polytrace"))
CLAUSES = ("catch_clause", "filter", "finally", "fault")
EVENTS = ("exceptions", "calls+exceptions,filter=Faults*",
          "calls+exceptions,filter=*,jvm.accessors=yes",
          "calls+threads+gc+monitors+exceptions+alloc=sites,filter=Faults*")
MODES = (("-Xint",), ("-XX:TieredStopAtLevel=1",))
RUNS = [(events, ()) for events in EVENTS] + [(EVENTS[1], mode) for mode in MODES]


def counted(output):
    """What the program says: "throw CLASS METHOD" or "KIND METHOD" -> how often."""
    return Counter({line.rsplit(" ", 1)[0]: int(line.rsplit(" ", 1)[1])
                    for line in output.splitlines()})


def told(stream):
    """The same of a recording, as far as the program's own methods go."""
    def own(method):
        name = stream.methods.get(method, "")
        return name.rsplit(".", 1)[1] if name.startswith("Faults") else None

    counts = Counter()
    for event in stream.all("Throw", "Clause"):
        if event.kind == "Throw":
            method = own(event.fields["stack"][-1][0])
            what = "throw " + stream.classes[event.fields["class_id"]]
        else:
            method, what = own(event.id), CLAUSES[event.fields.get("clause", 0)]
        if method:
            counts[f"{what} {method}"] += 1
    return counts


def expect_equal(got, expected, what):
    wrong = {key: (got[key], expected[key]) for key in got | expected if got[key] != expected[key]}
    assert not wrong, f"{what}: (told, counted) {wrong}"


def test_counts(room, jdk, rounds):
    for events, mode in RUNS:
        output, stream = room.run(jdk, f"events={events}", "Faults", str(rounds), flags=mode)
        expect_equal(told(stream), counted(output), f"JDK {jdk.version} {events} {mode}")


def test_peer(room, jdk, rounds):
    """The JDK's recorder tells each exception that is made, not those that are thrown again."""
    name = f"{jdk.version}.jfr"
    jfr = f"-XX:StartFlightRecording:filename={name},jdk.JavaExceptionThrow#enabled=true"
    output, stream = room.run(jdk, "events=exceptions", "Faults", str(rounds), flags=(
        jfr + (",jdk.JavaExceptionThrow#throttle=off" if jdk.version > 17 else ""),
        "-Xlog:disable"))
    made = subprocess.run([jdk.tool("jfr"), "print", "--events", "JavaExceptionThrow", name],
                          cwd=room.folder, capture_output=True, text=True, check=True).stdout
    peer = len(re.findall(r"thrownClass = Faults\$Fresh ", made))
    ours = told(stream)
    thrown = sum(n for what, n in ours.items() if what.startswith("throw Faults$Fresh "))
    assert thrown - ours["throw Faults$Fresh throwsAgainLater"] == peer > rounds, (thrown, peer)


def test_report(room, jdk, rounds):
    output, _ = room.run(jdk, "events=calls+exceptions,filter=Faults*", "Faults", str(rounds))
    report = subprocess.run([PROGRAM, "report", str(room.folder / "out.ptrace"),
                             "--sections", "exceptions"], capture_output=True, text=True,
                            check=True).stdout
    expected = counted(output)
    for row in ("throughFrames", "constants", "mayPass"):
        found = re.search(rf"^ *([\d ]*\d)  .*catch +Faults\.{row} \(.*\)$", report, re.M)
        assert found, f"no {row} among the handlers of {report}"
        assert int(found.group(1).replace(" ", "")) == expected[f"catch_clause {row}"], report


def main():
    rounds = 20000 if LONG else 150
    room = Room("Faults")
    for jdk in room.jdks:
        test_counts(room, jdk, rounds)
        test_peer(room, jdk, rounds)
        test_report(room, jdk, rounds)
        print(f"JDK {jdk.version}: exceptions are told as they were thrown and caught")


main()
