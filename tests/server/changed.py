#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A file that changes or is cut while its trace is open: the server says so instead of what it
knows of the old content, and answers again when the file is as it was."""
import json
import os
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "support"))
from ui import EXAMPLE, Server, skip_without_page  # noqa: E402

QUESTIONS = [("GET", "", None), ("POST", "/tables", {"sections": ["calls"], "limit": 0}),
             ("POST", "/profile", {"weight": "time"}), ("GET", "/state?at=1000", None)]


def ask(server, trace, question):
    method, path, body = question
    status, _, answer = server.ask(method, f"/api/1/traces/{trace}{path}",
                                   None if body is None else json.dumps(body))
    return status, answer


def is_told(server, trace, words):
    """By every answer, in the message of a fault."""
    for question in QUESTIONS:
        status, answer = ask(server, trace, question)
        told = json.loads(answer)
        assert (status, told["code"]) == (409, "trace-changed"), (question, status, told)
        assert words in told["message"] and "app.mlpd" in told["message"], told


def write_over(file, content):
    """In place, with the time of the last change put back."""
    status = os.stat(file)
    with open(file, "r+b") as stream:
        stream.write(content)
        stream.truncate()
    os.utime(file, ns=(status.st_atime_ns, status.st_mtime_ns))


def main():
    skip_without_page()
    content = EXAMPLE.read_bytes()
    middle = len(content) // 2
    changed = content[:middle] + bytes([content[middle] ^ 1]) + content[middle + 1:]
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "app.mlpd"
        file.write_bytes(content)
        with Server(file) as server:
            trace = server.get("/session")["traces"][0]["id"]
            before = [ask(server, trace, question) for question in QUESTIONS]
            assert {status for status, _ in before} == {200}, [status for status, _ in before]
            for now, words in ((changed, "another one"), (content[:middle], "was cut"),
                               (content + changed, "has grown")):
                write_over(file, now)
                is_told(server, trace, words)
                write_over(file, content)
                assert [ask(server, trace, question) for question in QUESTIONS] == before
            os.utime(file, (1, 1))
            os.rename(file, Path(folder) / "moved.mlpd")
            assert [ask(server, trace, question) for question in QUESTIONS] == before, "it is gone"
    print("ok")


main()
