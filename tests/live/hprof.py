# SPDX-License-Identifier: Apache-2.0
"""Counts the objects of each class in a heap dump of the JDK's own format, and their bytes where
classes tell them."""
import struct
from collections import Counter
from pathlib import Path

SIZES = {2: 8, 4: 1, 5: 2, 6: 4, 7: 8, 8: 1, 9: 2, 10: 4, 11: 8}  # of values by their type
LETTERS = {4: "Z", 5: "C", 6: "F", 7: "D", 8: "B", 9: "S", 10: "I", 11: "J"}
ROOTS = {0xff: 8, 0x01: 16, 0x02: 16, 0x03: 16, 0x04: 12, 0x05: 8, 0x06: 12, 0x07: 8, 0x08: 16}


class Heap:
    def __init__(self, path):
        self.data = Path(path).read_bytes()
        assert self.data.startswith(b"JAVA PROFILE 1.0.2\0"), "no heap dump"
        assert self.u4(19) == 8, "ids of another size"
        names, self.classes, self.counts = {}, {}, Counter()
        self.sizes, self.bytes = {}, Counter()  # of a class: (of its objects, name); by name
        at = 31
        while at < len(self.data):
            tag, length = self.data[at], self.u4(at + 5)
            at += 9
            if tag == 1:
                names[self.id(at)] = self.data[at + 8:at + length].decode(errors="replace")
            if tag == 2:
                self.classes[self.id(at + 4)] = names[self.id(at + 16)].replace("/", ".")
            if tag in (0x0c, 0x1c):
                self.segment(at, at + length)
            at += length

    def u2(self, at):
        return struct.unpack_from(">H", self.data, at)[0]

    def u4(self, at):
        return struct.unpack_from(">I", self.data, at)[0]

    def id(self, at):
        return struct.unpack_from(">Q", self.data, at)[0]

    def segment(self, at, end):
        while at < end:
            tag, at = self.data[at], at + 1
            if tag in ROOTS:
                at += ROOTS[tag]
            elif tag == 0x20:
                self.sizes[self.id(at)] = self.u4(at + 60), self.classes.get(self.id(at))
                at = self.class_end(at)
            elif tag == 0x21:
                self.counts[self.classes[self.id(at + 12)]] += 1
                self.bytes[self.classes[self.id(at + 12)]] += self.sizes[self.id(at + 12)][0]
                at += 24 + self.u4(at + 20)
            elif tag == 0x22:
                self.counts[self.classes[self.id(at + 16)]] += 1
                whole = 20 + 8 * self.u4(at + 12)
                self.bytes[self.classes[self.id(at + 16)]] += -(-whole // 8) * 8
                at += 24 + 8 * self.u4(at + 12)
            else:
                assert tag == 0x23, f"record {tag}"
                self.counts["[" + LETTERS[self.data[at + 16]]] += 1
                at += 17 + SIZES[self.data[at + 16]] * self.u4(at + 12)

    def class_end(self, at):
        at += 64
        for _ in range(self.u2(at)):  # constants
            at += 3 + SIZES[self.data[at + 4]]
        at += 2
        statics = self.u2(at)
        at += 2
        for _ in range(statics):
            at += 9 + SIZES[self.data[at + 8]]
        return at + 2 + 9 * self.u2(at)
