#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Which call does a leave end? Reports, trees, folded stacks, time lines, differences, states, cuts
and conversions of random traces whose entries and exits do not match must all say what a few lines
of Python say that look at every open call."""
import json
import os
import random
import subprocess
import tempfile
from pathlib import Path

POLYTRACE = os.environ["POLYTRACE"]
MS = 1_000_000
START = 1000 * MS
NO_METHOD = 0
FORMATS = ("tbf", "native")
THREAD_NAMES = {"t1": 1, "0x1": 1, "t2": 2, "0x2": 2}
PLAIN_FORMATS = ("mlpd", "monoblock")  # cannot hold tickets, nor exits without a method


def run(*words, may=(0,)):
    done = subprocess.run([POLYTRACE, *map(str, words)], capture_output=True, text=True,
                          check=False)
    assert done.returncode in may, (words, done.returncode, done.stderr)
    return done.stdout


def random_events(seed):
    """(milliseconds, thread, enters, method, ticket): few methods, so that many are open twice."""
    rng = random.Random(seed)
    has_tickets = seed % 3 != 0
    deep = seed % 5 == 4
    names_all = seed % 2 == 0
    stacks = {1: [], 2: []}
    now, ticket = 0, 0
    for i in range(3000 if deep else 400):
        now += rng.choice((0, 1, 1, 7))
        thread = rng.choice((1, 1, 2))
        stack = stacks[thread]
        wants = rng.random() < (0.9 if deep and i < 1500 else 0.5)
        if wants or not stack:
            ticket += 1
            call = (rng.randint(1, 5), ticket if has_tickets and rng.random() < 0.9 else 0)
            stack.append(call)
            yield (now, thread, True, *call)
            continue
        kind = rng.random()
        if kind < 0.1:  # the entry is missing
            yield (now, thread, False, rng.randint(1, 6), 100_000 + i if has_tickets else 0)
            continue
        at = len(stack) - 1 if kind < 0.8 else rng.randrange(max(0, len(stack) - 60), len(stack))
        method, told = stack.pop(at)  # those above it go on: their exits come late
        if kind > 0.97 and not names_all:
            method = NO_METHOD
        yield (now, thread, False, method, told)
    for enters in (True, False):  # what an open call lasts to, in a cut as well
        now += 1
        for thread in stacks:
            yield (now, thread, enters, 6, 0)


class Truth:
    """Every open call is looked at, innermost first."""

    def __init__(self, events):
        self.methods, self.paths, self.spans, self.states = {}, {}, [], []
        self.ignored = self.cut = 0
        stacks, last = {}, {}
        for now, thread, enters, method, ticket in events:
            stack = stacks.setdefault(thread, [])
            last[thread] = now
            if enters:
                stack.append([method, ticket, now, 0])
            else:
                self.leave(stack, thread, method, ticket, now)
            self.states.append((now, thread, [call[0] for call in stack]))
        self.open = sum(map(len, stacks.values()))
        for thread, stack in stacks.items():
            while stack:
                self.close(stack, thread, last[thread])

    def leave(self, stack, thread, method, ticket, now):
        for i in reversed(range(len(stack))):
            same = method in (NO_METHOD, stack[i][0])
            if same and (ticket == stack[i][1] or 0 in (ticket, stack[i][1])):
                self.cut += len(stack) - i - 1
                while len(stack) > i:
                    self.close(stack, thread, now)
                return
        self.ignored += 1

    def close(self, stack, thread, now):
        path = tuple(call[0] for call in stack)
        method, _, start, callees = stack.pop()
        took = now - start
        if stack:
            stack[-1][3] += took
        told = self.methods.setdefault(method, [0, 0, 0])  # calls, self, elapsed
        told[0] += 1
        told[1] += took - callees
        if method not in path[:-1]:
            told[2] += took
        self.paths.setdefault(path, [0, 0])
        self.paths[path][0] += 1
        self.paths[path][1] += took - callees
        self.spans.append((thread, method, start, now))


def write_xml(events, file):
    lines = ['<?xml version="1.0"?>', "<TRACE>"]
    for thread in (1, 2):
        lines.append(f'<threadStart threadId="{thread}" time="1.0" threadName="t{thread}"/>')
    lines.append('<classDef classId="1" name="C"/>')
    for method in range(1, 7):
        lines.append(f'<methodDef methodId="{method}" name="m{method}" signature="()V" '
                     'classIdRef="1"/>')
    for now, thread, enters, method, ticket in events:
        told = f' methodIdRef="{method}" classIdRef="1"' if method != NO_METHOD else ""
        told += f' ticket="{ticket}"' if ticket else ""
        name = "methodEntry" if enters else "methodExit"
        lines.append(f'<{name} threadIdRef="{thread}" time="{1 + now / 1000:.3f}"{told}/>')
    lines.append("</TRACE>\n")
    file.write_text("\n".join(lines))


def method_of(name):
    return int(name.split("C.m")[1].split(" ")[0])


def check_report(truth, file):
    answer = json.loads(run("report", "--json", "--limit", 0,
                            "--sections", "calls", file))
    table = next(table for table in answer["tables"] if table["key"] == "methods")
    seen = {method_of(row["method"]): [row["calls"], row["self"] // MS, row["elapsed"] // MS]
            for row in table["rows"]}
    assert seen == truth.methods, (file, seen, truth.methods)
    notes = " ".join(table["notes"])
    for count, words in ((truth.ignored, "not entered in the trace"),
                         (truth.cut, "without a leave"), (truth.open, "not left when")):
        assert (words in notes) == (count != 0), (file, words, count, notes)
        if count:
            told = notes.split(words)[0].replace(",", "").split()
            number = [word for word in told if word.isdigit()][-1]
            assert int(number) == count, (file, words, count, notes)


def check_folded(truth, file):
    seen = {}
    for line in run("flame", "--folded", "-q", file, "-o", "-").splitlines():
        if line.startswith("#"):
            continue
        stack, value = line.rsplit(" ", 1)
        seen[tuple(map(method_of, stack.split(";")))] = int(value) // MS
    expected = {path: own for path, (_, own) in truth.paths.items() if own}
    assert seen == expected, (file, set(seen.items()) ^ set(expected.items()))


def check_time_line(truth, file):
    """Chrome's: begins and ends, and whole spans."""
    answer = json.loads(run("export", "--to", "chrome", "-q", file, "-o", "-"))
    threads = {event["tid"]: THREAD_NAMES[event["args"]["name"]] for event in answer["traceEvents"]
               if event.get("name") == "thread_name" and event["args"]["name"] in THREAD_NAMES}
    seen, stacks = [], {}
    for event in answer["traceEvents"]:
        if event["ph"] not in "BEX" or event["tid"] not in threads:
            continue
        thread, time = threads[event["tid"]], round(event["ts"] / 1000)
        if event["ph"] == "B":
            stacks.setdefault(thread, []).append((method_of(event["name"]), time))
        elif event["ph"] == "E":
            method, start = stacks[thread].pop()
            seen.append((thread, method, start, time))
        else:
            seen.append((thread, method_of(event["name"]), time, time + round(event["dur"] / 1000)))
    # Its times count from the trace's first.
    assert sorted(seen) == sorted(truth.spans), (file, set(seen) ^ set(truth.spans))


def check_states(truth, file, rng):
    """Where no event shares the moment."""
    times = [time for time, _, _ in truth.states]
    moments = [i for i in range(len(times) - 1) if times[i + 1] > times[i]]
    for i in rng.sample(moments, 6):
        expected = {}
        for _, thread, stack in truth.states[:i + 1]:
            expected[thread] = stack
        answer = json.loads(run("state", "--json", "--at", f"{times[i]}ms", file))
        seen = {1: {}, 2: {}}
        for state in answer["states"]:
            parts = state["path"].split("/")
            if len(parts) == 5 and parts[3] == "Stack" and state["value"] is not None:
                seen[int(parts[2], 16)][int(parts[4])] = method_of(state["value"])
        for thread, stack in expected.items():
            found = [seen[thread][level] for level in sorted(seen[thread])]
            assert found == stack, (file, times[i], thread, found, stack)


def check_diff(truth, file, other):
    answer = json.loads(run("diff", "--json", "--limit", 0, file, other))
    changed = [row for table in answer["tables"] if table["key"] == "diff_methods"
               for row in table["rows"]]
    assert not changed, (file, other, changed[:3])


def check_cuts(events, file, folder, rng):
    """A cut's calls are those of the whole, as long as they are in it."""
    last = max(event[0] for event in events)
    middle = rng.randrange(1, last)
    cut = folder / "cut.trcxml"
    run("cut", "-f", "-q", "--from", f"{middle}ms", file, "-o", cut)
    truth = Truth(events)
    expected = sum(max(0, end - max(start, middle)) for _, _, start, end in truth.spans)
    answer = json.loads(run("report", "--json", "--limit", 0, "--sections", "calls", cut))
    seen = sum(row["total"] for table in answer["tables"] if table["key"] == "methods"
               for row in table["rows"])
    assert seen == expected * MS, (file, middle, seen, expected)


def main():
    with tempfile.TemporaryDirectory() as where:
        folder = Path(where)
        for seed in range(15):
            rng = random.Random(seed)
            events = list(random_events(seed))
            truth = Truth(events)
            assert truth.ignored and truth.cut and truth.open, seed
            file = folder / "a.trcxml"
            write_xml(events, file)
            copies = [file]
            plain = all(method and not ticket for *_, method, ticket in events)
            for to in FORMATS + (PLAIN_FORMATS if plain else ()):
                copies.append(folder / f"a.{to}")
                run("convert", "-f", "-q", "--to", to, file, "-o", copies[-1])
            for copy in copies:
                check_report(truth, copy)
                check_folded(truth, copy)
                check_time_line(truth, copy)
                check_states(truth, copy, rng)
                check_diff(truth, file, copy)
            check_cuts(events, file, folder, rng)
    print("15 traces, each as what it is and converted: all say the same")


if __name__ == "__main__":
    main()
