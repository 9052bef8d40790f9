#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every sample of the project, every weight, helpers hidden and shown: readers of other tools find
the report's figures. A table of readers and samples; one of each format unless POLYTRACE_LONG=1."""
import json
import os
import subprocess
from collections import Counter

import flame
import profiles
import time_line_facts as facts
import time_lines
from readers import DATA, POLYTRACE, Skip, main, program

EXAMPLES = DATA.parents[1] / "examples"
ENDINGS = (".mlpd", ".mlpd.gz", ".mprof", ".trcbin", ".trcxml", ".trace.log", ".ptrace.zst")
LONG = os.environ.get("POLYTRACE_LONG") == "1"
PROFILES = {"folded": (profiles.read_folded, lambda name: name.replace(";", ":")),
            "speedscope": (profiles.read_speedscope, str),
            "pprof": (profiles.read_pprof, str), "callgrind": (profiles.read_callgrind, str)}
TIME_LINES = {"perfetto": (facts.perfetto, lambda wanted: wanted),
              "chrome": (facts.chrome, lambda wanted: wanted), "jfr": (facts.jfr, facts.plain)}


def samples():
    files = sorted(file for folder in (EXAMPLES, DATA) for file in folder.rglob("*")
                   if file.is_file() and file.name.endswith(ENDINGS) and "hostile" not in str(file))
    return files if LONG else files[:2]


def tables_of(trace, helpers):
    """Of the report; none of damaged ones."""
    done = subprocess.run([POLYTRACE, "report", "--all", "--json", "--limit", "0", *helpers, trace],
                          capture_output=True, text=True, check=False)
    if done.returncode != 0:
        return {}
    return {table["key"]: table["rows"] for table in json.loads(done.stdout)["tables"]}


def figures(trace, helpers):
    """Own weights by name, of each weight that the trace has."""
    tables = tables_of(trace, helpers)
    found = {}
    for weight, (_, key, column, name) in profiles.TABLES.items():
        sums = Counter()
        for row in tables.get(key, []):
            sums[profiles.NO_METHOD.get(row[name], row[name])] += int(row[column])
        found[weight] = +sums
    return {weight: sums for weight, sums in found.items() if sums}


def check_profile(target, trace, weight, wanted, helpers, folder):
    read, clean = PROFILES[target]
    cleaned = Counter()
    for name, value in wanted.items():
        cleaned[clean(name)] += value
    found = read(profiles.export(trace, weight, target, folder, helpers), weight)
    found.pop("(runtime helpers)", None)  # what nothing in the trace called
    profiles.compare(found, cleaned, f"{target} of {trace.name}, {weight} {helpers}")


def all_profiles(folder):
    faults, cells = [], Counter()
    for trace in samples():
        for helpers in ((), ("--show-helpers",)):
            for weight, wanted in figures(trace, helpers).items():
                for target in PROFILES:
                    try:
                        check_profile(target, trace, weight, wanted, helpers, folder)
                        cells[trace.name, target] += 1
                    except Skip:
                        cells[trace.name, target] += 0
                    except AssertionError as fault:
                        faults.append(str(fault))
    show(cells, list(PROFILES))
    assert cells and not faults, "\n".join(faults)


def folded_stacks(trace, weight, folder, helpers):
    text = profiles.export(trace, weight, "folded", folder, helpers).read_text(encoding="utf-8")
    for line in text.splitlines():
        if not line.startswith("#"):
            stack, value = line.rsplit(" ", 1)
            yield stack.split(";"), int(value)


def pprof_stacks(trace, weight, folder, helpers):
    """As Go's own reader tells them."""
    return profiles.pprof_stacks(profiles.export(trace, weight, "pprof", folder, helpers), weight)


def flame_stacks(trace, weight, folder, helpers):
    data = flame.data_of(flame.made(folder, "--weight", weight, *helpers, trace))
    return flame.stacks_of(data, bool(helpers))


STACKS = {"folded": folded_stacks, "pprof": pprof_stacks, "flame": flame_stacks}
# weight: the table of the report, its column of what is the method's and all it calls
TOTALS = {"time": ("methods", "elapsed"), "samples": ("sampled_methods", "inclusive")}


def totals(tables, weight):
    """By name; a name of several methods has no total."""
    key, column = TOTALS[weight]
    rows = tables.get(key, [])
    names = Counter(row["method"] for row in rows)
    return {row["method"]: int(row[column]) for row in rows if names[row["method"]] == 1}


def differences(what, target, found, wanted):
    """A sentence for each name whose figure is another one."""
    clean = PROFILES.get(target, (None, str))[1]
    for name, value in wanted.items():
        got = found[clean(profiles.NO_METHOD.get(name, name))]
        if got != value:
            yield f"{target} of {what}: {name} is {got}, not {value}"


def all_totals(folder):
    """What a method and all it calls take: of stacks, those that it is in."""
    faults, cells = [], Counter()
    for trace in samples():
        for helpers in ((), ("--show-helpers",)):
            tables = tables_of(trace, helpers)
            for weight in TOTALS:
                wanted = totals(tables, weight)
                for target, stacks_of in STACKS.items() if wanted else ():
                    found = Counter()
                    for stack, value in stacks_of(trace, weight, folder, helpers):
                        for name in set(stack):
                            found[name] += value
                    what = f"{trace.name}, {weight} {helpers}"
                    faults.extend(differences(what, target, found, wanted))
                    cells[trace.name, target] += 1
    show(cells, list(STACKS))
    assert cells and not faults, "\n".join(faults[:20])


def all_calls(folder):
    faults, cells = [], Counter()
    for trace in samples():
        for helpers in ((), ("--show-helpers",)):
            wanted = Counter()
            for row in tables_of(trace, helpers).get("methods", []):
                wanted[row["method"]] += row["calls"]
            for target, stacks_of in STACKS.items() if wanted else ():
                if target == "pprof":
                    continue  # it has time and calls in one file
                found = Counter()
                for stack, value in stacks_of(trace, "calls", folder, helpers):
                    found[stack[-1]] += value
                what = f"{trace.name}, calls {helpers}"
                faults.extend(differences(what, target, found, wanted))
                cells[trace.name, target] += 1
    show(cells, list(STACKS))
    assert cells and not faults, "\n".join(faults[:20])


def all_time_lines(folder):
    program("jfr")
    faults, cells = [], Counter()
    for trace in samples():
        if not figures(trace, ("--show-helpers",)):
            continue
        for target, (read, change) in TIME_LINES.items():
            output = folder / f"out.{target}"
            told = time_lines.export(target, trace, output, "-f")
            late = any("tells it later" in note for note in told["notes"])
            wanted = time_lines.without_sums(facts.reported(POLYTRACE, trace), trace)
            try:
                time_lines.compare(f"{target} of {trace.name}", read(output), change(wanted), late)
                cells[trace.name, target] += 1
            except AssertionError as fault:
                faults.append(str(fault))
    show(cells, list(TIME_LINES))
    assert cells and not faults, "\n".join(faults)


def show(cells, targets):
    print(f"{'comparisons that agree':40}", *(f"{target:>10}" for target in targets))
    for sample in dict.fromkeys(sample for sample, _ in cells):
        print(f"{sample:40}", *(f"{cells[sample, target]:10}" for target in targets))


if __name__ == "__main__":
    main([all_profiles, all_totals, all_calls, all_time_lines])
