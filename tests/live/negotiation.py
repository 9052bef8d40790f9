#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Which format a client gets: option of the agent x mode of the server x what the client announces.

Every cell of the table is tried on a real JVM, over its real socket, and what arrives is looked at:
the first bytes of the data, whatever was answered before.
"""
import json
import os
import shutil
import socket
import struct
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests/cli"), str(ROOT / "tests/support")]
import control  # noqa: E402  (the protocol, written from its description)
from waiting import wait_until  # noqa: E402

MAGIC = {b"<": "xml", b"0TBF": "binary", b"\x89PTR": "native"}
ACCEPTS, FORMAT, BYTES, CONTENT, CREDIT, DATA = 3, 4, 26, 29, 13, 68
NAMES = ["xml", "binary", "native"]
PATIENCE = 150

# What the client does: the formats it accepts in a HELLO; or the XML commands it sends; or nothing.
SILENT = ("nothing said", None, None)
OLD_XML = ("old, xml", None, "xml")
OLD_BINARY = ("old, binary", None, "binary")
PLAIN = ("HELLO", [], None)
TBF = ("HELLO, TBF", [1], None)
NATIVE = ("HELLO, native", [2], None)
BOTH = ("HELLO, both", [1, 2], None)
CLIENTS = [SILENT, OLD_XML, OLD_BINARY, PLAIN, TBF, NATIVE, BOTH]
# Rows by the option format=, columns as CLIENTS. The mode makes no difference to who is attached.
TABLE = {
    "xml": ["xml", "xml", "xml", "xml", "xml", "xml", "xml"],
    "binary": ["xml", "xml", "binary", "xml", "binary", "native", "binary"],
    "native": ["xml", "xml", "xml", "xml", "xml", "native", "native"],
}
FAILURES = []


def name_of(data):
    return next((name for magic, name in MAGIC.items() if data.startswith(magic)),
                f"unknown: {data[:20]!r}")


def receive(stream, size):
    content = stream.read(size)
    if len(content) < size:
        raise EOFError("the connection ended")
    return content


def take_frame(stream):
    length, message, _, _ = struct.unpack("<IHHI", receive(stream, 12))
    return message, control.fields(receive(stream, length - 8))


def by_frames(connection, accepts):
    """What WELCOME says, and what the data are."""
    with connection.makefile("rb") as stream:
        hello = [control.field(1, 1), *(control.field(ACCEPTS, one) for one in accepts)]
        connection.sendall(control.frame(control.HELLO, 1, *hello))
        message, said = take_frame(stream)
        assert message == control.WELCOME, message
        promised = NAMES[control.take_varint(dict(said)[FORMAT], 0)[0]]
        connection.sendall(control.frame(CREDIT, 0, control.field(BYTES, 64)))
        while message != DATA:
            message, said = take_frame(stream)
        return promised, name_of(dict(said)[CONTENT])


def by_xml(connection, word):
    with connection.makefile("rb") as stream:
        connection.sendall(f"<setOutputFormat>\n <Format>{word.upper()}</format>"
                           "<setOutputFormat>".encode())
        answer = receive(stream, len("<enabledOutputFormat><format>"))
        answer += receive(stream, 1)
        while not answer.endswith(b"</enabledOutputFormat>"):
            answer += receive(stream, 1)
        promised = answer.split(b"<format>")[1].split(b"<")[0].decode()
        connection.sendall(b"<startMonitoring/>")
        return promised, name_of(receive(stream, 4))


def try_client(path, client, expected, place):
    _, accepts, word = client
    with socket.socket(socket.AF_UNIX) as connection:
        connection.settimeout(PATIENCE)
        try:
            connection.connect(path)
            if accepts is not None:
                got = by_frames(connection, accepts)
            elif word is not None:
                got = by_xml(connection, word)
            else:
                with connection.makefile("rb") as stream:
                    got = (expected, name_of(receive(stream, 4)))
        except (OSError, EOFError, AssertionError) as fault:
            got = (repr(fault),)
    if got != (expected, expected):
        FAILURES.append(f"{place}, {client[0]}: expected {expected}, got {got}")


def socket_of(folder, process):
    return str(wait_until(lambda: list(Path(folder).glob(f"polytrace/{process.pid}-*/control")),
                          "the agent's socket", process=process)[0])


def try_agent(agent, folder, option, mode):
    options = f"server={mode},control=unix,format={option},converter={os.environ['POLYTRACE']}"
    environment = {**os.environ, "XDG_RUNTIME_DIR": folder}
    process = subprocess.Popen(
        ["java", f"-agentpath:{agent}={options}", "-cp", "classes", "Shop", "400"], cwd=folder,
        env=environment, stdout=subprocess.DEVNULL)
    try:
        path = socket_of(folder, process)
        threads = [threading.Thread(target=try_client, args=(
            path, client, expected, f"format={option}, server={mode}"))
                   for client, expected in zip(CLIENTS, TABLE[option])]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        process.kill()
        process.wait()


def agent_library():
    found = json.loads(subprocess.run([os.environ["POLYTRACE"], "doctor", "--json"], check=False,
                                      capture_output=True).stdout)
    for finding in found["findings"]:
        if finding["topic"] == "Agents" and finding["text"].startswith("Java: "):
            return finding["text"][6:] if finding["health"] == "ok" else None
    return None


def main():
    agent = agent_library()
    if not agent or not shutil.which("javac"):
        print("skipped: no JDK or no agent for Java here")
        return 77
    with tempfile.TemporaryDirectory() as folder:
        sources = sorted(map(str, (ROOT / "examples/shop/java").glob("*.java")))
        subprocess.run(["javac", "-d", f"{folder}/classes", *sources], check=True)
        for option in TABLE:
            for mode in ("enabled", "controlled"):
                try_agent(agent, folder, option, mode)
    for failure in FAILURES:
        print("FAILED:", failure, file=sys.stderr)
    print(f"{len(TABLE) * 2 * len(CLIENTS)} cells, {len(FAILURES)} wrong")
    return 1 if FAILURES else 0


if __name__ == "__main__":
    sys.exit(main())
