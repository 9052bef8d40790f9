#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""An edge whose folder is gone while its programs go on: it asks its hub, or its own store, where
their streams are, and the sums in the store are what the programs counted. Where nobody answers,
that is told. Nobody learns where streams of other tenants are."""
import shutil
import subprocess
import sys
import time
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parent / "support"),
                str(Path(__file__).parents[1] / "cli")]
import collect  # noqa: E402
import hub  # noqa: E402
from collect import POLYTRACE, wait_for  # noqa: E402

KEY = "service, carrier, hour, stack, subject, series, t, gen"


def no_row_twice(server, database):
    rows = server.number(f"SELECT count() FROM {database}.profile_10s FINAL")
    assert rows == server.number(f"SELECT uniqExact({KEY}) FROM {database}.profile_10s")


def verify(server, database):
    done = subprocess.run([POLYTRACE, "fleet", "verify", "--store", f"{server.url}/{database}"],
                          capture_output=True, text=True, check=False)
    assert done.returncode == 0, (done.stdout, done.stderr)


def some_blocks(node, count=6):
    """Calls, and that the agent has given them up."""
    before = node.figure("blocks_total")
    wait_for("blocks", lambda: node.figure("blocks_total") >= before + count
             and node.figure("waiting_bytes") == 0)


def lose_folder(node):
    assert node.end() == 0, node.words()[-2000:]
    assert not node.told("stopped"), node.words()[-2000:]
    shutil.rmtree(node.folder / "state")


def taken_up(node):
    wait_for("a position", lambda: node.figure("positions_taken_total") == 1)
    assert node.figure("positions_missed_total") == 0
    assert any("goes on at block" in event["text"] for event in node.told("position"))
    some_blocks(node)


def test_hub_knows(fleet, programs):
    """Twice, so that what was taken up is itself told and lost."""
    for name in programs.names[:2]:
        program = programs.start(name, fleet.one.socket, None, 5)
        wait_for("a program", lambda: fleet.one.figure("streams") == 1)
        some_blocks(fleet.one)
        for _ in range(2):
            lose_folder(fleet.one)
            fleet.one.start()
            taken_up(fleet.one)
        program.end()
        hub.expect_stored(fleet.server, "fleet_a", program, fleet.words)
        wait_for("its end", lambda: fleet.one.told("ended"))
        assert fleet.one.figure("blocks_missing_total") == 0
        assert fleet.one.figure("events_lost_total") == 0
    wait_for("ends", lambda: fleet.server.number(
        "SELECT countIf(ended = 1) FROM fleet_a.streams FINAL") == len(programs.names[:2]))
    rows = fleet.server.rows("SELECT edge, next_block, offset FROM fleet_a.streams FINAL")
    assert all(edge.startswith("edge-") and int(block) > 0 and int(offset) > 0
               for edge, block, offset in rows), rows
    no_row_twice(fleet.server, "fleet_a")
    verify(fleet.server, "fleet_a")


def test_new_programs_are_not_asked_for(fleet, programs):
    """They began after the folder: nobody can know them."""
    before = fleet.one.figure("positions_taken_total")
    time.sleep(3)  # wait: beyond what clocks may be off
    program = programs.start(programs.names[0], fleet.one.socket, 100, 2)
    hub.expect_stored(fleet.server, "fleet_a", program, fleet.words)
    assert fleet.one.figure("positions_taken_total") == before
    assert fleet.one.figure("positions_missed_total") == 0


def test_nobody_answers(fleet, programs):
    """The stream begins anew: it is told, what the store has stays, and nothing counts twice that
    the agent has given up."""
    program = programs.start(programs.names[0], fleet.one.socket, None, 5)
    wait_for("a program", lambda: fleet.one.figure("streams") == 1)
    some_blocks(fleet.one)
    lose_folder(fleet.one)
    instance = program.process.pid
    wait_for("rows", lambda: hub.stored(fleet.server, "fleet_a", instance)["leaf"] > 0)
    before = hub.stored(fleet.server, "fleet_a", instance)
    fleet.hub.kill()
    fleet.one.start()
    wait_for("a miss", lambda: fleet.one.figure("positions_missed_total") >= 1)
    assert any("begins anew" in event["text"] for event in fleet.one.told("position"))
    fleet.hub.start()
    some_blocks(fleet.one)
    program.end()
    counts = program.counts()
    wait_for("its end", lambda: fleet.one.told("ended"))
    wait_for("its rows", lambda: hub.stored(fleet.server, "fleet_a", instance)["leaf"]
             > before["leaf"] and fleet.one.figure("outbox_bytes") < 1 << 20)
    have = hub.stored(fleet.server, "fleet_a", instance)
    assert all(before[name] <= have[name] <= counts[name] for name in have), (before, have, counts)
    assert fleet.one.figure("positions_taken_total") == 0


def test_who_may_ask(fleet):
    stream = int(fleet.server.ask("SELECT max(stream) FROM fleet_a.streams"))
    path = f"/v1/streams/{stream:016x}"
    mine, nobody = fleet.caller("a"), fleet.caller()
    status, body, fields = mine.ask_raw("POST", path)
    assert status == 200 and fields["Content-Type"] == "application/zstd" and b"\x28\xb5" in body
    assert nobody.ask("POST", path, b"", fleet.tokens["b/two"])[0] == 404
    assert mine.ask("POST", "/v1/streams/00000000000000ff", b"")[0] == 404
    assert nobody.ask("POST", path, b"")[0] == 401
    for name in ("a/reader", "nobody"):
        assert nobody.ask("POST", path, b"", fleet.tokens[name])[0] == 403, name
    for wrong in ("/v1/streams/1", f"{path}0", "/v1/streams/", "/v1/streams/000000000000000g"):
        assert mine.ask("POST", wrong, b"")[0] in (400, 404), wrong
    assert mine.ask("GET", path)[0] == 405


def test_own_store(folder, server, programs):
    """A process that is edge and hub asks the store itself; without it, it says so."""
    subprocess.run([POLYTRACE, "fleet", "schema", "--apply", "--store", f"{server.url}/fleet"],
                   check=True, stdout=subprocess.DEVNULL)
    place = Path(folder) / "both"
    place.mkdir()
    both = collect.Collector(place, server.url)
    try:
        both.start()
        program = programs.start(programs.names[0], both.socket, None, 5)
        wait_for("a program", lambda: both.figure("streams") == 1)
        some_blocks(both)
        lose_folder(both)
        both.start()
        taken_up(both)
        program.end()
        collect.expect_stored(server, both, program, program.process.pid)
        no_row_twice(server, "fleet")
        verify(server, "fleet")
        assert both.end() == 0
    finally:
        both.kill()


def main():
    with hub.fleet_of("polytrace-positions-") as (folder, server, programs, fleet):
        nodes = (fleet.hub, fleet.one)
        for node in nodes:
            node.start()
        for test in (lambda: test_hub_knows(fleet, programs),
                     lambda: test_new_programs_are_not_asked_for(fleet, programs),
                     lambda: test_who_may_ask(fleet),
                     lambda: test_nobody_answers(fleet, programs),
                     lambda: test_own_store(folder, server, programs)):
            begin = time.monotonic()
            test()
            print(f"{time.monotonic() - begin:.1f} s", flush=True)
        for node in reversed(nodes):
            assert node.end() == 0, node.words()[-2000:]


if __name__ == "__main__":
    main()
