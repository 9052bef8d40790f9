#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Methods that have no room for all probes: calls are kept before allocations, and what is left
out stands in the recording by name and reason. The programs count what they do themselves."""
import json
import os
import subprocess
from collections import Counter

from jvm_common import Room, short, thread_named

POLYTRACE = os.environ["POLYTRACE"]
OBJECTS = (100, 2900, 3000)  # made by each method of Large: only in the first there is room
TOO_LARGE = "code would exceed 65535 bytes"
TOO_FAR = "a branch of 16 bits would no longer reach"


def large():
    """Methods of nearly 64 KiB; with a probe at each `new` they would be larger."""
    methods = "".join(
        f" static void m{i}() {{ m++;\n" + "  t(); s = new Object(); made++;\n" * count + " }\n"
        for i, count in enumerate(OBJECTS))
    calls = " ".join(f"m{i}();" for i in range(len(OBJECTS)))
    return ("public class Large { static int m, n, made; static Object s;\n"
            " static void t() { n++; }\n" + methods +
            f" public static void main(String[] a) {{ {calls}\n"
            '  System.out.println(m + " " + n + " " + made); } }\n')


def far(statements):
    """A loop whose branches reach nearly 32767 bytes, with returns in it."""
    body = "".join(f"  y = y * 31 + {1000 + i};\n" +
                   (f"  if (y == {123456789 + i}) return y;\n" if i % 70 == 0 else "")
                   for i in range(statements))
    return ("public class Far { static int calls;\n"
            " static int loop(int k) { calls++; int y = k, i = 0; while (i < 3) { i++;\n" + body +
            "  } return y; }\n static int near(int k) { return loop(k) + loop(k + 1); }\n"
            " public static void main(String[] a) { int s = 0;\n"
            "  for (int i = 0; i < 30; i++) s += near(i);\n"
            '  System.out.println(calls); } }\n')


def compile_text(room, jdk, name, text):
    source = room.folder / f"{name}.java"
    source.write_text(text, encoding="utf-8")
    subprocess.run([jdk.tool("javac"), "-d", str(room.folder), str(source)], check=True)


def calls_of(stream):
    return Counter(name for what, name in short(stream.calls()[thread_named(stream, "main")])
                   if what == "enter")


def expect_named(room, missing, reason, methods):
    """By `check` and by the first lines of `report`."""
    path = str(room.folder / "out.ptrace")
    checked = subprocess.run([POLYTRACE, "check", "--json", path], capture_output=True, text=True,
                             check=True)
    group = {"missing": missing, "reason": reason, "methods": methods}
    assert json.loads(checked.stdout)["uninstrumented"] == [group], checked.stdout
    report = subprocess.run([POLYTRACE, "report", path], capture_output=True, text=True, check=True)
    assert f"{missing} of {', '.join(methods)}: {reason}" in report.stdout, report.stdout


def test_large(room, jdk):
    output, stream = room.run(jdk, "events=calls+alloc=sites,filter=Large,jvm.accessors=yes",
                              "Large", flags=("-Xverify:all",))
    methods, small, made = map(int, output.split())
    calls = calls_of(stream)
    assert [calls[f"m{i}"] for i in range(methods)] == [1] * methods, calls
    assert calls["t"] == small == made, (calls, output)
    places = Counter(stream.methods[stream.sites[e.id]["method"]] for e in stream.all("SiteAlloc"))
    assert places == {"Large.m0": OBJECTS[0]}, places
    expect_named(room, "allocations", TOO_LARGE, [f"Large.m{i}" for i in range(1, methods)])


def test_far(room, jdk):
    output, stream = room.run(jdk, "events=calls,filter=Far", "Far", flags=("-Xverify:all",))
    calls = calls_of(stream)
    assert (calls["main"], calls["near"], calls["loop"]) == (1, int(output) // 2, 0), calls
    expect_named(room, "calls", TOO_FAR, ["Far.loop"])


def main():
    room = Room()
    compile_text(room, room.jdks[0], "Large", large())
    compile_text(room, room.jdks[0], "Far", far(3580))
    for jdk in room.jdks:
        test_large(room, jdk)
        test_far(room, jdk)
        print(f"JDK {jdk.version}: what had no room is named, and calls are kept")


main()
