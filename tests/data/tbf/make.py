#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the recordings in this folder: a small shop's trace in both byte orders.

usage: make.py FOLDER

The layouts below are spelled out again on purpose, apart from src/format/tptp/catalogue.def.
L i64, I i32, B i8, s text, S texts, M i64s.
"""
import random
import struct
import sys
from pathlib import Path

LAYOUTS = {
    1001: "sssIL", 1002: "ssIsLs", 1003: "ssssLss", 1004: "sL", 1005: "ssLs", 1006: "sLs",
    1007: "sssssss", 1008: "sss", 1009: "LLLssLLsss", 1010: "LLLss",
    1011: "LLLIsLLsssLLssIIIss", 1012: "ssBBBBsLLsLLLss", 1014: "LLLBLLLLLLLsss",
    1015: "LLLLILLLLLss", 1016: "LLLILLLLLLsss", 1023: "LLLss", 1024: "LLLLLLLLss",
    1027: "LLLLLLss", 1030: "LLLss", 1031: "LLLss", 1032: "LLLLISM", 1033: "LLLLISM",
    1034: "LLLLISM", 1035: "LLLISM", 1036: "LLLLLLL", 1037: "LL", 1038: "LLsL", 1039: "LLs",
    1040: "LLL", 1041: "s",
}


class Stream:
    def __init__(self, order):
        self.order = order
        self.bytes = bytearray(b"0TBF" + bytes([1, 0, 1, 1 if order == "<" else 0]))
        self.bytes += struct.pack(order + "I", 12)
        self.message(1, b"UTF8\0")
        self.message(2, struct.pack(order + "q", 10**9))

    def message(self, number, payload):
        self.bytes += struct.pack(self.order + "HI", number, len(payload) + 6) + payload

    def add(self, number, *values):
        payload = b""
        for kind, value in zip(LAYOUTS[number], values, strict=True):
            if kind in "LIB":
                payload += struct.pack(self.order + {"L": "q", "I": "i", "B": "b"}[kind], value)
            elif kind == "s":
                payload += value.encode() + b"\0"
            elif kind == "S":
                payload += b"".join(text.encode() + b"\0" for text in value)
            else:
                payload += b"".join(struct.pack(self.order + "q", number) for number in value)
        self.message(number, payload)


class Shop:
    def __init__(self, stream):
        self.stream, self.time, self.random = stream, 1185890426 * 10**9, random.Random(5)
        self.tickets, self.depth, self.objects = {}, {}, 1000

    def tick(self):
        self.time += self.random.randrange(200, 90000)
        return self.time

    def define(self):
        add = self.stream.add
        add(1001, "9f3c", "build7", "10.0.0.7", -180, self.tick())
        add(1002, "c0de-01", "shop", 4711, "9f3c", self.tick(), "/opt/java/bin/java")
        add(1003, "a9e0-02", "c0de-01", "org.eclipse.tptp.jvmti", "Profiler", self.tick(),
            "server=standalone,format=binary", "2.000")
        add(1005, "7ace-03", "a9e0-02", self.tick(), "")
        add(1007, "7ace-03", "org.example", "PREFIX", "INCLUDE", "", "PREFIX", "INCLUDE")
        add(1008, "", "TICKET", "true")
        for thread, name in ((1, "Reference Handler"), (2, "main"), (3, "Kasse-Ä")):
            add(1009, 0, thread, self.tick(), "main", "system", 0, thread, name, "", "")
        for i, name in enumerate(("Shop", "Basket", "Kasse")):
            add(1011, 0, 0, self.tick(), 0, "", 0, 20 + i, f"{name}.java", "", "java.lang.Object",
                0, 0, f"org.example.{name}", "public", 1, 2, 3, "", "")
            for k, method in enumerate(("-init-", "sell", "pay")):
                add(1012, method, "()V", 0, 0, k % 2, 0, "", 10 * k + 1, 10 * k + 9, "", 0, 20 + i,
                    200 + 10 * i + k, "", "")
        add(1030, 0, 2, self.tick(), "", "")

    def call(self, thread):
        add, depth = self.stream.add, self.depth.get(thread, 0) + 1
        ticket = self.tickets[thread] = self.tickets.get(thread, 0) + 1
        self.depth[thread] = depth
        kind, method = self.random.randrange(3), self.random.randrange(3)
        number = 200 + 10 * kind + method
        add(1015, 0, thread, self.tick(), number, ticket, 0, 20 + kind, 0, 0, depth, "", "")
        while depth < 9 and self.random.random() < 0.45:
            self.call(thread)
        self.happen(thread, number, 20 + kind)
        add(1016, 0, thread, self.tick(), ticket, self.time // 3, number, 0, 0, 20 + kind,
            20 + kind, "", "", "")
        self.depth[thread] = depth - 1

    def happen(self, thread, method, kind):
        add, what = self.stream.add, self.random.randrange(40)
        if what < 8:
            self.objects += 1
            add(1014, 0, thread, self.tick(), 0, 0, self.objects, 24, 18, method, 0, kind,
                "", "", "")
        elif what == 8:
            add(1023, 0, 0, self.tick(), "", "")
            for item in range(3):
                add(1024, 0, 0, self.tick(), 0, 1001 + item, 2, 0, 0, "", "")
            add(1027, 0, 0, self.tick(), 1 << 26, 1 << 20, 40210, "", "")
        elif what == 9:
            frames = ["org.example.Shop.sell", "org.example.Main.main"]
            add(1034, thread, self.tick(), 1001, 1, 2, frames, [25, -1])
            add(1035, thread, self.tick(), 1001, 2, frames, [25, -1])
        elif what == 10:
            add(1032, thread, self.tick(), 1001, 500, 1, ["org.example.Kasse.pay"], [22])
            add(1033, thread, self.tick(), 1001, 1, 0, [], [])

    def end(self):
        add = self.stream.add
        add(1036, 2, 201, 502000000, 1000000, 501000000, 900000, 12)
        add(1037, 2, 201)
        add(1038, 1, self.tick(), "dump1", 0)
        add(1039, 20, 1001, "THREAD")
        for item in range(20):
            add(1040, 1001, 1002 + item, 1)
        add(1041, "closing time")
        for thread in (3, 2):
            add(1010, 0, thread, self.tick(), "", "")
        add(1031, 0, 1, self.tick(), "", "")
        add(1006, "7ace-03", self.tick(), "")
        add(1004, "a9e0-02", self.tick())


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    for name, order in (("little", "<"), ("big", ">")):
        stream = Stream(order)
        shop = Shop(stream)
        shop.define()
        for i in range(40):
            shop.call(2 + i % 2)
        shop.end()
        (Path(sys.argv[1]) / f"shop_{name}.trcbin").write_bytes(stream.bytes)


if __name__ == "__main__":
    main()
