#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Questions to a store on a real server: every figure is counted a second time in Python, from the
rows that were put in."""
import collections
import json
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent / "support"))
import clickhouse  # noqa: E402
import facts  # noqa: E402

POLYTRACE = os.environ["POLYTRACE"]
SCHEMAS = Path(__file__).resolve().parents[2] / "docs/reference/schemas"
RANGE = ["--from", str(facts.BEGIN), "--to", str(facts.BEGIN + 3600)]


class Asked:
    def __init__(self, server, database="shop"):
        self.url = f"{server.url}/{database}"

    def run(self, *words, code=0):
        done = subprocess.run([POLYTRACE, "fleet", *map(str, words), "--store", self.url],
                              capture_output=True, text=True, timeout=150, check=False)
        assert done.returncode == code, (words, done.returncode, done.stdout, done.stderr)
        return done

    def json(self, *words, code=0):
        """Has exactly the members that its schema tells."""
        told = json.loads(self.run(*words, "--json", code=code).stdout)
        name = told["schema"].removeprefix("polytrace.").split("/")[0]
        schema = json.loads((SCHEMAS / f"{name}.json").read_text("utf-8"))
        assert set(schema["required"]) <= set(told) <= set(schema["properties"]), (words, told)
        return told

    def table(self, *words, limit=0):
        answer = self.json(*words, *RANGE, "--limit", limit)
        return answer, answer["tables"][0]["rows"]


def schema(server):
    asked = Asked(server, "made_by_us")
    assert "no tables" in asked.run("schema", code=3).stdout
    assert "no-such" not in asked.run("series", code=3).stderr
    assert asked.json("schema", code=3)["version"] is None
    assert "version 102; " in asked.run("schema", "--apply").stdout
    assert "nothing was made" in asked.run("schema", "--apply").stdout
    assert server.number("SELECT count() FROM made_by_us.schema_version") == 1
    # What is printed makes the same tables.
    statements = asked.run("schema", "--print").stdout.replace("made_by_us", "printed")
    for statement in statements.split(";\n")[:-1]:
        server.ask(statement)
    columns = ("SELECT table, name, type FROM system.columns WHERE database = '{}' "
               "ORDER BY table, name")
    columns = [server.ask(columns.format(name)) for name in ("made_by_us", "printed")]
    assert columns[0] == columns[1] and columns[0].count("\n") > 100, columns
    # Whoever is newer says so.
    server.ask("INSERT INTO printed.schema_version VALUES (200, 0, 'later')")
    later = Asked(server, "printed")
    assert "later version" in later.run("series", code=3).stderr
    assert "later version" in later.run("schema", "--apply", code=3).stderr


def series(asked, fleet):
    answer, rows = asked.table("series")
    assert answer["schema"] == "polytrace.fleet/1"
    assert len(rows) == len(fleet.series) == answer["series"]
    assert answer["events_lost"] == 7 == sum(row["lost"] for row in rows)
    assert answer["process_seconds"] == len(fleet.health) * 10
    for one in fleet.series:
        row = next(row for row in rows if row["instance"] == one["instance"])
        assert row["service"] == one["service_name"] and row["version"] == one["version"]
        assert row["labels"] == "region=" + one["label_values"][0] and row["skew_ms"] == -7
        assert row["process_seconds"] == facts.MINUTES * 60
    assert answer["rows"] == len(fleet.health)
    answer, rows = asked.table("services")
    assert answer["rows"] == len(fleet.health)
    assert {row["service"]: row["series"] for row in rows} == {"shop": 6, "search it's": 6}
    assert all((row["hosts"], row["versions"]) == (3, 2) for row in rows)


def where(asked, fleet):
    """The same choice in words and in Python."""
    for words, chosen in [
            ('service="shop"', fleet.who(service_name="shop")),
            ("service=\"search it's\"", fleet.who(service_name="search it's")),
            ('service=shop and not version="1"', fleet.who(service_name="shop", version="2")),
            ('region=eu', fleet.who(host="a")), ('region!="eu"', fleet.who(host="b") |
                                                 fleet.who(host="c")),
            ('host in ("a", "b"), version=2', fleet.who(host="a", version="2") |
             fleet.who(host="b", version="2")),
            ('service=~"^s.op$" or host=c', fleet.who(service_name="shop") | fleet.who(host="c")),
            ('nothing=""', fleet.who()), ('nothing="x"', set()),
            ('service!~"shop"', fleet.who(service_name="search it's")),
            ("service=\"' OR 1 = 1 --\"", set()), ('service="\\\\\' OR \'1"', set())]:
        answer, rows = asked.table("series", "--where", words)
        assert {int(row["instance"]) for row in rows} == chosen, (words, rows)
        assert answer["series"] == len(chosen)
    assert "1:9" in asked.run("series", "--where", 'service="shop', code=2).stderr


def methods(asked, fleet):
    for words, chosen in [([], fleet.who()), (["--where", "service=shop and version=2"],
                                              fleet.who(service_name="shop", version="2"))]:
        answer, rows = asked.table("methods", *words)
        own = [row for row in fleet.method_rows if row["series"] in chosen]
        assert answer["rows"] == len(own)
        seconds = answer["process_seconds"]
        assert seconds == len(chosen) * facts.MINUTES * 60
        for row in rows:
            of = [one for one in own if fleet.name(one["method"]) == row["method"]]
            calls = sum(one["calls"] for one in of)
            assert row["calls"] == calls and row["self"] == sum(one["self_ns"] for one in of)
            assert row["total"] == sum(one["total_ns"] for one in of)
            assert row["max"] == max(one["max_ns"] for one in of)
            assert abs(row["calls_per_process_second"] - calls / seconds) < 1e-9
            lengths = sorted(length for one in of for length in one["lengths"])
            for percent in (50, 95, 99):
                true = lengths[max(1, -(-len(lengths) * percent // 100)) - 1]
                assert abs(row[f"p{percent}"] - true) <= true / 32 + 1, (percent, row, true)
        assert len(rows) == 12
    _, rows = asked.table("methods", "--name", "step3(")
    assert [row["method"] for row in rows] == ["Shop.step3(int)"]


def folded(path):
    sums = collections.Counter()
    for line in Path(path).read_text("utf-8").splitlines():
        stack, _, value = line.rpartition(" ")
        sums[stack] += int(value)
    return sums


def flame(asked, fleet):
    until = ["--from", facts.BEGIN, "--until", facts.BEGIN + 3600]
    with tempfile.TemporaryDirectory() as folder:
        for weight, carrier, figure in [("time", 0, "weight"), ("calls", 0, "count"),
                                        ("bytes", 3, "weight"), ("objects", 3, "count"),
                                        ("wait", 4, "weight"), ("exceptions", 5, "count")]:
            for words, chosen in [([], fleet.who()),
                                  (["--where", "host=b"], fleet.who(host="b"))]:
                truth = collections.Counter()
                for row in fleet.profile:
                    if row["carrier"] == carrier and row["series"] in chosen:
                        truth[";".join(fleet.name(one) for one in reversed(row["stack"]))] += row[
                            figure]
                path = f"{folder}/{weight}.folded"
                answer = asked.json("flame", "--to", "folded", "--weight", weight, "-f", "-o", path,
                                    *words, *until)
                assert folded(path) == truth, weight
                assert answer["total"] == sum(truth.values())
        asked.run("flame", "-o", f"{folder}/a.html", *until)
        assert "Shop.step3(int)" in Path(f"{folder}/a.html").read_text("utf-8")
        asked.run("flame", "--svg", "-o", f"{folder}/a.svg", *until)
        assert "<svg" in Path(f"{folder}/a.svg").read_text("utf-8")
        asked.run("flame", "--to", "pprof", "-o", f"{folder}/a.pb.gz", *until)
        assert Path(f"{folder}/a.pb.gz").read_bytes()[:2] == b"\x1f\x8b"
        asked.run("flame", "--base", "version=1", "--where", "version=2", "-o",
                  f"{folder}/b.html", *until)
        assert "exists" in asked.run("flame", "-o", f"{folder}/a.html", *until, code=1).stderr


def pauses(asked, fleet):
    for key, label in [("service", "service_name"), ("host", "host")]:
        answer, rows = asked.table("pauses", "--group-by", key)
        assert answer["rows"] == len(fleet.health)
        assert {row[key] for row in rows} == {one[label] for one in fleet.series}
        for row in rows:
            chosen = fleet.who(**{label: row[key]})
            of = [one for one in fleet.health if one["series"] in chosen]
            lengths = sorted(one["pause_ns"] for one in of)
            assert row["paused"] == sum(lengths) and row["max"] == lengths[-1]
            assert row["collections"] == len(of) and row["series"] == len(chosen)
            assert abs(row["share"] - sum(lengths) / len(of) / 1e8) < 1e-9
            for percent in (50, 95, 99):
                true = lengths[max(1, -(-len(lengths) * percent // 100)) - 1]
                assert abs(row[f"p{percent}"] - true) <= true / 32 + 1
    longest = asked.json("pauses", *RANGE)["tables"][1]["rows"]
    assert [row["took"] for row in longest] == [9_000_000, 8_000_000], longest
    assert longest[0]["host"] == "a" and longest[0]["stream"] == "0xabc"
    asked.run("pauses", "--group-by", "a'b", *RANGE, code=2)


def types(asked, fleet):
    for command, carrier, count, weight in [("allocations", 3, "objects", "bytes"),
                                            ("locks", 4, "contentions", "wait"),
                                            ("exceptions", 5, "count", None)]:
        answer, rows = asked.table(command, "--where", "version=2")
        own = [row for row in fleet.profile
               if row["carrier"] == carrier and row["series"] in fleet.who(version="2")]
        assert answer["rows"] == len(own)
        for table, key, name_of in [
                (rows, "class", lambda row: fleet.name(row["subject"])),
                (asked.json(command, "--where", "version=2", *RANGE, "--limit", 0)["tables"][1][
                    "rows"], "method", lambda row: fleet.name(row["stack"][0]))]:
            truth = collections.defaultdict(lambda: [0, 0])
            for row in own:
                truth[name_of(row)][0] += row["count"]
                truth[name_of(row)][1] += row["weight"]
            assert {row[key]: [row[count], row[weight] if weight else row[count]]
                    for row in table} == dict(truth), command
            figure = weight or count
            for row in table:
                rate = row[figure] / answer["process_seconds"]
                assert abs(row[f"{figure}_per_process_second"] - rate) < 1e-6


def types_by_label(asked, fleet):
    """A row for each class and value of a label, and for each method and value."""
    for command, carrier, figure, key, label in [
            ("allocations", 3, "bytes", "version", "version"),
            ("locks", 4, "wait", "host", "host"),
            ("exceptions", 5, "count", "region", "label_values")]:
        value_of = {one["series"]: one[label][0] if key == "region" else one[label]
                    for one in fleet.series}
        tables = asked.json(command, "--group-by", key, *RANGE, "--limit", 0)["tables"]
        for rows, what, name_of in [
                (tables[0]["rows"], "class", lambda row: fleet.name(row["subject"])),
                (tables[1]["rows"], "method", lambda row: fleet.name(row["stack"][0]))]:
            truth = collections.Counter()
            for row in fleet.profile:
                if row["carrier"] == carrier:
                    truth[name_of(row), value_of[row["series"]]] += row[
                        "count" if figure == "count" else "weight"]
            assert {(row[what], row[key]): row[figure] for row in rows} == truth, command
    asked.run("locks", "--group-by", "a'b", *RANGE, code=2)


def hosts(server):
    """One host of five pauses three times as long as the others; another group has two hosts."""
    fleet = facts.Fleet(2)
    fleet.series = [{**fleet.series[0], "series": 500 + i, "instance": str(i), "host": f"h{i}",
                     "version": "9", "grp": 99} for i in range(5)] + [
                         {**fleet.series[0], "series": 600 + i, "host": f"g{i}", "grp": 98}
                         for i in range(2)]
    template = dict(fleet.health[0], lost=0)
    fleet.health = [{**template, "series": one["series"], "t": facts.BEGIN + 10 * i,
                     "pause_ns": (10 ** 6 + i) * (3 if one["host"] == "h3" else 1),
                     "alloc_bytes": 10 ** 6 + one["series"]}
                    for one in fleet.series for i in range(30)]
    Asked(server, "hosts").run("schema", "--apply")
    fleet.method_rows = fleet.method_rows[:1]
    fleet.put(server, "hosts", fleet.profile[:1])
    answer, rows = Asked(server, "hosts").table("hosts")
    assert [row["host"] for row in rows] == ["h3"], rows
    assert abs(rows[0]["ratio"] - 3) < 1e-9 and rows[0]["service"] == "shop"
    assert any("1 groups of fewer" in note for note in answer["notes"])
    assert Asked(server, "hosts").table("hosts", "--what", "alloc")[1] == []


def diff(asked, fleet):
    answer, rows = asked.table("diff", "--base", "version=1", "--where", "version=2")
    assert answer["base"]["where"] == 'version="1"' and answer["where"] == 'version="2"'
    def rate(method, version, figure):
        chosen = fleet.who(version=version)
        sums = sum(row[figure] for row in fleet.method_rows
                   if row["series"] in chosen and fleet.name(row["method"]) == method)
        return sums / (len(chosen) * facts.MINUTES * 60)
    def by_host(method, version):
        rates = []
        for host in "abc":
            chosen = fleet.who(version=version, host=host)
            rates.append(sum(row["self_ns"] for row in fleet.method_rows
                             if row["series"] in chosen and fleet.name(row["method"]) == method) /
                         (len(chosen) * facts.MINUTES * 60))
        return rates
    assert len(rows) == 12
    for row in rows:
        for column, version in (("before", "1"), ("after", "2")):
            assert abs(row[f"self_{column}"] - rate(row["method"], version, "self_ns")) < 1e-6
            assert abs(row[f"calls_{column}"] - rate(row["method"], version, "calls")) < 1e-6
        noise = 2 * sum(statistics.variance(by_host(row["method"], version)) / 3
                        for version in "12") ** 0.5
        assert abs(row["noise"] - noise) < 1e-6
        assert row["beyond_noise"] == ("yes" if abs(row["change"]) > noise else "no")
    diff_by_stack_and_type(asked, fleet)
    # Against a time at which nothing was there.
    _, rows = asked.table("diff", "--offset", "1d")
    assert all(row["self_before"] == 0 and row["change"] == row["self_after"] for row in rows)
    asked.run("diff", *RANGE, code=2)


def diff_by_stack_and_type(asked, fleet):
    def stack_text(row):
        return ";".join(fleet.name(one) for one in reversed(row["stack"]))
    for what, carrier, weight, count, key, name_of in [
            ("stack", 0, "self", "calls", "stack", stack_text),
            ("type", 3, "bytes", "objects", "class", lambda row: fleet.name(row["subject"]))]:
        _, rows = asked.table("diff", "--base", "version=1", "--where", "version=2", "--by", what)
        sums = collections.defaultdict(lambda: [0, 0])
        by_host = collections.Counter()
        series = {one["series"]: one for one in fleet.series}
        for row in fleet.profile:
            if row["carrier"] == carrier:
                one = series[row["series"]]
                own = sums[name_of(row), one["version"]]
                own[0] += row["weight"]
                own[1] += row["count"]
                by_host[name_of(row), one["version"], one["host"]] += row["weight"]
        assert {row[key] for row in rows} == {name for name, _ in sums}
        seconds = 6 * facts.MINUTES * 60  # of a version
        for row in rows:
            spread = 0
            for side, version in (("before", "1"), ("after", "2")):
                own = sums[row[key], version]
                assert abs(row[f"{weight}_{side}"] - own[0] / seconds) < 1e-6, row
                assert abs(row[f"{count}_{side}"] - own[1] / seconds) < 1e-6, row
                spread += statistics.variance(
                    by_host[row[key], version, host] * 3 / seconds for host in "abc") / 3
            assert abs(row["noise"] - 2 * spread ** 0.5) < 1e-6
    with tempfile.TemporaryDirectory() as folder:
        page = f"{folder}/both.html"
        words = ["--base", "version=1", "--where", "version=2", "--flame", page]
        answer, _ = asked.table("diff", *words)
        assert any(page in note for note in answer["notes"]), answer["notes"]
        assert "Shop.step3(int)" in Path(page).read_text("utf-8")
        assert "exists" in asked.run("diff", *words, *RANGE, code=1).stderr
        asked.table("diff", *words, "-f", "--by", "type")


def traces(asked, server):
    """Recordings that overlap the range, of the processes that match."""
    rows = [{"series": series, "stream": number, "first_block": 0, "last_block": 9, "t": begin,
             "first_ns": begin * 10 ** 9, "last_ns": (begin + 600) * 10 ** 9, "events": 12,
             "bytes": 345, "lost": 6, "why": "pushed", "place": f"file:/srv/{number}.ptrace",
             "version": 1}
            for number, (series, begin) in enumerate(
                [(101, facts.BEGIN), (104, facts.BEGIN - 300), (101, facts.BEGIN - 700),
                 (107, facts.BEGIN + 3599), (101, facts.BEGIN + 3600)])]
    facts.insert(server, "shop.traces", list(rows[0]), rows)
    _, told = asked.table("traces")
    assert {row["place"] for row in told} == {rows[i]["place"] for i in (0, 1, 3)}, told
    _, told = asked.table("traces", "--where", "service=shop and version=1")
    assert [row["place"] for row in told] == [rows[0]["place"]], told
    row = told[0]
    assert (row["events"], row["lost"], row["bytes"], row["length"]) == (12, 6, 345, 600 * 10 ** 9)
    assert row["instance"] == "101" and row["why"] == "pushed" and row["digest"] == "0" * 32


def says_what_it_is_made_of(asked):
    """For people: lines of their own above the tables, whatever was asked."""
    lines = asked.run("services", "--where", "service=shop", *RANGE).stdout.splitlines()
    assert lines[0].startswith(asked.url + ": ") and " to " in lines[0], lines[:4]
    assert lines[1].startswith('  6 series with service="shop"; '), lines[:4]
    assert " process-seconds; " in lines[2] and lines[2].endswith("7 LOST"), lines[:4]
    lines = asked.run("diff", "--base", "version=1", *RANGE).stdout.splitlines()
    heads = [line.split(":")[0] for line in lines if not line.startswith(" ")][:2]
    assert heads == ["before", "after"], lines[:8]


def twice(server, fleet):
    """All of it sent a second time, to parts of their own: nothing counts twice."""
    asked = Asked(server)
    _, before = asked.table("methods")
    fleet.put(server, "shop")
    assert server.number("SELECT count() FROM shop.profile_10s") > len(fleet.profile)
    _, after = asked.table("methods")
    assert before == after
    flame(asked, fleet)


def refusals(server):
    """What cannot be asked is said, with its code."""
    asked = Asked(server)
    nobody = Asked(server)
    nobody.url = "http://127.0.0.1:1/shop"
    assert "cannot be reached" in nobody.run("series", code=1).stderr
    for words in (["--last", "x"], ["--from", "9", "--to", "9"], ["--last", "1h", "--from", "1"]):
        asked.run("series", *words, code=2)


def users(asked):
    assert "HTTP " in asked.run("series", "--user", "nobody", code=1).stderr
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "wrong").write_text("hunter2\n", "utf-8")
        Path(folder, "right").write_text("open sesame\n", "utf-8")
        secret = ["--user", "secret", "--password-file"]
        fault = asked.run("services", *secret, f"{folder}/wrong", *RANGE, code=1).stderr
        assert "hunter2" not in fault and "401" in fault, fault
        asked.run("services", *secret, f"{folder}/right", *RANGE)
    # Who may change no setting is asked all the same.
    asked.run("services", "--user", "reader", *RANGE)


with clickhouse.Server() as SERVER:
    FLEET = facts.Fleet()
    schema(SERVER)
    Asked(SERVER).run("schema", "--apply")
    FLEET.put(SERVER, "shop")
    ASKED = Asked(SERVER)
    for test in (series, where, methods, flame, pauses, types, types_by_label, diff):
        test(ASKED, FLEET)
    says_what_it_is_made_of(ASKED)
    twice(SERVER, FLEET)
    traces(ASKED, SERVER)
    hosts(SERVER)
    refusals(SERVER)
    if not SERVER.library:
        users(ASKED)
    print("schema, series, conditions, figures of every question, resends and refusals hold")
