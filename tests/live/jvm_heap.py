#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Heap dumps hold every object that can be reached, with its references; by command and at the end,
in the stream or as a file of the JDK."""
import os
import stat
import subprocess
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

from hprof import Heap
from jvm_common import LONG, Room, Stream, control

LINKS, LEAVES = (100_000, 50_000) if LONG else (2000, 300)


class Dump:
    """The nth dump of a stream."""

    def __init__(self, stream, number, name):
        marks = [e for e in stream.all("Dump") if e.id == number]
        assert [e.fields.get("stage", 0) for e in marks] == [0, 1], marks
        assert marks[0].fields.get("name", "") == name, marks
        first, last = (stream.events.index(mark) for mark in marks)
        events = [e for e in stream.events[first:last] if e.thread == marks[0].thread]
        self.roots = {e.id for e in events if e.kind == "Root"}
        self.classes, self.sizes, self.references = {}, Counter(), {}
        for event in events:
            if event.kind != "DumpObject":
                continue
            self.classes[event.id] = stream.classes.get(event.fields.get("class_id"), "")
            self.sizes[event.id] += event.fields.get("size", 0)
            targets = [target for target, _ in event.fields.get("refs", [])]
            self.references.setdefault(event.id, []).extend(targets)

    def objects(self, name):
        return {one for one, of in self.classes.items() if of == name}

    def reached(self):
        found, waiting = set(self.roots), list(self.roots)
        while waiting:
            for target in self.references.get(waiting.pop(), []):
                if target not in found:
                    found.add(target)
                    waiting.append(target)
        return found

    def check(self, links, leaves):
        for name, count in (("Heap$Link", links), ("Heap$Leaf", leaves), ("Heap$Big", 1),
                            ("Heap$Leaf[]", 1)):
            assert len(self.objects(name)) == count, (name, len(self.objects(name)))
        assert {self.sizes[one] for one in self.objects("Heap$Link")} == {16}
        big, = self.objects("Heap$Big")
        numbers, = (one for one in self.references[big] if self.classes[one] == "long[]")
        assert self.sizes[numbers] == 16 + 8 * 1000
        reached = self.reached()
        assert reached == set(self.classes), "objects that nothing reaches"
        self.check_chain(links)
        array, = self.objects("Heap$Leaf[]")
        assert self.objects("Heap$Leaf") <= set(self.references[array])

    # From the static field on, link after link.
    def check_chain(self, links):
        heads = [(one, target) for one in self.objects("java.lang.Class")
                 for target in self.references[one] if self.classes[target] == "Heap$Link"]
        assert len(heads) == 1, f"{len(heads)} static fields hold a link"
        length, one = 0, heads[0][1]
        while one is not None:
            length += 1
            following = [t for t in self.references[one] if self.classes[t] == "Heap$Link"]
            one = following[0] if following else None
        assert length == links, f"the chain has {length} links"


def say(program, line):
    program.stdin.write(line + "\n")
    program.stdin.flush()
    assert program.stdout.readline() == "ready\n"


def start(room, jdk, options):
    command = room.command(jdk, options, "Heap", str(LINKS), str(LEAVES))
    program = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, text=True, cwd=room.folder)
    assert program.stdout.readline() == "ready\n"
    return program


def finish(program):
    _, errors = program.communicate(timeout=150)
    assert program.returncode == 0 and not errors, errors


def test_commands(room, jdk):
    path = room.trace()
    program = start(room, jdk, f"file={path},control=unix,events=threads")
    answer = control(program.pid, "heap-dump", "first")
    assert answer["outcome"] == "ok", answer
    say(program, f"{LINKS + 5} {LEAVES + 7}")
    second = control(program.pid, "heap-dump", "second")
    assert second["figures"]["objects"] > 0 and second["figures"]["stood_still_ns"] > 0
    control(program.pid, "pause")
    assert control(program.pid, "heap-dump")["outcome"] == "failed"
    finish(program)
    stream = Stream(path)
    dump = Dump(stream, 1, "first")
    dump.check(LINKS, LEAVES)
    assert answer["figures"]["objects"] == len(dump.classes), (answer, len(dump.classes))
    assert answer["figures"]["references"] == sum(map(len, dump.references.values()))
    Dump(stream, 2, "second").check(LINKS + 5, LEAVES + 7)


def test_end_meanwhile(room, jdk):
    """A dump that is said to be whole is whole, though the program ends."""
    path = room.trace()
    program = start(room, jdk, f"file={path},control=unix,events=threads")
    with ThreadPoolExecutor(1) as pool:
        answer = pool.submit(ask, program.pid)
        finish(program)
        whole = answer.result()
    stream = Stream(path)
    assert stream.ended
    if whole:
        Dump(stream, 1, "meanwhile").check(LINKS, LEAVES)


def ask(process):
    try:
        return control(process, "heap-dump", "meanwhile")["outcome"] == "ok"
    except (AssertionError, KeyError):
        return False  # it has ended before


def test_end(room, jdk):
    path = room.trace()
    finish(start(room, jdk, f"file={path},heapdump=end,events=threads"))
    Dump(Stream(path), 1, "end").check(LINKS, LEAVES)


def check_file(path):
    mode = stat.S_IMODE(os.stat(path).st_mode)
    assert mode == 0o600, f"{path} has mode {mode:o}"
    counts = Heap(path).counts
    assert (counts["Heap$Link"], counts["Heap$Leaf"], counts["Heap$Big"]) == (LINKS, LEAVES, 1)


def test_file(room, jdk):
    path = room.trace()
    for number in (0, 1, 2):
        room.folder.joinpath(f"out.ptrace.{number}.hprof").unlink(missing_ok=True)
    program = start(room, jdk, f"file={path},control=unix,heapdump=end,jvm.heapdump=hprof")
    assert control(program.pid, "heap-dump")["outcome"] == "ok"
    check_file(f"{path}.1.hprof")
    other = room.folder / "other"
    other.write_text("not to be touched")
    os.symlink(other, f"{path}.2.hprof")
    answer = control(program.pid, "heap-dump")
    assert answer["outcome"] == "failed" and "2.hprof" in answer["message"], answer
    assert other.read_text() == "not to be touched"
    finish(program)
    check_file(f"{path}.0.hprof")
    assert Stream(path).ended


def test_never(room, jdk):
    path = room.trace()
    program = start(room, jdk, f"file={path},control=unix,heapdump=never")
    assert control(program.pid, "heap-dump")["outcome"] == "forbidden"
    finish(program)
    assert not Stream(path).all("Dump")


def main():
    room = Room("Heap")
    for jdk in room.jdks:
        test_commands(room, jdk)
        test_end(room, jdk)
        test_end_meanwhile(room, jdk)
        test_file(room, jdk)
        test_never(room, jdk)
        print(f"JDK {jdk.version}: heaps are dumped as they are")


main()
