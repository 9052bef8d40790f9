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


def test_objects(room, jdk, collector):
    """Each object has a number of its own; those that died have survived as many collections as
    the program made meanwhile."""
    count, ages = 50, 4
    _, stream = room.run(jdk, "events=alloc=objects+gc+threads", "Lives", "age", str(count),
                         flags=(collector, "-Xcheck:jni", "-Xms256m", "-Xmx256m"))
    classes = {name: number for number, name in stream.classes.items()}
    made = {name: [e for e in stream.all("Alloc") if e.id == classes[name]]
            for name in ("Lives$Aged", "Lives$Stays", "Lives$Little")}
    objects = {name: {e.fields["object"] for e in of} for name, of in made.items()}
    aged = sum(count + age for age in range(ages))
    for name, number in (("Lives$Aged", aged), ("Lives$Stays", count), ("Lives$Little", 1)):
        assert len(made[name]) == len(objects[name]) == number, (name, len(made[name]))
    every = [e.fields["object"] for e in stream.all("Alloc")]
    assert len(every) == len(set(every)), "two objects have the same number"
    assert {e.fields["size"] for e in made["Lives$Aged"]} == {16}
    stack = [stream.methods[method] for method, _ in made["Lives$Aged"][0].fields["stack"]]
    assert stack == ["Lives.main", "Lives.age"], stack
    collections = [e.id for e in stream.all("Gc") if e.fields.get("phase", 0) == 0]
    assert len(collections) == ages, collections
    freed = stream.all("Free")
    assert not objects["Lives$Stays"] & {e.id for e in freed}, "an object died that is in use"
    found = Counter(e.fields.get("age", 0) for e in freed if e.id in objects["Lives$Aged"])
    assert found == {age: count + age for age in range(ages)}, found


def test_samples(room, jdk):
    """Samples say how many they stand for: sums are near the truth, by five times the error that
    chance makes."""
    count, interval = 1_000_000 if LONG else 300_000, 16 * 1024
    _, stream = room.run(jdk, f"events=alloc=sampled:{interval}", "Lives", "many", str(count))
    for name, size, number in (("Lives$Little", 24, count), ("Lives$Table", 80, count),
                               ("byte[]", 4016, count // 16)):
        of = [e for e in stream.all("Alloc") if stream.classes[e.id] == name and
              e.fields["size"] == size]
        expected = number * size / interval
        assert abs(len(of) - expected) < 5 * expected ** 0.5 + expected / 8, (name, len(of))
        told = sum(e.fields["weight"] for e in of)
        assert abs(told - number) < 5 * number / expected ** 0.5, (name, told, number)
        assert all(e.fields.get("array", 0) == (name == "byte[]") for e in of)


def main():
    room = Room("Alloc", "Lives")
    for jdk in room.jdks:
        test_sites(room, jdk)
        test_sites(room, jdk, ("-XX:-UseCompressedOops",))
        if jdk.version >= 25:
            test_sites(room, jdk, ("-XX:+UseCompactObjectHeaders",))
        for collector in ("-XX:+UseSerialGC", "-XX:+UseG1GC"):
            test_objects(room, jdk, collector)
        test_samples(room, jdk)
        print(f"JDK {jdk.version}: every object by place, by itself until it dies, and by samples")


main()
