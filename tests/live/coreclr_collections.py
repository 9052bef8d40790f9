#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Collections of a program of .NET, with each of its collectors: recorded are exactly those that
the program counts, and that its own listener is told of, each with its end; the report and Mono's
own tool find their times again."""
import json
import re
import shutil
import subprocess
from collections import Counter

from coreclr_common import LONG, POLYTRACE, Room, check, equal

COLLECTORS = {"concurrent": {}, "blocking": {"DOTNET_gcConcurrent": "0"},
              "server": {"DOTNET_gcServer": "1", "DOTNET_GCHeapCount": "2"},
              "server-blocking": {"DOTNET_gcServer": "1", "DOTNET_GCHeapCount": "2",
                                  "DOTNET_gcConcurrent": "0"}}
START, END, STOPPED, RUNS = 0, 5, 7, 9  # phases
INDUCED, NOT_FORCED, IN_BACKGROUND, FOREGROUND = 1, 7, 1, 2


def told(output):
    """What the listener was told of starts and of ends, by number, and the program's counts."""
    starts, ends, counts = {}, {}, {}
    for line in output.splitlines():
        what, number, *rest = line.split()
        if what == "start":
            starts[int(number)] = tuple(map(int, rest))
        elif what == "end":
            ends[int(number)] = int(rest[0])
        else:
            counts[int(number)] = int(rest[0])
    return starts, ends, counts


def way(reason):
    """A collection's mode and whether it is induced, as the listener tells them."""
    mode = (IN_BACKGROUND if reason.endswith("; in the background") else
            FOREGROUND if reason.endswith("; during one in the background") else 0)
    return mode, reason.split(";")[0] in ("induced", "induced, not forced")


def phases(stream, phase):
    return [e for e in sorted(stream.all("Gc"), key=lambda e: e.tick)
            if e.fields.get("phase", START) == phase]


def check_collections(stream, output):
    """The pairs, by number: generation, start, end."""
    starts, ends, counts = told(output)
    mine = {e.id: e for e in phases(stream, START)}
    check(sorted(mine) == list(range(1, len(mine) + 1)), "numbers", sorted(mine))
    heard = {number: one for number, one in mine.items() if number in starts}
    check(len(heard) == len(starts) > 20, len(heard), "of", len(starts), "are recorded")
    equal("generations", {n: e.fields.get("generation") for n, e in heard.items()},
          {n: start[0] for n, start in starts.items()})
    equal("modes and reasons", {n: way(e.fields["reason"]) for n, e in heard.items()},
          {n: (start[2], start[1] in (INDUCED, NOT_FORCED)) for n, start in starts.items()})
    # What comes behind the listener's last, the program has not counted either.
    counted = [e for number, e in mine.items() if number <= max(starts)]
    equal("counts", {g: sum(e.fields["generation"] >= g for e in counted) for g in counts}, counts)
    finished = {e.id: e for e in phases(stream, END)}
    check(len(finished) == len(phases(stream, END)), "a collection ends twice")
    equal("ends", {n: e.fields["generation"] for n, e in finished.items() if n in ends}, ends)
    check(set(ends) <= set(finished), "ends that are missing:", set(ends) - set(finished))
    pairs = {n: (e.fields["generation"], mine[n].tick, e.tick) for n, e in finished.items()}
    check(all(start < end for _, start, end in pairs.values()), "an end before its start")
    return pairs, Counter(start[2] for start in starts.values())


def check_order(pairs, output):
    """By time, starts and ends come as the listener's did."""
    theirs = sorted((int(line.split()[-1]), line.split()[0], int(line.split()[1]))
                    for line in output.splitlines() if line.split()[0] in ("start", "end"))
    listened = {number for _, _, number in theirs}
    mine = sorted([(start, "start", n) for n, (_, start, _) in pairs.items() if n in listened] +
                  [(end, "end", n) for n, (_, _, end) in pairs.items() if n in listened])
    check([one[1:] for one in mine] == [one[1:] for one in theirs], "another order")


def check_stops(stream, pairs):
    """Every collection begins while the program stands still; one that is not in the background
    ends so, too."""
    stops, open_ = [], {}
    for event in sorted(stream.all("Gc"), key=lambda e: e.tick):
        if event.fields.get("phase", START) == STOPPED:
            open_[event.thread] = event.tick
        elif event.fields.get("phase", START) == RUNS:
            stops.append((open_.pop(event.thread), event.tick))
    within = [sum(begin <= start <= end for begin, end in stops) for _, start, _ in pairs.values()]
    check(set(within) == {1}, "stops around starts:", Counter(within))


def rows(path, key):
    done = subprocess.run([POLYTRACE, "report", "--json", "--limit", "0", "--sections",
                           "collections", path], capture_output=True, text=True, check=True)
    return next(t for t in json.loads(done.stdout)["tables"] if t["key"] == key)["rows"]


def check_report(path, stream, pairs):
    """The durations are those of the stream, by its clock."""
    listed = rows(path, "collections")
    check([row["generation"] for row in listed] == [pairs[n][0] for n in sorted(pairs)], listed)
    equal("durations", [row["duration"] for row in listed],
          [stream.time(end) - stream.time(start) for _, (_, start, end) in sorted(pairs.items())])
    reported = {row["generation"]: row for row in rows(path, "collection_generations")}
    for generation, row in reported.items():
        own = [one["duration"] for one in listed if one["generation"] == generation]
        equal("sums", {key: row[key] for key in ("count", "total", "longest")},
              {"count": len(own), "total": sum(own), "longest": max(own)})
    return reported


def check_mlpd(path, reported):
    """Mono's own tool counts microseconds."""
    if not shutil.which("mprof-report"):
        return
    other = path.with_suffix(".mlpd")
    done = subprocess.run([POLYTRACE, "convert", "-f", "-q", path, "--to", "mlpd", "-o", other],
                          capture_output=True, text=True, check=False)
    check(done.returncode == 0, "convert:", done.stderr)
    said = subprocess.run(["mprof-report", "--reports=gc", other], capture_output=True, text=True,
                          check=True).stdout
    theirs = {int(g): (int(count), int(longest), int(total)) for g, count, longest, total in
              re.findall(r"Gen(\d) collections: (\d+), max time: (\d+)us, total time: (\d+)us",
                         said)}
    equal("collections in mprof-report", theirs,
          {g: (row["count"], row["longest"] // 1000, row["total"] // 1000)
           for g, row in reported.items()})


def main():
    room, modes, number = Room("Collects"), Counter(), 0
    for name, surroundings in COLLECTORS.items():
        for events in ("gc", "calls+gc+alloc=sampled+monitors") if LONG else ("gc",):
            output, stream = room.run(f"events={events}", "Collects", 1200000 if LONG else 300000,
                                      **surroundings)
            pairs, seen = check_collections(stream, output)
            check_order(pairs, output)
            check_stops(stream, pairs)
            path = room.folder / "out.ptrace"
            check_mlpd(path, check_report(path, stream, pairs))
            modes += seen
            number += len(pairs)
            check("blocking" not in name or set(seen) == {0}, name, seen)
    check(modes[IN_BACKGROUND] > 5 and modes[FOREGROUND] > 5, "too few of a mode:", modes)
    print(f".NET {room.sdk.version}: {number} collections, as the program counts them")


main()
