#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Stack samples by processor time are those of the threads that spend it, whatever else the machine
does; a thread that waits has hardly any. Stacks have their callers."""
from collections import Counter

from coreclr_common import Room, check, method_names

ROUNDS = 15000


def main():
    room = Room("Busy")
    _, stream = room.run("events=threads+samples=2ms", "Busy", ROUNDS)
    names = method_names(stream)
    threads = {e.id: e.fields["name"] for e in stream.all("Thread") if "name" in e.fields}
    shares, of_threads = Counter(), Counter()
    for sample in stream.all("Sample"):
        check(sample.thread == sample.id, "a sample of", sample.id, "in the stream of",
              sample.thread)
        stack = [names[method] for method, _ in sample.fields["stack"]]
        of_threads[threads.get(sample.thread)] += sample.fields["weight"]
        for part in ("Busy::Much", "Busy::Little"):
            shares[part] += sample.fields["weight"] if part in stack else 0
            check(part not in stack or "Busy::Run" in stack, "the callers of", part, stack)
    total = shares.total()
    check(total >= 100, "too few samples:", shares)
    # How exact shares are, coreclr_shares.py looks at; here work comes in too even a rhythm.
    check(shares["Busy::Much"] > shares["Busy::Little"] > 0, "shares:", shares)
    check(of_threads["one"] > 0 and of_threads["two"] > 0, of_threads)
    check(of_threads["waiter"] * 10 < of_threads["one"], "a thread that waits:", of_threads)
    print(f".NET {room.sdk.version}: {total} samples")


main()
