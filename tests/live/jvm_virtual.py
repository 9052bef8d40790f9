#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Virtual threads keep their calls apart, whatever carries them; a monitor that is contended is
acquired by the thread that waited."""
from jvm_common import LONG, Room, expect_same, find_jdks, short, skip


def expected(calls):
    return [pair for _ in range(calls)
            for pair in (("enter", "deed"), ("enter", "inner"),
                         ("leave", "inner"), ("leave", "deed"))]


def test_virtual(room, jdk):
    count = 2000 if LONG else 200
    _, stream = room.run(jdk, "filter=Virtual:deed,Virtual:inner,events=calls+threads+monitors",
                         "Virtual", str(count))
    calls, names = stream.calls(), {name: id_ for id_, name in stream.threads.items()}
    for i in range(count):
        expect_same(short(calls[names[f"virtual-{i}"]]), expected(10 + i % 5), f"virtual-{i}")
    waits = {}
    for event in sorted(stream.all("Monitor"), key=lambda e: e.tick):
        key, stage = (event.thread, event.id), event.fields.get("stage", 0)
        assert stage != waits.get(key, 1), f"thread {key[0]} twice the same of monitor {key[1]}"
        waits[key] = stage
    assert all(stage == 1 for stage in waits.values()), "contended and never acquired"


def main():
    jdks = [jdk for jdk in find_jdks() if jdk.version >= 21]
    if not jdks:
        skip("no JDK here has virtual threads (21 and later)")
    room = Room()
    room.compile(jdks[0], "Virtual")
    for jdk in jdks:
        test_virtual(room, jdk)
        print(f"JDK {jdk.version}: virtual threads are told apart")


main()
