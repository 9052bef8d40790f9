#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Profiles of other systems, in and out: what goes to receivers as protoc reads it, what Go's own
profiler says as `go tool pprof` reads it, and what lies in a store of both, by sums."""
import collections
import gzip
import json
import os
import re
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE / "support"), str(HERE.parent / "export"), str(HERE.parent / "cli"),
                str(HERE)]
import clickhouse  # noqa: E402
import messages  # noqa: E402
from collect import wait_for  # noqa: E402
from hub import Node, new_token  # noqa: E402
from json_schemas import fits  # noqa: E402
from push import make_tables, run  # noqa: E402
from receiver import Receiver  # noqa: E402

DATA = Path(os.environ["TEST_DATA"])
CARRIERS = {"time": (0, 1), "calls": (0, 0), "cpu": (1, 1), "samples": (2, 1), "bytes": (3, 1),
            "objects": (3, 0), "wait": (4, 1), "contentions": (4, 0), "exceptions": (5, 1)}
RECORDINGS = ["mlpd/calls.mlpd", "mlpd/alloc_bt.mlpd", "mlpd/locks.mlpd", "mlpd/exceptions.mlpd"]
LABELS = ("--label", "service=shop", "--label", "version=2.1", "--label", "zone=eu-1")


def rows(server, db):
    """Without gen, which tells messages apart."""
    return sorted(map(tuple, server.rows(
        "SELECT service, carrier, hour, hex(stack), subject, series, toUInt32(t), sum(count), "
        f"sum(weight) FROM {db}.profile_10s FINAL GROUP BY service, carrier, hour, stack, subject, "
        "series, t")))


def sums(server, db):
    return {int(carrier): (int(count), int(weight)) for carrier, count, weight in server.rows(
        f"SELECT carrier, sum(count), sum(weight) FROM {db}.profile_10s FINAL GROUP BY carrier")}


def told_sums(bodies):
    """Carrier -> [count, weight], as protoc reads requests of OpenTelemetry."""
    found = collections.defaultdict(lambda: [0, 0])
    for body in bodies:
        for (_, _, told, _), samples in messages.otlp_samples(messages.decode("Request", body)):
            carrier, figure = CARRIERS[told["polytrace.weight"].decode()]
            found[carrier][figure] += sum(value for _, _, value in samples)
    for carrier in set(found) & {2, 5}:  # these have one figure
        found[carrier][0] = found[carrier][1]
    return {carrier: tuple(figures) for carrier, figures in found.items()}


def check_otlp(server, there, folder):
    """What is in the store is what goes out, and what comes back is the same rows."""
    make_tables(server, "direct")
    make_tables(server, "back")
    for name in RECORDINGS:
        file = DATA / name
        run("push", file, "--to", f"{server.url}/direct", *LABELS)
        done = run("push", file, "--as", "otlp", "--to", there.url, "--json", *LABELS)
        document = json.loads(done.stdout)
        fits(document, "push.json", name)
        posted = there.take()
        assert document["traces"][0]["messages"] == len(posted) > 0, document
        for number, (path, fields, body) in enumerate(posted):
            assert path == "/v1development/profiles", path
            assert fields["Content-Type"] == "application/x-protobuf", fields
            assert fields["Content-Encoding"] == "gzip", fields
            (folder / f"{file.stem}.{number}.otlp.gz").write_bytes(body)
    bodies = [gzip.decompress(path.read_bytes()) for path in sorted(folder.glob("*.otlp.gz"))]
    assert told_sums(bodies) == sums(server, "direct"), (told_sums(bodies), sums(server, "direct"))
    assert set(sums(server, "direct")) >= {0, 3, 4, 5}, sums(server, "direct")
    about = messages.resource(messages.decode("Request", bodies[0]))
    assert (about["service.name"], about["service.version"], about["zone"]) == (
        b"shop", b"2.1", b"eu-1"), about
    done = run("push", *sorted(folder.glob("*.otlp.gz")), "--to", f"{server.url}/back")
    assert "service shop" in done.stdout, done.stdout
    assert rows(server, "back") == rows(server, "direct"), "not what went out"
    for table, columns in (("frames", "id, kind, name, file, line"), ("stacks", "id, frames")):
        # Of what only methods and moments name there is nothing in profiles.
        told, known = ({tuple(row) for row in server.rows(f"SELECT {columns} FROM {db}.{table} "
                                                          "FINAL")} for db in ("back", "direct"))
        assert told and told <= known, (table, list(told - known)[:5])
    # Again: nothing changes. Batches say what was sent.
    run("push", *sorted(folder.glob("*.otlp.gz")), "--to", f"{server.url}/back")
    assert rows(server, "back") == rows(server, "direct")
    assert (server.rows("SELECT sum(rows), sum(count), sum(weight) FROM back.batches FINAL WHERE "
                        "target = 'profile_10s'") ==
            server.rows("SELECT count(), sum(count), sum(weight) FROM back.profile_10s FINAL"))


def ids(body):
    request = messages.decode("Request", gzip.decompress(body))
    return [profile["profile_id"][0] for (_, _, _, profile), _ in messages.otlp_samples(request)]


def check_retries(there):
    """The same bytes again where it is unclear; else the server's own words."""
    file = DATA / "mlpd/exceptions.mlpd"
    push = ("push", file, "--as", "otlp", "--to", there.url, *LABELS)
    run(*push)
    (_, _, once), *_ = there.take()
    assert len(set(ids(once))) == len(ids(once)) > 0 and all(len(one) == 16 for one in ids(once))
    there.answers = [(503, b"busy"), (0, b"")]
    done = run(*push)
    first, second, third, *_ = there.take()
    assert first[2] == second[2] == third[2] == once, "a retry is the same bytes"
    assert "trying again" in done.stderr and "busy" in done.stderr, done.stderr
    there.answers = [(400, b"no such tenant\nand more")]
    done = run(*push, codes=(1,))
    assert "HTTP 400: no such tenant" in done.stderr and len(there.take()) == 1, done.stderr
    there.answers = [(200, messages.encode(
        "Response", 'partial_success { rejected_profiles: 3 error_message: "too old" }'))]
    done = run(*push, codes=(4,))
    assert "rejected" in done.stderr and "too old" in done.stderr, done.stderr
    there.take()
    # Pyroscope knows no profile again: what may have arrived is not sent twice.
    there.answers = [(0, b"")]
    run("push", file, "--as", "pyroscope", "--to", there.url, *LABELS, codes=(1,))
    assert len(there.take()) == 1
    run("push", file, "--as", "otlp", "--to", "gopher://x", codes=(2,))
    run("push", file, "--as", "otlp", "--to", there.url, "--user", "me", codes=(2,))
    run("push", file, "--as", "pprof", "--to", there.url, codes=(2,))


def check_pyroscope(server, there, folder):
    make_tables(server, "pushed")
    token = folder / "token"
    token.write_text("sesame\n")
    found = collections.defaultdict(lambda: [0, 0])
    for name in RECORDINGS:
        run("push", DATA / name, "--as", "pyroscope", "--to", there.url + "/", "--tenant", "t1",
            "--token-file", token, *LABELS)
    posted = there.take()
    for number, (path, fields, body) in enumerate(posted):
        assert path == "/push.v1.PusherService/Push", path
        assert fields["Content-Type"] == "application/proto", fields
        assert (fields["X-Scope-OrgID"], fields["Authorization"]) == ("t1", "Bearer sesame")
        file = folder / f"{number}.push"
        file.write_bytes(body)
        for series in messages.decode("PushRequest", body)["series"]:
            labels = {label["name"][0]: label["value"][0] for label in series["labels"]}
            assert labels[b"service_name"] == b"shop" and labels[b"zone"] == b"eu-1", labels
            raw = series["samples"][0]["raw_profile"][0]
            profile = messages.decode("Pprof", gzip.decompress(raw))
            texts = profile["string_table"]
            types = [texts[messages.one(kind, "type")] for kind in profile["sample_type"]]
            kind = {b"wall": (0, [b"calls", b"time"]),
                    b"memory": (3, [b"alloc_objects", b"alloc_space"]),
                    b"mutex": (4, [b"contentions", b"delay"]),
                    b"exceptions": (5, [b"exceptions"])}[labels[b"__name__"]]
            assert types == kind[1], (labels, types)
            for sample in profile["sample"]:
                values = sample["value"]
                found[kind[0]][0] += values[0]
                found[kind[0]][1] += values[-1]
    found = {carrier: tuple(figures) for carrier, figures in found.items()}
    assert found == sums(server, "direct"), (found, sums(server, "direct"))
    run("push", *sorted(folder.glob("*.push")), "--to", f"{server.url}/pushed", codes=(0,))
    assert sums(server, "pushed") == sums(server, "direct")


def go_raw(file):
    """Types and their sums, as `go tool pprof` has them."""
    text = subprocess.run(["go", "tool", "pprof", "-raw", file], capture_output=True, text=True,
                          check=True, timeout=150).stdout.splitlines()
    begin = text.index("Samples:")
    kinds = [kind.removesuffix("[dflt]") for kind in text[begin + 1].split()]
    totals = dict.fromkeys(kinds, 0)
    for line in text[begin + 2:text.index("Locations")]:
        if match := re.fullmatch(r"([\s\d]+): [\d ]+", line):
            for kind, value in zip(kinds, match[1].split()):
                totals[kind] += int(value)
    return totals


def check_go(server, folder):
    """Go's own profiles: what its own tool adds up is what is in the store."""
    messages.program("go")
    program, cpu, heap = folder / "profiled", folder / "cpu.pb.gz", folder / "heap.pb.gz"
    subprocess.run(["go", "build", "-o", program, DATA / "export/profiled.go"], check=True,
                   timeout=120, env={**os.environ, "GO111MODULE": "off", "CGO_ENABLED": "0",
                                     "GOCACHE": str(folder / "cache"), "GOFLAGS": ""})
    subprocess.run([program, cpu, heap], check=True, timeout=150)
    make_tables(server, "gocpu")
    make_tables(server, "goheap")
    told, raw = run("push", cpu, "--to", f"{server.url}/gocpu").stdout, go_raw(cpu)
    assert "service profiled" in told, told  # by its program
    assert raw["cpu/nanoseconds"] > 0, raw
    count = raw["samples/count"]
    assert sums(server, "gocpu") == {1: (0, raw["cpu/nanoseconds"]), 2: (count, count)}, raw
    leaf = server.number(
        "SELECT sum(weight) FROM gocpu.profile_10s FINAL WHERE carrier = 1 AND stack IN (SELECT id "
        "FROM gocpu.stacks WHERE has(frames, (SELECT id FROM gocpu.frames WHERE name = 'main.burn' "
        "LIMIT 1)))")
    assert leaf > raw["cpu/nanoseconds"] / 2, (leaf, raw)
    done, raw = run("push", heap, "--to", f"{server.url}/goheap", "-v"), go_raw(heap)
    assert raw["alloc_space/bytes"] >= 2000 * 4096, raw
    assert sums(server, "goheap") == {3: (raw["alloc_objects/count"], raw["alloc_space/bytes"])}
    assert "inuse_space/bytes" in done.stderr, done.stderr  # said, not added up
    # What is written for Go's tool is what it reads.
    out = folder / "ours.pb.gz"
    run("fleet", "flame", "--store", f"{server.url}/direct", "--from", "2020-01-01T00:00:00Z",
        "--weight", "bytes", "--to", "pprof", "--limit", "0", "-o", out)
    assert go_raw(out)["alloc_space/bytes"] == sums(server, "direct")[3][1]


def check_damage(server, folder):
    """Refused with its name and the next step; nothing of it is in the store."""
    make_tables(server, "damaged")
    to = f"{server.url}/damaged"
    whole = messages.encode("OldRequest", """
        resource_profiles { scope_profiles { profiles { sample_type { type_strindex: 1
          unit_strindex: 2 } samples { stack_index: 1 values: 7 } } } }
        dictionary { mapping_table {} location_table {} function_table {} link_table {}
          string_table: "" string_table: "cpu" string_table: "nanoseconds" attribute_table {}
          stack_table {} stack_table { location_indices: 0 } }""")
    old = folder / "old.otlp"
    old.write_bytes(whole)
    done = run("push", old, "--to", to, codes=(3,))
    assert "1.10 to 1.11" in done.stderr and "field 4" in done.stderr, done.stderr
    good = sorted(folder.glob("calls.*.otlp.gz"))[0]
    cut = folder / "cut.otlp.gz"
    cut.write_bytes(good.read_bytes()[:-20])
    run("push", cut, "--to", to, codes=(4,))
    cut.write_bytes(gzip.decompress(good.read_bytes())[:-20])
    run("push", cut, "--from", "otlp", "--to", to, codes=(4,))
    bomb = folder / "bomb.pb.gz"
    bomb.write_bytes(gzip.compress(bytes(80 << 20), 9))
    assert "unpack" in run("push", bomb, "--from", "pprof", "--to", to, codes=(6,)).stderr
    nothing = folder / "nothing"
    nothing.write_bytes(b"no profile at all")
    assert "pprof" in run("push", nothing, "--to", to, codes=(3,)).stderr
    timeless = folder / "timeless.pb"
    timeless.write_bytes(messages.encode("Pprof", """
        sample_type { type: 1 unit: 2 } string_table: "" string_table: "odd"
        string_table: "nanoseconds" string_table: "f" function { id: 5 name: 3 }
        location { id: 9 line { function_id: 5 } } sample { location_id: 9 value: 12 }
        sample { location_id: 8 value: 3 }"""))
    assert "--at" in run("push", timeless, "--to", to, codes=(2,)).stderr
    assert server.number("SELECT count() FROM damaged.profile_10s") == 0
    # With a time it is taken, what is in no table is said, and so is what is no figure of ours.
    done = run("push", timeless, "--to", to, "--at", "2026-11-26T10:00:00Z", codes=(4,))
    assert "location 8" in done.stderr and "odd/nanoseconds" in done.stderr, done.stderr
    assert sums(server, "damaged") == {2: (15, 15)}, sums(server, "damaged")


DOOR = """role = ["hub"]
[http]
listen = "127.0.0.1:{port}"
token_file = "{folder}/tokens.toml"
[spool]
folder = "{folder}/door/state"
min_free = "1m"
[store]
urls = [["{url}/nobody"]]
[metrics]
port = 0
[[tenant]]
name = "a"
database = "door_a"
[[tenant]]
name = "b"
database = "door_b"
"""


def check_door(server, there, folder):
    """The same messages at a collector's door: each tenant's database has what was sent for it."""
    now = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() - 60))
    file = DATA / "mlpd/alloc_bt.mlpd"
    for db in ("fresh", "door_a", "door_b"):
        make_tables(server, db)
    run("push", file, "--to", f"{server.url}/fresh", "--at", now, *LABELS)
    sent = {}
    for kind in ("otlp", "pyroscope"):
        run("push", file, "--as", kind, "--to", there.url, "--at", now, *LABELS)
        sent[kind] = there.take()
    tokens = {name: new_token(name) for name in ("a/otlp", "b/pyroscope")}
    (folder / "tokens.toml").write_text("".join(lines for _, lines in tokens.values()))
    port, = clickhouse.free_ports(1)

    def ask(path, fields, body, token):
        request = urllib.request.Request(
            f"http://127.0.0.1:{port}{path}", data=body, method="POST",
            headers={"Content-Type": fields["Content-Type"], "Authorization": f"Bearer {token}"})
        try:
            with urllib.request.urlopen(request, timeout=150) as answer:
                return answer.status, answer.read()
        except urllib.error.HTTPError as fault:
            return fault.code, fault.read()

    node = Node(folder / "door", DOOR.format(port=port, folder=folder, url=server.url))
    node.start()
    try:
        for name, kind in (("a/otlp", "otlp"), ("b/pyroscope", "pyroscope")):
            for path, fields, body in sent[kind]:
                assert ask(path, fields, body, "nobody's")[0] == 401
                assert ask(path, fields, body[:-9], tokens[name][0])[0] == 400
                for _ in range(2):  # again: the same rows
                    assert ask(path, fields, body, tokens[name][0]) == (200, b""), kind
        for db in ("door_a", "door_b"):
            wait_for(f"the sums of {db}",
                     lambda: sums(server, db) == sums(server, "fresh"))  # noqa: B023
        assert "no profile that is taken" in node.everything()
        assert node.end() == 0
    finally:
        node.kill()
    assert sums(server, "fresh")[3][1] > 0


def main():
    with tempfile.TemporaryDirectory() as name, clickhouse.Server() as server, Receiver() as there:
        folder = Path(name)
        try:
            messages.program("protoc")
            check_otlp(server, there, folder)
            check_retries(there)
            check_pyroscope(server, there, folder)
            check_damage(server, folder)
            check_door(server, there, folder)
            check_go(server, folder)
        except messages.Skip as reason:
            print(f"skipped: {reason}")
            sys.exit(77)


if __name__ == "__main__":
    main()
