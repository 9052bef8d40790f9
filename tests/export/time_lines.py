#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Time lines for other tools: traces of every format are exported, read back by readers of our own
or of others, and compared with `polytrace report`."""
import gzip
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
    parameters = {"(Ljava/lang/String;I)Z": "(java.lang.String,int)"}  # else as in Java: ()V
    for event in map(json.loads, lines.splitlines()):
        if event["kind"] == "class":
            names[event["class"]] = event.get("name")
        elif event["kind"] == "method":
            signature = event.get("signature", "")
            names[event["method"]] = (
                f"{names.get(event.get('class_id'))}.{event.get('name')} "
                f"{parameters.get(signature, signature.removesuffix('V'))}")
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
    run(POLYTRACE, "export", "-q", "--to", "chrome,folded", "--show-helpers", "--thread", "Main",
        trace, "-o", folder / "calls")  # the app shows one thread at a time
    output = folder / "calls.json"  # a name that it takes for what the file is
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


def newer_jfr():
    """The tool of a JDK that has views."""
    tools = [Path(home) / "bin/jfr" for home in
             [os.environ.get("JAVA_HOME", ""), *sorted(map(str, Path("/usr/lib/jvm").glob("*")))]]
    for tool in tools:
        if tool.exists() and "view" in subprocess.run([tool, "help"], capture_output=True,
                                                      text=True, check=False).stdout:
            return tool
    raise Skip("no jfr of JDK 21 or newer")


def jfr_view(folder):
    """Newer tools of the JDK name the hottest method."""
    tool = newer_jfr()
    trace = DATA / "tracelog/app64.trace.log"
    export("jfr", trace, folder / "app.jfr")
    samples = facts.plain(facts.reported(POLYTRACE, trace)).samples
    samples.pop("?", None)
    hottest = samples.most_common(1)[0][0].split("(")[0].strip()
    shown = run(tool, "view", "--width", "300", "hot-methods", folder / "app.jfr")
    assert hottest in shown, (hottest, shown)


def view_rows(tool, view, file):
    """The cells of a view's rows."""
    lines = run(tool, "view", "--width", "300", view, file).splitlines()
    rule = next(i for i, line in enumerate(lines) if line.startswith("---"))
    widths = [found.span() for found in re.finditer("-+", lines[rule])]
    return [[line[begin:end].strip() for begin, end in widths]
            for line in lines[rule + 1:] if line.strip()]


def jfr_view_collections(folder):
    """Collections with their pauses, as a look at the events tells them."""
    tool = newer_jfr()
    for trace in (DATA / "mlpd/gc.mlpd", EXAMPLES / "everything.mlpd"):
        name, output = trace.name, folder / f"{trace.name}.jfr"
        wanted, stopped, size = [], None, None
        for line in run(POLYTRACE, "cat", "--kind", "gc,heap_size", trace).splitlines():
            time, phase = int(line.split()[0]), re.search(r"phase=(\S+)", line)
            if phase is None:
                size = int(re.search(r"total=(\d+)", line)[1])
                wanted[-1][3] = size
            elif phase[1] == "world_stopped":
                stopped = time
            elif phase[1] == "start":
                kind = "Young" if "generation=0" in line else "Old"
                wanted.append([kind, None, size, None])
            elif phase[1] == "world_started":
                wanted[-1][1] = time - stopped
        export("jfr", trace, output)
        rows = view_rows(tool, "gc", output)
        assert len(rows) == len(wanted) > 2, (name, rows)
        for number, (row, (kind, pause, before, after)) in enumerate(zip(rows, wanted), 1):
            assert row[1:3] == [str(number), f"{kind} Garbage Collection"], row
            for cell, size in ((row[3], before), (row[4], after)):
                shown = "N/A" if size is None else f"{size / (1 << 20):.1f} MB"
                assert cell == shown, (name, row, size)
            assert abs(float(row[5].split()[0]) * 1e6 - pause) <= 1e4, (row, pause)


def jfr_view_types_and_threads(folder):
    """Exceptions by class and bytes by thread are the report's."""
    tool = newer_jfr()
    trace, output = EXAMPLES / "everything.mlpd", folder / "everything.jfr"
    export("jfr", trace, output)
    thrown = facts.reported(POLYTRACE, trace).thrown
    rows = view_rows(tool, "exception-by-type", output)
    assert {name: int(count) for name, count in rows} == thrown, (rows, thrown)
    allocated = Counter()
    for table in json.loads(run(POLYTRACE, "report", "--json", "--limit", "0", "--sections",
                                "allocations", trace))["tables"]:
        for row in table["rows"] if table["key"] == "allocation_threads" else []:
            allocated[row["thread"]] += row["bytes"]
    events = json.loads(run(tool, "print", "--json", "--events", "ThreadAllocationStatistics",
                            output))["recording"]["events"]
    found = {one["values"]["thread"]["javaName"]: one["values"]["allocated"] for one in events}
    assert found == +allocated, (found, allocated)
    shown = [row[0] for row in view_rows(tool, "thread-allocation", output)]
    assert shown[0] == max(found, key=found.get) and set(shown) == set(found), shown


def jfr_metadata(folder):
    """Events of the JDK's names have its labels, and of their fields those that it has too."""
    tool = newer_jfr()
    export("jfr", EXAMPLES / "everything.mlpd", folder / "any.jfr")

    def types(*file):
        found = {}
        for name, head, body in re.findall(
                r'@Name\("(jdk\.\w+)"\)\n((?:@[^\n]*\n)*)class \w+ extends [^{]*\{\n(.*?)\n\}',
                run(tool, "metadata", *file), re.S):
            fields = {field: (kind, set(re.findall(r"@(?!Description|JavaMonitor)[^\n]*", notes)))
                      for notes, kind, field in re.findall(
                          r"((?:  @[^\n]*\n)*)  (\S+) (\w+);", body)}
            label = re.findall(r"@(?:Label|Category).*", head)
            found[name] = sorted(label), fields
        return found

    ours, theirs = types(folder / "any.jfr"), types()
    assert len(ours) > 10 and set(ours) <= set(theirs), set(ours) - set(theirs)
    for name, (labels, fields) in ours.items():
        assert labels == theirs[name][0], (name, labels, theirs[name][0])
        for field, (kind, notes) in fields.items():
            if field not in theirs[name][1] or field == "timeout":  # ours is finer
                continue
            wanted_kind, wanted = theirs[name][1][field]
            assert kind == wanted_kind, (name, field, kind, wanted_kind)
            # Without sign or with: our numbers have no more than 63 bits.
            assert notes - {"@Unsigned"} == wanted - {"@Unsigned"}, (name, field, notes, wanted)


def trace_of_threads(file, count):
    """A trace of many threads whose calls interleave."""
    with file.open("w", encoding="utf-8") as out:
        out.write('<?xml version="1.0" encoding="UTF-8"?>\n<TRACE>\n')
        out.write('<classDef classId="1" name="Pool" threadIdRef="1"/>\n')
        out.writelines(f'<methodDef methodId="{i}" name="task{i}" signature="()V" '
                       'classIdRef="1"/>\n' for i in (1, 2, 3))
        for thread in range(1, count + 1):
            out.write(f'<threadStart threadId="{thread}" time="1.0" threadName="pool-{thread}"/>\n')
        for round_ in range(40):
            for end in (False, True):
                for thread in range(1, count + 1):
                    time = 2 + round_ + (0.5 if end else 0) + thread / 10000
                    out.write(f'<method{"Exit" if end else "Entry"} threadIdRef="{thread}" '
                              f'time="{time:.9f}" methodIdRef="{thread % 3 + 1}" classIdRef="1" '
                              'ticket="1"/>\n')
        out.write("</TRACE>\n")
    return file


def ctf_many_threads(folder):
    """Many threads share streams; readers find the same events, each of its thread."""
    program("babeltrace2")
    trace = trace_of_threads(folder / "many.trcxml", 250)
    output = folder / "many.ctf"
    export("ctf", trace, output)
    compare("ctf of many threads", facts.ctf(output), facts.reported(POLYTRACE, trace))
    assert len(list(output.iterdir())) <= 2 * 100 + 3, sorted(output.iterdir())
    entered = Counter(re.findall(r'thread_name = "([^"]*)"', "\n".join(
        line for line in run("babeltrace2", output).splitlines() if " enter: " in line)))
    assert entered == {f"pool-{i}": 40 for i in range(1, 251)}, entered


def long_names(folder):
    """No file has names longer than 4 KiB; their ends are there, what differs stays different."""
    trace = folder / "long.trcxml"
    with trace.open("w", encoding="utf-8") as out:
        out.write('<?xml version="1.0" encoding="UTF-8"?>\n<TRACE>\n'
                  '<threadStart threadId="1" time="1.0" threadName="main"/>\n'
                  '<classDef classId="1" name="Pool" threadIdRef="1"/>\n')
        for i, mark in ((1, "a"), (2, "b")):  # alike but for one letter in the middle
            name = "p." + "x" * 500_000 + mark + "\u00e9" * 500_000 + ".method"
            out.write(f'<methodDef methodId="{i}" name="{name}" classIdRef="1"/>\n'
                      f'<methodEntry threadIdRef="1" time="{i}.5" methodIdRef="{i}" '
                      'classIdRef="1" ticket="1"/>\n'
                      f'<methodExit threadIdRef="1" time="{i}.7" methodIdRef="{i}" '
                      'classIdRef="1" ticket="1"/>\n')
        out.write("</TRACE>\n")
    targets = "folded,speedscope,callgrind,firefox,pprof,perfetto,chrome,jfr,ctf"
    told = json.loads(run(POLYTRACE, "export", "--json", "--to", targets, trace, "-o",
                          folder / "out"))["outputs"]
    for output in told:
        notes = [note for note in output["notes"] if "2 names of more than 4096 bytes" in note]
        assert notes, output
        file = Path(output["file"])
        data = (file / "metadata" if file.is_dir() else file).read_bytes()
        if data[:2] == b"\x1f\x8b":
            data = gzip.decompress(data)
        text = data.decode("utf-8", "replace")
        found = re.findall(r"p\.x+\.\.\.#([0-9a-f]{16})\.\.\.\u00e9+", text)
        assert len(set(found)) == 2 and "method" in text, (file.name, len(data), found)
        assert len(data) < 200_000 and "\u00e9\ufffd" not in text, (file.name, len(data))


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
          windows, jfr, jfr_waits, jfr_view, jfr_view_collections, jfr_view_types_and_threads,
          jfr_metadata, ctf, ctf_folder, ctf_many_threads, long_names])
