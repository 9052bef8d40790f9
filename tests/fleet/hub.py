#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Edges and a hub over TLS, between real programs and a real ClickHouse server: each tenant's
database holds what its programs counted themselves, also when hub, edge and store were killed in
the middle; and who has no business there is refused by name."""
import contextlib
import http.client
import os
import shutil
import signal
import socket
import ssl
import subprocess
import sys
import tempfile
import time
from datetime import datetime, timedelta, timezone
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parent / "support"),
                str(Path(__file__).parents[1] / "cli")]
import clickhouse  # noqa: E402
import collect  # noqa: E402
import counting  # noqa: E402
from certificates import Authority  # noqa: E402
from collect import POLYTRACE, wait_for  # noqa: E402
from waiting import wait_until  # noqa: E402

HUB = """role = ["hub"]
[http]
listen = "127.0.0.1:{port}"
cert = "{keys}/hub.pem"
key = "{keys}/hub.key"
ca = "{keys}/ca.pem"
token_file = "{keys}/tokens.toml"
[spool]
folder = "{folder}/state"
min_free = "1m"
[store]
urls = [["{store}/nobody"]]
[metrics]
port = 0
[[tenant]]
name = "a"
database = "fleet_a"
[[tenant]]
name = "b"
database = "fleet_b"
"""
EDGE = """role = ["edge"]
[edge]
socket = "{folder}/run/collect.sock"
hubs = ["https://127.0.0.1:{port}"]
ca = "{keys}/ca.pem"
{shown}
[spool]
folder = "{folder}/state"
min_free = "1m"
[metrics]
port = 0
"""


class Node(collect.Collector):
    def __init__(self, folder, text):  # pylint: disable=super-init-not-called
        self.folder = Path(folder)
        self.folder.mkdir()
        self.file = self.folder / "collect.toml"
        self.file.write_text(text)
        self.under = []
        self.socket = str(self.folder / "run/collect.sock")
        self.process = None
        self.runs = 0

    def everything(self):
        return "".join(path.read_text("utf-8") for path in
                       [*self.folder.glob("log-*"), self.folder / "complaints"])


def new_token(name, roles='["push"]', expires=None):
    told = subprocess.run([POLYTRACE, "collect", "--new-token", name], check=True, text=True,
                          stdout=subprocess.PIPE).stdout.splitlines()
    lines = [line for line in told if not line.startswith("#")]
    lines[-1] = f"roles = {roles}"
    if expires:
        lines.append(f"expires = {expires}")
    return told[1].removeprefix("# "), "\n".join(lines) + "\n"


def text(value):
    return collect.field(0, value.encode())[1:]  # its length, and it


def packed(folder, table="frames", columns="id, kind, name, file, line, seen", rows=None, day=None,
           count=1, raw=None, totals=b"\0"):
    """As an edge packs a batch: written from the description, not by its code."""
    today = int(time.time()) // 86400
    month = datetime.now(timezone.utc).replace(day=1, hour=0, minute=0, second=0, microsecond=0)
    if rows is None:
        rows = ((77).to_bytes(8, "little") + b"\x01" + text("Stranger.method") + text("") +
                (0).to_bytes(4, "little") + today.to_bytes(2, "little"))
    day = int(month.timestamp()) // 86400 if day is None else day
    plain = raw if raw is not None else (
        table.encode() + b"\0" + columns.encode() + b"\0" + day.to_bytes(4, "little") +
        count.to_bytes(8, "little") + totals + b"\0\0" + bytes(12) + rows)
    file = Path(folder) / "plain"
    file.write_bytes(plain)  # zstd tells the size of a file only
    subprocess.run(["zstd", "-q", "-f", "--check", file, "-o", f"{file}.zst"], check=True)
    return Path(f"{file}.zst").read_bytes()


class Caller:
    """Somebody who asks the hub's door."""

    def __init__(self, port, keys, certificate=None, version=None):
        self.port = port
        self.context = ssl.create_default_context(cafile=keys / "ca.pem")
        if version:
            self.context.minimum_version = self.context.maximum_version = version
        if certificate:
            self.context.load_cert_chain(keys / f"{certificate}.pem", keys / f"{certificate}.key")

    def ask(self, *words):
        status, body, fields = self.ask_raw(*words)
        return status, body.decode(), fields

    def ask_raw(self, method, path, body=None, token=None, fields=None):
        link = http.client.HTTPSConnection("127.0.0.1", self.port, context=self.context,
                                           timeout=collect.HANGS)
        headers = dict(fields or {})
        if token:
            headers["Authorization"] = f"Bearer {token}"
        with contextlib.closing(link):
            link.request(method, path, body, headers)
            answer = link.getresponse()
            return answer.status, answer.read(), dict(answer.getheaders())

    def rows(self, body, token=None, number=1, table="frames", edge="edge-of-test"):
        return self.ask("POST", f"/v1/rows/{table}", body, token, {
            "Polytrace-Edge": edge, "Polytrace-Batch": str(number), "Polytrace-Before": "0"})


def stored(server, database, instance):
    rows = server.rows(
        "SELECT name, sum(count) FROM (SELECT frames[1] AS id, count FROM (SELECT stack, count "
        f"FROM {database}.profile_10s FINAL WHERE series IN (SELECT series FROM {database}.series "
        f"WHERE instance = '{instance}') AND carrier = 0) ANY INNER JOIN (SELECT id AS stack, "
        f"frames FROM {database}.stacks) USING stack) ANY INNER JOIN (SELECT id, name FROM "
        f"{database}.frames) USING id GROUP BY name")
    calls = dict.fromkeys(counting.METHODS, 0)
    for name, count in rows:
        plain = name.split("(")[0].replace(":", ".").split()[0].split(".")[-1]
        if plain in calls:
            calls[plain] += int(count)
    return calls


def expect_stored(server, database, program, words, instance=None):
    """`instance`: where the kernel names another process than the program's."""
    counts = program.counts()

    def have():
        return stored(server, database, instance or program.process.pid)
    wait_until(lambda: have() == counts, lambda: (database, have(), counts, words()[-3000:]))


class Fleet:
    def __init__(self, folder, server):
        self.folder, self.server = Path(folder), server
        self.keys = self.folder / "keys"
        self.authority = Authority(self.keys, "ca")
        self.authority.issue("hub", "IP:127.0.0.1", "serverAuth")
        for name in ("a/edge/one", "b/edge/three", "c/edge/four"):
            self.authority.issue(name[0], f"URI:tenant/{name}", "clientAuth")
        self.authority.issue("old", "URI:tenant/a/edge/old", "clientAuth", end="20200101000000Z")
        Authority(self.keys, "other").issue("stranger", "URI:tenant/a/edge/one", "clientAuth")
        self.tokens, lines = {}, ""
        for name, roles, expires in (("b/two", '["push"]', None), ("a/reader", '["read"]', None),
                                     ("a/gone", '["push"]', "2020-01-01"),
                                     ("nobody", '["push"]', None)):
            self.tokens[name], told = new_token(name, roles, expires)
            lines += told
        (self.keys / "tokens.toml").write_text(lines)
        secret = self.keys / "two.token"
        secret.write_text(self.tokens["b/two"] + "\n")
        secret.chmod(0o600)
        self.agents = self.keys / "agents.token"
        self.agents.write_text("a word that both sides know\n")
        self.agents.chmod(0o600)
        self.port, self.agent_port = clickhouse.free_ports(2)
        common = {"port": self.port, "keys": self.keys, "store": server.url}
        self.hub = Node(self.folder / "hub", HUB.format(folder=self.folder / "hub", **common))
        cert = f'cert = "{self.keys}/a.pem"\nkey = "{self.keys}/a.key"'
        token = (f'token_file = "{secret}"\ntcp_port = {self.agent_port}\n'
                 f'tcp_token_file = "{self.agents}"')
        self.one, self.two = (
            Node(self.folder / name, EDGE.format(folder=self.folder / name, shown=shown, **common))
            for name, shown in (("one", cert), ("two", token)))
        self.nodes = (self.hub, self.one, self.two)

    def words(self):
        return "".join(node.words() for node in self.nodes if node.runs)

    def caller(self, certificate=None, version=None):
        return Caller(self.port, self.keys, certificate, version)

    def tcp(self):
        return f"tcp:127.0.0.1:{self.agent_port},token-file={self.agents}"


def test_sums(fleet, programs):
    """Two edges, one by its certificate, one by a token; agents of the second come over TCP."""
    name = programs.names[0]
    by_database = {"fleet_a": programs.start(name, fleet.one.socket, 150, 2),
                   "fleet_b": programs.start(name, fleet.tcp(), 150, 2)}
    for database, program in by_database.items():
        expect_stored(fleet.server, database, program, fleet.words)
    for database, program in by_database.items():
        other = "fleet_b" if database == "fleet_a" else "fleet_a"
        assert fleet.server.rows(f"SELECT count() FROM {other}.series WHERE instance = "
                                 f"'{program.process.pid}'") == [["0"]]
    assert fleet.hub.figure("batches_taken_total") > 0
    edges = fleet.server.rows("SELECT DISTINCT edge FROM fleet_a.batches")
    assert [[(fleet.one.folder / "state/name").read_text().strip()]] == edges, edges


def test_kills(fleet, programs):
    """Of the hub at any moment, of an edge, of the store, while programs run and while what they
    did is under way."""
    name = programs.names[0]
    one = programs.start(name, fleet.one.socket, None, 5)
    two = programs.start(name, fleet.two.socket, None, 5)
    for node in (fleet.one, fleet.two):
        wait_for("blocks", lambda: node.figure("streams") >= 1  # noqa: B023
                 and node.figure("waiting_bytes") == 0)  # noqa: B023
    fleet.hub.kill()
    fleet.one.kill()
    fleet.one.start()
    wait_for("a program", lambda: fleet.one.figure("streams") >= 1)
    for program in (one, two):
        program.end()
    for node in (fleet.one, fleet.two):
        wait_for("an edge alone", lambda: node.figure('store_up{shard="0"}') == 0  # noqa: B023
                 and node.figure("outbox_bytes") > 0)  # noqa: B023
    time.sleep(5)  # wait: edges try in vain for a while
    fleet.server.kill()
    for moment in (0.1, 0.3, 0.7):
        fleet.hub.start()
        time.sleep(moment)  # wait: any moment will do
        fleet.hub.kill()
    fleet.hub.start()
    fleet.one.kill()
    fleet.one.start()
    for node in (fleet.one, fleet.two):
        wait_for("a hub without a store",
                 lambda: node.figure('store_up{shard="0"}') == 1)  # noqa: B023
    fleet.server.start()
    expect_stored(fleet.server, "fleet_a", one, fleet.words)
    expect_stored(fleet.server, "fleet_b", two, fleet.words)


def test_same_again(fleet):
    """What came before is answered well, and is not kept twice."""
    caller, body = fleet.caller("a"), packed(fleet.folder)
    assert caller.rows(body, number=900)[:2] == (200, "kept\n")
    known = fleet.hub.figure("batches_known_total")
    taken = fleet.hub.figure("batches_taken_total")
    assert caller.rows(body, number=900)[0] == 200
    assert fleet.hub.figure("batches_known_total") == known + 1
    assert fleet.hub.figure("batches_taken_total") == taken
    wait_for("the row", lambda: fleet.server.rows(
        "SELECT count() FROM fleet_a.frames FINAL WHERE id = 77") == [["1"]])


def refused(fleet, why, act):
    before = fleet.hub.figure(f'refused_total{{why="{why}"}}')
    act()
    wait_for(why, lambda: fleet.hub.figure(f'refused_total{{why="{why}"}}') > before)


def test_tls(fleet, programs):
    """An old certificate, one of another authority, TLS 1.2; none and no token."""
    def hangs_up(caller):
        try:
            caller.ask("POST", "/v1/rows/frames", b"x")
        except (OSError, http.client.HTTPException):
            return
        raise AssertionError("was let in")

    for certificate, word in (("old", "expired"), ("stranger", "certificate")):
        refused(fleet, "tls", lambda: hangs_up(fleet.caller(certificate)))  # noqa: B023
        wait_for(word, lambda: word in fleet.hub.told("refused")[-1]["text"])  # noqa: B023
    refused(fleet, "tls", lambda: hangs_up(fleet.caller("a", ssl.TLSVersion.TLSv1_2)))
    refused(fleet, "token", lambda: fleet.caller().rows(packed(fleet.folder)))
    assert fleet.caller().rows(b"x")[0] == 401
    with socket.create_connection(("127.0.0.1", fleet.port)) as plain:
        refused(fleet, "tls", lambda: plain.sendall(b"GET /metrics HTTP/1.1\r\n\r\n"))
    # The other way round: an edge tells nothing to a hub of another authority.
    astray = Node(fleet.folder / "astray", fleet.one.file.read_text().replace(
        "ca.pem", "other.pem").replace(str(fleet.one.folder), str(fleet.folder / "astray")))
    try:
        astray.start()
        programs.start(programs.names[0], astray.socket, 5, 1).counts()
        wait_for("a complaint", lambda: any("certificate" in event["text"]
                                            for event in astray.told("store")))
        assert astray.figure("rows_total") == 0 and astray.figure("outbox_bytes") > 0
    finally:
        astray.kill()


def test_tokens(fleet):
    body, caller = packed(fleet.folder), fleet.caller()
    for token, status, why in (
            ("wrong", 401, "token"), (fleet.tokens["b/two"][:-1], 401, "token"),
            (fleet.tokens["a/gone"], 401, "token"), (fleet.tokens["a/reader"], 403, "role"),
            (fleet.tokens["nobody"], 403, "tenant")):
        refused(fleet, why, lambda: require(caller.rows(body, token)[0], status))  # noqa: B023
    refused(fleet, "tenant", lambda: require(fleet.caller("c").rows(body)[0], 403))
    # A token is looked at even where a certificate would do.
    assert fleet.caller("a").rows(body, "wrong")[0] == 401
    # With the name and the numbers of somebody else's edge it is still one's own database.
    other = (fleet.one.folder / "state/name").read_text().strip()
    assert caller.rows(body, fleet.tokens["b/two"], 0, edge=other)[0] == 200
    wait_for("the row", lambda: fleet.server.rows(
        "SELECT count() FROM fleet_b.frames FINAL WHERE id = 77") == [["1"]])


def test_reload(fleet):
    """SIGHUP reads tokens anew; a file that is none changes nothing."""
    file, caller, body = fleet.keys / "tokens.toml", fleet.caller(), packed(fleet.folder)
    before = file.read_text()
    token, lines = new_token("b/late")
    fleet.tokens["b/late"] = token
    assert caller.rows(body, token)[0] == 401

    def read_anew(text_of_file, told):
        seen = len(fleet.hub.told("configuration"))
        file.write_text(text_of_file)
        fleet.hub.process.send_signal(signal.SIGHUP)
        wait_for(told, lambda: any(told in event["text"] for event in
                                   fleet.hub.told("configuration")[seen:]))

    read_anew(before + lines, "read anew")
    assert caller.rows(body, token, 930)[0] == 200
    read_anew("[[token]]\nname = 1\n", "tokens stay as they were")
    assert caller.rows(body, token, 931)[0] == 200
    file.chmod(0o666)
    read_anew(before, "others can write it")
    file.chmod(0o644)
    read_anew(before, "read anew")
    assert caller.rows(body, token, 932)[0] == 401


def require(have, wanted):
    assert have == wanted, (have, wanted)


def test_bodies(fleet):
    """Bombs, damage, rows of another table, statements in names of columns, days far away."""
    caller, good = fleet.caller("a"), packed(fleet.folder)
    columns = "id, kind, name, file, line, seen"
    inject = "id, kind, name, file, line, seen) SELECT * FROM system.users --"
    far = frame_of_day(0x7fff)
    for why, status, body, table in (
            ("bomb", 413, packed(fleet.folder, raw=bytes(100 << 20)), "frames"),
            ("bomb", 413, packed(fleet.folder, raw=bytes(60 << 20)), "frames"),
            ("request", 413, os.urandom(41 << 20), "frames"),
            ("rows", 400, good[:-1], "frames"), ("rows", 400, b"", "frames"),
            ("rows", 400, good[:20] + bytes([good[20] ^ 255]) + good[21:], "frames"),
            ("rows", 400, good, "stacks"), ("rows", 400, good, "users"),
            ("rows", 400, packed(fleet.folder, table="users"), "users"),
            ("rows", 400, packed(fleet.folder, columns=inject), "frames"),
            ("rows", 400, packed(fleet.folder, columns=columns[:-6]), "frames"),
            ("rows", 400, packed(fleet.folder, rows=b"x"), "frames"),
            ("rows", 400, packed(fleet.folder, rows=b""), "frames"),
            ("rows", 400, packed(fleet.folder, count=2), "frames"),
            ("rows", 400, packed(fleet.folder, rows=far), "frames"),
            ("rows", 400, packed(fleet.folder, rows=far, day=month_of(0x7fff)), "frames"),
            ("rows", 400, packed(fleet.folder, rows=frame_of_day(40), day=31), "frames"),
            ("rows", 400, fact_of_day(fleet.folder, 21000), "profile_10s"),
            ("rows", 400, fact_of_day(fleet.folder, int(time.time()) // 86400 + 3), "profile_10s")):
        def send(body=body, table=table, status=status):
            with contextlib.suppress(ConnectionError, ssl.SSLError):
                require(caller.rows(body, table=table)[0], status)
        refused(fleet, why, send)
    for fields in ({}, {"Polytrace-Edge": "../x", "Polytrace-Batch": "1", "Polytrace-Before": "0"},
                   {"Polytrace-Edge": "x", "Polytrace-Batch": "-1", "Polytrace-Before": "0"}):
        assert caller.ask("POST", "/v1/rows/frames", good, None, fields)[0] == 400, fields
    for method, path, status in (("GET", "/v1/rows/frames", 405), ("POST", "/v1/other", 404),
                                 ("GET", "/metrics", 404), ("POST", "/" + "x" * 9000, 414)):
        assert caller.ask(method, path, b"")[0] == status, (method, path)
    assert caller.rows(good, number=901)[0] == 200


def month_of(day):
    epoch = datetime(1970, 1, 1, tzinfo=timezone.utc)
    return ((epoch + timedelta(days=day)).replace(day=1) - epoch).days


def frame_of_day(day):
    return ((78).to_bytes(8, "little") + b"\x01" + text("far") + text("") +
            (0).to_bytes(4, "little") + day.to_bytes(2, "little"))


def fact_of_day(folder, day):
    hour = day * 24
    row = (bytes(8) + b"\0" + hour.to_bytes(4, "little") + bytes(32) +
           (day * 86400).to_bytes(4, "little") + b"\0" + bytes(16))
    return packed(folder, "profile_10s", "service, carrier, hour, stack, subject, series, t, gen, "
                  "count, weight", row, day,
                  totals=b"\x01" + hour.to_bytes(4, "little") + b"\1\0\0\0" + bytes(16))


def test_full(fleet):
    """Above its mark the hub says when to come again, and below it takes on."""
    whole = fleet.hub.file.read_text()
    assert fleet.hub.end() == 0, fleet.hub.words()[-2000:]
    fleet.hub.file.write_text(whole.replace("[store]", "[outbox]\nhigh = 0.0000001\n[store]"))
    fleet.hub.start()
    body, caller = packed(fleet.folder), fleet.caller("a")
    status, _, fields = caller.rows(body, number=902)
    assert status == 429 and int(fields["Retry-After"]) > 0, (status, fields)
    assert fleet.hub.figure('refused_total{why="high"}') == 1
    assert fleet.hub.end() == 0
    fleet.hub.file.write_text(whole)
    fleet.hub.start()
    assert caller.rows(body, number=902)[0] == 200


def test_no_secret(fleet):
    for node in fleet.nodes:
        told = node.everything()
        for secret in (*fleet.tokens.values(), fleet.agents.read_text().strip()):
            assert secret not in told, (node.folder, "has a secret in its log")
        assert "PRIVATE KEY" not in told


@contextlib.contextmanager
def fleet_of(prefix):
    """A folder, a store with the tables of both tenants, programs that can be recorded, and a
    fleet whose nodes are not started yet; they do not outlive it. Where something is missing the
    test ends with 77 and the reason."""
    if not shutil.which("openssl") or not shutil.which("zstd"):
        print("no openssl or no zstd here")
        sys.exit(77)
    with tempfile.TemporaryDirectory(prefix=prefix) as folder, clickhouse.Server() as server:
        (Path(folder) / "programs").mkdir()
        programs = counting.Programs(Path(folder) / "programs")
        if not programs.names:
            print("no runtime whose agent can be loaded here")
            sys.exit(77)
        for database in ("fleet_a", "fleet_b"):
            subprocess.run([POLYTRACE, "fleet", "schema", "--apply", "--store",
                            f"{server.url}/{database}"], check=True, stdout=subprocess.DEVNULL)
        fleet = Fleet(folder, server)
        try:
            yield folder, server, programs, fleet
        finally:
            for node in fleet.nodes:
                node.kill()


def main():
    with fleet_of("polytrace-hub-") as (_, _, programs, fleet):
        for node in fleet.nodes:
            node.start()
        for test, needs in ((test_sums, True), (test_kills, True), (test_same_again, False),
                            (test_tls, True), (test_tokens, False), (test_reload, False),
                            (test_bodies, False), (test_full, False)):
            begin = time.monotonic()
            test(fleet, programs) if needs else test(fleet)
            print(f"{test.__name__}: {time.monotonic() - begin:.1f} s", flush=True)
        for node in (fleet.two, fleet.one, fleet.hub):
            assert node.end() == 0, node.words()[-2000:]
        test_no_secret(fleet)


if __name__ == "__main__":
    main()
