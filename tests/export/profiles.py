#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The figures that readers of other tools show of an export are those of `polytrace report`."""
import functools
import gzip
import json
import re
import subprocess
import time
from collections import Counter

import time_line_facts as facts
from readers import DATA, HERE, POLYTRACE, Skip, main, package, polytrace, program, run

# weight: the section and table of the report, its column of own weight, its column of names
TABLES = {
    "time": ("calls", "methods", "self", "method"),
    "samples": ("samples", "sampled_methods", "self", "method"),
    "bytes": ("allocations", "allocation_sites", "bytes", "site"),
    "objects": ("allocations", "allocation_sites", "count", "site"),
    "wait": ("monitors", "monitor_sites", "wait", "site"),
}
# A real trace of every format that was recorded, and of every weight.
TRACES = [
    ("mlpd/calls.mlpd", "time"), ("mlpd/sample_real.mlpd.gz", "samples"),
    ("mlpd/alloc_bt.mlpd", "bytes"), ("mlpd/alloc_bt.mlpd", "objects"),
    ("mlpd/locks.mlpd", "wait"), ("monoblock/shipped10.mprof", "time"),
    ("tracelog/app64.trace.log", "samples"), ("tbf/shop_little.trcbin", "time"),
    ("../../examples/everything.mlpd", "time"), ("../../examples/shop.trcxml", "time"),
]
NO_METHOD = {"?": "(no managed frame)"}


def trace_of(name):
    return DATA / name


@functools.cache
def expected(trace, weight, helpers=("--show-helpers",)):
    """Own weight by name, as the report has it."""
    section, key, column, name = TABLES[weight]
    report = json.loads(polytrace("report", "--json", "--limit", "0", *helpers,
                                  "--sections", section, trace))
    sums = Counter()
    for table in report["tables"]:
        for row in table["rows"] if table["key"] == key else []:
            sums[NO_METHOD.get(row[name], row[name])] += int(row[column])
    return +sums


def export(trace, weight, target, folder, helpers=("--show-helpers",)):
    out = folder / target
    polytrace("export", "-q", "-f", *helpers, "--weight", weight, "--depth", "0",
              "--to", target, trace, "-o", out)
    return out


def compare(found, wanted, what, relative=0.0):
    """All names, and the total; in other units with a relative tolerance."""
    assert wanted, f"{what}: the report has nothing"
    for name, value in wanted.items():
        assert abs(found[name] - value) <= relative * value, \
            f"{what}: {name!r} is {found[name]}, not {value}"
    assert abs(sum(found.values()) - sum(wanted.values())) <= relative * sum(wanted.values()), what


def every_trace(target, folder, read, relative=0.0, clean=str):
    for name, weight in TRACES:
        for helpers in ((), ("--show-helpers",)):
            trace = trace_of(name)
            wanted = Counter()
            for frame, value in expected(trace, weight, helpers).items():
                wanted[clean(frame)] += value
            found = read(export(trace, weight, target, folder, helpers), weight)
            found.pop("(runtime helpers)", None)  # what nothing in the trace called
            compare(found, wanted, f"{target} of {name}, {weight} {helpers}", relative)


def read_folded(file, _):
    sums = Counter()
    for line in file.read_text(encoding="utf-8").splitlines():
        if not line.startswith("#"):
            stack, value = line.rsplit(" ", 1)
            sums[stack.split(";")[-1]] += int(value)
    return sums


def folded(folder):
    every_trace("folded", folder, read_folded, clean=lambda name: name.replace(";", ":"))


def add_own_times(profile, names, sums):
    """Of calls in their order, which nest."""
    open_calls, reached = [], profile["startValue"]
    for event in profile["events"]:
        assert reached <= event["at"] <= profile["endValue"]
        if open_calls:
            sums[names[open_calls[-1]]] += event["at"] - reached
        reached = event["at"]
        if event["type"] == "O":
            open_calls.append(event["frame"])
        else:
            assert open_calls.pop() == event["frame"]
    assert not open_calls


def read_speedscope(file, _):
    with file.open(encoding="utf-8") as text:
        document = json.load(text)
    frames, sums = document["shared"]["frames"], Counter()
    for profile in document["profiles"]:
        if profile["type"] == "evented":
            add_own_times(profile, [frame["name"] for frame in frames], sums)
            continue
        assert len(profile["samples"]) == len(profile["weights"])
        assert profile["endValue"] == sum(profile["weights"])
        for stack, weight in zip(profile["samples"], profile["weights"]):
            sums[frames[stack[-1]]["name"]] += weight
    return sums


def speedscope_file(folder):
    every_trace("speedscope", folder, read_speedscope)


def speedscope_order(folder):
    """Calls stand in their order while there are few; else, and with limits, they are sums."""
    trace = DATA.parents[1] / "examples/everything.mlpd"

    def exported(trace, *options):
        out = folder / "out"
        told = json.loads(polytrace("export", "-f", "--json", "--show-helpers", "--to",
                                    "speedscope", *options, trace, "-o", out))["outputs"][0]
        document = json.loads(out.read_text(encoding="utf-8"))
        return document, " ".join(told["notes"])

    def opened(document):
        names = [frame["name"] for frame in document["shared"]["frames"]]
        return Counter(names[event["frame"]] for profile in document["profiles"]
                       for event in profile["events"] if event["type"] == "O")

    document, notes = exported(trace)
    calls = facts.reported(POLYTRACE, trace).calls
    assert opened(document) == calls and "summed up" not in notes
    part = DATA / "mlpd/exceptions_calls.mlpd"
    document, _ = exported(part, "--thread", "Main", "--from", "1.5%", "--until", "3%")
    wanted = facts.reported(POLYTRACE, part, "--thread", "Main", "--from", "1.5%", "--to", "3%")
    assert opened(document) == wanted.calls and sum(wanted.calls.values()) > 100
    document, notes = exported(trace, "--depth", "3")
    assert document["profiles"][0]["type"] == "sampled" and "deeper than --depth 3" in notes, notes
    document, notes = exported(trace, "--limit", "20")
    assert document["profiles"][0]["type"] == "sampled", notes
    document, notes = exported(trace, "--weight", "bytes")
    assert document["profiles"][0]["type"] == "sampled" and "summed up" not in notes, notes
    many = folder / "many.mlpd"
    polytrace("merge", "-q", *[trace] * (100000 // sum(calls.values()) + 1), "-o", many)
    document, notes = exported(many)
    assert document["profiles"][0]["type"] == "sampled", notes
    assert "there are more than 100000" in notes, notes


def speedscope_schema(folder):
    try:
        import jsonschema
    except ImportError as missing:
        raise Skip("no python3-jsonschema") from missing
    schema = package("speedscope") + "/dist/release/file-format-schema.json"
    with open(schema, encoding="utf-8") as text:
        checker = jsonschema.Draft7Validator(json.load(text))
    for name, weight in TRACES:
        file = export(trace_of(name), weight, "speedscope", folder)
        checker.validate(json.loads(file.read_text(encoding="utf-8")))


def shown_number(text):
    """What "3.03ms (37%)", "384 B (1%)" or "1,234 (2%)" stands for."""
    number, unit = re.match(r"([\d.,]+) ?(ns|µs|ms|s|KB|MB|B|)", text).groups()
    scale = {"": 1, "B": 1, "ns": 1, "µs": 1e3, "ms": 1e6, "s": 1e9, "KB": 1024, "MB": 1 << 20}
    return float(number.replace(",", "")) * scale[unit]


def app_pages(folder, files):
    """What the app shows of each: the page, and the own weights in its list of functions."""
    pages = json.loads(run(program("node"), HERE / "speedscope_app.mjs",
                           package("playwright-core"), program("chromium"), package("speedscope"),
                           folder, *files))
    for file, page in zip(files, pages):
        assert not page["errors"], (file, page["errors"])
        assert page["title"] not in ("", "speedscope"), file
        rows = re.findall(r"^([\d.,]+[^\n]*)\n\t([\d.,]+[^\n]*)\n\t([^\n]+)", page["text"], re.M)
        yield file, page, {name: shown_number(own) for _, own, name in rows}


def speedscope_app_order(folder):
    """The app takes calls in their order, and says the same of them."""
    file = export(trace_of("mlpd/calls.mlpd"), "time", "speedscope", folder)
    document = json.loads(file.read_text(encoding="utf-8"))
    profile = document["profiles"][document["activeProfileIndex"]]
    assert profile["type"] == "evented"
    wanted = Counter()
    add_own_times(profile, [frame["name"] for frame in document["shared"]["frames"]], wanted)
    heaviest = Counter(dict(wanted.most_common(3)))
    for _, _, found in app_pages(folder, [file]):
        compare(Counter({name: found.get(name, 0) for name in heaviest}), heaviest, "the app", 0.01)


def speedscope_app(folder):
    """It opens all that it can read, and its list of functions begins with the report's."""
    trace = trace_of("mlpd/sample_real.mlpd.gz")
    files = [export(trace, "samples", target, folder) for target in ("speedscope", "folded")]
    files.append(export(trace, "samples", "pprof", folder).rename(folder / "samples.pb.gz"))
    for file, page, found in app_pages(folder, files):
        wanted = dict(expected(trace, "samples").most_common(3))
        if file.name == "speedscope":  # one thread at a time; this one holds all of Heavy's
            wanted = {name: value for name, value in wanted.items() if name in found}
            assert wanted, page["text"][:500]
        else:
            shown_own = Counter({name: found.get(name, 0) for name in wanted})
            compare(shown_own, Counter(wanted), file.name, 0.01)


def pprof_stacks(file, weight):
    """Names from the outermost in, and the weight, as Go's own reader tells them."""
    raw = run(program("go"), "tool", "pprof", "-raw", file)
    samples, locations = re.search(r"^Samples:\n(.*?)^Locations\n(.*?)^Mappings", raw,
                                   re.M | re.S).groups()
    names = {number: name for number, name in
             re.findall(r"^ +(\d+): 0x0 M=1 (.*?) \S*:\d+ s=\d+\(method", locations, re.M)}
    types = [one.split("[")[0] for one in samples.splitlines()[0].split()]
    column = next(i for i, one in enumerate(types) if one.split("/")[0] in {
        "time": ["time"], "samples": ["samples"], "bytes": ["alloc_space"],
        "objects": ["alloc_objects"], "wait": ["delay"]}[weight])
    for line in samples.splitlines()[1:]:
        found = re.match(r"^ +([\d ]+): ([\d ]+)", line)
        if found:
            yield ([names[number] for number in reversed(found[2].split())],
                   int(found[1].split()[column]))


def read_pprof(file, weight):
    sums = Counter()
    for stack, value in pprof_stacks(file, weight):
        sums[stack[-1]] += value
    return sums


def pprof(folder):
    program("go")
    every_trace("pprof", folder, read_pprof)
    trace = trace_of("mlpd/calls.mlpd")
    top = run(program("go"), "tool", "pprof", "-top", "-unit=ns",
              export(trace, "time", "pprof", folder))
    total = sum(expected(trace, "time").values())
    assert re.search(rf"of {total}ns total", top), top[:1000]
    assert "polytrace" in top and "Left out" in top, "its comments are shown"


def read_callgrind(file, _):
    out = run(program("callgrind_annotate"), "--threshold=100", file)
    body = out.split("file:function\n", 1)[1]
    sums = Counter()
    for value, place in re.findall(r"^ *([\d,]+) \([ \d.]+%\) +(\S.*)$", body, re.M):
        sums[place.split(":", 1)[1]] += int(value.replace(",", ""))
    return sums


def callgrind(folder):
    program("callgrind_annotate")
    every_trace("callgrind", folder, read_callgrind)


class Firefox:
    """The profiler's command line, with a session of its own."""

    def __init__(self, folder):
        self.words = [program("node"), package("@firefox-devtools/profiler-cli")]
        with open(self.words[1] + "/package.json", encoding="utf-8") as text:
            entry = json.load(text)["bin"]
        self.words[1] += "/" + (entry if isinstance(entry, str) else next(iter(entry.values())))
        self.folder = folder

    def ask(self, *words):
        done = subprocess.run([*self.words, *map(str, words)], stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, timeout=120, check=False,
                              env={"PATH": "/usr/bin:/bin", "HOME": str(self.folder)})
        return done.returncode, done.stdout

    def load(self, file):
        # Its daemon is given half a second to start, which a busy machine has not.
        for _ in range(20):
            code, said = self.ask("load", file)
            if code == 0:
                return
            time.sleep(1)  # wait: its daemon tells nothing while it starts
            if self.ask("profile", "info", "--json")[0] == 0:
                return
        raise AssertionError(said)

    def answer(self, *words):
        code, said = self.ask(*words, "--json")
        assert code == 0, said
        return json.loads(said)

    def own_weights(self):
        sums = Counter()
        processes = self.answer("profile", "info")["processes"]
        for thread in [thread for process in processes for thread in process["threads"]]:
            answer = self.answer("thread", "functions", "--thread", thread["threadHandle"],
                                 "--include-idle", "--limit", "0")
            for function in answer["functions"]:
                sums[function["name"]] += function["selfSamples"]
        return sums


def firefox(folder):
    reader = Firefox(folder)
    for name, weight in TRACES[:3] + TRACES[5:7]:
        file = export(trace_of(name), weight, "firefox", folder)
        file = file.rename(folder / "profile.json.gz")
        reader.load(file)
        try:
            found = reader.own_weights()
        finally:
            reader.ask("stop", "--all")
        wanted = expected(trace_of(name), weight)
        if weight == "time":
            wanted = Counter({key: value / 1e6 for key, value in wanted.items()})
        compare(found, wanted, f"firefox of {name}", 1e-9)


def firefox_threads(folder):
    """Threads have the numbers that the trace has for them."""
    for trace in (DATA.parents[1] / "examples/everything.mlpd", trace_of("tbf/shop_little.trcbin")):
        out = folder / "profile.json.gz"
        polytrace("export", "-q", "-f", "--to", "firefox", trace, "-o", out)
        threads = json.loads(gzip.decompress(out.read_bytes()))["threads"]
        report = json.loads(polytrace("report", "--json", "--limit", "0", "--sections", "threads",
                                      trace))
        known = {(row["thread"], int(row["id"], 16)) for table in report["tables"]
                 for row in table["rows"] if table["key"] == "threads"}
        found = {(one["name"], one["tid"] if isinstance(one["tid"], int) else int(one["tid"], 16))
                 for one in threads}
        nobody = ("(events of no thread)", 2**64 - 1)  # what the trace tells of no thread
        assert len(found) == len(threads) > 1 and found - {nobody} <= known, (found, known)


def firefox_markers(folder):
    """Collections, waits for locks and exceptions are the report's, each at its own time."""
    reader = Firefox(folder)
    for name, owners in (("../../examples/everything.mlpd", set()), ("mlpd/gc.mlpd", set()),
                         ("mlpd/exceptions_calls.mlpd", set()),
                         ("tbf/shop_little.trcbin", {"Reference Handler"})):
        wanted = facts.reported(POLYTRACE, trace_of(name))
        file = folder / "profile.json.gz"
        told = json.loads(polytrace("export", "--json", "-f", "--to", "firefox", trace_of(name),
                                    "-o", file))["outputs"][0]
        reader.load(file)
        try:
            markers = reader.answer("profile", "markers", "--limit", "0")["markers"]
        finally:
            reader.ask("stop", "--all")
        by_name = {}
        for marker in markers:
            by_name.setdefault(marker["name"], []).append(marker)
        locks = by_name.get("Waiting for a lock", [])
        assert len(by_name.get("Collection", [])) == wanted.collections, name
        assert len(locks) == wanted.contentions, name
        assert abs(sum(lock["duration"] for lock in locks) * 1e6 - wanted.wait) < 1, name
        assert {lock["data"]["owner"] for lock in locks if "owner" in lock["data"]} == owners, name
        thrown = Counter(marker["data"]["what"] for marker in by_name.get("Exception", []))
        assert thrown == wanted.thrown, (name, thrown, wanted.thrown)
        assert len(markers) > 1 and "throw" not in told["left_out"], (name, told)
        assert "monitor" not in told["left_out"], (name, told)


def what_is_left_out(folder):
    """Told in JSON and in every file, kind by kind; what a cap cuts stays in the totals."""
    trace = trace_of("mlpd/calls.mlpd")
    info = json.loads(polytrace("info", "--json", trace))["events"]["kinds"]
    told = json.loads(polytrace("export", "--json", "--limit", "5", "--to",
                                "folded,speedscope,callgrind", trace, "-o", folder / "cut"))
    for output in told["outputs"]:
        kept = {"enter", "leave", "unwind", "thread", "class", "vtable", "method", "process",
                "clock"}
        assert output["left_out"] == {k: n for k, n in info.items() if k not in kept}, output
        assert output["cut"][0]["cap"] == "--limit 5" and output["cut"][0]["count"] > 100
        assert output["total"] == sum(expected(trace, "time").values())
    files = [folder / ("cut" + end) for end in (".folded", ".speedscope.json", ".callgrind")]
    for file in files:
        text = file.read_text(encoding="utf-8")
        assert "Cut by --limit 5" in text and "root_region" in text, file
    assert sum(read_folded(files[0], None).values()) == told["outputs"][0]["total"]


def subtracted(folder):
    """What does not count in the report does not count in exports, flame and diff; it is told."""
    trace = DATA.parents[1] / "examples/everything.mlpd"
    whole = sum(expected(trace, "time", ()).values())
    sums = set()
    for what in ("gc", "waits", "gc,waits"):
        options = ("--subtract", what)
        wanted = expected(trace, "time", options)
        sums.add(sum(wanted.values()))
        for target, read in (("folded", read_folded), ("speedscope", read_speedscope)):
            file = export(trace, "time", target, folder, options)
            assert "without the time of" in file.read_text(encoding="utf-8"), (target, what)
            found = read(file, "time")
            found.pop("(runtime helpers)", None)
            compare(found, wanted, f"{target} without {what}")
        found = read_folded(flame(folder, trace, *options), None)
        found.pop("(runtime helpers)", None)
        total = sum(wanted.values())
        assert sum(found.values()) == total, what
        tables = json.loads(polytrace("diff", "--json", *options, trace, trace))["tables"]
        totals = next(table for table in tables if table["key"] == "diff_totals")["rows"]
        assert [row["methods"] for row in totals] == [total, total, 0], (what, total, totals)
    assert len(sums) == 3 and max(sums) < whole, (sums, whole)


def flame(folder, trace, *options):
    out = folder / "flame"
    polytrace("flame", "-q", "-f", "--folded", *options, trace, "-o", out)
    return out


def chosen_names(folder):
    """Stacks with such a method; of compared traces both; time lines have no stacks to choose."""
    trace = DATA.parents[1] / "examples/everything.mlpd"
    whole = export(trace, "time", "folded", folder, ()).read_text(encoding="utf-8").splitlines()
    wanted = sorted(line for line in whole if "Locker" in line and not line.startswith("#"))
    assert 0 < len(wanted) < len(whole)
    part = export(trace, "time", "folded", folder, ("--name", "Locker"))
    found = part.read_text(encoding="utf-8").splitlines()
    assert sorted(line for line in found if not line.startswith("#")) == wanted
    compared = flame(folder, trace, "--base", trace, "--name", "Locker")
    for line in compared.read_text(encoding="utf-8").splitlines():
        assert line.startswith("#") or "Locker" in line, line
    for options in (("--name", "x"), ("--subtract", "gc")):
        done = subprocess.run([POLYTRACE, "export", "--to", "chrome", *options, trace, "-o",
                               folder / "out"], capture_output=True, text=True, check=False)
        assert done.returncode == 2 and "no target" in done.stderr, done


def wrong_use(folder):
    trace = trace_of("mlpd/locks.mlpd")

    def refused(code, *words):
        done = subprocess.run([POLYTRACE, "export", *map(str, words)], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True, check=False)
        assert done.returncode == code, (words, done)
        return done.stderr

    out = folder / "out"
    assert "only: wait, contentions" in refused(2, "--to", "folded", "--weight", "time", trace,
                                                "-o", out)
    assert 'did you mean "folded"' in refused(2, "--to", "foldet", trace, "-o", out)
    assert "several targets" in refused(2, "--to", "folded,pprof", trace, "-o", "-")
    assert not list(folder.iterdir()), "nothing is left of what failed"
    out.write_text("mine")
    assert "exists" in refused(1, "--to", "folded", trace, "-o", out)
    assert out.read_text() == "mine"
    refused(0, "--to", "folded", "-f", trace, "-o", out)
    assert out.read_text() != "mine"


if __name__ == "__main__":
    main([folded, speedscope_file, speedscope_order, speedscope_schema, speedscope_app,
          speedscope_app_order, pprof, callgrind, firefox, firefox_threads, firefox_markers,
          what_is_left_out, subtracted, chosen_names, wrong_use])
