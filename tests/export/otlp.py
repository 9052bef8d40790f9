#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""OpenTelemetry's profiles as protoc reads them, against the figures of `polytrace report` and
against what a program counted in the same recording."""
import json
from collections import Counter

import messages
from profiles import TABLES, compare, every_trace, export, trace_of
from readers import DATA, main, polytrace

# What the figures of a weight are called: by the word for --weight.
TYPES = {"time": ("time", "nanoseconds"), "calls": ("calls", "count"),
         "samples": ("samples", "count"), "bytes": ("alloc_space", "bytes"),
         "objects": ("alloc_objects", "count"), "wait": ("delay", "nanoseconds"),
         "contentions": ("contentions", "count"), "exceptions": ("exceptions", "count")}
ALONE = {"samples", "exceptions"}


def read(file, weight):
    """Own weight by name."""
    request = messages.decode("Request", file.read_bytes())
    sums, seen = Counter(), []
    for (kind, unit, attributes, _), samples in messages.otlp_samples(request):
        key = attributes["polytrace.weight"].decode()
        seen.append(key)
        assert TYPES[key] == (kind, unit), (key, kind, unit)
        for stack, _, value in samples if key == weight else []:
            sums[stack[0]] += value
    assert len(seen) == (1 if weight in ALONE else 2) and weight in seen, seen
    return sums


def figures(folder):
    assert set(TABLES) <= set(TYPES)
    every_trace("otlp", folder, read)


def counted(folder):
    """Another program counted the calls."""
    trace = DATA / "mlpd/calls.mlpd"
    facts = json.loads((DATA / "mlpd/calls.facts.json").read_text("utf-8"))["calls"]["top"]
    found = read(export(trace, "time", "otlp", folder), "calls")
    for name, count in facts.items():
        assert found[name] == count, (name, found[name], count)


def head(folder):
    """Process, threads and times."""
    trace = trace_of("mlpd/locks.mlpd")
    info = json.loads(polytrace("info", "--json", trace))
    request = messages.decode("Request", export(trace, "wait", "otlp", folder).read_bytes())
    about = messages.resource(request)
    assert about["process.pid"] == info["process"]["pid"], (about, info["process"])
    assert about["service.name"], about
    threads = set()
    for (_, _, _, profile), samples in messages.otlp_samples(request):
        start = messages.one(profile, "time_unix_nano")
        span = messages.one(profile, "duration_nano")
        assert start > 10**18 and span > 0, (start, span)
        assert "profile_id" not in profile  # a file is no window of a series
        threads |= {told["thread.id"] for _, told, _ in samples}
    assert len(threads) >= 2, threads
    scope = request["resource_profiles"][0]["scope_profiles"][0]["scope"][0]
    assert scope["name"] == [b"polytrace"], scope


def cut(folder):
    """What a limit cuts is told, and the sum stays."""
    trace, out = trace_of("mlpd/calls.mlpd"), folder / "cut"
    whole = read(export(trace, "time", "otlp", folder, ()), "time")
    polytrace("export", "-q", "--limit", "20", "--to", "otlp", trace, "-o", out)
    request = messages.decode("Request", out.read_bytes())
    notes = {told["polytrace.notes"] for (_, _, told, _), _ in messages.otlp_samples(request)}
    assert len(notes) == 1 and b"--limit 20" in notes.pop()
    compare(Counter(total=sum(read(out, "time").values())), Counter(total=sum(whole.values())),
            "a cut profile")


if __name__ == "__main__":
    main([figures, counted, head, cut])
