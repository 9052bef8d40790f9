# SPDX-License-Identifier: Apache-2.0
"""A small reader of native streams, written from docs/formats/native.md alone: what agents record
is compared with it, so that no fault of the product's own reader can hide one of its agents."""
import bisect
import re
import struct
from collections import namedtuple
from pathlib import Path

SOURCES = Path(__file__).resolve().parent.parent.parent / "src"
NONE = 2**64 - 1
MASK = NONE

Event = namedtuple("Event", "tick thread kind id fields")


def catalogue():
    """Number of a kind to its name and fields, as (name, type)."""
    text = re.sub(r"//.*", "", (SOURCES / "event/kinds.def").read_text(encoding="utf-8"))
    fields = {}
    for kind, body in re.findall(r"KIND\((\w+),(.*?)\)\s*(?=KIND|\Z)", text, re.S):
        fields[kind] = [(name, kind_) for kind_, name in re.findall(r"FIELD\((\w+), (\w+),", body)]
    numbers = (SOURCES / "format/native/wire/numbers.def").read_text(encoding="utf-8")
    numbers = re.sub(r"//.*", "", numbers)
    return {int(n): (kind, fields[kind]) for n, kind in re.findall(r"\((\d+), (\w+)\)", numbers)}


class Bytes:
    def __init__(self, data, at=0):
        self.data, self.at = data, at

    def byte(self):
        self.at += 1
        return self.data[self.at - 1]

    def var(self):
        value = shift = 0
        while True:
            byte = self.byte()
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value & MASK

    def zig(self):
        value = self.var()
        return value >> 1 ^ -(value & 1)

    def id(self):
        return (self.var() - 1) & MASK

    def take(self, size):
        self.at += size
        return self.data[self.at - size:self.at]

    def stack(self):
        head = self.var()
        frames, method = [], 0
        for _ in range(head >> 1):
            method = (method + self.zig()) & MASK
            place = (self.zig() - 1, self.zig() - 1, self.var()) if head & 1 else None
            frames.append((method, place))
        return frames

    def field(self, kind):
        if kind in ("Text", "Word", "Whole"):
            return self.take(self.var()).decode()
        if kind in ("Time", "Duration", "i64"):
            return self.zig()
        if kind == "f64":
            return struct.unpack("<d", self.take(8))[0]
        if kind == "Stack":
            return self.stack()
        if kind == "Refs":
            target, refs = self.subject, []
            for _ in range(self.var()):
                target = (target + self.zig()) & MASK
                refs.append((target, self.var()))
            return refs
        return self.var()


class Stream:
    """All events of a file, in its order; sites and losses beside them."""

    def __init__(self, path):
        self.kinds = catalogue()
        self.sites, self.ended, self.events = {}, False, []
        self.lines = []  # of the clock: (tick0, time0, rate), in order
        self.taken = {}  # (thread, segment) to the words that blocks hold
        data = Path(path).read_bytes()
        assert data[:8] == b"\x89PTRACE\n", "no native stream"
        self.size, at = len(data), 32
        while at + 72 <= len(data):
            mark, length, content = struct.unpack_from("<IIB", data, at)
            assert mark == 0x4b4c4250, f"no block at {at}"
            count, thread, first = (struct.unpack_from("<I", data, at + 12)[0],
                                    *struct.unpack_from("<QQ", data, at + 24))
            body = data[at + 72:at + 72 + length]
            if len(body) < length:
                break  # the file was cut off
            before = len(self.events)
            segment, _, words = struct.unpack_from("<QII", data, at + 48)
            if segment:
                self.taken[thread, segment] = max(words, self.taken.get((thread, segment), 0))
            if content == 1:
                self.block(Bytes(body), thread, first)
                assert len(self.events) - before == count, f"block at {at}: other number of events"
            elif content == 2:
                self.lines.append(struct.unpack_from("<QqQ", body))
            elif content == 3:
                self.read_sites(Bytes(body))
            self.ended = content == 4
            at += 72 + length
        self.names()

    def time(self, tick):
        """Nanoseconds of the trace's clock. Lines differ in rate: the clock is measured anew."""
        at = bisect.bisect_right(self.lines, tick, key=lambda line: line[0])
        tick0, time0, rate = self.lines[max(at - 1, 0)]
        return time0 + ((tick - tick0) * rate >> 32)

    def add(self, tick, thread, kind, subject, **fields):
        self.events.append(Event(tick, thread, kind, subject, fields))

    def block(self, data, thread, tick):
        method, frames = 0, []
        while data.at < len(data.data):
            head = data.byte()
            call, number = head & 3, head >> 2
            if call:
                delta = number & 31
                if number & 32:
                    delta |= data.var() << 5
                tick += delta
                if call == 2:
                    left = frames.pop()
                    self.add(tick, thread, "Leave", left)
                    continue
                method = (method + data.zig()) & MASK
                if call == 1:
                    frames.append(method)
                elif frames:
                    frames.pop()
                self.add(tick, thread, "Enter" if call == 1 else "Leave", method)
            elif number == 1:
                tick += data.zig()
                self.body(Bytes(data.take(data.var())), tick, thread)
            elif number == 2:
                thread, frames = data.id(), []
            elif number == 3:
                tick += data.zig()
            elif number in (4, 5):
                tick += data.var()
                if number == 5:
                    method = (method + data.zig()) & MASK
                left = frames.pop() if frames else None
                self.add(tick, thread, "Unwind", left if number == 4 else method)
            elif number in (6, 7):
                tick += data.var()
                site = data.var()
                self.add(tick, thread, "SiteAlloc", site,
                         length=data.var() if number == 7 else None)
            else:
                raise AssertionError(f"record {number}")

    def body(self, data, tick, thread):
        kind, fields = self.kinds[data.var()]
        data.subject = data.id()
        present = data.var()
        values = {name: data.field(type_) for i, (name, type_) in enumerate(fields)
                  if present >> i & 1}
        self.add(tick, thread, kind, data.subject, **values)

    def read_sites(self, data):
        for _ in range(data.var()):
            number, of = data.var(), data.id()
            size, element, method = data.var(), data.var(), data.id()
            self.sites[number] = {"class": of, "size": size, "element": element, "method": method,
                                  "index": data.zig() - 1, "line": data.zig() - 1}

    def names(self):
        """Numbers to names: methods as "Class.name"."""
        self.classes = {e.id: e.fields.get("name", "") for e in self.all("Class")}
        self.threads = {e.id: e.fields.get("name", "") for e in self.all("Thread")
                        if e.fields.get("life", 0) == 0}
        self.methods = {e.id: self.classes.get(e.fields.get("class_id"), "?") + "." +
                        e.fields["name"] for e in self.all("Method")}

    def all(self, *kinds):
        return [e for e in self.events if e.kind in kinds]

    def calls(self):
        """Per thread, ("enter" or "leave", method's name) in order; "unwind" is a leave, too.
        By their ticks: a virtual thread's calls lie in the segments of several carriers."""
        threads = {}
        words = {"Enter": "enter", "Leave": "leave", "Unwind": "leave"}
        for e in sorted(self.events, key=lambda e: e.tick):
            if e.kind in words:
                threads.setdefault(e.thread, []).append((words[e.kind], self.methods[e.id]))
        return threads

    def read_segments(self, path):
        """What a killed program left: the words that no block holds, behind the events."""
        data = Path(path).read_bytes()
        assert data[:8] == b"\x89PTSEGS\n", "no segment file"
        at, found = 4096, []
        while at + 4096 <= len(data):
            mark, units, state, content, thread, number, base = struct.unpack_from(
                "<IIIIQQQ", data, at)
            if mark != 0x47455350:
                at += 4096
                continue
            if state in (1, 2) and content == 1:
                found.append((thread, number, base, data[at + 64:at + 4096 * units]))
            if state in (1, 2) and content == 2:
                size, = struct.unpack_from("<I", data, at + 40)
                self.block(Bytes(data[at + 64:at + 64 + size]), thread, base)
            at += 4096 * units
        for thread, number, base, words in sorted(found, key=lambda one: one[:2]):
            self.words(thread, base, words, self.taken.get((thread, number), 0))
        self.names()

    def words(self, thread, base, data, taken):
        follows = 0
        for i, (word,) in enumerate(struct.iter_unpack("<Q", data)):
            if word == 0:
                return
            if follows:
                follows -= 1
            elif i >= taken and word & 3 in (1, 2):
                self.add(base + (word >> 26), thread, "Enter" if word & 3 == 1 else "Leave",
                         word >> 2 & 0xffffff)
            elif word & 3 == 3:
                kind = word >> 2 & 7
                follows = word >> 5 & 0x1fffff if kind == 0 else int(kind in (2, 3, 4))
