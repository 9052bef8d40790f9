#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Each collection has one beginning and one end, by every collector. A young one that turns full
makes two in one stop of the program, and a VM tells either the stop or both: the numbers are those
of the VM's own log, and of the beans that the program asks. When room for classes runs out, a VM
tells one within another: that is one."""
from jvm_common import LONG, Room, logged

START, END = 0, 5


def check_pairs(events):
    """Beginnings and ends take turns, and the collections are numbered one after the other."""
    phases = [(e.fields.get("phase", START), e.id) for e in sorted(events, key=lambda e: e.tick)]
    first = phases[0][1]
    expected = [(phase, first + i) for i in range(len(phases) // 2) for phase in (START, END)]
    assert phases == expected, [pair for pair in zip(phases, expected) if pair[0] != pair[1]][:3]
    return len(expected) // 2


def test_collections(room, jdk, collector, rounds, flags, *what):
    log = room.folder / "gc.log"
    output, stream = room.run(jdk, "events=gc", "Garbage", str(rounds), *what, flags=(
        f"-XX:+Use{collector}GC", *flags, f"-Xlog:gc,safepoint:file={log}"))
    stops, collections = logged(log.read_text(encoding="utf-8"))
    told = check_pairs(stream.all("Gc"))
    seen = (jdk.version, collector, *what, told, stops, collections, output)
    assert told in (stops, collections) and stops > 3, seen
    # G1's beans leave out some of its pauses, and count cycles.
    assert what or collector == "G1" or int(output) == collections, seen
    print(f"JDK {jdk.version}: {collector}: {told} told, {stops} stops with {collections} "
          "collections")


def main():
    room = Room("Garbage")
    for jdk in room.jdks:
        for collector in ("Serial", "Parallel", "G1"):
            test_collections(room, jdk, collector, 20000 if LONG else 1500, ("-Xmx28m",))
            test_collections(room, jdk, collector, 20000 if LONG else 3000,
                             ("-Xmx64m", "-XX:MetaspaceSize=4m"), "classes")


main()
