#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Allocations: every object by its place, with the bytes that the JDK's own instrumentation tells;
every object by itself, until it is collected; and samples that estimate the whole."""
import subprocess
from collections import Counter

from jvm_common import LONG, Room


def make_truth(room, jdk):
    """A Java agent that tells sizes: the program itself."""
    manifest = room.folder / "manifest"
    manifest.write_text("Premain-Class: Alloc\n")
    jar = room.folder / "truth.jar"
    subprocess.run([jdk.tool("jar"), "cfm", str(jar), str(manifest), "-C", str(room.folder),
                    "Alloc.class"], check=True)
    return f"-javaagent:{jar}"


def size_at(site, length):
    if length is None:
        return site["size"]
    return (site["size"] + site["element"] * length + 7) // 8 * 8


def test_sites(room, jdk, flags=()):
    truth = make_truth(room, jdk)
    rounds = 20000 if LONG else 500
    output, stream = room.run(jdk, "events=alloc=sites,filter=Alloc*", "Alloc", str(rounds),
                              flags=(truth, "-Xcheck:jni", "-Xverify:all", *flags))
    told = {name: (int(count), int(size)) for name, count, size in map(str.split,
                                                                       output.splitlines())}
    counts, sizes = Counter(), Counter()
    for event in stream.all("SiteAlloc"):
        site = stream.sites[event.id]
        name = stream.classes[site["class"]]
        counts[name] += 1
        sizes[name] += size_at(site, event.fields["length"])
    for name in ("java.util.TreeMap",):  # a field of the program's
        assert counts.pop(name) == 1 and sizes.pop(name) > 0
    found = {name: (counts[name], sizes[name]) for name in counts}
    assert found == told, f"JDK {jdk.version} {flags}: {found} is not {told}"
    methods = {stream.methods[stream.sites[e.id]["method"]] for e in stream.all("SiteAlloc")}
    assert methods == {"Alloc.make", "Alloc.<clinit>", "Alloc$Early.<clinit>"}, methods


def main():
    room = Room("Alloc")
    for jdk in room.jdks:
        test_sites(room, jdk)
        test_sites(room, jdk, ("-XX:-UseCompressedOops",))
        if jdk.version >= 25:
            test_sites(room, jdk, ("-XX:+UseCompactObjectHeaders",))
        print(f"JDK {jdk.version}: every object by its place, with its size")


main()
