#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a fleet of a given size will ask of collectors, hubs and a store, before anybody has it:
processes are drawn, their windows go through the rules by which an edge makes rows.

usage: fleet_sim.py [FLEET.toml] [--json]    without a file: what --example prints
       fleet_sim.py --example
       fleet_sim.py --check FLEET.json       holds it against a run of ./dev bench fleet, which
                                             writes that file: exit code 1 beyond 20 %
"""
import json
import math
import random
import sys
import tomllib
from pathlib import Path

EXAMPLE = """[fleet]
processes = 1000000     # at once
machines = 100000
services = 500          # some have many processes, most have few (Zipf)
restarts_per_day = 2    # of a process
hubs = 10
[levels]                # shares of the processes
health = 0.2            # pauses and sampled allocation
summary = 0.79          # calls as sums
events = 0.01           # each call
[process]               # of level summary or events
calls_per_second = 400
paths = 110             # stacks that calls end on
methods = 120
zipf = 1.1              # how unequal the paths are
[run]
drawn = 400             # processes; figures are theirs times processes / drawn
minutes = 5
seed = 1
"""
# Rules of an edge: docs/collector.md, "What the rows hold".
WINDOW, MINUTE = 10, 60
MOST_ROWS, MOST_METHODS, MOST_CALL_MOMENTS = 400, 64, 8
# Bytes of a row in the store, and what one insert takes at most: measured, docs/performance.md.
BYTES = {"profile_10s": 6.5, "methods_1m": 28, "health_10s": 66, "moments": 60, "names": 100}
MOST_ROWS_OF_INSERT, INSERT_EACH = 500_000, 10
# Of an edge, KiB, measured: without programs; of one that says nothing; of one that calls, with its
# tables of names and what is on its way; of each stack in them, with its figures in open windows.
EMPTY_KIB, IDLE_KIB, BUSY_KIB, STACK_KIB = 16_000, 8, 180, 1.0
TOLERANCE = 0.2


def zipf_weights(count, exponent):
    weights = [1 / (i + 1) ** exponent for i in range(count)]
    total = sum(weights)
    return [weight / total for weight in weights]


class Service:
    """Its processes share its code."""

    def __init__(self, number, process):
        self.number = number
        self.weights = zipf_weights(process["paths"], process["zipf"])
        self.seen = set()


def window_of(draw, service, calls):
    """The paths that so many calls end on."""
    return {i for i, weight in enumerate(service.weights)
            if draw.random() < 1 - math.exp(-calls * weight)}


def simulate(fleet):
    draw = random.Random(fleet["run"]["seed"])
    process, run = fleet["process"], fleet["run"]
    services = [Service(i, process) for i in range(fleet["fleet"]["services"])]
    sizes = zipf_weights(len(services), 1.0)
    rows = dict.fromkeys(BYTES, 0)
    memory = 0
    for _ in range(run["drawn"]):
        service = draw.choices(services, sizes)[0]
        level = draw.choices(list(fleet["levels"]), list(fleet["levels"].values()))[0]
        paths = set()
        for _ in range(run["minutes"]):
            methods = set()
            for _ in range(MINUTE // WINDOW):
                rows["health_10s"] += 1
                if level == "health":
                    continue
                hit = window_of(draw, service, process["calls_per_second"] * WINDOW)
                paths |= hit
                methods |= {path % process["methods"] for path in hit}
                rows["profile_10s"] += min(len(hit), MOST_ROWS)
                if level == "events":
                    rows["moments"] += min(len(methods), MOST_CALL_MOMENTS)
            rows["methods_1m"] += min(len(methods), MOST_METHODS)
        service.seen |= paths
        starts = fleet["fleet"]["restarts_per_day"] * run["minutes"] / 1440
        rows["names"] += starts * (1 + len(paths) + min(len(paths), process["methods"]))
        memory += IDLE_KIB if level == "health" else BUSY_KIB + STACK_KIB * len(paths)
    scale = fleet["fleet"]["processes"] / run["drawn"]
    seconds = run["minutes"] * MINUTE
    each = {table: count * scale / seconds for table, count in rows.items()}
    hub = sum(each.values()) / fleet["fleet"]["hubs"]
    inserts = len(BYTES) / INSERT_EACH + hub / MOST_ROWS_OF_INSERT
    per_machine = fleet["fleet"]["processes"] / fleet["fleet"]["machines"]
    return {
        "rows_per_second": {table: round(rate, 2) for table, rate in each.items()},
        "rows_per_second_in_all": round(sum(each.values()), 2),
        "bytes_per_second": round(sum(each[table] * BYTES[table] for table in each), 1),
        "terabytes_per_day": round(sum(each[table] * BYTES[table] for table in each) * 86400 / 1e12,
                                   3),
        # Of those that the drawn ones have seen: services without a drawn process have theirs, too.
        "stacks": sum(len(service.seen) for service in services if service.seen)
        * max(1, len(services) // max(1, sum(bool(service.seen) for service in services))),
        "inserts_per_second": round(inserts * fleet["fleet"]["hubs"], 1),
        "edge_memory_mib": round((EMPTY_KIB + per_machine * memory / run["drawn"]) / 1024, 1),
    }


def walk(events, spread):
    """The stacks and methods of a block of the benchmark's programs (bench/fleet_send.cpp), by its
    rules, counted here."""
    mask, state, stack, paths = (1 << 64) - 1, 88172645463325252, [], set()
    for i in range(events):
        state ^= state << 13 & mask
        state ^= state >> 7
        state ^= state << 17 & mask
        must_leave = len(stack) >= events - i
        if not must_leave and (len(stack) < 2 or (len(stack) < 8 and (state >> 33) % 2 == 0)):
            turn = (state >> 50) % (spread + 1) if (state >> 40) % 4 == 0 else 0
            stack.append(100 if not stack else (stack[-1] * 7 + turn) % 64 + 101)
            paths.add(tuple(stack))
        else:
            stack.pop()
    return paths


def check(told):
    """Figures of a run beside what is expected of it."""
    paths = walk(told["block"], told["spread"])
    methods = {path[-1] for path in paths}
    begin, end = told["begin"], told["begin"] + told["seconds"]
    windows = math.floor(end / WINDOW) - math.floor(begin / WINDOW) + 1
    minutes = math.floor(end / MINUTE) - math.floor(begin / MINUTE) + 1
    streams = told["streams"]
    expected = {
        "profile_10s": streams * windows * min(len(paths), MOST_ROWS),
        "methods_1m": streams * minutes * min(len(methods), MOST_METHODS),
        "health_10s": streams * windows,
        "stacks": len(paths),
        "edge_memory_mib": (EMPTY_KIB + streams * (BUSY_KIB + STACK_KIB * len(paths))) / 1024,
    }
    far = 0
    for name, value in expected.items():
        ratio = value / told[name] if told[name] else math.inf
        held = abs(ratio - 1) <= TOLERANCE
        far += not held
        print(f"{name:<18} expected {value:>12.0f}  measured {told[name]:>12.0f}  "
              f"{ratio:5.2f}  {'held' if held else 'MISSED'}")
    return far


def main():
    words = sys.argv[1:]
    if words[:1] == ["--example"]:
        print(EXAMPLE, end="")
        return 0
    if len(words) == 2 and words[0] == "--check":
        return 1 if check(json.loads(Path(words[1]).read_text("utf-8"))) else 0
    files = [word for word in words if word != "--json"]
    if len(files) > 1 or any(word.startswith("-") for word in files):
        print(__doc__, file=sys.stderr)
        return 2
    fleet = tomllib.loads(Path(files[0]).read_text("utf-8") if files else EXAMPLE)
    known = tomllib.loads(EXAMPLE)
    for section, keys in fleet.items():
        strange = set(keys) - set(known.get(section, ()))
        if strange:
            print(f"fleet_sim: [{section}] has no {', '.join(sorted(strange))}; --example prints "
                  "what there is", file=sys.stderr)
            return 2
    for section, keys in known.items():
        fleet[section] = {**keys, **fleet.get(section, {})}
    answer = simulate(fleet)
    if "--json" in words:
        print(json.dumps(answer))
        return 0
    for table, rate in answer["rows_per_second"].items():
        print(f"{table:<24} {rate:>16,.0f} rows/s")
    for name in ("bytes_per_second", "terabytes_per_day", "stacks", "inserts_per_second",
                 "edge_memory_mib"):
        print(f"{name.replace('_', ' '):<24} {answer[name]:>16,}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
