#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Who may ask `polytrace ui`, and how much: every rule of "Security" in docs/reference/ui.md, over
a socket."""
import contextlib
import http.client
import json
import os
import re
import socket
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "support"))
from ui import (EXAMPLE, Server, address_of, endpoints, read_all,  # noqa: E402
                skip_without_page, status_of)
from waiting import SECONDS, wait_until  # noqa: E402

LONG = bool(os.environ.get("POLYTRACE_LONG"))

GUARDS = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; "
                               "img-src 'self' data: blob:; connect-src 'self'; base-uri 'none'; "
                               "form-action 'none'; frame-ancestors 'none'; "
                               "require-trusted-types-for 'script'; trusted-types 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}


def listeners(process):
    """Local addresses that the process listens on, as the kernel lists them."""
    mine = {os.readlink(f"/proc/{process}/fd/{fd}") for fd in os.listdir(f"/proc/{process}/fd")}
    found = []
    for table in ("tcp", "tcp6"):
        for line in Path(f"/proc/{process}/net/{table}").read_text().splitlines()[1:]:
            words = line.split()
            if words[3] == "0A" and f"socket:[{words[9]}]" in mine:
                found.append(words[1].split(":")[0])
    return found


def binds_loopback_only(server):
    found = listeners(server.process.pid)
    assert found in (["0100007F"], ["0" * 24 + "01000000"]), found
    for other in ("127.0.0.2", *others()):
        with socket.socket() as link:
            link.settimeout(SECONDS)
            assert link.connect_ex((other, server.port)) != 0, other


def others():
    """This machine's addresses on other interfaces, as far as it has names for them."""
    try:
        found = socket.getaddrinfo(socket.gethostname(), None, socket.AF_INET)
    except OSError:
        return set()
    return {at[4][0] for at in found if not at[4][0].startswith("127.")}


def wants_the_token(server):
    good = server.token
    assert re.fullmatch(r"[A-Za-z0-9_-]{22}", good), good
    assert server.ask("GET", "/api/1/session")[0] == 200
    for headers in ({}, {"Authorization": good}, {"Authorization": "Bearer " + good[:-1]},
                    {"Authorization": "Bearer " + good + "A"}, {"Authorization": "Bearer "},
                    {"Authorization": "Bearer " + "A" * 22}, {"Cookie": "token=" + good},
                    {"Authorization": "Basic " + good}):
        for method, path in (("GET", "/api/1/session"), ("GET", "/api/1/stream"),
                             ("POST", "/api/1/traces"), ("GET", "/api/1/nothing"), ("GET", "/api")):
            assert server.ask(method, path, headers=headers)[0] == 401, (method, path, headers)
    assert server.ask("GET", f"/api/1/session?token={good}", headers={})[0] == 401
    twice = (f"GET /api/1/session HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {good}\r\n"
             f"Authorization: Bearer {good}\r\n\r\n")
    assert status_of(server.raw(twice.encode())) == 401
    with Server("--no-index", EXAMPLE) as other:
        assert other.token != good


def knows_its_name(server):
    def asked(path, *hosts):
        lines = "".join(f"Host: {host}\r\n" for host in hosts)
        return status_of(server.raw((f"GET {path} HTTP/1.1\r\n{lines}Connection: close\r\n"
                                     f"Authorization: Bearer {server.token}\r\n\r\n").encode()))
    for host in ("127.0.0.1", "localhost", "[::1]"):
        for port in ("", f":{server.port}", ":1", ":65535"):
            assert asked("/api/1/session", host + port) == 200, host + port
    for host in ("evil.example", f"evil.example:{server.port}", "localhost.", "LOCALHOST",
                 "127.0.0.1.evil.example", "127.0.0.2", "0.0.0.0", "localhost:", "localhost:x",
                 "localhost:123456", "[::1", "localhost@evil.example", "[::2]", ""):
        assert asked("/api/1/session", host) == 421, host
        assert asked("/", host) == 421, host
    assert asked("/api/1/session") == 421
    assert asked("/api/1/session", "localhost", "localhost") == 421


def answers_its_own_page_only(server):
    own = f"http://127.0.0.1:{server.port}"
    for more in ({}, {"Origin": own}, {"Sec-Fetch-Site": "same-origin"},
                 {"Origin": own, "Sec-Fetch-Site": "same-origin"}):
        assert server.ask("GET", "/api/1/session", headers=server.headers(**more))[0] == 200, more
    for more in ({"Origin": "null"}, {"Origin": "http://evil.example"},
                 {"Origin": f"http://127.0.0.1:{server.port + 1}"}, {"Origin": "https" + own[4:]},
                 {"Origin": f"http://localhost:{server.port}"}, {"Origin": own + "/"},
                 {"Sec-Fetch-Site": "cross-site"}, {"Sec-Fetch-Site": "same-site"},
                 {"Sec-Fetch-Site": "none"}):
        for method, path in (("GET", "/api/1/session"), ("POST", "/api/1/traces")):
            status, _, body = server.ask(method, path, headers=server.headers(**more))
            assert status == 403, (more, status)
            assert json.loads(body)["code"] == "origin-refused"
        for path in ("/", "/page.js", "/page.css", "/icon.svg"):  # a link may open the page
            assert server.ask("GET", path, headers=more)[0] == 200, (path, more)


def has_no_cors(server):
    preflight = {"Origin": "http://evil.example", "Access-Control-Request-Method": "POST"}
    for path in ("/api/1/session", "/", "/api/1/nothing"):
        for method in ("OPTIONS", "TRACE", "DELETE", "PATCH", "CONNECT", "BREW"):
            reply = server.raw(f"{method} {path} HTTP/1.1\r\nHost: localhost\r\n"
                               "Connection: close\r\n\r\n".encode())
            assert status_of(reply) in (400, 405), (method, path, reply[:80])
            assert method != "OPTIONS" or status_of(reply) == 405
        for method in ("OPTIONS", "GET", "POST"):
            head = server.ask(method, path, headers=server.headers(**preflight))[1]
            assert not [name for name in head if name.lower().startswith("access-control")], head


def guards_every_reply(server):
    trace = server.traces()[0]
    paths = [("GET", "/"), ("GET", "/page.js"), ("GET", "/page.css"), ("GET", "/icon.svg"),
             ("GET", "/nothing"), ("GET", "/api/1/nothing"), ("POST", "/api/1/session"),
             ("GET", "/api/1/traces/0123456789abcdef"), ("OPTIONS", "/api/1/session"),
             *[(method, address_of(path, trace)) for _, method, path, _, _ in endpoints()]]
    for method, path in paths:
        for headers in (server.headers(), {}):
            status, head = head_of_reply(server, method, path, headers)
            for name, value in GUARDS.items():
                assert head[name] == value, (method, path, name, head[name])
            if path.startswith("/api") and not (status == 200 and "/tile/" in path):
                assert head["Cache-Control"] == "no-store", (method, path)


def head_of_reply(server, method, path, headers):
    """Of an answer that may have no end."""
    with contextlib.closing(http.client.HTTPConnection("127.0.0.1", server.port,
                                                       timeout=SECONDS)) as link:
        link.request(method, path, body=None if method == "GET" else "{}", headers=headers)
        reply = link.getresponse()
        return reply.status, reply.headers


def keeps_to_its_root(server):
    """The page's own files: nothing else can be named."""
    for path in ("/../etc/passwd", "/..%2fetc/passwd", "/%2e%2e/etc/passwd", "//etc/passwd",
                 "/page.js/../../x", "/index.html", "/manifest.json", "/page.js%00"):
        assert server.ask("GET", path)[0] in (400, 404), path
    assert server.ask("GET", "/api/1/files")[0] == 403
    assert server.ask("POST", "/api/1/traces", '{"file":"x"}')[0] == 403


def head_of(server, method="GET", path="/api/1/session", more=""):
    return (f"{method} {path} HTTP/1.1\r\nHost: localhost\r\n"
            f"Authorization: Bearer {server.token}\r\n{more}")


def keeps_its_limits(server):
    trace = "/api/1" + server.traces()[0] + "/profile"
    large = head_of(server, "POST", trace, f"Content-Length: {2 << 20}\r\n\r\n") + "x" * (2 << 20)
    assert status_of(server.raw(large.encode())) == 413
    chunked = head_of(server, "POST", trace, "Transfer-Encoding: chunked\r\n\r\n") + "0\r\n\r\n"
    assert status_of(server.raw(chunked.encode())) == 411
    lengths = "Content-Length: 2\r\nContent-Length: 3\r\n\r\n"
    smuggled = head_of(server, "POST", trace, lengths) + "{}"
    assert status_of(server.raw(smuggled.encode())) in (0, 400)
    both = head_of(server, "POST", trace, "Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n")
    assert status_of(server.raw((both + "{}").encode())) in (0, 400, 411)
    long_line = head_of(server, path="/api/1/session?" + "x" * 9000) + "\r\n"
    assert status_of(server.raw(long_line.encode())) == 414
    long_head = head_of(server, more="X: " + "x" * 40000 + "\r\n\r\n")
    assert status_of(server.raw(long_head.encode())) in (0, 431)
    for junk in (b"\0" * 100 + b"\r\n\r\n", b"GET / HTTP/9.9\r\n\r\n", b"\r\n\r\n",
                 b"GET http://evil.example/ HTTP/1.1\r\nHost: localhost\r\n\r\n",
                 b"GET / HTTP/1.1\nHost: localhost\n\n", b"\x16\x03\x01\x02\0\x01\0" + b"\r\n\r\n"):
        assert status_of(server.raw(junk, wait=2)) in (0, 400, 421), junk
    assert server.ask("GET", "/api/1/session")[0] == 200


def ends_what_is_slow(server):
    """Headers and bodies that do not come: the connections end while others are answered."""
    begun = time.monotonic()
    links = []
    for sent in (b"GET / HT", head_of(server).encode(),
                 head_of(server, "POST", "/api/1" + server.traces()[0] + "/profile",
                         "Content-Length: 100\r\n\r\n{").encode()):
        links.append(socket.create_connection(("127.0.0.1", server.port), timeout=SECONDS))
        links[-1].sendall(sent)
    assert server.ask("GET", "/api/1/session")[0] == 200
    for link in links:
        assert read_all(link) == b""
        link.close()
    assert time.monotonic() - begun > 5  # not at once, either


def sockets(server):
    """How many the server's process has open."""
    folder, found = f"/proc/{server.process.pid}/fd", 0
    for number in os.listdir(folder):
        with contextlib.suppress(OSError):
            found += os.readlink(f"{folder}/{number}").startswith("socket:")
    return found


def counts_connections(server):
    before = sockets(server)
    links = [socket.create_connection(("127.0.0.1", server.port), timeout=SECONDS)
             for _ in range(64)]
    wait_until(lambda: sockets(server) >= 64, "connections that are taken")
    with socket.create_connection(("127.0.0.1", server.port), timeout=SECONDS) as more:
        assert status_of(read_all(more)) in (0, 503)
    for link in links:
        link.close()
    wait_until(lambda: sockets(server) <= before, "connections that are ended")
    assert server.ask("GET", "/api/1/session")[0] == 200


def memory(process):
    return int(re.search(r"VmRSS:\s+(\d+)", Path(f"/proc/{process}/status").read_text())[1])


def stays_as_large_as_it_is(server):
    """Very many requests, a thousand a connection, after which it ends."""
    def thousand():
        with socket.create_connection(("127.0.0.1", server.port), timeout=SECONDS) as link:
            link.sendall((head_of(server) + "\r\n").encode() * 1000)
            link.shutdown(socket.SHUT_WR)
            return read_all(link).count(b"HTTP/1.1 200")
    for _ in range(3):
        thousand()
    before = memory(server.process.pid)
    for _ in range(100 if LONG else 10):
        thousand()
    assert memory(server.process.pid) < before + 16 * 1024, before


def bears_readers_that_stand_still(server):
    """Who asks and does not read gets no more than what lies between, and keeps nobody waiting."""
    links = []
    before = memory(server.process.pid)
    for _ in range(20):
        link = socket.socket()
        link.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        link.settimeout(5)
        link.connect(("127.0.0.1", server.port))
        with contextlib.suppress(OSError):
            link.sendall((head_of(server, path="/page.js") + "\r\n").encode() * 200)
        links.append(link)
    assert server.ask("GET", "/api/1/session")[0] == 200
    assert memory(server.process.pid) < before + 32 * 1024, before
    if LONG:
        time.sleep(40)  # wait: a write that stands still for 30 s ends the connection
        for link in links:
            assert len(read_all(link)) < 200 * 50_000
    for link in links:
        link.close()


def writes_its_own_files_only(server):
    """What stands in its folders after every endpoint was asked, with what makes it write."""
    trace = server.traces()[0]
    server.ask_everything()
    home = Path(server.home.name)
    files = sorted(str(path.relative_to(home)) for path in home.rglob("*") if path.is_file())
    notes = f"state/polytrace/notes/{trace.split('/')[2]}.json"
    kept = re.compile(r"cache/.*/(index\.pti|used|lock|source|seen)|cache/.*states.*")
    assert notes in files and all(file == notes or kept.fullmatch(file) for file in files), files
    links = [os.readlink(at) for at in Path(f"/proc/{server.process.pid}/fd").iterdir()]
    for link in links:
        assert not link.startswith("/") or link.startswith((str(home), "/dev/")) or (
            link == str(EXAMPLE)), links


def main():
    skip_without_page()
    with Server(EXAMPLE) as server:
        binds_loopback_only(server)
        wants_the_token(server)
        knows_its_name(server)
        answers_its_own_page_only(server)
        has_no_cors(server)
        guards_every_reply(server)
        keeps_to_its_root(server)
        keeps_its_limits(server)
        counts_connections(server)
        stays_as_large_as_it_is(server)
        bears_readers_that_stand_still(server)
        ends_what_is_slow(server)
        writes_its_own_files_only(server)


if __name__ == "__main__":
    main()
