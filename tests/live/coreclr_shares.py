#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Samples of time and of allocations stand for what the program counts of itself, but for their
statistical error: a program that spends both by chance, of several seeds. That one share is 6
standard errors off happens once in 500 million runs."""
from collections import Counter

from coreclr_common import LONG, Room, check, method_names, truth_of

SEEDS = range(1, 11 if LONG else 3)
MOST = 6  # standard errors


class Distances:
    """In standard errors; all are looked at in the end."""

    def __init__(self):
        self.found = []

    def add(self, what, told, true, error):
        self.found.append((abs(told - true) / error, f"{what}: {told:.4g}, not {true:.4g}"))

    def check(self):
        for distance, what in sorted(self.found)[-3:]:
            print(f"{distance:.1f} standard errors: {what}")
        check(max(self.found)[0] < MOST, "that cannot be chance")


def add_time(room, seed, distances):
    output, stream = room.run("events=threads+samples=1ms", "Situations", "shares", seed)
    truth, names = truth_of(output)["rounds"], method_names(stream)
    weights, squares = Counter(), Counter()
    for sample in stream.all("Sample"):
        for method in {method for method, _ in sample.fields["stack"]}:
            if names[method] in truth:
                weights[names[method]] += sample.fields["weight"]
                squares[names[method]] += sample.fields["weight"] ** 2
    total = weights.total()
    # A sample that comes late stands for several.
    samples = total ** 2 / squares.total()
    check(samples > 100, "too few samples:", weights)
    for name, used in truth.items():
        share = used / sum(truth.values())
        distances.add(f"seed {seed}, share of {name}", weights[name] / total, share,
                      (share * (1 - share) / samples) ** 0.5)
    return total


def weights_of(stream):
    classes, weights = {e.id: e.fields["name"] for e in stream.all("Class")}, {}
    for event in stream.all("Alloc"):
        weights.setdefault(classes[event.id], []).append(event.fields)
    return weights


def add_objects(room, seed, distances, program="sizes", interval=4096):
    """An object is chosen for each of its bytes with the same probability."""
    output, stream = room.run(f"events=alloc=sampled:{interval}", "Situations", program, seed)
    weights = weights_of(stream)
    for name, count in truth_of(output)["object"].items():
        chosen = weights[name]
        size = chosen[0]["size"]
        probability = 1 - (1 - 1 / interval) ** size
        error = (count * (1 - probability) / probability) ** 0.5
        told = sum(one["weight"] for one in chosen)
        distances.add(f"seed {seed}, number of {name} by {interval}", told, count, error)


def add_events(room, seed, distances):
    """The runtime's own choice: since .NET 10 by bytes, before an object in some 100 KB of a
    thread's, among large ones too often a small one."""
    if int(room.sdk.version.split(".")[0]) >= 10:
        for program, interval in (("sizes", 102400), ("sizes", 204800), ("blocks", 204800)):
            add_objects(room, seed, distances, program, interval)
        return
    output, stream = room.run("events=alloc=sampled:200k", "Situations", "sizes", seed)
    weights, truth = weights_of(stream), truth_of(output)["object"]
    sizes = {name: weights[name][0]["size"] for name in truth}
    samples = sum(len(weights[name]) for name in truth)
    every = sum(sizes[name] * truth[name] for name in truth)
    for name, count in truth.items():
        share = sizes[name] * count / every
        distances.add(f"seed {seed}, share of {name} in {samples} samples",
                      len(weights[name]) / samples, share,
                      (share * (1 - share) / samples) ** 0.5)


def main():
    room, distances, total = Room("Situations"), Distances(), 0
    for seed in SEEDS:
        total += add_time(room, seed, distances)
        add_objects(room, seed, distances)
        add_events(room, seed, distances)
    distances.check()
    print(f".NET {room.sdk.version}: {total} samples of time, {len(SEEDS)} seeds")


main()
