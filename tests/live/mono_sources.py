#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every source of events that docs/mono.md promises, event by event: of a program that does a known
number of things the recording tells each, with what belongs to it."""
import json
from collections import Counter

from mono_common import POLYTRACE, check, column, enter_room, equal, record, report, run

EVERYTHING = ("events=threads+gc+monitors+exceptions+jit+alloc=objects,mono.handles=yes,"
              "mono.roots=yes,mono.finalizers=yes,heapdump=end")


class Recording:
    """All events by kind, as dictionaries; names for numbers."""

    def __init__(self, file):
        self.kinds = {}
        text = run([POLYTRACE, "cat", "--no-progress", "--jsonl", file]).stdout
        for line in text.splitlines():
            event = json.loads(line)
            self.kinds.setdefault(event["kind"], []).append(event)
        self.classes = column(self["class"], "class", "name")
        self.methods = column(self["method"], "method", "name")
        named = [event for event in self["thread"] if event["life"] == "name"]
        self.threads = column(named, "subject_thread", "name")

    def __getitem__(self, kind):
        return self.kinds.get(kind, [])

    def of_class(self, kind, name, key="class"):
        return [event for event in self[kind] if self.classes.get(event[key]) == name]

    def places(self, allocation):
        """Where an object was, in order. What has the address of something else later is not it."""
        places = [allocation["object"]]
        for move in self["move"]:
            if move["time"] > allocation["time"] and move["object"] == places[-1]:
                places.append(move["to"])
        return places

    def stack(self, event):
        return [self.methods[method] for method in event["stack"]]


def test_allocations(recording):
    """Each with the whole stack of its own callers, outermost first."""
    marked = recording.of_class("alloc", "Marked")
    equal("objects", len(marked), 10)
    ours = [name for name in recording.stack(marked[0]) if name.startswith("Program:")]
    equal("stack", ours, ["Program:Main ()", "Program:Outermost ()", "Program:Middle (int)",
                          "Program:Innermost ()"])
    equal("stacks", len({tuple(event["stack"]) for event in marked}), 1)
    equal("sizes", {event["size"] for event in marked}, {24})


def test_moves_and_snapshot(recording):
    """Where the collector moved each object, the snapshot finds it, with its reference."""
    places = [recording.places(event) for event in recording.of_class("alloc", "Mover")]
    equal("allocated", len(places), 50)
    dumped = {event["object"]: event for event in
              recording.of_class("dump_object", "Mover", "class_id")}
    equal("in the snapshot", set(dumped), {place[-1] for place in places})
    check(any(len(place) > 1 for place in places), "nothing was moved")
    equal("references", Counter(len(event["refs"]) for event in dumped.values()), {1: 49, 0: 1})
    targets = {ref["target"] for event in dumped.values()
               for ref in event["refs"]}
    equal("what is referred to", len(targets & set(dumped)), 49)
    equal("sizes in the snapshot", {event["size"] for event in dumped.values()}, {24})
    equal("snapshots", [event["stage"] for event in recording["dump"]], ["start", "end"])


def test_roots(recording):
    objects = {event["object"] for event in recording["dump_object"]}
    roots = recording["root"]
    check(len(roots) > 100, len(roots), "roots")
    equal("roots of objects that are not there",
          [root for root in roots if root["object"] not in objects], [])
    regions = {region["address"]: region for region in recording["root_region"]
               if region["stage"] == "registered"}
    sources = {region["source"] for region in regions.values()}
    check({"static_field", "stack", "threading", "domain"} <= sources, sources)
    spans = [(int(at, 0), int(at, 0) + region.get("size", 0)) for at, region in regions.items()]
    inside = sum(any(begin <= int(root["address"], 0) < end for begin, end in spans)
                 for root in roots)
    check(inside > len(roots) // 2, inside, "of", len(roots), "roots are in a region")


def test_handles(recording):
    """Those of the program's own, by the object they hold."""
    gates = {event["object"] for event in recording.of_class("alloc", "Gate")}
    equal("gates", len(gates), 1)
    made = [event for event in recording["handle"]
            if event["stage"] == "created" and event["object"] in gates
            and event["type"] in ("normal", "weak")]  # its lock has one of another type
    equal("handles", Counter(event["type"] for event in made), {"normal": 3, "weak": 3})
    check(all("Program:Main ()" in recording.stack(event) for event in made), made)
    freed = Counter(event["handle"] for event in recording["handle"]
                    if event["stage"] == "destroyed")
    check(all(freed[event["handle"]] for event in made), "handles are not freed")


def test_finalizers(recording):
    stages = Counter(event["stage"] for event in recording["finalize"])
    equal("rounds", stages["round_start"], stages["round_end"])
    equal("objects", stages["object_start"], stages["object_end"])
    mine = recording.of_class("alloc", "Finalized")
    done = {event["object"] for event in recording["finalize"] if event["stage"] == "object_end"}
    equal("finalized", sum(any(place in done for place in recording.places(event))
                           for event in mine), 10)
    threads = {recording.threads.get(event["thread"]) for event in recording["finalize"]}
    check("Finalizer" in threads, threads)


def test_locks(recording):
    gates = {event["object"] for event in recording.of_class("alloc", "Gate")}
    events = [(recording.threads[event["thread"]], event["stage"]) for event in
              recording["monitor"] if recording.classes[event["class_id"]] == "Gate"]
    equal("locks", events, [("asking", "contended"), ("asking", "failed"),
                            ("waiting", "contended"), ("waiting", "acquired")])
    check(gates, "the lock is not known")
    for event in recording["monitor"]:
        check(any("Program" in name for name in recording.stack(event)), event)


def test_threads(recording):
    lives = {}
    for event in recording["thread"]:
        lives.setdefault(event["subject_thread"], []).append(event)
    for number, name in recording.threads.items():
        if name not in ("asking", "waiting"):
            continue
        equal(f"life of {name}", [event["life"] for event in lives[number]],
              ["begin", "name", "end"])
        check("os_thread" in lives[number][0], lives[number])


def test_code(recording):
    """Every compilation that began has ended; what was compiled has a place of its own."""
    stages = {}
    for event in recording["jit"]:
        stages.setdefault(event["method"], []).append(event["stage"])
    innermost = next(number for number, name in recording.methods.items()
                     if name == "Program:Innermost ()")
    equal("compilation", stages[innermost], ["start", "end"])
    method = next(event for event in recording["method"] if event["method"] == innermost)
    check(int(method["code"], 0) > 4096 and method["code_size"] > 10, method)
    kinds = {event["type"] for event in recording["code"]}
    check({"specific_trampoline", "method"} <= kinds, kinds)


def test_clauses(recording):
    clauses = Counter((recording.methods[event["method"]].split(" ")[0], event["clause"])
                      for event in recording["clause"])
    check(clauses["Program:Faulty", "finally"] == 1, clauses)


def test_counters():
    """What the runtime counts of its collections is what was recorded of them."""
    record("counters.ptrace", "events=counters+gc", "sources.exe")
    recording = Recording("counters.ptrace")
    names = column(recording["counter_def"], "counter", "name")
    last = {names[event["counter"]]: event for event in recording["counter"]}
    check(len(last) > 50, len(last), "counters")
    starts = Counter(event["generation"] for event in recording["gc"] if event["phase"] == "start")
    for name, generation in (("Minor GC collections", 0), ("Major GC collections", 1)):
        equal(name, last[name].get("number", 0), starts[generation])
    check(starts[1] >= 1 and starts[0] >= 1, starts)


def test_samples():
    """By wall clock and by CPU time, with frames outermost first and an address each."""
    for clock, options in (("wall", ",mono.wall-clock=yes"), ("cpu", "")):
        record("samples.ptrace", f"events=threads+samples=1ms{options}", "endless.exe", "300")
        recording = Recording("samples.ptrace")
        equal("modes", {event["mode"] for event in recording["sample"]}, {clock})
        stacks = [recording.stack(event) for event in recording["sample"]]
        check(all(event["natives"] for event in recording["sample"]), "no native address")
        working = [stack for stack in stacks if "Program:Work (int)" in stack]
        check(working, "nobody was at work:", stacks[:3])
        for stack in working:
            check(stack.index("Program:Main (string[])") < stack.index("Program:Work (int)"), stack)


def test_heap_collections():
    """A snapshot at every major collection, or at every second one."""
    for each in (1, 2):
        record("heap.ptrace", f"events=gc,mono.heap-collections={each}", "sources.exe")
        tables = report("heap.ptrace")
        majors = column(tables["collection_generations"], "generation", "count")[1]
        equal("snapshots", len(tables["heap_snapshots"]), (majors + each - 1) // each)
        check(majors > 1, majors, "major collections")


def main():
    with enter_room("sources", "endless"):
        record("sources.ptrace", EVERYTHING, "sources.exe")
        recording = Recording("sources.ptrace")
        test_allocations(recording)
        test_moves_and_snapshot(recording)
        test_roots(recording)
        test_handles(recording)
        test_finalizers(recording)
        test_locks(recording)
        test_threads(recording)
        test_code(recording)
        test_clauses(recording)
        test_counters()
        test_samples()
        test_heap_collections()
        print(", ".join(f"{len(events)} {kind}" for kind, events in
                        sorted(recording.kinds.items())))


main()
