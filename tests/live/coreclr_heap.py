#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Snapshots of the heap of .NET by command: every object that is kept, with its size and what it
refers to; with a census, what the roots are, too."""
import json
import subprocess
from collections import Counter

from coreclr_common import POLYTRACE, Room, check
from ptrace import Stream

KEPT = 1234


def command(process, *words):
    done = subprocess.run([POLYTRACE, "control", str(process), *words, "--json"], check=False,
                          capture_output=True, text=True, timeout=150)
    check(done.returncode == 0, words, done.stdout, done.stderr)
    return json.loads(done.stdout)


def record(room, options):
    """The stream, and what the second of two snapshots was said to hold."""
    path = room.trace()
    with subprocess.Popen(
            room.command("Records", "wait"), text=True, stdin=subprocess.PIPE, cwd=room.folder,
            stdout=subprocess.PIPE,
            env=room.surroundings(f"file={path},control=unix,{options}")) as program:
        check(program.stdout.readline() == "ready\n", "no start")
        command(program.pid, "heap-dump")
        told = command(program.pid, "heap-dump")["figures"]
        # It runs on.
        program.stdin.write("1\n")
        program.stdin.flush()
        check(program.stdout.readline() == "spun\n", "no answer")
        program.stdin.close()
        check(program.wait(150) == 0, "exit code", program.returncode)
    room.check_whole(path)
    return Stream(path), told


def snapshots(stream):
    """The events of each, by their places in time."""
    events = sorted(stream.all("Dump", "DumpObject", "Root"), key=lambda e: e.tick)
    parts = []
    for event in events:
        if event.kind == "Dump":
            if event.fields.get("stage", 0) == 0:
                parts.append([])
        else:
            parts[-1].append(event)
    check(len(parts) == 2, "snapshots:", len(parts))
    return parts


def check_snapshot(stream, events, told):
    names = {e.id: e.fields["name"] for e in stream.all("Class")}
    objects = {e.id: e for e in events if e.kind == "DumpObject"}
    check(all(e.fields["class_id"] in names for e in objects.values()), "objects without class")
    if told:
        check(len(objects) == told["objects"], len(objects), told)
    of_class = {}
    for event in objects.values():
        of_class.setdefault(names[event.fields["class_id"]], []).append(event)
    kept = {e.id for e in of_class["Records.Kept"]}
    check(len(kept) == KEPT, "kept:", len(kept))
    check({e.fields["size"] for e in of_class["Records.Kept"]} == {32}, "sizes")
    check(len(of_class["Records.Kept[]"]) == 1, "arrays:", of_class["Records.Kept[]"])
    array = of_class["Records.Kept[]"][0]
    check({target for target, _ in array.fields["refs"]} == kept, "what the array refers to")
    check("Records.Dropped" not in of_class, "the dead are told")
    return objects


def main():
    room = Room("Records")
    stream, told = record(room, "events=gc")
    for events, figures in zip(snapshots(stream), (None, told)):
        check_snapshot(stream, events, figures)
    stream, told = record(room, "events=gc+samples=1ms,coreclr.wall-clock=yes,coreclr.census=yes")
    for events, figures in zip(snapshots(stream), (None, told)):
        objects = check_snapshot(stream, events, figures)
        roots = Counter(e.fields["type"] for e in events if e.kind == "Root")
        check(roots["stack"] > 0 and roots["handle"] > 0, "roots:", roots)
        strong = {e.id for e in events
                  if e.kind == "Root" and e.fields["type"] in ("stack", "handle")}
        check(strong <= set(objects), "roots that are no objects:", len(strong - set(objects)))
    stream, _ = record(room, "events=samples=1ms,coreclr.wall-clock=yes")
    check_snapshot(stream, snapshots(stream)[1], None)
    print(f".NET {room.sdk.version}: {told['objects']} objects, {told['references']} references")


main()
