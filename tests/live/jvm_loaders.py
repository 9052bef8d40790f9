#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Classes in loaders that delegate java.* only, and in a named module, find the probe."""
import subprocess

from jvm_common import Room, short, thread_named


def test_loaders(room, jdk):
    _, stream = room.run(jdk, "filter=Loaders*,jvm.accessors=yes", "Loaders")
    guests = [e for e in stream.all("Class") if e.fields["name"] == "Loaders$Guest"]
    assert len(guests) == 2 and all("Lonely" in e.fields["loader"] for e in guests), guests
    calls = short(stream.calls()[thread_named(stream, "main")])
    assert calls.count(("enter", "deed")) == calls.count(("leave", "deed")) == 2, calls


def make_module(room, jdk):
    source = room.folder / "module"
    source.mkdir()
    (source / "module-info.java").write_text("module demo { }\n")
    (source / "Main.java").write_text(
        "package demo; public class Main {"
        " static int deed() { return Integer.parseInt(\"7\"); }"
        " public static void main(String[] a) { System.out.println(deed()); } }\n")
    subprocess.run([jdk.tool("javac"), "-d", str(room.folder / "modules"),
                    str(source / "module-info.java"), str(source / "Main.java")], check=True)


def test_module(room, jdk):
    output, stream = room.run(jdk, "filter=demo.*", flags=(
        "--module-path", str(room.folder / "modules"), "--module", "demo/demo.Main"))
    assert output == "7\n"
    assert ("enter", "deed") in short(stream.calls()[thread_named(stream, "main")])


def main():
    room = Room("Loaders")
    make_module(room, room.jdks[0])
    for jdk in room.jdks:
        test_loaders(room, jdk)
        test_module(room, jdk)
        print(f"JDK {jdk.version}: lonely loaders and modules find the probe")


main()
