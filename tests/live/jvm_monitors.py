#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Monitors: every contention is told once when a thread begins to wait, with its stack, and once
when it has the monitor; who held it is told where asked for; waits tell their timeout."""
from jvm_common import LONG, Room, thread_named

def of_class(stream, name):
    number, = (number for number, of in stream.classes.items() if of == name)
    return [e for e in stream.all("Monitor") if e.fields.get("class_id") == number]


def test_contended(room, jdk, kind, owner=False):
    """With one that waits, nobody but main can be the owner."""
    waiters = 1 if owner else 5
    rounds = 200 if LONG else 10
    option = ",jvm.monitor-owner=yes" if owner else ""
    output, stream = room.run(jdk, f"events=monitors+threads{option}", "Contend", kind, str(rounds),
                              str(waiters), flags=("-Xcheck:jni",))
    assert int(output) == rounds * waiters
    names = {name: number for number, name in stream.threads.items()}
    doors = sorted(of_class(stream, "Contend$Door"), key=lambda e: e.tick)
    assert len({e.id for e in doors}) == 1, "the monitor has more than one number"
    stages = {}
    for event in doors:
        stages.setdefault(event.thread, []).append(event.fields.get("stage", 0))
    expected = {names[f"enters-{r}-{i}"] for r in range(rounds) for i in range(waiters)}
    assert set(stages) == expected, (len(stages), len(expected))
    assert all(of == [0, 1] for of in stages.values()), stages
    for event in doors:
        if event.fields.get("stage", 0) == 0:
            innermost = stream.methods[event.fields["stack"][-1][0]]
            assert innermost == "Contend.enter", innermost
        else:
            assert "stack" not in event.fields and "owner" not in event.fields
    told = [e.fields["owner"] for e in doors if "owner" in e.fields]
    assert set(told) == ({thread_named(stream, "main")} if owner else set()), told
    check_waits(stream)


def check_waits(stream):
    for name, timeout in (("waits", 60_000), ("gives-up", 5)):
        thread = thread_named(stream, name)
        waits = [(e.fields.get("stage", 0), e.fields.get("timeout")) for e in
                 sorted(stream.all("Wait"), key=lambda e: e.tick)
                 if e.thread == thread and is_bell(stream, e)]
        nanoseconds = timeout * 1_000_000
        assert waits == [(0, nanoseconds), (1, nanoseconds)], (name, waits)


def is_bell(stream, event):
    stack = event.fields.get("stack", [])
    return event.fields.get("stage", 0) == 1 or any(stream.methods[m] == "Contend.await"
                                                    for m, _ in stack)


def main():
    room = Room("Contend")
    for jdk in room.jdks:
        test_contended(room, jdk, "platform")
        test_contended(room, jdk, "platform", True)
        if jdk.version >= 21:
            test_contended(room, jdk, "virtual")
        print(f"JDK {jdk.version}: monitors are told in pairs")


main()
