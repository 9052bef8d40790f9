#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A store that is kept: rolled up, pruned, verified, watched, on a real server. Every sum is made a
second time in Python from the rows that were put in, whatever table answers."""
import collections
import json
import os
import subprocess
import sys
import time
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parent / "support"), str(Path(__file__).parents[1] / "cli")]
import clickhouse  # noqa: E402
import facts  # noqa: E402
from json_schemas import fits  # noqa: E402

POLYTRACE = os.environ["POLYTRACE"]
HOUR, DAY = 3600, 86400
LATER = 25 * HOUR  # the second day of what is put in
END = facts.BEGIN + LATER + 60 * facts.MINUTES
LONG = "20000d"
TABLES = ("profile_10s", "profile_1m", "profile_1h", "methods_1m", "methods_1h", "health_10s",
          "moments", "traces", "batches")


class Store:
    def __init__(self, server, database):
        self.server, self.database = server, database
        self.url = f"{server.url}/{database}"

    def command(self, *words):
        store = [] if words[0] == "plan" else ["--store", self.url]
        return [POLYTRACE, "fleet", *map(str, words), *store]

    def run(self, *words, code=0):
        done = subprocess.run(self.command(*words), capture_output=True, text=True, timeout=150,
                              check=False)
        assert done.returncode == code, (words, done.returncode, done.stdout, done.stderr)
        return done

    def json(self, *words, code=0):
        told = json.loads(self.run(*words, "--json", code=code).stdout)
        if "operation" in told:
            fits(told, "fleet-operation.json", words[0])
        return told

    def operate(self, *words, code=0):
        told = self.json(*words, code=code)
        assert told["operation"] == words[0]
        return told["figures"], {table["key"]: table["rows"] for table in told["tables"]}, told

    def ask(self, sql):
        return self.server.rows(sql.replace("DB.", self.database + "."))

    def stages(self):
        return self.server.number("SELECT count() FROM system.tables WHERE database = "
                                  f"'{self.database}' AND name LIKE '%\\_stage\\_%'")


class Rows:
    """What was put in: three fleets at three times, and their control totals by two edges."""
    def __init__(self):
        self.profile, self.methods, self.health, self.fleets = [], [], [], []
        for seed, shift in ((1, 0), (2, HOUR), (3, LATER)):
            fleet = facts.Fleet(seed)
            self.fleets.append(fleet)
            for own, rows in ((self.profile, fleet.profile), (self.methods, fleet.method_rows),
                              (self.health, fleet.health)):
                own += [{**row, "t": row["t"] + shift, "hour": (row["t"] + shift) // HOUR}
                        for row in rows]
        self.group = {one["series"]: one["grp"] for one in self.fleets[0].series}
        self.number, self.told = 0, []

    def put(self, store, profile=None):
        """Rows and what is told of them; `profile`: only these."""
        first = self.fleets[0]
        if profile is None:
            for fleet in self.fleets[1:]:
                for frames in {facts.stack_id(one): one for one in fleet.stacks}.values():
                    store.server.ask(
                        f"INSERT INTO {store.database}.stacks (id, frames, seen) VALUES "
                        f"(unhex('{facts.stack_id(frames)}'), {facts.escaped(frames)}, "
                        "'2026-09-21')")
            first.profile, first.method_rows, first.health = self.profile, self.methods, self.health
            first.put(store.server, store.database)
            self.tell(store, "methods_1m", self.methods, "calls", "self_ns")
            self.tell(store, "health_10s", self.health, "calls", "pause_ns")
        else:
            first.put_profile(store.server, store.database, profile)
        self.tell(store, "profile_10s", profile or self.profile, "count", "weight")

    def again(self, store):
        """All profile rows and what was told of them a second time."""
        self.fleets[0].put_profile(store.server, store.database, self.profile)
        self.put_told(store, [{**row, "attempts": 2} for row in self.told])

    def tell(self, store, table, rows, count, weight, edge=None):
        told = collections.defaultdict(lambda: [0, 0, 0])
        for row in rows:
            sums = told[edge or f"edge-{row['series'] % 2}", row["hour"]]
            for i, more in enumerate((1, row[count], row[weight])):
                sums[i] += more
        self.number += 1
        told = [{"edge": who, "number": self.number, "target": table, "day": hour // 24,
                 "hour": hour, "rows": sums[0], "count": sums[1], "weight": sums[2], "attempts": 1,
                 "written": facts.BEGIN + LATER} for (who, hour), sums in told.items()]
        self.told += told
        self.put_told(store, told)

    @staticmethod
    def put_told(store, told):
        facts.insert(store.server, f"{store.database}.batches", list(told[0]), told)

    def late(self, t, count):
        """Rows of one window that come later, beside those that were there."""
        rows = [{**row, "gen": 1, "count": count, "weight": 7 * count}
                for row in self.profile if row["t"] == t and row["gen"] == 0]
        assert rows
        self.profile += rows
        return rows

    def by(self, length):
        """Sums of profile rows by group and so many seconds, as the store has them."""
        sums = collections.defaultdict(lambda: [0, 0])
        for row in self.profile:
            own = sums[row["service"], row["carrier"], facts.stack_id(row["stack"]).upper(),
                       row["subject"], self.group[row["series"]], row["t"] // length * length]
            own[0] += row["count"]
            own[1] += row["weight"]
        return {key: tuple(value) for key, value in sums.items()}

    def methods_by_hour(self):
        sums = {}
        for row in self.methods:
            key = row["service"], row["method"], self.group[row["series"]], row["t"] // HOUR * HOUR
            calls, own, total, longest, tally = sums.get(key, (0, 0, 0, 0, {}))
            tally = dict(tally)
            for bucket, times in zip(row["bucket"], row["tally"]):
                tally[bucket] = tally.get(bucket, 0) + times
            sums[key] = (calls + row["calls"], own + row["self_ns"], total + row["total_ns"],
                         max(longest, row["max_ns"]), tally)
        return sums


def stored(store, table):
    rows = store.ask("SELECT service, carrier, hex(stack), subject, grp, toUInt32(t), count, "
                     f"weight FROM DB.{table}")
    sums = {(int(row[0]), int(row[1]), row[2], *map(int, row[3:6])): (int(row[6]), int(row[7]))
            for row in rows}
    assert len(sums) == len(rows), "a key twice"
    return sums


def expect_tiers(store, rows):
    assert stored(store, "profile_1m") == rows.by(60)
    assert stored(store, "profile_1h") == rows.by(HOUR)
    assert store.stages() == 0


def old_store(server, rows):
    """One of version 100 answers as before, rolls nothing, and becomes one of today."""
    store = Store(server, "old")
    for statement in store.run("schema", "--print").stdout.split(";\n")[:-1]:
        if ".rolls" not in statement and ".drops" not in statement:
            server.ask(statement.replace(", state String)", ")"))
    server.ask("INSERT INTO old.schema_version VALUES (100, 0, 'earlier')")
    rows.put(store)
    expect_classes(store, rows, facts.BEGIN, END, ["profile_10s"])
    for words in (["roll"], ["prune"]):
        assert "schema --apply" in store.run(*words, code=3).stderr
    assert any("--apply" in note for note in store.json("status")["notes"])
    assert "version 102; " in store.run("schema", "--apply").stdout
    assert "\nstate\t" in server.ask("DESCRIBE TABLE old.streams")
    assert store.operate("roll")[0]["hours_rolled"] == 3
    expect_tiers(store, rows)


def roll(store, rows):
    figures, tables, _ = store.operate("roll")
    assert figures["hours_rolled"] == 3 and figures["days_rolled"] == 4, figures
    minutes, hours = rows.by(60), rows.by(HOUR)
    of_methods = rows.methods_by_hour()
    assert figures["rows_in"] == len(rows.profile) + len(minutes) + len(rows.methods)
    assert figures["rows_out"] == len(minutes) + len(hours) + len(of_methods)
    assert len(tables["rolled"]) == 7
    expect_tiers(store, rows)
    have = {}
    for row in store.ask("SELECT service, method, grp, toUInt32(t), calls, self_ns, total_ns, "
                         "max_ns, bucket, tally FROM DB.methods_1h"):
        tally = dict(zip(json.loads(row[8]), json.loads(row[9])))
        have[tuple(map(int, row[:4]))] = (*map(int, row[4:8]), tally)
    assert have == of_methods
    again = store.operate("roll")[0]
    assert again["hours_rolled"] == again["days_rolled"] == 0, again
    # Asked for, it is made again, and is the same.
    forced, _, _ = store.operate("roll", "--from", facts.BEGIN, "--to", END)
    assert forced["hours_rolled"] == 26 and forced["days_rolled"] == 4, forced
    expect_tiers(store, rows)
    store.run("roll", "--from", 0, "--to", END, code=2)


def late_rows(store, rows):
    """Hours with later rows are due again; resends are not; what has no end is early."""
    rows.put(store, rows.late(facts.BEGIN, 1000))
    figures, _, _ = store.operate("roll")
    assert figures["hours_rolled"] == 1 and figures["days_rolled"] == 1, figures
    expect_tiers(store, rows)
    rows.again(store)
    now = int(time.time())
    rows.tell(store, "profile_10s", [{"series": 1, "hour": now // HOUR, "count": 1, "weight": 1}],
              "count", "weight")
    figures, _, _ = store.operate("roll")
    assert figures["hours_rolled"] == 0 and figures["hours_early"] == 1, figures
    expect_tiers(store, rows)


def expect_classes(store, rows, begin, end, tiers, *words, chosen=None):
    """Allocated classes of a range: the same figures, whatever was asked for them."""
    answer = store.json("allocations", "--from", begin, "--to", end, "--limit", 0, *words)
    truth = collections.defaultdict(lambda: [0, 0])
    for row in rows.profile:
        if row["carrier"] == 3 and begin <= row["t"] < end and (
                chosen is None or row["series"] in chosen):
            own = truth[rows.fleets[0].name(row["subject"])]
            own[0] += row["count"]
            own[1] += row["weight"]
    have = {row["class"]: [row["objects"], row["bytes"]] for row in answer["tables"][0]["rows"]}
    assert have == dict(truth), (words, have, dict(truth))
    assert answer["tiers"] == tiers, (words, answer["tiers"])
    return answer


def folded(store, *words):
    """Weights by stack of a flame graph."""
    have = collections.Counter()
    for line in store.run("flame", "--to", "folded", "-q", "-o", "-", *words).stdout.splitlines():
        stack, _, value = line.rpartition(" ")
        have[stack] += int(value)
    return have


def expect_flame(store, rows, begin, end, *words, chosen=None):
    truth = collections.Counter()
    for row in rows.profile:
        if row["carrier"] == 0 and begin <= row["t"] < end and (
                chosen is None or row["series"] in chosen):
            truth[";".join(rows.fleets[0].name(one) for one in reversed(row["stack"]))] += row[
                "weight"]
    assert folded(store, "--from", begin, "--until", end, *words) == truth, words


def planner(store, rows):
    begin, end = facts.BEGIN // HOUR * HOUR, END
    shop = rows.fleets[0].who(service_name="shop", version="2")
    for resolution, seconds in (("10s", 10), ("1m", 60), ("1h", HOUR)):
        words, tiers = ["--resolution", resolution], [f"profile_{resolution}"]
        answer = expect_classes(store, rows, begin, end, tiers, *words)
        assert answer["resolution_s"] == seconds
        where = ["--where", "service=shop and version=2"]
        expect_classes(store, rows, begin, end, tiers, *words, *where, chosen=shop)
        expect_flame(store, rows, begin, end, *words, *where, chosen=shop)
        expect_flame(store, rows, begin, end, *words)
    # A range that begins and ends anywhere has the rest from finer tiers.
    all_tiers = ["profile_10s", "profile_1m", "profile_1h"]
    odd = (facts.BEGIN + 605, facts.BEGIN + LATER + 1234)
    expect_classes(store, rows, *odd, all_tiers, "--resolution", "1h")
    expect_classes(store, rows, *odd, all_tiers[:2], "--resolution", "1m")
    # By itself: by the length of the range, and by what is asked.
    expect_classes(store, rows, facts.BEGIN, facts.BEGIN + HOUR, all_tiers[:1])
    expect_classes(store, rows, begin, end, all_tiers[1:2])
    # Hours that nobody rolled, since nobody was recorded, are asked from the finest.
    expect_classes(store, rows, begin, begin + 4 * DAY, ["profile_10s", "profile_1h"])
    expect_classes(store, rows, begin, begin + 4 * DAY, all_tiers[:1], "--where", "host=a",
                   chosen=rows.fleets[0].who(host="a"))
    # Hours with rows that are not rolled yet are asked where they are.
    rows.put(store, rows.late(facts.BEGIN + 60, 5000))
    expect_classes(store, rows, begin, begin + 2 * HOUR, ["profile_10s", "profile_1h"],
                   "--resolution", "1h")
    store.run("roll")
    expect_classes(store, rows, begin, begin + 2 * HOUR, ["profile_1h"], "--resolution", "1h")
    methods = {}
    for resolution, table in (("1m", "methods_1m"), ("1h", "methods_1h")):
        answer = store.json("methods", "--from", begin, "--to", begin + 2 * HOUR, "--limit", 0,
                            "--resolution", resolution)
        assert answer["tiers"] == [table], answer["tiers"]
        methods[table] = answer["tables"][0]["rows"]
    assert methods["methods_1m"] == methods["methods_1h"] and len(methods["methods_1h"]) == 12
    for row in methods["methods_1h"]:
        of = [one for one in rows.methods if one["t"] < begin + 2 * HOUR and
              rows.fleets[0].name(one["method"]) == row["method"]]
        assert row["calls"] == sum(one["calls"] for one in of)
        assert row["self"] == sum(one["self_ns"] for one in of)
        assert row["max"] == max(one["max_ns"] for one in of)


def verify(store, rows):
    words = ["verify", "--from", facts.BEGIN, "--to", END]
    # The fleets' moments were told by nobody: three rows, once.
    _, tables, told = store.operate(*words, code=4)
    assert [row["table"] for row in tables["differences"]] == ["moments"] and not told["right"]
    moments = [{"series": 101, "hour": facts.BEGIN // HOUR, "one": 1, "took": took}
               for took in (9_000_000, 8_000_000, 99_000_000)]
    rows.tell(store, "moments", moments, "one", "took")
    figures, tables, told = store.operate(*words)
    checked = {row["table"]: row for row in tables["checked"]}
    assert checked["profile_10s"]["rows"] == len(rows.profile)
    assert checked["profile_1m"]["rows"] == len(rows.by(60)) and checked["profile_1m"]["hours"] == 3
    assert figures["hours_different"] == 0 and told["right"] and not tables["differences"]
    # What an edge told and never sent, and what was sent and not told.
    rows.tell(store, "health_10s", rows.health[:5], "calls", "pause_ns", edge="edge-lost")
    untold = next(row for row in rows.profile if row["t"] == facts.BEGIN + LATER)
    rows.fleets[0].put_profile(store.server, store.database, [{**untold, "gen": 9}])
    _, tables, _ = store.operate(*words, code=4)
    found = {row["table"]: row for row in tables["differences"]}
    assert "edge-lost" in found["health_10s"]["edges"]
    assert found["health_10s"]["rows_told"] - found["health_10s"]["rows"] == 5
    assert found["profile_10s"]["rows"] - found["profile_10s"]["rows_told"] == 1
    # And the coarser tiers have not what came untold.
    assert {"profile_1m", "profile_1h"} <= set(found), found


def keeping(**shorter):
    return [word for table in TABLES
            for word in ("--keep", f"{table}={shorter.get(table, LONG)}")]


def prune(server, rows):
    store = Store(server, "pruned")
    store.run("schema", "--apply")
    rows.put(store)
    words = ["prune", *keeping(profile_10s="1d")]
    # Nothing is rolled: it stays, and says why; --force is another word.
    figures, tables, told = store.operate(*words)
    assert figures["partitions_dropped"] == 0 and figures["partitions_kept"] == 2, figures
    assert any("fleet roll" in note for note in told["notes"])
    store.run("roll")
    server.ask("CREATE TABLE pruned.profile_1m_stage_0123456789abcdef AS pruned.profile_1m")
    # As one that a crash left is seen, a day later.
    os.utime(server.folder / "data/metadata/pruned/profile_1m_stage_0123456789abcdef.sql", (9, 9))
    figures, tables, _ = store.operate(*words, "--dry-run")
    assert [row["outcome"] for row in tables["partitions"]] == ["would be dropped"] * 2
    assert figures["rows_dropped"] == len(rows.profile) and figures["stages_dropped"] == 1
    assert server.number("SELECT count() FROM pruned.profile_10s") == len(rows.profile)
    figures, tables, _ = store.operate(*words)
    assert figures["partitions_dropped"] == 2 and figures["rows_dropped"] == len(rows.profile)
    assert server.number("SELECT count() FROM pruned.profile_10s") == 0 == store.stages()
    # The coarser tiers answer, and rolling leaves them as they are.
    begin = facts.BEGIN // HOUR * HOUR
    expect_classes(store, rows, begin, begin + HOUR, ["profile_1m"])
    expect_classes(store, rows, begin, begin + HOUR, ["profile_1h"], "--resolution", "1h")
    answer = store.json("allocations", "--where", "host=a", "--from", begin, "--to", END)
    assert any("left out" in note for note in answer["notes"]) and not answer["tables"][0]["rows"]
    _, _, told = store.operate("roll", "--from", facts.BEGIN, "--to", END)
    assert any("left alone" in note for note in told["notes"]), told["notes"]
    expect_tiers(store, rows)
    figures, tables, _ = store.operate("verify", "--from", begin, "--to", END, code=4)
    checked = {row["table"]: row for row in tables["checked"]}
    assert checked["profile_10s"]["gone"] == 3 and checked["profile_10s"]["different"] == 0
    assert {row["table"] for row in tables["differences"]} == {"moments"}
    # Of whole hours the coarsest still tells; the rest of a range is left out and said.
    figures, _, _ = store.operate("prune", *keeping(profile_10s="1d", profile_1m="1d"))
    assert figures["partitions_dropped"] == 3, figures
    expect_classes(store, rows, begin, begin + HOUR, ["profile_1h"])
    answer = store.json("allocations", "--from", begin + 60, "--to", begin + 2 * HOUR)
    assert any("3540 s are left out" in note for note in answer["notes"]), answer["notes"]
    assert stored(store, "profile_1h") == rows.by(HOUR)
    # Names are older than all only once all is shorter.
    assert server.number("SELECT count() FROM pruned.stacks") > 0
    figures, tables, _ = store.operate("prune", "-f", *[
        word for table in TABLES for word in ("--keep", f"{table}=1d")])
    assert {"stacks", "frames", "profile_1h"} <= {row["table"] for row in tables["partitions"]}
    assert server.number("SELECT count() FROM pruned.stacks") == 0
    for wrong in ("nothing=1d", "profile_10s", "profile_10s=x"):
        store.run("prune", "--keep", wrong, code=2)


def by_hand(server, rows):
    """A partition that somebody dropped himself takes nothing out of what was rolled."""
    store = Store(server, "by_hand")
    store.run("schema", "--apply")
    rows.put(store)
    store.run("roll")
    server.ask("ALTER TABLE by_hand.profile_10s DROP PARTITION 20260921")
    _, _, told = store.operate("roll", "--from", facts.BEGIN, "--to", END)
    assert any("stays as it was rolled" in note for note in told["notes"])
    expect_tiers(store, rows)


def bytes_of(store):
    return int(store.ask("SELECT sum(bytes_on_disk) FROM system.parts WHERE active AND "
                         "database = 'shop'")[0][0])


def status(store, rows):
    now = int(time.time())
    lately = [{**row, "t": now // 10 * 10 - 100, "hour": (now // 10 * 10 - 100) // HOUR,
               "events": 20, "lost": 3} for row in rows.health[:1]]
    facts.insert(store.server, f"{store.database}.health_10s", list(lately[0]), lately)
    facts.insert(store.server, f"{store.database}.batches", ["edge", "number", "written", "rows"],
                 [{"edge": "edge-now", "number": 1, "written": now - 20, "rows": 4}])
    # Merges in the background may change the bytes on the disk meanwhile.
    before = after = None
    while before is None or before != after:
        before = bytes_of(store)
        figures, tables, told = store.operate("status")
        after = bytes_of(store)
    assert (figures["series_now"], figures["edges_now"]) == (1, 1)
    assert (figures["events"], figures["events_lost"]) == (20, 3)
    service = tables["services"][0]
    assert service["service"] == "shop" and 85e9 <= service["lag"] <= 200e9, service
    assert [row["edge"] for row in tables["edges"]] == ["edge-now"]
    disk = {row["table"]: row for row in tables["disk"]}
    assert disk["profile_1m"]["rows"] == len(stored(store, "profile_1m"))
    assert figures["bytes"] == before
    assert figures["hours_not_rolled"] == 0 and not told["notes"], told
    rows.put(store, rows.late(facts.BEGIN + HOUR, 3))
    figures, _, told = store.operate("status")
    assert figures["hours_not_rolled"] == 1
    assert "2026-09-21T15:00:00Z" in told["notes"][0], told["notes"]
    store.run("roll")


def recorded(server):
    """A real recording: its control totals hold, and each tier has what its report counts."""
    store = Store(server, "recorded")
    store.run("schema", "--apply")
    file = Path(os.environ["TEST_DATA"], "mlpd/calls_depth20.mlpd")
    subprocess.run([POLYTRACE, "push", file, "--to", store.url, "--at", "2026-09-30T10:00:59Z"],
                   check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    begin = ["--from", "2026-09-30T10:00:00Z"]
    figures, tables, _ = store.operate("verify", *begin, "--to", "2026-09-30T11:00:00Z")
    assert {"profile_10s", "methods_1m", "health_10s"} <= {
        row["table"] for row in tables["checked"] if row["rows"] > 0}, tables
    assert store.operate("roll")[0]["hours_rolled"] == 1
    store.operate("verify", *begin, "--to", "2026-09-30T11:00:00Z")
    report = json.loads(subprocess.check_output(
        [POLYTRACE, "report", "--json", "--limit", "0", "--sections", "calls", file], text=True))
    for weight, figure in (("calls", "calls"), ("time", "self")):
        truth = collections.Counter()
        for row in next(t for t in report["tables"] if t["key"] == "methods")["rows"]:
            truth[row["method"]] += row[figure]
        for resolution in ("10s", "1m", "1h"):
            have = collections.Counter()
            for stack, value in folded(store, "--weight", weight, *begin, "--until",
                                       "2026-09-30T11:00:00Z", "--resolution", resolution).items():
                have[stack.split(";")[-1]] += value
            # Helpers are nobody's; time of those that have no caller has a name in stores alone.
            have.pop("(runtime helpers)", None)
            assert have == +truth, (weight, resolution, have - truth, truth - have)


def plan(store):
    """The figures are those of the table beside them, by hand; and near those of the design."""
    told = store.json("plan", "--processes", 10 ** 6)
    tables = {table["key"]: table["rows"] for table in told["tables"]}
    fits(told, "fleet-operation.json", "plan")
    of = {row["figure"]: row["value"] for row in tables["figures"]}
    disk = {row["table"]: row["bytes"] for row in tables["tables"]}
    rate = 8.2 * 10 ** 6
    row = of["bytes of a row of profile_10s"]
    assert abs(disk["profile_10s"] / (rate * row * 2 * DAY) - 1) < 0.01
    minute = 10 ** 6 / of["processes of a group"] * of["stacks of a group in a minute"] / 60
    assert abs(disk["profile_1m"] / (minute * 5.5 * 30 * DAY) - 1) < 0.01
    assert abs(disk["methods_1m"] / (1.1e6 * 28.1 * 14 * DAY) - 1) < 0.01
    for table, terabytes in (("profile_10s", 9), ("methods_1m", 36), ("health_10s", 4),
                             ("profile_1m", 1.2)):
        assert abs(disk[table] / terabytes / 1e12 - 1) < 0.15, (table, disk[table])
    assert told["figures"]["rows_per_second"] in (9_400_000, 9_400_001)
    assert abs(told["figures"]["bytes"] - sum(disk.values())) < 10
    shorter = store.json("plan", "--processes", 10 ** 6, "--keep", "methods_1m=3d", "--stacks", 164)
    disk_2 = {row["table"]: row["bytes"] for row in shorter["tables"][0]["rows"]}
    assert abs(disk_2["methods_1m"] * 14 / 3 / disk["methods_1m"] - 1) < 0.01
    assert abs(disk_2["profile_10s"] / 2 / disk["profile_10s"] - 1) < 0.01
    less = store.json("plan", "--processes", 10 ** 6, "--level", "health")["figures"]
    assert 14 < told["figures"]["rows_per_second"] / less["rows_per_second"] < 16


def main():
    with clickhouse.Server() as server:
        store, rows = Store(server, "shop"), Rows()
        store.run("schema", "--apply")
        rows.put(store)
        steps = [(old_store, server, Rows()), (roll, store, rows), (late_rows, store, rows),
                 (planner, store, rows), (status, store, rows),
                 (verify, store, rows), (prune, server, Rows()), (by_hand, server, Rows()),
                 (recorded, server)]
        for step, *words in steps:
            begin = time.monotonic()
            step(*words)
            print(f"{step.__name__}: {time.monotonic() - begin:.1f} s", flush=True)
        plan(store)


if __name__ == "__main__":
    main()
