#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The end of a stack, where neither the VM nor a probe has room for much: the program goes on as
ever, each of its errors is told, and what is called afterwards stands under its true caller."""
from collections import Counter

from jvm_common import LONG, Room, short, thread_named

EVERYTHING = "calls+threads+gc+monitors+exceptions+alloc="
RUNS = ((EVERYTHING + "objects", ()), (EVERYTHING + "sites", ()), ("calls", ()),
        ("calls", ("-Xint",)), ("calls", ("-XX:TieredStopAtLevel=1",)))


def test_errors(room, jdk, rounds):
    for events in ("exceptions", EVERYTHING + "sampled"):
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


def check_calls(calls, rounds, what):
    """Each leave fits the last enter, and `marker` is called from where the source does."""
    stack, callers = [], Counter()
    for i, (kind, name) in enumerate(calls):
        if kind == "enter":
            if name == "marker":
                callers[stack[-1], stack.count("all"), len(stack) if stack[-1] == "all" else 0] += 1
            stack.append(name)
        else:
            assert stack and stack[-1] == name, f"{what}: event {i} leaves {name}, in {stack[-4:]}"
            stack.pop()
    assert not stack, f"{what}: {stack[:4]} was never left"
    bottom = {of for of in callers if of[0] == "all"}
    assert len(bottom) == 1 and sum(callers[of] for of in bottom) == rounds, (what, callers)
    # Of eight attempts seven throw; one catches before, one has 40 that look and throw again.
    expected = {"all": rounds, "attempt": rounds * (8 + 7), "catchesBelow": rounds,
                "passesOn": rounds * 40}
    found = Counter()
    for (name, _, _), count in callers.items():
        found[name] += count
    assert found == expected, (what, found, expected)


def test_callers(room, jdk, most):
    for events, mode in RUNS:
        rounds = 1 if events != "calls" else most
        options = f"events={events},depth=64,filter=Overflow*,jvm.accessors=yes"
        output, stream = room.run(jdk, options, "Overflow", str(rounds), flags=mode)
        assert output == "done\n", output
        calls = stream.calls()
        for thread in ("main", "small"):
            check_calls(short(calls[thread_named(stream, thread)]), rounds,
                        f"JDK {jdk.version} {thread} {events} {mode}")


def main():
    room = Room("Deep", "Overflow")
    rounds = 100 if LONG else 5
    for jdk in room.jdks:
        test_errors(room, jdk, rounds)
        test_callers(room, jdk, 100 if LONG else 3)
        print(f"JDK {jdk.version}: {rounds} ends of a stack, all survived and told")


main()
