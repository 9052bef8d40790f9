#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Calls, threads, exceptions and collections of a program that counts them are all in the
recording; every entry has its exit; what compiled code has in registers outlives the hooks."""
from collections import Counter

from coreclr_common import Room, check, check_balance, counted, equal, truth_of


def of_program(names):
    return {name: count for name, count in names.items() if name.startswith("Truth.")}


def plain(names):
    """Without what the compiler made, whose names differ from compiler to compiler."""
    return {name: count for name, count in names.items() if not is_made(name)}


def is_made(name):
    return any(part.startswith("<") for part in name.replace("::", ".").split(".") if part)


def check_calls(truth, stream):
    calls = of_program(counted(stream, "Enter"))
    told = {name: count for name, count in truth["call"].items() if not is_made(name)}
    equal("calls", plain(calls), told)
    made = [count for name, count in calls.items() if "::<Main>" in name]
    check(made == [truth["call"]["Truth.Program.<>c::<Main>"]], "lambda:", made)
    check(any("<Numbers>" in name and name.endswith("::MoveNext") and count == 11
              for name, count in calls.items()), "the iterator's steps:", calls)
    check(any("<Slowly>" in name and name.endswith("::MoveNext") for name in calls), "async")


def check_threads(truth, stream):
    named = Counter(e.fields["name"] for e in stream.all("Thread")
                    if e.fields.get("name", "").startswith("worker-"))
    equal("threads", named, truth["thread"])
    begun = {e.id for e in stream.all("Thread") if "os_thread" in e.fields}
    workers = {e.id for e in stream.all("Thread")
               if e.fields.get("name", "").startswith("worker-")}
    ended = {e.id for e in stream.all("Thread") if e.fields.get("life") == 2}
    check(workers <= begun and workers <= ended, "lives of threads", workers, begun, ended)


def check_collections(truth, stream):
    """A collection of a generation counts for the younger ones, too."""
    starts = [e.fields for e in stream.all("Gc") if e.fields.get("phase", 0) == 0]
    counts = {f"gen{i}": sum(start["generation"] >= i for start in starts)
              for i in range(3)}
    equal("collections", counts, truth["collection"])
    induced = sum(start.get("reason") == "induced" for start in starts)
    check(induced == 3, "induced collections:", induced)


def main():
    room = Room("Truth")
    output, stream = room.run("events=calls+threads+gc+exceptions,filter=Truth.*", "Truth")
    truth = truth_of(output)
    check("wrong" not in truth, "values that went wrong:", truth.get("wrong"))
    check_calls(truth, stream)
    check_balance(stream)
    check_threads(truth, stream)
    check_collections(truth, stream)
    classes = {e.id: e.fields["name"] for e in stream.all("Class")}
    thrown = Counter(classes[e.fields["class_id"]] for e in stream.all("Throw"))
    equal("exceptions", {"Truth.Failure": thrown["Truth.Failure"]},
          {"Truth.Failure": truth["object"]["Truth.Failure"] + 10})
    clauses = Counter(e.fields.get("clause", 0) for e in stream.all("Clause"))
    check(clauses[2] == truth["finally"]["all"] + 10, "finally clauses:", clauses)
    print(f".NET {room.sdk.version}: {sum(truth['call'].values())} calls, all told")


main()
