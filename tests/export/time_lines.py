#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Time lines for other tools: traces of every format are exported, read back by readers of our own
or of others, and compared with `polytrace report`."""
import json
import os
import re
import subprocess
from collections import Counter
from pathlib import Path

import time_line_facts as facts
from readers import DATA, HERE, POLYTRACE, Skip, main, package, program, run

EXAMPLES = HERE.parents[1] / "examples"
TRACES = [EXAMPLES / "everything.mlpd", EXAMPLES / "shop.trcxml", DATA / "tbf/shop_big.trcbin",
          DATA / "monoblock/shipped10.mprof", DATA / "tracelog/app64.trace.log",
          DATA / "mlpd/exceptions_calls.mlpd", DATA / "mlpd/locks.mlpd", DATA / "mlpd/sample.mlpd",
          DATA / "mlpd/gc.mlpd", DATA / "tracelog/line32.trace.log"]
HEAPS = [EXAMPLES / "everything.mlpd", DATA / "mlpd/heapshot.mlpd.gz",
         DATA / "tbf/shop_big.trcbin", DATA / "monoblock/shipped10.mprof"]
NO_CLASS = "(class not recorded)"
FEW = TRACES[:5]  # one of each format, for readers that are slow


def export(target, trace, output, *options):
    done = subprocess.run([POLYTRACE, "export", "--json", "--to", target, "--show-helpers",
                           *options, trace, "-o", output], capture_output=True, text=True,
                          check=False)
    assert done.returncode in (0, 3), (target, trace.name, done.stderr)  # 3: notices of the input
    return json.loads(done.stdout)["outputs"][0]


def compare(what, seen, wanted, names_are_late=False):
    """What had to be written before its name came is compared without names."""
    for fact, value in vars(wanted).items():
        other = getattr(seen, fact)
        if names_are_late and isinstance(value, dict):
            value, other = sum(value.values()), sum(other.values())
        if not isinstance(value, dict):
            assert other == value, f"{what}: {fact} is {other}, not {value}"
            continue
        for name in sorted(set(value) | set(other)):
            assert other.get(name, 0) == value.get(name, 0), (
                f"{what}: {fact} of {name} is {other.get(name, 0)}, not {value.get(name, 0)}")


def native(folder):
    """A stream as agents record it, of a trace that has everything."""
    trace = folder / "everything.ptrace"
    if not trace.exists():
        run(POLYTRACE, "convert", "-q", "--to", "native", EXAMPLES / "everything.mlpd", "-o", trace)
    return trace


def without_sums(wanted, trace):
    """Calls that the recorder summed up have no place on a time line."""
    lines = subprocess.run([POLYTRACE, "cat", "--jsonl", "--kind", "class,method,summary_begin",
                            trace], capture_output=True, check=False).stdout
    names = {}
    for event in map(json.loads, lines.splitlines()):
        if event["kind"] == "class":
            names[event["class"]] = event.get("name")
        elif event["kind"] == "method":
            names[event["method"]] = f"{names.get(event.get('class_id'))}.{event.get('name')}"
        else:
            wanted.calls[names[event["method"]]] -= event["calls"]
            wanted.time[names[event["method"]]] -= event["total"]
    return wanted


def check(target, reader, traces, folder, change=lambda wanted: wanted):
    for trace in [*traces, native(folder)]:
        output = folder / f"{trace.name}.{target}"
        told = export(target, trace, output)
        late = any("tells it later" in note for note in told["notes"])
        compare(f"{target} of {trace.name}", reader(output),
                change(without_sums(facts.reported(POLYTRACE, trace), trace)), late)


def perfetto(folder):
    check("perfetto", facts.perfetto, TRACES, folder)


def perfetto_heaps(folder):
    """Heap snapshots are heap graphs, with the classes of `polytrace heap`."""
    for trace in [*HEAPS, native(folder)]:
        output = folder / f"{trace.name}.pftrace"
        told = export("perfetto", trace, output)
        heaps = facts.Perfetto(output.read_bytes()).heaps
        found = [heaps[time] for time in sorted(heaps)]
        tables = json.loads(run(POLYTRACE, "heap", "--json", "--limit", "0", trace))["tables"]
        snapshots, = (table["rows"] for table in tables if table["key"] == "heap_snapshots")
        assert len(found) == len(snapshots) > 0, (trace.name, len(found), len(snapshots))
        for number, heap in enumerate(found):
            assert heap.complete, trace.name
            classes, = json.loads(run(POLYTRACE, "heap", "--json", "--limit", "0", "--classes",
                                      "--snapshot", number, trace))["tables"]
            assert heap.sums() == {row["class"]: (row["objects"], row["bytes"])
                                   for row in classes["rows"]}, (trace.name, number)
            reached, waiting = set(heap.roots), list(heap.roots)
            while waiting:
                for target in heap.objects[waiting.pop()][2]:
                    if target not in reached:
                        reached.add(target)
                        waiting.append(target)
            wanted = json.loads(run(POLYTRACE, "heap", "--json", "--limit", "0", "--dominators",
                                    "--snapshot", number, trace))["tables"][0]["rows"]
            assert reached == {int(row["object"], 16) for row in wanted}, (trace.name, number)
        assert not {"dump", "dump_object"} & set(told["left_out"]), (trace.name, told)


def perfetto_protoc(folder):
    """Nothing in the file but what our own definition of the format has."""
    proto = DATA / "export/perfetto.proto"
    for trace in dict.fromkeys(TRACES + HEAPS):
        output = folder / f"{trace.name}.pftrace"
        export("perfetto", trace, output)
        with open(output, "rb") as file:
            text = run(program("protoc"), "--decode=Trace", f"-I{proto.parent}", proto, stdin=file)
        unknown = [line for line in text.splitlines() if line.lstrip()[:1].isdigit()]
        assert text and not unknown, (trace.name, unknown[:1])


def chrome(folder):
    check("chrome", facts.chrome, TRACES, folder)


def chrome_speedscope(folder):
    """The app opens it, and says the same of the heaviest methods."""
    trace = DATA / "mlpd/calls.mlpd"
    output = folder / "calls.json"
    export("chrome", trace, output, "--thread", "Main")  # the app shows one at a time
    page = json.loads(run(program("node"), HERE / "speedscope_app.mjs",
                          package("playwright-core"), program("chromium"), package("speedscope"),
                          folder, output))[0]
    assert not page["errors"] and page["title"] not in ("", "speedscope"), page
    heaviest = facts.reported(POLYTRACE, trace, "--thread", "Main").time.most_common(1)[0][0]
    assert heaviest in page["text"], (heaviest, page["text"][:500])


def chrome_limit(folder):
    """What a limit cuts is told, and the rest still nests."""
    output = folder / "cut.json"
    told = export("chrome", TRACES[0], output, "--limit", "100")
    assert told["cut"] and told["cut"][0]["count"] > 1000, told
    facts.chrome(output)
    other = json.loads(output.read_text())["otherData"]["not_in_this_file"]
    assert any("--limit 100" in sentence for sentence in other), other


def windows(folder):
    """Calls are cut to the selected time, as report cuts them."""
    trace = DATA / "mlpd/exceptions_calls.mlpd"
    for target, reader in (("perfetto", facts.perfetto), ("chrome", facts.chrome)):
        output = folder / target
        export(target, trace, output, "--from", "1.5%", "--until", "3%")
        wanted = facts.reported(POLYTRACE, trace, "--from", "1.5%", "--to", "3%")
        seen = reader(output)
        assert sum(wanted.calls.values()) > 100, "the window should hold calls"
        assert (seen.calls, seen.time) == (wanted.calls, wanted.time), target


def jfr(folder):
    program("jfr")
    check("jfr", facts.jfr, FEW, folder, facts.plain)


def jfr_waits(folder):
    """Object.wait() as the JDK has it: what was waited for, how long, for how long at most."""
    begin = re.compile(r"(-?\d+) (\S+) wait object=(\S+) stage=start(?: timeout=(\d+))?")
    end = re.compile(r"(-?\d+) (\S+) wait object=(\S+) stage=end")
    for trace in (EXAMPLES / "shop.trcxml", DATA / "tbf/shop_big.trcbin"):
        waiting, wanted = {}, Counter()
        for line in run(POLYTRACE, "cat", trace).splitlines():
            if found := begin.match(line):
                waiting[found[2]] = int(found[1]), int(found[3], 0), int(found[4] or 0)
            elif found := end.match(line):
                start, thing, timeout = waiting.pop(found[2])
                wanted[thing, int(found[1]) - start, timeout] += 1
        assert wanted and not waiting, trace
        output = folder / f"{trace.name}.jfr"
        export("jfr", trace, output)
        events = json.loads(run(program("jfr"), "print", "--json", "--events", "JavaMonitorWait",
                                output))["recording"]["events"]
        assert {event["type"] for event in events} == {"jdk.JavaMonitorWait"}
        seen = Counter((event["values"]["address"], facts.jfr_duration(event["values"]["duration"]),
                        facts.jfr_duration(event["values"]["timeout"])) for event in events)
        assert seen == wanted, (trace.name, seen, wanted)
        assert all(event["values"]["stackTrace"]["frames"] for event in events), trace.name


def jfr_view(folder):
    """Newer tools of the JDK name the hottest method."""
    tools = [Path(home) / "bin/jfr" for home in
             [os.environ.get("JAVA_HOME", ""), *sorted(map(str, Path("/usr/lib/jvm").glob("*")))]]
    for tool in tools:
        if tool.exists() and "view" in subprocess.run([tool, "help"], capture_output=True,
                                                      text=True, check=False).stdout:
            break
    else:
        raise Skip("no jfr of JDK 21 or newer")
    trace = DATA / "tracelog/app64.trace.log"
    export("jfr", trace, folder / "app.jfr")
    samples = facts.plain(facts.reported(POLYTRACE, trace)).samples
    samples.pop("?", None)
    hottest = samples.most_common(1)[0][0].split("(")[0].strip()
    shown = run(tool, "view", "--width", "300", "hot-methods", folder / "app.jfr")
    assert hottest in shown, (hottest, shown)


def ctf(folder):
    program("babeltrace2")

    def raw(wanted):
        """The class of a thrown object is not in the event; one that is not told has no number."""
        wanted.thrown = Counter({"all": sum(wanted.thrown.values())} if wanted.thrown else {})
        for figures in (wanted.allocated, wanted.bytes):
            if NO_CLASS in figures:
                figures["(not told)"] = figures.pop(NO_CLASS)
        return wanted

    check("ctf", facts.ctf, TRACES, folder, raw)


def ctf_folder(folder):
    """Complete or not there; never in the place of something else."""
    target = folder / "there"
    target.mkdir()
    (target / "document").write_text("precious")
    command = [POLYTRACE, "export", "-f", "--to", "ctf", str(TRACES[0]), "-o"]
    done = subprocess.run([*command, target], capture_output=True, text=True, check=False)
    assert done.returncode == 1 and "exists" in done.stderr, done
    assert (target / "document").read_text() == "precious"
    run(*command, folder / "new")
    run(*command, folder / "new")
    assert sorted(entry.name for entry in folder.iterdir()) == ["new", "there"]
    assert re.match(r"/\* CTF 1\.8 \*/", (folder / "new/metadata").read_text())


if __name__ == "__main__":
    main([perfetto, perfetto_heaps, perfetto_protoc, chrome, chrome_speedscope, chrome_limit,
          windows, jfr, jfr_waits, jfr_view, ctf, ctf_folder])
