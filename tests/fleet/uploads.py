#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`polytrace push --as hub`: a file goes to a hub in pieces and is read there. What is in the store
is what a push into the store puts there, also when the sender or the hub was killed in the middle,
who then sends no more than was missing; and pieces that do not fit are refused by name."""
import contextlib
import http.client
import json
import os
import socket
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parent / "support"),
                str(Path(__file__).parents[1] / "cli")]
import clickhouse  # noqa: E402
from collect import HANGS, POLYTRACE, field, wait_for  # noqa: E402
from hub import Node, new_token  # noqa: E402
from json_schemas import fits  # noqa: E402

DATA = Path(os.environ["TEST_DATA"])
HUB = """role = ["hub"]
[http]
listen = "127.0.0.1:{port}"
token_file = "{folder}/tokens.toml"
[spool]
folder = "{folder}/hub/state"
min_free = "1m"
[uploads]
bytes = "120m"
age = "{age}"
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
PIECE = 8 << 20
ID = "0123456789abcdef" * 2
MOST_OF_TENANT = 16


class Proxy:
    """Between a sender and the hub: counts what is sent, and holds it back beyond `most`."""

    def __init__(self, port):
        self.to = port
        self.most = None
        self.sent = 0
        self.ended = threading.Event()  # of the connections that there are
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                near = self.listener.accept()[0]
            except OSError:
                return
            try:
                far = socket.create_connection(("127.0.0.1", self.to))
            except OSError:
                near.close()
                continue
            for source, sink, counts in ((near, far, True), (far, near, False)):
                threading.Thread(target=self.pass_on, args=(source, sink, counts, self.ended),
                                 daemon=True).start()

    def pass_on(self, source, sink, counts, ended):
        with contextlib.suppress(OSError):
            while data := source.recv(1 << 16):
                while counts and self.most is not None and self.sent + len(data) > self.most:
                    if ended.wait(0.02):
                        break
                if ended.is_set():
                    break
                if counts:
                    self.sent += len(data)
                sink.sendall(data)
        for end in (source, sink):
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
            end.close()

    def begin(self, most=None):
        """Anew: nothing more comes of connections that there are."""
        self.ended.set()
        self.ended = threading.Event()
        self.most, self.sent = most, 0


class Door:
    def __init__(self, folder, store):
        self.folder, self.store = folder, store
        self.port = clickhouse.free_ports(1)[0]
        self.tokens, lines = {}, ""
        for name, roles in (("a/one", '["push"]'), ("b/two", '["push"]'), ("a/reader", '["read"]')):
            self.tokens[name], told = new_token(name, roles)
            lines += told
        (folder / "tokens.toml").write_text(lines)
        self.token_file = folder / "one.token"
        self.token_file.write_text(self.tokens["a/one"] + "\n")
        self.token_file.chmod(0o600)
        self.hub = Node(folder / "hub", self.configuration("1h"))
        self.proxy = Proxy(self.port)

    def configuration(self, age):
        return HUB.format(port=self.port, folder=self.folder, store=self.store.url, age=age)

    def push(self, file, *words, port=None):
        return subprocess.Popen(
            [POLYTRACE, "push", file, "--as", "hub", "--to",
             f"http://127.0.0.1:{port or self.port}", "--token-file", self.token_file, *words],
            text=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def ends(self, process, code=0):
        out, err = process.communicate(timeout=HANGS)
        assert process.returncode == code, (process.returncode, out, err, self.hub.words()[-2000:])
        return out, err

    def send(self, body, content_range, who="a/one", upload=ID, query=""):
        link = http.client.HTTPConnection("127.0.0.1", self.port, timeout=HANGS)
        fields = {"Authorization": f"Bearer {self.tokens[who]}"}
        if upload is not None:
            fields["Polytrace-Upload"] = upload
        if content_range is not None:
            fields["Content-Range"] = content_range
        link.request("PUT", "/v1/traces" + query, body, fields)
        answer = link.getresponse()
        told = answer.status, answer.read().decode(), answer.getheader("Range")
        link.close()
        return told


def large_trace(folder):
    """A recording in zstd that packs nothing, with three pieces of nothing behind it, which readers
    of zstd pass over."""
    plain = (DATA / "mlpd/calls.mlpd").read_bytes()
    step = 100_000
    parts = [plain[at:at + step] for at in range(0, len(plain), step)]
    frame = b"\x28\xb5\x2f\xfd\x00\x58" + b"".join(
        ((len(part) << 3) | (at == len(parts) - 1)).to_bytes(3, "little") + part
        for at, part in enumerate(parts))
    nothing = os.urandom(3 * PIECE)
    file = folder / "large.mlpd.zst"
    file.write_bytes(frame + b"\x50\x2a\x4d\x18" + len(nothing).to_bytes(4, "little") + nothing)
    return file


def words_of(service):
    """A time that is not too old, the same for each who pushes."""
    at = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() // 3600 * 3600 - 3600))
    return ["--at", at, "--label", f"service={service}", "--label", "zone=eu 1/ä"]


def stored(store, database, service):
    where = f"WHERE service IN (SELECT service FROM {database}.series WHERE service_name = "
    where += f"'{service}')"
    return [store.rows(f"SELECT {what} FROM {database}.{table} FINAL {where} ORDER BY {order}")
            for table, what, order in (
                ("profile_10s", "carrier, hex(stack), subject, series, toUInt32(t), gen, count, "
                                "weight", "carrier, stack, subject, series, t, gen"),
                ("methods_1m", "method, series, toUInt32(t), calls, self_ns, total_ns, max_ns",
                 "method, series, t"),
                ("health_10s", "series, toUInt32(t), calls, events, gcs", "series, t"),
                ("series", "series, grp, label_names, label_values", "series"))]


def expect_stored(door, file, words, service):
    """What the same file makes that is pushed into the store."""
    subprocess.run([POLYTRACE, "push", file, "--to", f"{door.store.url}/direct", *words],
                   check=True, stdout=subprocess.DEVNULL)
    truth = stored(door.store, "direct", service)
    assert all(truth), truth
    wait_for("the same rows", lambda: stored(door.store, "fleet_a", service) == truth)


def test_whole(door, file):
    """At one go, as text and as JSON; again it is known, and nothing is sent."""
    words = words_of("whole")
    out, _ = door.ends(door.push(file, *words, port=door.proxy.port))
    assert "service whole" in out and door.proxy.sent > file.stat().st_size, out
    expect_stored(door, file, words, "whole")
    assert (door.hub.figure("uploads"), door.hub.figure("upload_bytes")) == (0, 0)
    wait_for("its row of traces", lambda: door.store.rows(
        "SELECT DISTINCT place FROM fleet_a.traces") == [["nowhere: who pushed it has the file"]])
    before = door.proxy.sent
    out, _ = door.ends(door.push(file, *words, "--json", port=door.proxy.port))
    fits(json.loads(out), "push.json", "push")
    told = json.loads(out)["traces"][0]
    assert told["file"] == file.name and told["labels"]["zone"] == "eu 1/ä", told
    assert door.proxy.sent - before < 10_000, door.proxy.sent - before
    assert door.hub.figure("traces_taken_total") == 1


def hold_after(door, pieces):
    """Nothing of the piece behind so many arrives whole."""
    door.proxy.begin(pieces * PIECE + PIECE // 2)
    return lambda: door.hub.figure("upload_bytes") == pieces * PIECE


def test_sender_killed(door, file):
    words = words_of("killed")
    has_come = hold_after(door, 2)
    process = door.push(file, *words, port=door.proxy.port)
    wait_for("two pieces", has_come)
    process.kill()
    process.communicate()
    door.proxy.begin()
    door.ends(door.push(file, *words, port=door.proxy.port))
    missing = file.stat().st_size - 2 * PIECE
    assert missing <= door.proxy.sent < missing + PIECE, (missing, door.proxy.sent)
    expect_stored(door, file, words, "killed")
    # Other labels are another file.
    assert door.hub.figure("uploads") == 0


def test_hub_killed(door, file):
    """Between two pieces: the sender goes on by itself."""
    words = words_of("hub-killed")
    has_come = hold_after(door, 1)
    process = door.push(file, *words, port=door.proxy.port)
    wait_for("a piece", has_come)
    door.hub.kill()
    door.proxy.begin()
    door.hub.start()
    _, err = door.ends(process)
    assert "trying again" in err, err
    expect_stored(door, file, words, "hub-killed")


def test_ranges(door):
    """What does not fit is refused, by its name, and changes nothing."""
    assert door.send(b"", f"bytes */{100}")[::2] == (308, None)
    assert door.send(b"x" * 10, "bytes 0-9/100")[::2] == (308, "bytes=0-9")
    for body, told, status, says in (
            (b"x" * 10, "bytes 20-29/100", 416, "10 bytes are here"),
            (b"x" * 10, "bytes 5-14/100", 416, "10 bytes are here"),
            (b"x" * 10, "bytes 0-9/100", 416, "10 bytes are here"),
            (b"x" * 10, "bytes 95-104/100", 400, "beyond the end"),
            (b"x" * 10, "bytes 10-18/100", 400, "10 bytes, not 9"),
            (b"x" * 10, "bytes 10-20/100", 400, "10 bytes, not 11"),
            (b"x" * 10, "bytes 19-10/100", 400, "FIRST-LAST"), (b"x", "bytes 10/100", 400, "FIRST"),
            (b"x", "bytes */100", 400, "FIRST-LAST"), (b"", "bytes */0", 400, "size"),
            (b"x", "bytes 0-0", 400, "size"), (b"x", "lines 0-0/9", 400, "in bytes"),
            (b"x", "bytes 0-0/99999999999999999999999", 400, "size"),
            (b"x", None, 400, "in bytes"), (b"x", "bytes 0-0/999999999", 413, "more than")):
        have = door.send(body, told)
        assert have[0] == status and says in have[1], (told, have)
        assert status != 416 or have[2] == "bytes=0-9", have
    for upload in (None, "x", ID[:-1], ID.upper(), "../" + ID[3:]):
        assert door.send(b"x", "bytes 0-0/100", upload=upload)[0] == 400, upload
    assert door.send(b"", "bytes */100")[2] == "bytes=0-9"
    # Of another size it is another file.
    assert door.send(b"", "bytes */101")[::2] == (308, None)
    assert door.hub.figure("uploads") == 1


def test_others(door):
    """Nobody sees or touches what another tenant sends by the same name."""
    assert door.send(b"", "bytes */100", "b/two")[::2] == (308, None)
    assert door.send(b"y" * 5, "bytes 0-4/100", "b/two")[::2] == (308, "bytes=0-4")
    assert door.send(b"y", "bytes 10-10/100", "b/two")[0] == 416
    assert door.send(b"", "bytes */100")[2] == "bytes=0-9"
    assert door.send(b"y", "bytes 0-0/100", "a/reader")[0] == 403


def test_bounds(door):
    """So many files of a tenant, so many bytes; others have theirs."""
    for number in range(MOST_OF_TENANT - 1):
        assert door.send(b"x", "bytes 0-0/9", upload=f"{number:032x}")[0] == 308
    status, says, _ = door.send(b"x", "bytes 0-0/9", upload="f" * 32)
    assert status == 429 and "on their way" in says, says
    half = 60 << 20
    assert door.send(b"x", f"bytes 0-0/{half - 100}", "b/two", "e" * 32)[0] == 308
    status, says, _ = door.send(b"x", "bytes 0-0/9", "b/two", "f" * 32)
    assert status == 429 and "uploads.bytes" in says, says
    assert door.send(b"x", f"bytes 0-0/{half + 1}", "b/two", "f" * 32)[0] == 413


def test_age(door):
    """What nobody goes on with goes; at the next start what is left is known again."""
    have = door.hub.figure("uploads")
    assert have == MOST_OF_TENANT + 2, have
    assert door.hub.end() == 0
    door.hub.start()
    assert door.hub.figure("uploads") == have
    assert door.send(b"", "bytes */100")[2] == "bytes=0-9"
    assert door.hub.end() == 0
    door.hub.file.write_text(door.configuration("1s"))
    door.hub.start()
    wait_for("the end of them", lambda: door.hub.figure("uploads") == 0)
    assert not [path for path in (door.hub.folder / "state/uploads").rglob("*") if path.is_file()]
    assert door.hub.end() == 0
    door.hub.file.write_text(door.configuration("1h"))
    door.hub.start()


def test_wrong_files(door, folder):
    """A file that is none, and bytes that are not those that were named."""
    assert door.send(b"x" * 10, "bytes 0-9/10")[0] == 400
    status, says, _ = door.send(b"x" * 10, "bytes 0-9/10", query="?lable=x")
    assert status == 400 and "lable" in says, says
    assert door.hub.figure("uploads") == 0
    file = folder / "no.trace"
    file.write_bytes(os.urandom(100_000))
    out, err = door.ends(door.push(file), 1)
    assert "HTTP 400" in err and not out, (out, err)
    assert door.hub.figure("uploads") == 0
    file.write_bytes(b"")
    assert "empty" in door.ends(door.push(file), 1)[1]
    door.token_file.write_text(door.tokens["a/reader"] + "\n")
    assert "HTTP 403" in door.ends(door.push(DATA / "mlpd/calls.mlpd"), 1)[1]
    # Older than a week: the events are refused, and counted.
    door.token_file.write_text(door.tokens["a/one"] + "\n")
    _, err = door.ends(door.push(DATA / "mlpd/calls.mlpd"), 4)
    assert "refused" in err, err


def test_whole_body(door):
    """What comes without a range comes whole, as ever."""
    texts = b"".join(field(6 << 3 | 2, text) for text in (b"", b"samples", b"count", b"main"))
    samples = field(2 << 3 | 2, field(1 << 3 | 2, b"\x01") + field(2 << 3 | 2, b"\x07"))
    body = (field(1 << 3 | 2, b"\x08\x01\x10\x02") + samples +
            field(4 << 3 | 2, b"\x08\x01\x22\x02\x08\x01") +
            field(5 << 3 | 2, b"\x08\x01\x10\x03") + texts)
    status, says, _ = door.send(body, None, upload=None, query="?label=service:body")
    assert status == 200, says
    wait_for("its row", lambda: door.store.number(
        "SELECT count() FROM fleet_a.series FINAL WHERE service_name = 'body'") == 1)


def main():
    with tempfile.TemporaryDirectory(prefix="polytrace-uploads-") as name, \
            clickhouse.Server() as store:
        folder = Path(name)
        for database in ("fleet_a", "fleet_b", "direct"):
            subprocess.run([POLYTRACE, "fleet", "schema", "--apply", "--store",
                            f"{store.url}/{database}"], check=True, stdout=subprocess.DEVNULL)
        file = large_trace(folder)
        door = Door(folder, store)
        try:
            door.hub.start()
            for test, words in ((test_whole, [file]), (test_sender_killed, [file]),
                                (test_hub_killed, [file]), (test_ranges, []), (test_others, []),
                                (test_bounds, []), (test_age, []), (test_wrong_files, [folder]),
                                (test_whole_body, [])):
                begin = time.monotonic()
                test(door, *words)
                print(f"{test.__name__}: {time.monotonic() - begin:.1f} s", flush=True)
            assert door.hub.end() == 0, door.hub.words()[-2000:]
            for secret in door.tokens.values():
                assert secret not in door.hub.everything(), "a secret in the log"
        finally:
            door.hub.kill()


if __name__ == "__main__":
    main()
