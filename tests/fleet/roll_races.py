#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Several that roll one store at the same time, on a real server: what stays has all rows."""
import subprocess
import sys
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parent / "support")]
import clickhouse  # noqa: E402
import facts  # noqa: E402
import tiers  # noqa: E402

HOUR = tiers.HOUR


def at_once(store, rows):
    """Several at the same time, while rows come: the last has all of them."""
    words = store.command("roll", "--from", facts.BEGIN, "--to", facts.BEGIN + 2 * HOUR, "--json")
    for turn in range(3):
        running = [subprocess.Popen(words, stdout=subprocess.PIPE, text=True) for _ in range(3)]
        rows.put(store, rows.late(facts.BEGIN + 10 * (turn + 1), 2000 + turn))
        for one in running:
            one.communicate(timeout=150)
            assert one.returncode == 0
    store.run("roll")
    tiers.expect_tiers(store, rows)


def stale_minutes(store, rows):
    """Another run swapped in minutes that are older than what is noted of them: no day is made of
    them, and it is due until they are right again."""
    hour = facts.BEGIN // HOUR
    swap = f"ALTER TABLE {store.database}.profile_1m REPLACE PARTITION {hour} FROM "
    store.ask("CREATE TABLE DB.older AS DB.profile_1m")
    store.ask(f"ALTER TABLE DB.older REPLACE PARTITION {hour} FROM DB.profile_1m")
    rows.put(store, rows.late(facts.BEGIN + 100, 3000))
    store.run("roll")
    tiers.expect_tiers(store, rows)
    store.ask("CREATE TABLE DB.newer AS DB.profile_1m")
    store.ask(f"ALTER TABLE DB.newer REPLACE PARTITION {hour} FROM DB.profile_1m")
    store.ask(swap + "DB.older")
    # As before the day was made.
    store.ask(f"INSERT INTO DB.rolls VALUES ('profile_1h', {hour}, 0, 0, 0, 0, 4000000000)")
    figures, _, told = store.operate("roll")
    assert figures["days_rolled"] == 0, figures
    assert any("holds other rows than were noted" in note for note in told["notes"]), told["notes"]
    store.ask(swap + "DB.newer")
    tiers.expect_tiers(store, rows)
    figures, _, told = store.operate("roll")
    assert figures["days_rolled"] == 1 and not told["notes"], told
    tiers.expect_tiers(store, rows)


def main():
    with clickhouse.Server() as server:
        store, rows = tiers.Store(server, "raced"), tiers.Rows()
        store.run("schema", "--apply")
        rows.put(store)
        at_once(store, rows)
        stale_minutes(store, rows)


if __name__ == "__main__":
    main()
