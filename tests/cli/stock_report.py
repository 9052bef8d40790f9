#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every number that both mprof-report and `polytrace report` give is the same, for every recording
with a stock report beside it. What differs on purpose is listed here and in
docs/formats/mlpd.md, section 12.
"""
import json
import os
import re
import subprocess
import sys
from pathlib import Path

DATA = Path(os.environ["TEST_DATA"]) / "mlpd"
# The stock tool's own mistakes: recording -> topics that are not compared.
NOT_COMPARED = {
    # A domain that is gone leaves code sizes that mean nothing; the stock tool adds them up in 32
    # bits.
    "domains": {"code size"},
    # The stock tool looks for an event byte that begins with version 14.
    "v13": {"contentions", "acquired"},
    "v13-calls": {"contentions", "acquired"},
}


def stock_facts(text):
    """{topic: number} for one stock report."""
    facts = {}

    def take(topic, pattern, section=None):
        part = text if section is None else section
        found = re.search(pattern, part, re.M)
        if found:
            facts[topic] = int(found[1])

    def part(title):
        found = re.search(rf"^{title}$(.*?)(?=^\S|\Z)", text, re.M | re.S)
        return found[1] if found else ""

    take("compiled methods", r"^\tCompiled methods: (\d+)")
    take("code size", r"^\tGenerated code size: (-?\d+)")
    take("helpers", r"^\tJIT helpers: (\d+)")
    take("helpers size", r"^\tJIT helpers code size: (\d+)")
    take("resizes", r"^\tGC resizes: (\d+)")
    take("largest heap", r"^\tMax heap size: (\d+)")
    take("moved", r"^\tObject moves: (\d+)")
    for generation, count, longest, total in re.findall(
            r"^\tGen(\d) collections: (\d+), max time: (\d+)us, total time: (\d+)us", text, re.M):
        facts[f"gen{generation} count"] = int(count)
        facts[f"gen{generation} longest us"] = int(longest)
        facts[f"gen{generation} total us"] = int(total)
    for kind, created, destroyed, most in re.findall(
            r"^\tGC handles (\w+): created: (\d+), destroyed: (\d+), max: (\d+)", text, re.M):
        facts |= {f"handles {kind} created": int(created), f"handles {kind} destroyed":
                  int(destroyed), f"handles {kind} most": int(most)}
    found = re.search(r"^Total memory allocated: (\d+) bytes in (\d+) objects", text, re.M)
    if found:
        facts |= {"allocated bytes": int(found[1]), "allocated objects": int(found[2])}
    take("calls", r"^Total calls: (\d+)")
    take("images", r"^\tLoaded images: (\d+)")
    take("assemblies", r"^\tLoaded assemblies: (\d+)")
    take("throws", r"^\tThrows: (\d+)")
    for clause in ("catch", "filter", "finally"):
        take(f"clauses {clause}", rf"^\tExecuted {clause} clauses: (\d+)")
    take("contentions", r"^\tLock contentions: (\d+)")
    take("acquired", r"^\tLock acquired: (\d+)")
    take("failures", r"^\tLock failures: (\d+)")
    take("managed hits", r"^\tManaged hits: +(\d+)")
    for i, size, objects in re.findall(
            r"^\tHeap shot (\d+) at .*?: size: (\d+), object count: (\d+)", text, re.M):
        facts |= {f"snapshot {i} bytes": int(size), f"snapshot {i} objects": int(objects)}
    # Rows by name. What the stock tool could not resolve is in one row of its own.
    for size, count, name in re.findall(r"^ +(\d+) +(\d+) +\d+ (?!unresolved)(\S.*)$",
                                        part("Allocation summary"), re.M):
        facts[f"class {name} objects"] = int(count)
        facts[f"class {name} bytes"] = int(size)
    for calls, name in re.findall(r"^ +\d+ +\d+ +(\d+) (\S.*)$", part("Method call summary"), re.M):
        facts[f"method {name} calls"] = facts.get(f"method {name} calls", 0) + int(calls)
    return facts


class Ours:
    def __init__(self, report):
        self.tables = {table["key"]: table["rows"] for table in report["tables"]}

    def rows(self, key):
        return self.tables.get(key, [])

    def sum(self, key, column, where=lambda row: True):
        return sum(row[column] or 0 for row in self.rows(key) if where(row))


def our_facts(report):
    ours = Ours(report)
    facts = {
        "compiled methods": len(ours.rows("compiled_methods")),
        "code size": ours.sum("compiled_methods", "code_size"),
        "helpers": ours.sum("code_helpers", "count"),
        "helpers size": ours.sum("code_helpers", "bytes"),
        "resizes": ours.sum("heap_size", "resizes"),
        "largest heap": ours.sum("heap_size", "largest"),
        "moved": ours.sum("heap_size", "moved"),
        "allocated bytes": ours.sum("allocations", "bytes"),
        "allocated objects": ours.sum("allocations", "count"),
        "calls": ours.sum("methods", "calls"),
        "images": ours.sum("metadata", "loaded", lambda row: row["kind"] == "images"),
        "assemblies": ours.sum("metadata", "loaded", lambda row: row["kind"] == "assemblies"),
        "throws": ours.sum("thrown_classes", "thrown"),
        "contentions": ours.sum("monitor_totals", "contentions"),
        "acquired": ours.sum("monitor_totals", "acquired"),
        "failures": ours.sum("monitor_totals", "failed"),
        "managed hits": ours.sum("sampled_code", "hits", lambda row: row["kind"] == "managed"),
    }
    for clause in ("catch", "filter", "finally"):
        facts[f"clauses {clause}"] = ours.sum("clauses", "count",
                                              lambda row, c=clause: row["clause"] == c)
    for row in ours.rows("collection_generations"):
        facts |= {f"gen{row['generation']} count": row["count"],
                  f"gen{row['generation']} longest us": row["longest"] // 1000,
                  f"gen{row['generation']} total us": row["total"] // 1000}
    for row in ours.rows("handles"):
        kind = {"weak_track": "weaktrack"}.get(row["kind"], row["kind"])
        facts |= {f"handles {kind} created": row["created"], f"handles {kind} destroyed":
                  row["destroyed"], f"handles {kind} most": row["most"]}
    for row in ours.rows("heap_snapshots"):
        facts |= {f"snapshot {row['snapshot']} bytes": row["bytes"],
                  f"snapshot {row['snapshot']} objects": row["objects"]}
    for row in ours.rows("allocations"):
        for what in ("count", "bytes"):
            key = f"class {row['class']} {'objects' if what == 'count' else what}"
            facts[key] = facts.get(key, 0) + row[what]
    for row in ours.rows("methods"):
        key = f"method {row['method']} calls"
        facts[key] = facts.get(key, 0) + row["calls"]
    return facts


def differences(stock, ours, skip):
    """What our report says otherwise. Of a class it may have more: what the stock tool did not
    resolve."""
    for topic, number in stock.items():
        if topic in skip:
            continue
        mine = ours.get(topic, 0)
        at_least = topic.startswith("class ")
        if mine < number or (mine > number and not at_least):
            yield f"{topic}: stock {number}, ours {mine}"


def main():
    compared = faults = 0
    for path in sorted(DATA.rglob("*.report.txt")):
        name = path.name.removesuffix(".report.txt")
        text = path.read_text(errors="replace")
        names = (name + ".mlpd", name + ".mlpd.gz")
        recording = next(p for p in map(path.with_name, names) if p.exists())
        run = subprocess.run([os.environ["POLYTRACE"], "report", "--json", "--limit", "0",
                              "--show-helpers", recording], capture_output=True, text=True)
        if run.returncode not in (0, 4):
            sys.exit(f"{recording}: exit code {run.returncode}: {run.stderr}")
        stock = stock_facts(text)
        for difference in differences(stock, our_facts(json.loads(run.stdout)),
                                      NOT_COMPARED.get(name, set())):
            print(f"{name}: {difference}")
            faults += 1
        compared += len(stock)
    print(f"{compared} numbers compared, {faults} differ")
    # Fewer would mean that the comparison no longer understands the reports.
    return 1 if faults or compared < 1000 else 0


if __name__ == "__main__":
    sys.exit(main())
