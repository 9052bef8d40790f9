#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Questions about time of which rows were rolled up or dropped: diff takes coarser tiers as the
others do, and whoever asks a table that has one resolution is told what of it is gone."""
import collections
import sys
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parent / "support")]
import clickhouse  # noqa: E402
import facts  # noqa: E402
import tiers  # noqa: E402
from tiers import HOUR, keeping  # noqa: E402

BEGIN = facts.BEGIN // HOUR * HOUR
RANGE = ["--from", BEGIN, "--to", BEGIN + 2 * HOUR, "--limit", 0]
SIDES = ["--base", "version=1", "--where", "version=2"]
WHAT = {"method": ("methods", "self_ns", "calls", "self", "calls"),
        "stack": ("profile", "weight", "count", "self", "calls"),
        "type": ("profile", "weight", "count", "bytes", "objects")}


def sums_of(rows, what):
    """Weight and count by name and version, of the two hours, from what was put in."""
    source, weight, count, _, _ = WHAT[what]
    version = {one["series"]: one["version"] for one in rows.fleets[0].series}
    name = rows.fleets[0].name
    sums = collections.defaultdict(lambda: [0, 0])
    for row in getattr(rows, source):
        if not BEGIN <= row["t"] < BEGIN + 2 * HOUR or row.get("carrier", 0) != (
                3 if what == "type" else 0):
            continue
        key = (name(row["method"]) if what == "method" else name(row["subject"])
               if what == "type" else ";".join(map(name, reversed(row["stack"]))))
        own = sums[key, version[row["series"]]]
        own[0] += row[weight]
        own[1] += row[count]
    return sums


def expect_diff(store, rows, what, resolution, table, has_noise, seconds):
    answer = store.json("diff", *SIDES, *RANGE, "--by", what, "--resolution", resolution)
    assert table in answer["tiers"] and answer["process_seconds"] == seconds, answer
    sums = sums_of(rows, what)
    _, _, _, weight, count = WHAT[what]
    key = {"method": "method", "stack": "stack", "type": "class"}[what]
    told = answer["tables"][0]["rows"]
    assert {row[key] for row in told} == {name for name, _ in sums}
    for row in told:
        for side, version in (("before", "1"), ("after", "2")):
            own = sums[row[key], version]
            assert abs(row[f"{weight}_{side}"] - own[0] / seconds) < 1e-6, (what, row)
            assert abs(row[f"{count}_{side}"] - own[1] / seconds) < 1e-6, (what, row)
        assert (row["noise"] is not None) == has_noise, row
    notes = answer["tables"][0].get("notes", [])
    assert any("--resolution" in note for note in notes) != has_noise, notes
    return answer


def main():
    with clickhouse.Server() as server:
        store, rows = tiers.Store(server, "shop"), tiers.Rows()
        store.run("schema", "--apply")
        rows.put(store)
        store.run("roll")
        seconds = 2 * 6 * facts.MINUTES * 60  # six processes of a version, for two times 40 minutes
        for what, fine, table in (("method", "1m", "methods_1m"), ("stack", "10s", "profile_10s"),
                                  ("type", "10s", "profile_10s")):
            expect_diff(store, rows, what, fine, table, True, seconds)
            coarse = table.split("_", maxsplit=1)[0] + "_1h"
            expect_diff(store, rows, what, "1h", coarse, False, seconds)
        # The finest are dropped: what is left answers, by itself.
        store.run("prune", *keeping(profile_10s="1d", methods_1m="1d"))
        for what, table in (("method", "methods_1h"), ("type", "profile_1m")):
            expect_diff(store, rows, what, "10s", table, False, seconds)
        told = store.json("hosts", "--what", "self", *RANGE)
        assert any("7200 s are left out: their rows of methods_1m" in note
                   for note in told["notes"]), told["notes"]
        # Tables of one resolution say so, and what is gone.
        told = store.json("pauses", *RANGE, "--resolution", "1h")
        assert any("health_10s has rows of 10s alone" in note for note in told["notes"])
        store.run("prune", "-f", *keeping(health_10s="1d", moments="1d"))
        for words in (["pauses"], ["series"], ["services"], ["hosts"], ["diff", *SIDES],
                      ["allocations"]):
            told = store.json(*words, *RANGE)
            assert told["process_seconds"] == 0, told
            assert any("without 7200 s whose rows of health_10s" in note
                       for note in told["notes"]), (words, told["notes"])
        told = store.json("moments", *RANGE)
        assert any("7200 s are left out: their rows of moments" in note for note in told["notes"])
        print("coarser tiers and dropped rows are told by every question")


if __name__ == "__main__":
    main()
