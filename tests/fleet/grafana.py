#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Dashboards for Grafana: the SQL of each panel, with its macros replaced as the data source does,
runs on a real server, has the columns that its kind of panel needs, and the sums that Python counts
from the rows that were put in."""
import collections
import json
import os
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent / "support"))
import clickhouse  # noqa: E402
import facts  # noqa: E402

FOLDER = Path(__file__).resolve().parents[2] / "share/grafana"
BEGIN, END = facts.BEGIN, facts.BEGIN + 3600
STEP = 60
# What a kind of panel needs: names, or * for what may be there besides.
NEEDS = {"timeseries": {"time"}, "heatmap": {"time", "le", "value"}, "table": set(),
         "flamegraph": {"level", "label", "value", "self"}}


def replaced(sql, service=".*"):
    for macro, text in (
            ("$__timeFilter(t)", f"t >= toDateTime({BEGIN}) AND t <= toDateTime({END})"),
            ("$__timeFilter(written)",
             f"written >= toDateTime({BEGIN}) AND written <= toDateTime({END})"),
            ("$__fromTime", f"toDateTime({BEGIN})"), ("$__toTime", f"toDateTime({END})"),
            ("$__interval_s", str(STEP)), ("${db}", "shop"), ("${all}", ""),
            ("${service:regex}", service)):
        sql = sql.replace(macro, text)
    assert "$" not in sql, sql
    return sql


class Panels:
    def __init__(self, server):
        self.server = server
        self.panels = {}
        for file in sorted(FOLDER.glob("*.json")):
            board = json.loads(file.read_text("utf-8"))
            assert board["uid"] == f"polytrace-{file.stem}" and board["title"], file
            names = {one["name"] for one in board["templating"]["list"]}
            assert names == {"source", "db", "all", "service"}, names
            variable = next(one for one in board["templating"]["list"] if one["name"] == "service")
            assert len(server.rows(replaced(variable["query"]))) == 2
            for panel in board["panels"]:
                assert panel["id"] not in [key[1] for key in self.panels if key[0] == file.stem]
                self.panels[file.stem, panel["id"]] = panel

    def ask(self, board, number, service=".*"):
        """Rows as objects, once the columns are what the panel needs."""
        panel = self.panels.pop((board, number))
        (target,) = panel["targets"]
        answer = json.loads(self.server.ask(replaced(target["rawSql"], service) + " FORMAT JSON"))
        columns = {one["name"]: one["type"] for one in answer["meta"]}
        needed = NEEDS[panel["type"]]
        assert needed <= set(columns), (board, number, columns)
        if "time" in needed:
            assert columns["time"].startswith("DateTime") and target["format"] == 0, columns
            times = [row["time"] for row in answer["data"]]
            assert times == sorted(times)
        else:
            assert target["format"] == 1
        return answer["data"]


def by_minute(rows, fleet, figure, add=sum):
    """(seconds, service) -> the sum and how many rows it is of."""
    service = {one["series"]: one["service_name"] for one in fleet.series}
    found = collections.defaultdict(list)
    for row in rows:
        found[row["t"] // STEP * STEP, service[row["series"]]].append(row[figure])
    return {key: (add(values), len(values)) for key, values in found.items()}


def seconds(server, text):
    return server.number(f"SELECT toUInt32(toDateTime('{text}'))")


def series_panels(panels, server, fleet):
    for board, number, column, figure, whole, add in (
            ("health", 1, "calls", "calls", 10, sum),
            ("health", 2, "bytes", "alloc_bytes", 10, sum),
            ("health", 3, "heap", "heap_used", 1, sum), ("health", 4, "threads", "threads", 1, sum),
            ("health", 5, "wait", "wait_ns", 10, sum), ("health", 6, "throws", "throws", 10, sum),
            ("pauses", 2, "share", "pause_ns", 10 ** 10, sum),
            ("pauses", 3, "longest", "pause_max_ns", 0, max),
            ("loss", 1, "lost_events", "lost", 0, sum)):
        truth = by_minute(fleet.health, fleet, figure, add)
        told = panels.ask(board, number)
        assert len(told) == len(truth) == 2 * facts.MINUTES
        for row in told:
            all_of, count = truth[seconds(server, row["time"]), row["service_name"]]
            right = all_of / (count * whole) if whole else all_of
            assert abs(float(row[column]) - right) <= 1e-9 * max(1, right), (column, row, right)


def heat_map(panels, server, fleet):
    truth = collections.Counter()
    for row in fleet.health:
        upper = 16
        while row["pause_ns"] >= upper:
            upper *= 2
        truth[row["t"] // STEP * STEP, str(upper)] += 1
    told = {(seconds(server, row["time"]), row["le"]): int(row["value"])
            for row in panels.ask("pauses", 1)}
    assert told == truth


def tables(panels, fleet):
    truth = collections.defaultdict(lambda: [0, 0, 0, 0])
    shop = fleet.who(service_name="shop")
    for row in fleet.method_rows:
        if row["series"] in shop:
            own = truth[fleet.name(row["method"])]
            for i, figure in enumerate(("calls", "self_ns", "total_ns")):
                own[i] += row[figure]
            own[3] = max(own[3], row["max_ns"])
    told = panels.ask("methods", 1, "shop")
    assert {row["method"]: [int(row[key]) for key in ("calls", "self", "total", "longest")]
            for row in told} == dict(truth)
    rates = collections.defaultdict(lambda: [0, 0, 0, 0])
    series = {one["series"]: one for one in fleet.series}
    for row in fleet.health:
        one = series[row["series"]]
        own = rates[one["service_name"], one["host"]]
        for i, more in enumerate((10, row["pause_ns"], row["alloc_bytes"], row["wait_ns"])):
            own[i] += more
    told = panels.ask("hosts", 1)
    assert len(told) == len(rates) == 6
    for row in told:
        own = rates[row["service_name"], row["host"]]
        assert int(row["process_seconds"]) == own[0]
        for i, key in enumerate(("paused", "allocated", "waited")):
            assert abs(float(row[key]) - own[i + 1] / own[0]) < 1e-6 * max(1, own[i + 1]), row


def senders(panels, server):
    rows = [{"edge": edge, "number": number, "target": "profile_10s", "hour": BEGIN // 3600,
             "rows": 5 * number, "attempts": number, "written": BEGIN + 100 * number}
            for edge, number in (("a", 1), ("a", 2), ("b", 3))]
    facts.insert(server, "shop.batches", list(rows[0]), rows)
    told = [(row["edge"], int(row["sent"]), int(row["ago"]), int(row["tries"]))
            for row in panels.ask("loss", 2)]
    assert told == [("a", 15, 3400, 2), ("b", 15, 3300, 3)], told


def flame_graph(panels, fleet):
    """A nested set: each row's value is its own and its children's, as the panel adds them up."""
    truth, own = collections.Counter(), collections.Counter()
    for row in fleet.profile:
        if row["carrier"] == facts.CALLS:
            path = tuple(fleet.name(one) for one in reversed(row["stack"]))
            own[path] += row["weight"]
            for length in range(1, len(path) + 1):
                truth[path[:length]] += row["weight"]
    path, told = [], {}
    for row in panels.ask("methods", 2):
        level = int(row["level"])
        assert level <= len(path), "a child before its parent"
        path = [*path[:level], row["label"]]
        assert tuple(path) not in told
        told[tuple(path)] = int(row["value"])
        assert int(row["self"]) == own[tuple(path)], path
    assert told == truth


def main():
    with clickhouse.Server() as server:
        subprocess.run([os.environ["POLYTRACE"], "fleet", "schema", "--apply", "--store",
                        f"{server.url}/shop"], check=True, stdout=subprocess.DEVNULL)
        fleet = facts.Fleet()
        fleet.put(server, "shop")
        fleet.put_profile(server, "shop", fleet.profile)  # twice: it counts once
        panels = Panels(server)
        series_panels(panels, server, fleet)
        heat_map(panels, server, fleet)
        tables(panels, fleet)
        senders(panels, server)
        flame_graph(panels, fleet)
        assert not panels.panels, ("not asked", list(panels.panels))
        print("panels have their columns and sums")


if __name__ == "__main__":
    main()
