#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Each collection has one beginning and one end, by every collector. A young one that turns full
makes two in one stop of the program, and a VM tells either the stop or both: the numbers are those
of the VM's own log, and of the beans that the program asks."""
import re

from jvm_common import LONG, Room

START, END = 0, 5
COLLECTION = re.compile(r"\[gc *\] GC\(\d+\) Pause ")
STOP = re.compile(r'Safepoint "(\w*(?:GC|Collect|G1Pause|G1Try)\w*)"')


def logged(log):
    """How often the VM stopped the program to collect, and how many collections it made."""
    stops = collections = within = 0
    for line in log.splitlines():
        if COLLECTION.search(line):
            collections, within = collections + 1, within + 1
        elif STOP.search(line):
            stops, within = stops + (within > 0), 0
    return stops, collections


def check_pairs(events):
    """Beginnings and ends take turns, and the collections are numbered one after the other."""
    phases = [(e.fields.get("phase", START), e.id) for e in sorted(events, key=lambda e: e.tick)]
    first = phases[0][1]
    expected = [(phase, first + i) for i in range(len(phases) // 2) for phase in (START, END)]
    assert phases == expected, [pair for pair in zip(phases, expected) if pair[0] != pair[1]][:3]
    return len(expected) // 2


def main():
    room = Room("Garbage")
    rounds = 20000 if LONG else 1500
    for jdk in room.jdks:
        for collector in ("Serial", "Parallel", "G1"):
            log = room.folder / "gc.log"
            output, stream = room.run(jdk, "events=gc", "Garbage", str(rounds), flags=(
                f"-XX:+Use{collector}GC", "-Xmx28m", f"-Xlog:gc,safepoint:file={log}"))
            stops, collections = logged(log.read_text(encoding="utf-8"))
            told = check_pairs(stream.all("Gc"))
            what = (jdk.version, collector, told, stops, collections, output)
            assert told in (stops, collections) and stops > rounds / 200, what
            # G1's beans leave out some of its pauses, and count cycles.
            assert collector == "G1" or int(output) == collections, what
            print(f"JDK {jdk.version}: {collector}: {told} told, {stops} stops with {collections} "
                  "collections")


main()
