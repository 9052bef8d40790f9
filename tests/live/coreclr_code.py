#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Code of every origin: compiled again while it runs, compiled ahead, shared by instantiations,
closures, state machines, made at run time, unloaded. Calls are those that the program counts."""
from collections import Counter

from coreclr_common import (LONG, Room, check, check_balance, counted, equal, method_names,
                            truth_of)

CALLS = "events=calls+threads+exceptions,filter=Truth.*"
END, FREED, CACHED = 1, 5, 4  # stages of compilation
GONE = 2  # of a life
UNLOADED = 4  # of a class
SITUATIONS = (("unload", 40), ("generics+closures+async", 10), ("native", 100), ("deep", 2000),
              ("threads", 50), ("tiers", 1000))


def check_calls(truth, stream):
    calls = counted(stream, "Enter")
    equal("calls", {name: calls[name] for name in truth["call"]}, truth["call"])
    check(not any("UNKNOWN" in name for name in calls), "methods without a name:", calls)
    check("wrong" not in truth, truth.get("wrong"))


def check_objects(truth, stream):
    classes = {e.id: e.fields["name"] for e in stream.all("Class")}
    objects = Counter(classes[e.id] for e in stream.all("Alloc"))
    equal("objects", {name: objects[name] for name in truth["object"]}, truth["object"])


def run(room, situation, number, options=CALLS, **more):
    output, stream = room.run(options, "Situations", situation, number, **more)
    return truth_of(output), stream


def check_tiers(room):
    """Tiers, replacement on the stack, code of the framework that was compiled ahead."""
    options = CALLS + ",filter=System.Collections.Stack"
    for settings in ({"DOTNET_TieredPGO": "1"}, {"DOTNET_TieredCompilation": "0"},
                     {"DOTNET_ReadyToRun": "0", "DOTNET_TC_QuickJitForLoops": "1"}):
        check_calls(*run(room, "tiers", 3000, options, **settings))
    _, stream = run(room, "tiers", 20_000, "events=jit", DOTNET_TC_CallCountingDelayMs="1",
                    DOTNET_OSR_HitLimit="1")
    compiled, places = counted_stage(stream, END), places_of_code(stream)
    for name in ("Truth.Tiers::Loop", "Truth.Tiers::Hot"):
        check(compiled[name] >= 2, name, "was compiled", compiled[name], "times")
        check(len(places[name]) == compiled[name], name, "lies at", places[name],
              "but was compiled", compiled[name], "times")
    ahead = counted_stage(stream, CACHED)
    check(ahead["System.Collections.Stack::Push"] >= 1, "nothing was compiled ahead:", ahead)


def places_of_code(stream):
    names, places = method_names(stream), {}
    for event in stream.all("Method"):
        places.setdefault(names[event.id], set()).add(event.fields.get("code"))
    for event in stream.all("Code"):
        places.setdefault(names[event.fields["method"]], set()).add(event.id)
    return places


def counted_stage(stream, stage):
    names = method_names(stream)
    return Counter(names.get(e.id) for e in stream.all("Jit") if e.fields.get("stage", 0) == stage)


def check_shapes(room):
    """A method that waits goes on in the step of its state machine, whose name tells the method."""
    rounds = 10
    truth, stream = run(room, "generics+closures+async", rounds)
    check_calls(truth, stream)
    _, objects = run(room, "generics+closures+async", rounds, "events=alloc=objects")
    check_objects(truth, objects)
    calls = counted(stream, "Enter")
    steps = {"Twice": 2 * 2 * rounds, "Fail": 2 * rounds, "Stream": 2 * rounds + 1}
    for method, count in steps.items():
        made = {name: calls[name] for name in calls
                if name.startswith(f"Truth.Async.<{method}>d__") and name.endswith("::MoveNext")}
        check(list(made.values()) == [count], "steps of", method, made, "not", count)
    quick = [count for name, count in calls.items() if "<<Both>" in name]
    check(quick == [truth["quick"]["all"]], "steps of a lambda:", quick)
    classes = {e.id: e.fields["name"] for e in stream.all("Class")}
    thrown = Counter(classes[e.fields["class_id"]] for e in stream.all("Throw"))
    # Once by itself, once more where it is awaited.
    wrong = truth["throw"]["Truth.Async.Wrong"]
    check(thrown["Truth.Async.Wrong"] == 2 * wrong, "throws:", thrown)
    caught = Counter(method_names(stream)[e.id] for e in stream.all("Clause")
                     if e.fields.get("clause", 0) == 0)
    caught = sum(count for name, count in caught.items() if "<Sum>" in name)
    check(caught == truth["caught"]["all"], "caught:", caught)


def check_made(room):
    """Methods of assemblies that are made at run time are recorded like any other. Of those without
    an assembly compilations are told."""
    truth, stream = run(room, "made", 20)
    check_calls(truth, stream)
    truth, stream = run(room, "made", 20, "events=jit+exceptions")
    compiled = counted_stage(stream, END)
    for name in truth["dynamic"]:
        check(compiled[name] == 1, name, "was compiled", compiled[name], "times")
    names = method_names(stream)
    callers = Counter()
    for event in stream.all("Throw"):
        stack = [names[method] for method, _ in event.fields["stack"]]
        check(stack[-1] == "Truth.Made::Called", "who throws:", stack)
        callers[stack[-2]] += 1
    # The runtime passes over methods without an assembly.
    expected = {"Truth.Made::Dynamic": 10, "Truth.Made::Compiled": 2, "Truth.Emitted::Run": 2,
                "Truth.Collectible::Run": 2}
    equal("callers of those that throw", callers, expected)


def check_unload(room):
    """Each round has an assembly of its own, with other names than the last."""
    rounds = 12
    truth, stream = run(room, "unload", rounds, "events=calls+jit+classes,filter=Truth.*")
    check_calls(truth, stream)
    for kind in ("Module", "Assembly"):
        # Their numbers come again.
        gone = [e.id for e in stream.all(kind) if e.fields.get("life") == GONE]
        check(len(gone) == rounds, kind, "gone:", len(gone))
    classes = {e.id: e.fields["name"] for e in stream.all("Class")}
    gone = {classes[e.id] for e in stream.all("ClassLoad") if e.fields.get("stage") == UNLOADED}
    own = {f"Truth.{sort}{i}" for i in range(rounds) for sort in ("Type", "Value")}
    check(gone == own, "classes gone:", gone ^ own)
    freed = counted_stage(stream, FREED)
    own = set(truth["call"])
    check(own <= set(freed), "methods freed:", own - set(freed))
    check_objects(*run(room, "unload", rounds, "events=alloc=objects"))


def check_everything(room):
    """All at once, the runtime's own code, too."""
    _, stream = run(room, "made", 5, "events=calls+exceptions,filter=*")
    check_balance(stream)
    options = "events=jit+classes+exceptions+gc+monitors+samples=1ms"
    for more in ("+calls+alloc=objects,coreclr.stacks=yes,filter=*", "+alloc=sampled:4k"):
        for situation, number in SITUATIONS:
            truth, _ = run(room, situation, number, options + more)
            check("wrong" not in truth, situation, truth)


def main():
    room = Room("Situations")
    check_tiers(room)
    check_shapes(room)
    check_made(room)
    check_unload(room)
    if LONG:
        check_everything(room)
    print(f".NET {room.sdk.version}: code of every origin is told")


main()
