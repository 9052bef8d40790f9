#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Exceptions at the end of a stack, where the VM has no room for much: the program goes on as ever,
and each of its errors is told."""
from jvm_common import LONG, Room


def main():
    room = Room("Deep")
    rounds = 100 if LONG else 5
    for jdk in room.jdks:
        for events in ("exceptions", "calls+threads+gc+monitors+exceptions+alloc=sampled"):
            output, stream = room.run(jdk, f"events={events}", "Deep", str(rounds))
            assert int(output) == rounds, output
            number, = (number for number, name in stream.classes.items()
                       if name == "java.lang.StackOverflowError")
            told = [e for e in stream.all("Throw") if e.fields.get("class_id") == number]
            assert len(told) >= rounds, (len(told), rounds)
            places = {stream.methods[frame] for e in stream.all("Throw")
                      for frame, _ in e.fields["stack"]}
            assert "Deep.down" in places, places
            assert not [place for place in places if "TraceProbe" in place], places
        print(f"JDK {jdk.version}: {rounds} ends of a stack, all survived and told")


main()
