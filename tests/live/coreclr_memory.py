#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Objects of a program that counts them are all in the recording, by class, each by itself or by
class alone, and none of the recording's own; samples stand for all there were; what is thrown,
sampled or waits has its stack."""
import re
from collections import Counter

from coreclr_common import Room, check, equal, method_names, truth_of


def of_program(counts):
    return {name: count for name, count in counts.items() if name.startswith("Truth.")}


def class_names(stream):
    return {e.id: e.fields["name"] for e in stream.all("Class")}


def check_objects(room):
    output, stream = room.run("events=alloc=objects,coreclr.stacks=no", "Truth")
    truth = truth_of(output)["object"]
    truth = {name: count for name, count in truth.items() if "<" not in name.split("::")[0] or
             name.startswith("Truth.Box<")}
    names = class_names(stream)
    counts = of_program(Counter(names[e.id] for e in stream.all("Alloc")))
    made = {name for name in counts if name not in truth}
    check(all("<" in name for name in made), "objects of classes that the program has not:", made)
    equal("objects", {name: counts.get(name) for name in truth}, truth)
    squares = {e.fields["size"] for e in stream.all("Alloc") if names[e.id] == "Truth.Square"}
    check(squares == {24}, "sizes of squares:", squares)
    vectors = sorted(e.fields["size"] for e in stream.all("Alloc")
                     if names[e.id] == "Truth.Vector[]")
    # A header, the table of methods, the length, and three doubles each.
    check(vectors == sorted(24 + 24 * i for i in range(0, 100, 4)), "sizes of arrays:", vectors)
    return stream


def check_sites(room, objects):
    _, stream = room.run("events=alloc=sites", "Truth")
    names = class_names(stream)
    counts = of_program(Counter(names[stream.sites[e.id]["class"]]
                                for e in stream.all("SiteAlloc")))
    names = class_names(objects)
    equal("objects by class", counts,
          of_program(Counter(names[e.id] for e in objects.all("Alloc"))))


def check_own_work(room):
    """.NET describes its events to itself when the recording asks for them."""
    totals = []
    for events in ("alloc=sites", "alloc=sites+gc+monitors"):
        _, stream = room.run(f"events={events}", "Locks")
        names = class_names(stream)
        counts = Counter(names[stream.sites[e.id]["class"]] for e in stream.all("SiteAlloc"))
        described = {name for name in counts if re.search("ManifestBuilder|EventParameter", name)}
        check(not described, "objects that describe events:", described)
        totals.append(counts.total())
    check(abs(totals[0] - totals[1]) < 500, "objects without events and with them:", totals)


def check_samples(room):
    _, stream = room.run("events=alloc=sampled:4k+exceptions", "Truth")
    names, classes = method_names(stream), class_names(stream)
    weight = sum(e.fields["weight"] for e in stream.all("Alloc"))
    check(weight > 4 * len(stream.all("Alloc")) > 0, "weight of samples:", weight)
    stacks = [[names[method] for method, _ in e.fields["stack"]] for e in stream.all("Throw")
              if classes[e.fields["class_id"]] == "Truth.Failure"]
    deep = ["Truth.Program::Main", "Truth.Program::Exceptions"] + ["Truth.Program::Thrower"] * 4
    check(stacks.count(deep) == 10, "stacks of throws:", stacks[:4])
    check(all(stack[:2] == deep[:2] for stack in stacks), "outer ends:", stacks[:4])


def check_events(room):
    """What the runtime's own events tell: locks, and samples of 64 million bytes."""
    _, stream = room.run("events=alloc=sampled:200k+monitors", "Locks")
    names, classes = method_names(stream), class_names(stream)
    threads = {e.id for e in stream.all("Thread") if e.fields.get("name") == "waits"}
    events = [e for e in stream.all("Monitor") if e.thread in threads]
    stages = Counter(e.fields.get("stage", 0) for e in events)
    check(stages == {0: 5, 1: 5}, "waits for the lock:", stages)
    check(len({e.id for e in events}) == 1, "one lock:", {e.id for e in events})
    for event in events:
        stack = [names[method] for method, _ in event.fields["stack"]]
        check("Locks::Enter" in stack, "who waits:", stack)
    things = [e.fields for e in stream.all("Alloc") if classes[e.id] == "Locks.Thing"]
    told = sum(thing["weight"] for thing in things)
    # 6 standard errors, of 32 bytes in 204800.
    check(abs(told - 2_000_000) < 680_000, "samples stand for", told, "objects, not 2000000")
    check(all(names[thing["stack"][-1][0]] == "Locks::Main" for thing in things), "who allocates")


def main():
    room = Room("Truth", "Locks")
    check_sites(room, check_objects(room))
    check_own_work(room)
    check_samples(room)
    check_events(room)
    print(f".NET {room.sdk.version}: every object is told")


main()
