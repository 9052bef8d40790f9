#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every trace as every other format: what its report says by class, method and thread name is what
that of the original says, as far as the target can hold such events at all, which it tells. And
every table of the report is the same, row by row, unless something that it is made of is told lost.
"""
import collections
import json
import os
import subprocess
import tempfile
from pathlib import Path

POLYTRACE = os.environ["POLYTRACE"]
DATA = Path(os.environ["TEST_DATA"])
SOURCES = ["mlpd", "monoblock", "tbf", "trcxml", "tracelog"]
TARGETS = ["mlpd", "monoblock", "tbf", "trcxml", "tracelog", "native"]
TPTP = {"tbf", "trcxml"}
HOLD_THREAD_NAMES = {"mlpd", "tbf", "trcxml", "native"}
# What a table is made of, and its columns: the name, and figures.
TABLES = {
    "allocations": (["alloc", "alloc_summary"], "class", ["count", "bytes"]),
    "methods": (["enter", "leave", "unwind", "summary_begin"], "method", ["calls"]),
}
CALLS = "enter leave unwind method class"
# What each table of a report is made of: kinds of events.
MADE_OF = {
    "allocation_sites": f"alloc alloc_summary vtable {CALLS}",
    "allocation_stacks": f"alloc vtable {CALLS}",
    "allocation_threads": "alloc alloc_summary thread",
    "allocation_times": "alloc alloc_summary clock",
    "allocations": "alloc alloc_summary class vtable dump_object",
    "assemblies": "assembly module",
    "bottom_up": f"sample {CALLS}",
    "call_tree": f"sample cpu {CALLS}",
    "callers": f"sample {CALLS}",
    "methods": f"sample cpu summary_begin recording thread setting {CALLS}",
    "heaviest_path": f"sample cpu {CALLS}",
    "clauses": "clause method class",
    "code_helpers": "code jit method class",
    "collection_causes": f"gc alloc {CALLS}",
    "collection_generations": "gc alloc heap_size",
    "collection_pauses": "gc",
    "longest_pauses": "gc",
    "collections": f"gc heap_size alloc move census {CALLS}",
    "compilation": "jit method module code",
    "compiled_methods": "method class code jit",
    "contexts": "context domain",
    "counters": "counter counter_def",
    "cpu_methods": CALLS,
    "cpu_threads": "cpu sample thread",
    "death_ages": "alloc free gc move",
    "domains": "domain",
    "finalization": "finalize",
    "handle_leaks": "handle class alloc",
    "handles": "handle",
    "heap_classes": "dump dump_object class vtable",
    "heap_growth": "dump dump_object class vtable",
    "heap_references": "dump dump_object class vtable",
    "heap_size": "heap_size gc census",
    "heap_snapshots": "dump dump_object root class",
    "images": "module",
    "lock_blockers": f"monitor wait thread {CALLS}",
    "lock_queues": "monitor wait thread",
    "metadata": "assembly module domain context class method thread setting",
    "monitor_classes": "monitor wait class alloc vtable",
    "monitor_sites": f"monitor wait {CALLS}",
    "monitor_stacks": "monitor wait method class",
    "monitor_threads": "monitor wait thread",
    "monitor_totals": "monitor wait",
    "monitors": "monitor wait class alloc",
    "mutator_utilisation": "gc heap_size",
    "pause_histogram": "gc",
    "root_kinds": "root dump",
    "root_regions": "root_region",
    "roots": "root root_region dump_object class",
    "sampled_code": "sample module native_symbol code",
    "sampled_methods": "sample method class module native_symbol code",
    "sampled_places": "sample",
    "sampled_threads": "sample thread",
    "survival": "alloc free gc move class dump_object",
    "survival_sites": f"alloc free gc move dump_object {CALLS}",
    "thread_states": f"thread monitor wait gc {CALLS}",
    "thread_times": f"thread monitor wait gc {CALLS}",
    "throw_bursts": f"throw clause {CALLS}",
    "throw_sites": f"throw clause {CALLS}",
    "thrown_classes": "throw class clause",
}
OF_ALL = {"summary", "suspects", "threads"}  # these are made of every event


def run(*words):
    return subprocess.run([POLYTRACE, *map(str, words)], capture_output=True, text=True,
                          timeout=150, check=False)


def report(trace):
    done = run("report", "--all", "--json", "--limit", "0", trace)
    assert done.returncode in (0, 4), done
    return {table["key"]: table["rows"] for table in json.loads(done.stdout)["tables"]}


def figures(tables, key):
    _, name, columns = TABLES[key]
    sums = {}
    for row in tables.get(key, []):
        old = sums.get(row[name], [0] * len(columns))
        sums[row[name]] = [a + row[column] for a, column in zip(old, columns)]
    return sums


def compare(what, source, before, after, lost, target):
    seen = 0
    for key, (kinds, _, _) in TABLES.items():
        # Calls of CoreProfiler's logs are samples, where a setting says so.
        of_stacks = key == "methods" and source == "tracelog"
        made_of = [*kinds, "sample", "setting"] if of_stacks else kinds
        if any(kind in lost for kind in made_of):
            continue
        wanted = figures(before, key)
        if target in TPTP and key == "allocations":  # $ stands before nested classes
            wanted = {name.replace("/", "$" if "." in name else "."): row
                      for name, row in wanted.items()}
        assert figures(after, key) == wanted, (what, key)
        seen += len(figures(before, key))
    if target in HOLD_THREAD_NAMES and "thread" not in lost:
        named = collections.defaultdict(set)  # an id may be that of one thread after the other
        for row in before.get("threads", []):
            named[row["id"]].add(row["thread"].removesuffix(" (after its end)"))
        for row in after.get("threads", []):
            wanted = named[row["id"]]
            if wanted and not any(name.startswith("0x") for name in wanted):
                name = row["thread"].removesuffix(" (after its end)")
                assert name in wanted, (what, row, wanted)
                seen += 1
    return seen


def rows_of(tables, key):
    return collections.Counter(json.dumps(row, sort_keys=True) for row in tables.get(key, []))


def compare_tables(what, before, after, told):
    """How many tables are the same."""
    lost = {name.split(".")[0] for name in [*told["lost"], *told["fields_lost"]]}
    same = 0
    for key in before.keys() | after.keys():
        wanted, got = rows_of(before, key), rows_of(after, key)
        if wanted == got:
            same += bool(wanted)
            continue
        reasons = lost if key in OF_ALL else lost & set(MADE_OF[key].split())
        assert reasons, (what, key, lost, (wanted - got).most_common(2),
                         (got - wanted).most_common(2))
    return same


def targets_of(number):
    """Of a trace: all when there is time, else two that change from one trace to the next."""
    if "POLYTRACE_LONG" in os.environ:
        return TARGETS
    return [TARGETS[(2 * number + i) % len(TARGETS)] for i in range(2)]


def main():
    seen = traces = tables = 0
    for source in SOURCES:
        for trace in sorted((DATA / source).iterdir()):
            if trace.suffix in (".json", ".txt", ".md", ".py") or trace.is_dir():
                continue
            before = report(trace)
            traces += 1
            for target in targets_of(traces):
                with tempfile.TemporaryDirectory() as folder:
                    output = Path(folder, f"converted.{target}")
                    done = run("convert", "--json", "--to", target, "-o", output, trace)
                    assert done.returncode in (0, 4), (trace, target, done)
                    told = json.loads(done.stdout)
                    lost = set(told["lost"]) | {field.removesuffix(".kind")
                                                for field in told["fields_lost"]
                                                if field.endswith(".kind")}
                    after = report(output)
                    seen += compare(f"{trace.name} as {target}", source, before, after, lost,
                                    target)
                    tables += compare_tables(f"{trace.name} as {target}", before, after, told)
    share = len(targets_of(0)) / len(TARGETS)
    assert traces > 30 and seen > 4000 * share * 0.8 and tables > 2000 * share * 0.8, \
        (traces, seen, tables)
    print(f"{traces} traces, {len(targets_of(0))} targets each: {seen} names and their figures, "
          f"{tables} tables are the same")


main()
