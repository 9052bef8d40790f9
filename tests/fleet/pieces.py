#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Parts of streams through a hub, over TLS, from edges of two tenants: the bytes are those of the
edge's own port, and the blocks in them those that the agent sent, however many; nobody sees another
tenant's; what is gone, and who is away, is told."""
import contextlib
import http.client
import json
import pwd
import os
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parent / "support"),
                str(Path(__file__).parents[1] / "cli"),
                str(Path(__file__).parents[1] / "server/support")]
import clickhouse  # noqa: E402
import collect  # noqa: E402
import collect_bounds  # noqa: E402
import hub  # noqa: E402
from certificates import Authority  # noqa: E402
from collect import POLYTRACE, wait_for  # noqa: E402
from json_schemas import fits  # noqa: E402
from ui import EXAMPLE, Server  # noqa: E402

PORT_TOKEN = "0123456789abcdef" * 4
BIG, SMALL, HOLED, THEIRS, OWN = 0xb1600001, 0x5a110001, 0x401e0001, 0x0b0b0001, 0x00a10001
LARGE = 9 << 20  # bytes: some times a message of an edge, and more than sockets hold
HEADER, BLOCK = 32, 72
EVENTS, END = 1, 4
# Shown, and what the templates of hub.py have no word for.
MORE = 'token_file = "{token}"\n'


def crc32c(data):
    crc = 0xffffffff
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82f63b78 if crc & 1 else 0)
    return crc ^ 0xffffffff


def blocks_of(trace):
    """From the description of the format: header and payload of each."""
    at, blocks = HEADER, []
    while at < len(trace):
        size, = struct.unpack_from("<I", trace, at + 4)
        blocks.append((trace[at:at + BLOCK], trace[at + BLOCK:at + BLOCK + size]))
        at += BLOCK + size
    return blocks


def content_of(block):
    return block[0][8]


def numbered(block, index):
    header = block[0][:16] + struct.pack("<Q", index) + block[0][24:68]
    return header + struct.pack("<I", crc32c(header)) + block[1]


def grown(trace, size):
    """The same with its events again and again, as blocks of their own."""
    blocks = blocks_of(trace)
    again = [block for block in blocks if content_of(block) == EVENTS][-1:]
    body, ends = blocks[:-1], blocks[-1:]
    assert content_of(ends[0]) == END
    have = sum(BLOCK + len(block[1]) for block in body)
    while have < size:
        body += again
        have += BLOCK + len(again[0][1])
    return trace[:HEADER] + b"".join(numbered(block, i) for i, block in enumerate(body + ends))


def expect_sent(piece, sent, indexes):
    """The last blocks of the piece are those that the agent sent, to the byte but for their
    numbers."""
    have = [block for block in blocks_of(piece) if content_of(block) != END][-len(indexes):]
    want = [blocks_of(sent)[index] for index in indexes]
    assert [payload for _, payload in have] == [payload for _, payload in want]


class Asker(hub.Caller):
    def __init__(self, fleet, port=None):
        super().__init__(port or fleet.port, fleet.keys)
        self.fleet = fleet

    def piece(self, path, who="a/reader", method="GET"):
        return self.ask_raw(method, f"/v1/traces/{path}", None, self.fleet.tokens.get(who, who))

    def begin(self, path, who="a/reader"):
        """Asks, and reads no more than the head."""
        link = http.client.HTTPSConnection("127.0.0.1", self.port, context=self.context,
                                           timeout=collect.HANGS)
        link.sock = self.context.wrap_socket(self.slow_socket(), server_hostname="127.0.0.1")
        link.request("GET", f"/v1/traces/{path}", None,
                     {"Authorization": f"Bearer {self.fleet.tokens[who]}"})
        return link, link.getresponse()

    def slow_socket(self):
        one = socket.socket()
        one.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 16)
        one.settimeout(collect.HANGS)
        one.connect(("127.0.0.1", self.port))
        return one


class Fleet:
    def __init__(self, folder, server):
        self.folder, self.server = Path(folder), server
        self.keys = self.folder / "keys"
        authority = Authority(self.keys, "ca")
        authority.issue("hub", "IP:127.0.0.1", "serverAuth")
        authority.issue("a", "URI:tenant/a/edge/one", "clientAuth")
        Authority(self.keys, "other")
        self.tokens, lines = {}, ""
        for name, roles in (("a/reader", '["read"]'), ("b/reader", '["read"]'),
                            ("a/pusher", '["push", "control", "dump", "admin"]'),
                            ("b/two", '["push"]'), ("nobody", '["read"]')):
            self.tokens[name], told = hub.new_token(name, roles)
            lines += told
            self.secret(name.replace("/", "-"), self.tokens[name])
        (self.keys / "tokens.toml").write_text(lines)
        port_token = MORE.format(token=self.secret("port", PORT_TOKEN))
        self.port, self.own_port = clickhouse.free_ports(2)
        common = {"port": self.port, "keys": self.keys, "store": server.url}
        text = hub.HUB.format(folder=self.folder / "hub", **common)
        self.hub = hub.Node(self.folder / "hub", text)
        # Scripted agents answer no heartbeats.
        shown = (f'cert = "{self.keys}/a.pem"\nkey = "{self.keys}/a.key"\nheartbeat = "1h"',
                 f'token_file = "{self.keys}/b-two.token"\nheartbeat = "1h"')
        self.one, self.two = (
            hub.Node(self.folder / name,
                     hub.EDGE.format(folder=self.folder / name, shown=how, **common) + port_token)
            for name, how in zip(("one", "two"), shown))
        user = pwd.getpwuid(os.geteuid()).pw_name
        text = text.replace('["hub"]', '["edge", "hub"]').replace(
            f":{self.port}", f":{self.own_port}").replace("/hub/state", "/both/state").replace(
            "[http]", f'[edge]\nsocket = "{self.folder}/both/run/collect.sock"\n'
            'heartbeat = "1h"\n[http]').replace(
            'database = "fleet_a"', f'database = "fleet_a"\nusers = ["{user}"]')
        self.both = hub.Node(self.folder / "both",
                             text.replace("port = 0\n", "port = 0\n" + port_token))
        self.nodes = (self.hub, self.one, self.two, self.both)

    def secret(self, name, token):
        file = self.keys / f"{name}.token"
        file.write_text(token + "\n")
        file.chmod(0o600)
        return file

    def asker(self, port=None):
        return Asker(self, port)

    def at_port(self, node, path):
        """What the collector's own port says: status, bytes, header."""
        link = http.client.HTTPConnection("127.0.0.1", node.port, timeout=collect.HANGS)
        with contextlib.closing(link):
            link.request("GET", f"/v1/traces/{path}", None,
                         {"Authorization": f"Bearer {PORT_TOKEN}"})
            answer = link.getresponse()
            return answer.status, answer.read(), dict(answer.getheaders())

    def channels(self, *edges):
        names = [(edge.folder / "state/name").read_text().strip() for edge in edges]
        here = [event["who"] for event in self.hub.told("control")]
        return all(name in here for name in names)

    def run(self, *words, code=0):
        done = subprocess.run([POLYTRACE, "fleet", *map(str, words), "--store",
                               f"{self.server.url}/fleet_a"], cwd=self.folder, text=True,
                              capture_output=True, timeout=collect.HANGS, check=False)
        assert done.returncode == code, (words, done)
        return done

    def through_hub(self, who="a-reader", ca="ca"):
        return ["--hub", f"https://127.0.0.1:{self.port}", "--ca", self.keys / f"{ca}.pem",
                "--token-file", self.keys / f"{who}.token"]


FIELDS = ("Content-Type", "Content-Length", "Polytrace-Blocks", "Polytrace-Gone")


def expect_same(fleet, node, path, port=None):
    """Through the hub as at the edge's own port; gives the bytes, and the header."""
    want, have = fleet.at_port(node, path), fleet.asker(port).piece(path)
    assert (have[0], have[1]) == (want[0], want[1]), (path, have[0], want[0], len(have[1]),
                                                      have[1][:200])
    for name in FIELDS[:None if have[0] == 200 else 1]:
        assert have[2].get(name) == want[2].get(name), (path, name, have[2], want[2])
    return have[1], have[2]


def send(node, number, content, holes=()):
    """A program's stream, without the blocks that are holes."""
    agent = collect_bounds.Agent(node, number, content)
    at = HEADER
    for i, block in enumerate(blocks_of(content)):
        if i not in holes:
            at += BLOCK + len(block[1])
            continue
        agent.send(at)
        at += BLOCK + len(block[1])
        agent.sent = at
    agent.end()
    assert agent.bye is None, agent.bye
    wait_for("the end of a stream", lambda: any(
        event.get("stream") == f"{number:016x}" for event in node.told("ended")))


def test_same_bytes(fleet, sent):
    """A few blocks, all of many, and those behind what one has already."""
    last = len(blocks_of(sent[BIG])) - 2  # but for the end
    for first, end in ((0, 0), (last - 3, last), (0, last)):
        piece, fields = expect_same(fleet, fleet.one, f"{BIG:016x}/{first}-{end}")
        expect_sent(piece, sent[BIG], range(first, end + 1))
        assert fields["Polytrace-Blocks"] == str(end - first + 1), fields
    assert len(piece) > LARGE, len(piece)
    piece, fields = expect_same(fleet, fleet.one,
                                f"{BIG:016x}/{last - 9}-{last}?had={last - 4}-5")
    expect_sent(piece, sent[BIG], range(last - 9, last - 4))
    expect_same(fleet, fleet.one, f"{SMALL:016x}/0-9")
    # It was read in the end: a piece is one to whoever reads traces.
    file = fleet.folder / "piece.ptrace"
    file.write_bytes(piece)
    subprocess.run([POLYTRACE, "info", "-q", file], check=True, stdout=subprocess.DEVNULL)
    status, body, fields = fleet.asker().piece(f"{SMALL:016x}/0-1", method="HEAD")
    size = len(fleet.at_port(fleet.one, f"{SMALL:016x}/0-1")[1])
    assert (status, body, fields["Content-Length"]) == (200, b"", str(size)), fields


def test_gone(fleet, sent, holes):
    piece, fields = expect_same(fleet, fleet.one, f"{HOLED:016x}/0-{holes[-1] + 1}")
    assert fields["Polytrace-Gone"] == f"{holes[0]} to {holes[-1]}", fields
    expect_sent(piece, sent[HOLED], [*range(holes[0]), holes[-1] + 1])
    path = f"{HOLED:016x}/{holes[0]}-{holes[-1]}"
    status, text, _ = fleet.asker().piece(path)
    assert status == 404 and text.startswith(b"no block from ") and b"the nearest is" in text, text
    assert fleet.at_port(fleet.one, path)[:2] == (status, text)


def test_tenants(fleet):
    """Another tenant's stream is like one that never was."""
    asker = fleet.asker()
    for mine, theirs, stream in (("a/reader", "b/reader", SMALL), ("b/reader", "a/reader", THEIRS)):
        assert asker.piece(f"{stream:016x}/0-1", mine)[0] == 200, mine
        foreign = asker.piece(f"{stream:016x}/0-1", theirs)
        nowhere = asker.piece(f"{stream + 1:016x}/0-1", theirs)
        assert foreign[0] == nowhere[0] == 404, (foreign, nowhere)
        assert foreign[1] == nowhere[1].replace(b"%016x" % (stream + 1), b"%016x" % stream), foreign


def test_who_may(fleet):
    asker, path = fleet.asker(), f"{SMALL:016x}/0-1"
    for who, status, why in ((None, 401, "token"), ("wrong", 401, "token"),
                             (PORT_TOKEN, 401, "token"), ("a/pusher", 403, "role"),
                             ("nobody", 403, "tenant")):
        before = fleet.hub.figure(f'refused_total{{why="{why}"}}')
        assert asker.piece(path, who)[0] == status, who
        assert fleet.hub.figure(f'refused_total{{why="{why}"}}') == before + 1, who
    # A certificate may push, and no more.
    assert hub.Caller(fleet.port, fleet.keys, "a").ask("GET", f"/v1/traces/{path}")[0] == 403


def test_wrong(fleet):
    """As the edge's own port says it, and before any edge is asked."""
    stream = f"{SMALL:016x}"
    for wrong in ("", "/", "../../../etc/passwd", stream, f"{stream}/1", f"{stream}/2-1",
                  f"{stream}/0-1024", f"{stream}/-1-3", f"{stream}/1-99999999999999999999",
                  f"{stream[:-1]}/1-2", f"{stream}/1-2/", f"{stream}/../1-2",
                  f"{stream}/1-2?had=", f"{stream}/0-1?had=5-x", f"{stream}/0-1?had=0-5000"):
        piece, _ = expect_same(fleet, fleet.one, wrong)
        assert fleet.asker().piece(wrong)[0] == 400, (wrong, piece)
    assert fleet.asker().piece(f"{stream}/0-1", method="POST")[0] == 405
    piece, _ = expect_same(fleet, fleet.one, f"{stream}/9000000-9000001")
    assert b"the nearest is " in piece, piece


def test_get(fleet):
    """The command's trace is the same, whichever way it came."""
    def moments():
        done = fleet.run("moments", "--kind", "call", "--limit", 0, "--json")
        names = [row["moment"] for row in json.loads(done.stdout)["tables"][0]["rows"]]
        return [name for name in names if name.startswith(f"{SMALL:016x}-")]

    wait_for("moments", moments)
    get = ["get", moments()[0]]
    told = json.loads(fleet.run(*get, *fleet.through_hub(), "-o", "hub.ptrace", "--json").stdout)
    fits(told, "fleet-get.json", "fleet get")
    assert told["begins"], told
    fleet.run(*get, "--edge", f"http://127.0.0.1:{fleet.one.port}", "--token-file",
              fleet.keys / "port.token", "-o", "edge.ptrace")
    piece = (fleet.folder / "hub.ptrace").read_bytes()
    assert piece == (fleet.folder / "edge.ptrace").read_bytes()
    for words, code, part in (
            (fleet.through_hub("a-pusher"), 1, "HTTP 403"),
            (fleet.through_hub("b-reader"), 1, "HTTP 404"),
            (fleet.through_hub(ca="other"), 1, "certificate"),
            (fleet.through_hub()[:4], 2, "--token-file"),
            ([*fleet.through_hub(), "--edge", "http://127.0.0.1:1"], 2, "--edge"),
            ([*fleet.through_hub(), "--folder", fleet.folder], 2, "--folder")):
        stderr = fleet.run(*get, *words, "-o", "none.ptrace", code=code).stderr
        assert part in stderr, (words, stderr)
        assert not any(secret in stderr for secret in fleet.tokens.values()), stderr
    assert not (fleet.folder / "none.ptrace").exists()
    test_page(fleet, moments()[0], piece)


def test_page(fleet, moment, piece):
    """The page's server asks a hub likewise."""
    done = subprocess.run([POLYTRACE, "ui", EXAMPLE, "--port", "70000"], check=False,
                          capture_output=True, text=True)
    if "built without the page" in done.stderr:
        print("without the page's part: this program was built without it")
        return
    with Server("--store", f"{fleet.server.url}/fleet_a", *fleet.through_hub(),
                ready=False) as server:
        got = server.post("/fleet/get", {"moment": moment})
        assert (got["moment"], got["bytes"], got["begins"]) == (moment, len(piece), True), got


def hang_up(link, answer):
    answer.close()
    link.close()


def whole(sent):
    return f"{BIG:016x}/0-{len(blocks_of(sent[BIG])) - 2}"


def test_busy(fleet, sent):
    """Two at a time of a tenant; others of the other one are answered; who goes makes room."""
    slow = [fleet.asker().begin(whole(sent)) for _ in range(2)]
    assert [answer.status for _, answer in slow] == [200, 200]
    status, text, fields = fleet.asker().piece(f"{SMALL:016x}/0-1")
    assert status == 429 and int(fields["Retry-After"]) > 0, (status, text)
    assert fleet.asker().piece(f"{THEIRS:016x}/0-1", "b/reader")[0] == 200
    # The edge bounds it by itself, too; its own port is another matter.
    assert fleet.at_port(fleet.one, f"{SMALL:016x}/0-1")[0] == 200
    hang_up(*slow[0])
    wait_for("room for one", lambda: fleet.asker().piece(f"{SMALL:016x}/0-1")[0] == 200)
    # Who reads in the end has all of it.
    link, answer = slow[1]
    assert answer.read() == fleet.at_port(fleet.one, whole(sent))[1]
    hang_up(link, answer)


def test_edge_stopped(fleet):
    """Stopped, not gone: told in time, with its name; and it answers when it goes on."""
    name = (fleet.one.folder / "state/name").read_text().strip()
    fleet.one.process.send_signal(signal.SIGSTOP)
    try:
        status, text, _ = fleet.asker().piece(f"{SMALL:016x}/0-1")
    finally:
        fleet.one.process.send_signal(signal.SIGCONT)
    assert status == 504 and name.encode() in text and b"no answer from" in text, (status, text)
    expect_same(fleet, fleet.one, f"{SMALL:016x}/0-1")


def test_edge_killed(fleet, sent):
    """In the middle of a piece: whoever reads it sees that it is not whole. Then who is away is
    told, to its tenant alone, until it is back."""
    name = (fleet.one.folder / "state/name").read_text().strip()
    link, answer = fleet.asker().begin(whole(sent))
    assert answer.status == 200
    fleet.one.kill()
    try:
        part = answer.read()
        raise AssertionError(f"{len(part)} bytes passed for the whole")
    except (http.client.IncompleteRead, OSError):
        pass
    hang_up(link, answer)
    wait_for("that it is away", lambda: b"away" in fleet.asker().piece(f"{SMALL:016x}/0-1")[1])
    status, text, _ = fleet.asker().piece(f"{SMALL:016x}/0-1")
    assert status == 504 and name.encode() in text, (status, text)
    status, text, _ = fleet.asker().piece(f"{SMALL:016x}/0-1", "b/reader")
    assert status == 404 and b"away" not in text, (status, text)
    before = len(fleet.hub.told("control"))
    fleet.one.start()
    wait_for("the edge", lambda: len(fleet.hub.told("control")) > before)
    expect_same(fleet, fleet.one, whole(sent))
    assert fleet.asker().piece(f"{SMALL + 1:016x}/0-1")[0] == 404


def test_both(fleet, content):
    """One process that is edge and hub: its own spool, and whose streams these are."""
    send(fleet.both, OWN, content)
    expect_same(fleet, fleet.both, f"{OWN:016x}/0-1", fleet.own_port)
    expect_same(fleet, fleet.both, f"{OWN:016x}/9000000-9000001", fleet.own_port)
    asker = fleet.asker(fleet.own_port)
    assert asker.piece(f"{OWN:016x}/0-1", "b/reader")[0] == 404
    assert asker.piece(f"{OWN:016x}/0-1", "a/pusher")[0] == 403
    assert asker.piece(f"{BIG:016x}/0-1")[0] == 404


def main():
    if not shutil.which("openssl"):
        print("no openssl here")
        sys.exit(77)
    with tempfile.TemporaryDirectory(prefix="polytrace-pieces-") as folder, \
            clickhouse.Server() as server:
        for database in ("fleet_a", "fleet_b"):
            subprocess.run([POLYTRACE, "fleet", "schema", "--apply", "--store",
                            f"{server.url}/{database}"], check=True, stdout=subprocess.DEVNULL)
        fleet = Fleet(folder, server)
        small = collect_bounds.stream(folder, "shop", 20, 3000)
        large = grown(collect_bounds.stream(folder, "large", 20, 20_000), LARGE)
        holed = grown(small, len(small) + (len(small) << 3))
        count = len(blocks_of(holed))
        holes = range(count - 5, count - 2)
        sent = {BIG: large, SMALL: small, HOLED: holed}
        try:
            for node in fleet.nodes:
                node.start()
            wait_for("both edges", lambda: fleet.channels(fleet.one, fleet.two))
            send(fleet.one, SMALL, small)
            send(fleet.one, BIG, large)
            send(fleet.one, HOLED, holed, holes)
            send(fleet.two, THEIRS, small)
            for test, words in ((test_same_bytes, (sent,)), (test_gone, (sent, holes)),
                                (test_tenants, ()), (test_who_may, ()), (test_wrong, ()),
                                (test_get, ()), (test_busy, (sent,)), (test_edge_stopped, ()),
                                (test_edge_killed, (sent,)), (test_both, (small,))):
                begin = time.monotonic()
                test(fleet, *words)
                print(f"{test.__name__}: {time.monotonic() - begin:.1f} s", flush=True)
            for node in fleet.nodes[::-1]:
                assert node.end() == 0, node.words()[-2000:]
                for secret in [*fleet.tokens.values(), PORT_TOKEN]:
                    assert secret not in node.everything(), node.folder
        finally:
            for node in fleet.nodes:
                node.kill()


if __name__ == "__main__":
    main()
