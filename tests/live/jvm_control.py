#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A JVM that runs is steered by `polytrace control` and by frames: what is commanded happens, what
cannot be had is refused or told, and notices come without being asked for."""
import os
import socket
import struct
import subprocess
import sys
from pathlib import Path

from jvm_common import HERE, Room, Stream, control
from waiting import wait_until

sys.path.insert(0, str(HERE.parent / "cli"))
import control as protocol  # noqa: E402  (the protocol, written from its description)

START, CREDIT, EVENT, DURATION, LIMIT, SESSION, CODE = 2, 13, 20, 21, 22, 19, 30
OK, FORBIDDEN, WRONG_STATE, INVALID = 0, 2, 3, 4
IDLE, RUNNING = 0, 1
GAP, OVERFLOW, CAPABILITY, END_OF_PROCESS = 1, 2, 3, 5
PATIENCE = 150


class Client:
    """Speaks frames; notices are kept, as (code, text)."""

    def __init__(self, folder, program):
        found = wait_until(lambda: list(Path(folder).glob(f"polytrace/{program.pid}-*/control")),
                           "the agent's socket", process=program)
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(PATIENCE)
        self.socket.connect(str(found[0]))
        self.stream = self.socket.makefile("rb")
        self.request, self.notices, self.over = 0, [], False
        self.right = self.number(dict(self.ask(protocol.HELLO, protocol.field(1, 1),
                                               protocol.field(protocol.CONTROL, 1))),
                                 protocol.RIGHTS)

    @staticmethod
    def number(said, field):
        return protocol.take_varint(said[field], 0)[0]

    def next(self):
        head = self.stream.read(12)
        if len(head) < 12:
            self.over = True
            return None, None, []
        length, message, _, request = struct.unpack("<IHHI", head)
        said = protocol.fields(self.stream.read(length - 8))
        if message == protocol.NOTICE:
            told = dict(said)
            self.notices.append((self.number(told, CODE), told[protocol.TEXT].decode()))
        return message, request, said

    def ask(self, message, *fields):
        self.request += 1
        self.socket.sendall(protocol.frame(message, self.request, *fields))
        while True:
            answer, request, said = self.next()
            assert not self.over, "the agent closed the connection"
            if request == self.request and answer in (protocol.WELCOME, protocol.ANSWER):
                return said

    def command(self, message, *fields):
        """Outcome, state, text."""
        said = dict(self.ask(message, *fields))
        return (self.number(said, protocol.OUTCOME), self.number(said, protocol.STATE),
                said.get(protocol.TEXT, b"").decode())

    def start(self, events=(), **numbers):
        fields = [protocol.field(EVENT, event.encode()) for event in events]
        fields += [protocol.field({"duration": DURATION, "limit": LIMIT}[name], number)
                   for name, number in numbers.items()]
        return self.command(START, protocol.field(SESSION, b"a session"), *fields)

    def await_notice(self, code):
        while not any(told == code for told, _ in self.notices):
            self.next()
            assert not self.over, f"no notice {code}: {self.notices}"
        return [text for told, text in self.notices if told == code]


def launch(room, jdk, options, *arguments):
    environment = {**os.environ, "XDG_RUNTIME_DIR": str(room.folder)}
    os.environ["XDG_RUNTIME_DIR"] = str(room.folder)
    return subprocess.Popen(room.command(jdk, options, *arguments), stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, text=True, cwd=room.folder, env=environment)


def tell(program, outcome, *words):
    answer = control(program.pid, *words)
    assert answer["outcome"] == outcome, (words, answer)
    return answer


def finish(program):
    program.terminate()
    _, errors = program.communicate(timeout=PATIENCE)
    assert not errors, errors


def of_busy(stream, kind="Enter"):
    return {stream.methods[e.id] for e in stream.all(kind)
            if stream.threads[e.thread].startswith("busy-")}


def test_commands(room, jdk):
    path = room.trace()
    program = launch(room, jdk, f"file={path},control=unix,filter=Busy:deed,jvm.accessors=yes,"
                     "policy=drop", "Busy", str(room.folder / "counts"), "2")
    assert program.stdout.readline() == "ready\n"
    assert tell(program, "ok", "status")["state"] == "running"
    tell(program, "wrong state", "start")
    tell(program, "ok", "flush")
    assert tell(program, "ok", "status")["figures"]["events"] > 0
    assert tell(program, "ok", "pause")["state"] == "paused"
    tell(program, "wrong state", "pause")
    tell(program, "wrong state", "annotate", "not heard")
    assert tell(program, "ok", "resume")["state"] == "running"
    tell(program, "ok", "annotate", "second part")
    changed = tell(program, "ok", "option", "filter=Busy:other")
    assert changed["figures"] == {"classes.transformed": 1, "classes.refused": 0}, changed
    tell(program, "invalid", "option", "depth=3")
    tell(program, "ok", "filters", "Busy work* INCLUDE", "Busy other INCLUDE", "* * EXCLUDE")
    tell(program, "ok", "gc")
    figures = tell(program, "ok", "status")["figures"]
    assert figures["methods.rewritten"] > 0 and figures["classes.refused"] == 0, figures
    assert tell(program, "ok", "stop")["state"] == "idle"
    tell(program, "wrong state", "stop")
    stream = Stream(path)
    assert stream.ended and of_busy(stream) == {"Busy.deed", "Busy.other"}, of_busy(stream)
    stages = [e.fields.get("stage", 0) for e in stream.all("Recording")]
    assert stages == [0, 4, 2, 3, 1], stages  # start, ready, pause, resume, end
    assert [e.fields["text"] for e in stream.all("Note")] == ["second part"]
    assert len(stream.all("Gc")) >= 2
    again = tell(program, "ok", "start", "events=calls", "session=again", "limit=1g")
    assert again["state"] == "running"
    finish(program)
    again = Stream(room.folder / "out.2.ptrace")
    assert "again" in [e.fields["value"] for e in again.all("Setting")]
    assert again.ended and of_busy(again) == {"Busy.other"}, of_busy(again)


def test_start(room, jdk):
    """What a START says: events, how long, how large; and what this VM cannot tell any more."""
    path = room.trace()
    program = launch(room, jdk, f"file={path},server=controlled,filter=Busy,jvm.accessors=yes",
                     "Busy", str(room.folder / "counts"), "2")
    client = Client(room.folder, program)
    assert client.right == 2
    other = Client(room.folder, program)
    assert other.right == 1 and other.start()[0] == FORBIDDEN
    assert client.command(protocol.STATUS)[1] == IDLE
    assert client.start(["nonsense"])[0] == INVALID
    assert client.command(protocol.OPTION, protocol.field(protocol.NAME, b"filter"),
                          protocol.field(protocol.VALUE, b"Busy"))[0] == WRONG_STATE
    outcome, state, text = client.start(["threads", "gc"], duration=200)
    assert (outcome, state, text) == (OK, RUNNING, str(path)), (outcome, state, text)
    assert client.start(["calls"])[0] == WRONG_STATE
    told = client.await_notice(OVERFLOW)
    assert told == ["the recording has lasted as long as it was to"], told
    assert other.await_notice(OVERFLOW) == told
    first = Stream(path)
    assert first.ended and not first.all("Enter")
    settings = {e.fields["key"]: e.fields["value"] for e in first.all("Setting")}
    assert settings["session"] == "a session"
    client.notices.clear()
    assert client.start(["calls", "exceptions", "jit"], limit=200_000)[0] == OK
    client.await_notice(OVERFLOW)
    lacking = client.await_notice(CAPABILITY)
    assert len(lacking) == 2 and "compiled" in lacking[0] and "exceptions" in lacking[1], lacking
    assert "as large as it was to be" in client.await_notice(OVERFLOW)[0]
    second = Stream(room.folder / "out.2.ptrace")
    assert second.ended and second.size >= 200_000 and of_busy(second)
    assert client.start(["threads"])[0] == OK
    program.terminate()
    client.await_notice(END_OF_PROCESS)
    finish(program)
    assert Stream(room.folder / "out.3.ptrace").ended


def test_gap(room, jdk):
    """Events that were dropped are told."""
    path = room.trace()
    program = launch(room, jdk, f"file={path},control=unix,filter=Lives,events=alloc=sites,"
                     "policy=drop,buffer=64k,flush=1s", "Lives", "many", "2000000000")
    client = Client(room.folder, program)
    text = client.await_notice(GAP)[0]
    assert text.endswith(" events were dropped") and int(text.split()[0]) > 0, text
    assert tell(program, "ok", "status")["figures"]["lost"] >= int(text.split()[0])
    finish(program)


def main():
    room = Room("Busy", "Lives")
    for jdk in room.jdks:
        for old in room.folder.glob("out.*"):
            old.unlink()
        test_commands(room, jdk)
        for old in room.folder.glob("out.*"):
            old.unlink()
        test_start(room, jdk)
        test_gap(room, jdk)
        print(f"JDK {jdk.version}: does as it is told, and tells what happens by itself")


main()
