#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What one program may bring to `polytrace collect`, and all of them: scripted agents that bring
more are told so and counted by name, sums in the store stay exact, and a program that runs beside
them loses nothing."""
import os
import socket
import subprocess
import sys
import tempfile
import time
import traceback
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parent / "support")]
import clickhouse  # noqa: E402
from collect import HANGS, POLYTRACE, Collector, field, frame, wait_for  # noqa: E402
from waiting import wait_until  # noqa: E402

WELCOME, DATA, NOTICE, CREDIT, BYE, KEPT = 65, 68, 69, 13, 14, 15
STREAM, OFFSET, BYTES, CONTENT, TEXT = 27, 28, 26, 29, 17
LIMITS = """[limits]
streams_of_user = 12
new_names = 400
new_stacks = 300
[memory]
streams = "16m"
"""


def numbers(data):
    """The fields of a frame's body."""
    def varint(at):
        value = shift = 0
        while True:
            byte = data[at]
            value |= (byte & 0x7F) << shift
            shift, at = shift + 7, at + 1
            if byte < 0x80:
                return value, at
    at, found = 0, {}
    while at < len(data):
        number, at = varint(at)
        size, at = varint(at)
        found[number] = data[at:at + size]
        at += size
    return found


def number(data):
    return sum((byte & 0x7F) << (7 * i) for i, byte in enumerate(data))


class Agent:
    """Gives the bytes of a stream as it has credit for them."""

    def __init__(self, collector, stream, content):
        self.stream, self.content = stream, content
        self.sent = self.credit = self.kept = 0
        self.bye = None
        self.heard = b""
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(HANGS)
        self.socket.connect(collector.socket)
        self.greet()

    def greet(self):
        self.socket.sendall(frame(WELCOME, self.welcome()))

    def welcome(self):
        return field(4, 2) + field(10, b"scripted")

    def obey(self, message, request):
        """What else it is told."""

    def understand(self, message, told):
        """For those who know more."""

    def hear(self):
        while len(self.heard) < 4 or len(self.heard) < 4 + int.from_bytes(self.heard[:4], "little"):
            try:
                piece = self.socket.recv(65536)
            except ConnectionError:
                piece = b""
            if not piece:
                self.bye = self.bye or "hung up"
                return
            self.heard += piece
        size = 4 + int.from_bytes(self.heard[:4], "little")
        one, self.heard = self.heard[:size], self.heard[size:]
        told = numbers(one[12:])
        message = int.from_bytes(one[4:6], "little")
        if message == CREDIT:
            self.credit += number(told[BYTES])
        elif message == KEPT:
            self.kept = number(told[OFFSET])
        elif message == BYE:
            self.bye = told[TEXT].decode()
        else:
            self.obey(message, one[8:12])
        self.understand(message, told)

    def send(self, until):
        """Up to that byte of the stream, or until it is refused."""
        while self.sent < until and self.bye is None:
            size = min(self.credit, until - self.sent, 60_000)
            if size == 0:
                self.hear()
                continue
            piece = self.content[self.sent:self.sent + size]
            try:
                self.socket.sendall(frame(DATA, field(STREAM, self.stream)
                                          + field(OFFSET, self.sent) + field(CONTENT, piece)))
            except ConnectionError:
                self.hear()
            self.sent += size
            self.credit -= size
        return self

    def end(self):
        self.send(len(self.content))
        while self.kept < len(self.content) and self.bye is None:
            self.hear()
        if self.bye is None:
            self.socket.sendall(frame(NOTICE, field(30, 4)))
        self.socket.close()
        return self


def stream(folder, name, methods, calls, shift=0, later=0):
    """A native stream of now, of a program with that many methods that calls them so often: each
    from the one before it, three deep; `shift`: seconds that its clock is ahead, `later`: that
    pass after half of the calls. Made by the product from TPTP's XML."""
    begin = time.time() - 30 + shift

    def at(step):
        return f"{begin + step / 1e5 + (later if step > calls else 0):.6f}"
    lines = ['<?xml version="1.0" encoding="UTF-8"?>', "<TRACE>",
             f'<node nodeId="n" hostname="h" ipaddress="10.0.0.7" timezone="0" time="{at(0)}"/>',
             f'<processCreate processId="p" pid="1" nodeIdRef="n" time="{at(0)}"/>',
             f'<agentCreate agentId="a" processIdRef="p" agentName="{name}" agentType="Profiler" '
             f'time="{at(0)}" agentParameters="" version="1"/>',
             f'<traceStart traceId="t" agentIdRef="a" time="{at(0)}"/>',
             f'<threadStart threadId="1" time="{at(1)}" groupName="g" parentName="" objIdRef="1" '
             f'threadName="main"/>',
             f'<classDef time="{at(1)}" classId="1" sourceName="S" name="{name}.Type"/>']
    lines += [f'<methodDef name="m{i}" signature="()V" startLineNumber="1" endLineNumber="2" '
              f'classIdRef="1" methodId="{i + 1}"/>' for i in range(methods)]
    step, stack = 2, []
    for i in range(calls):
        if len(stack) == 3:
            lines += leaves(stack, at, step)
            step += 3
        stack.append(i % methods + 1)
        lines.append(f'<methodEntry threadIdRef="1" time="{at(step)}" methodIdRef="{stack[-1]}" '
                     'classIdRef="1"/>')
        step += 1
    lines += leaves(stack, at, step) + ["</TRACE>"]
    source, made = Path(folder, name + ".trcxml"), Path(folder, name + ".ptrace")
    source.write_text("\n".join(lines))
    subprocess.run([POLYTRACE, "convert", "-q", source, "-o", made], check=True,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return made.read_bytes()


def leaves(stack, at, step):
    lines = []
    while stack:
        lines.append(f'<methodExit threadIdRef="1" time="{at(step)}" methodIdRef="{stack.pop()}" '
                     'classIdRef="1"/>')
        step += 1
    return lines


def in_child(function):
    """A program of its own, which the collector tells from others by its process. Its id."""
    child = os.fork()
    if child == 0:
        code = 1
        try:
            function()
            code = 0
        except BaseException:  # noqa: BLE001
            traceback.print_exc()
        finally:
            os._exit(code)
    _, status = os.waitpid(child, 0)
    assert status == 0, "the program says why"
    return child


def expect_calls(server, collector, instance, calls):
    sql = ("SELECT sum(count) FROM fleet.profile_10s FINAL WHERE carrier = 0 AND series IN "
           f"(SELECT series FROM fleet.series WHERE instance = '{instance}')")
    wait_until(lambda: server.number(sql) == calls, lambda: (
        instance, server.number(sql), calls, collector.words()[-2000:]))


def test_names_and_stacks(server, collector, folder):
    """Of 400 names the steady program has some; of 2,000 the greedy one is told what is left."""
    content = stream(folder, "names", 2000, 6000)
    child = in_child(lambda: Agent(collector, 11, content).end())
    expect_calls(server, collector, child, 6000)
    assert collector.figure("names_refused_total") > 0
    assert server.number("SELECT uniqExact(id) FROM fleet.frames WHERE name = '(many)'") == 1
    told = server.number("SELECT uniqExact(id) FROM fleet.frames WHERE name LIKE 'names.%'")
    assert 0 < told <= 400, told
    # Stacks of the few names that were left, and of our own words.
    stacks = server.number("SELECT uniqExact(id) FROM fleet.stacks")
    assert stacks <= 300 + 4, stacks


def test_too_much(collector, folder):
    """Refused by name; who is refused hears why."""
    def program(content, words):
        agent = Agent(collector, 100 + len(content), content)
        agent.send(len(content))
        while agent.bye is None:
            agent.hear()
        assert words in agent.bye, agent.bye
    for why, methods, calls, words in (("limit", 66_000, 10, "more methods"),
                                       ("memory", 65_000, 200_000, "no memory")):
        content = stream(folder, why, methods, calls)
        in_child(lambda: program(content, words))  # noqa: B023
        assert collector.figure(f'refused_total{{why="{why}"}}') >= 1, why
    wait_for("memory that is free", lambda: collector.figure("stream_memory_bytes") < 1 << 20)


class Visitor(Agent):
    """May be refused before it has said who it is."""

    def greet(self):
        try:
            super().greet()
        except ConnectionError:
            self.bye = "hung up"


def test_crowd(collector):
    crowd = [Visitor(collector, 1000 + i, b"") for i in range(30)]
    wait_for("a crowd", lambda: collector.figure('refused_total{why="user"}') >= 30 - 12)
    for one in crowd:
        one.socket.close()
    wait_for("all gone", lambda: collector.figure("streams") <= 1)


def test_deaf(server, collector, folder):
    """An agent that hears nothing any more, as one that has said all and hung up: what the
    collector cannot say to it takes nothing from what it said."""
    content = stream(folder, "deaf", 20, 6000)

    def program():
        agent = Agent(collector, 12, content).send(len(content) // 4)
        while agent.credit < len(content) - agent.sent:
            agent.hear()
        before = collector.figure("blocks_total")
        agent.socket.shutdown(socket.SHUT_RD)
        agent.send(len(content) // 2)
        wait_for("its blocks", lambda: collector.figure("blocks_total") > before)
        wait_for("all that is said of them", lambda: collector.figure("waiting_bytes") == 0)
        agent.send(len(content))
        agent.socket.sendall(frame(NOTICE, field(30, 4)))
        assert agent.bye is None, agent.bye
    expect_calls(server, collector, in_child(program), 6000)
    assert collector.figure("blocks_missing_total") == 0


def main():
    os.environ["NO_COLOR"] = "1"
    with tempfile.TemporaryDirectory(prefix="polytrace-bounds-") as folder, \
            clickhouse.Server() as server:
        subprocess.run([POLYTRACE, "fleet", "schema", "--apply", "--store", f"{server.url}/fleet"],
                       check=True, stdout=subprocess.DEVNULL)
        collector = Collector(folder, server.url)
        # Scripted agents answer no heartbeats.
        collector.file.write_text(collector.file.read_text().replace(
            'drain = "20s"', 'drain = "20s"\nheartbeat = "1h"') + LIMITS)
        try:
            collector.start()
            steady = Agent(collector, 1, stream(folder, "steady", 20, 3000))
            steady.send(len(steady.content) // 2)
            for test in (lambda: test_names_and_stacks(server, collector, folder),
                         lambda: test_deaf(server, collector, folder),
                         lambda: test_too_much(collector, folder),
                         lambda: test_crowd(collector)):
                begin = time.monotonic()
                test()
                print(f"{time.monotonic() - begin:.1f} s", flush=True)
            steady.end()
            assert steady.bye is None, steady.bye
            expect_calls(server, collector, os.getpid(), 3000)
            assert collector.end() == 0
        finally:
            collector.kill()


if __name__ == "__main__":
    main()
