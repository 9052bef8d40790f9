# SPDX-License-Identifier: Apache-2.0
"""A collector that agents dial, written from the protocol's description, and what it does to them:
whatever happens to it, the program says what it says without an agent, ends as it does without, and
nothing is lost."""
import os
import socket
import struct
import subprocess
import sys
import time
from pathlib import Path

TESTS = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(TESTS / "cli"), str(TESTS / "support")]
import control as protocol  # noqa: E402
from ptrace import Stream  # noqa: E402
from waiting import wait_until  # noqa: E402

CREDIT, KEPT, DATA = 13, 15, 68
ACCEPTS, STREAM, OFFSET, CONTENT, LABEL = 3, 27, 28, 29, 31
PATIENCE = 150


def number(said, field):
    return protocol.take_varint(said[field], 0)[0]


class Connection:
    def __init__(self, made):
        self.socket = made
        self.socket.settimeout(PATIENCE)
        self.notices, self.answers = [], []

    def read(self, size):
        got = b""
        while len(got) < size:
            part = self.socket.recv(size - len(got))
            if not part:
                return None
            got += part
        return got

    def next(self):
        """Message and fields; None at the end."""
        head = self.read(12)
        if head is None:
            return None, []
        length, message, _, _ = struct.unpack("<IHHI", head)
        body = self.read(length - 8)
        return (None, []) if body is None else (message, protocol.fields(body))

    def send(self, message, *fields):
        self.socket.sendall(protocol.frame(message, 1, *fields))

    def greet(self):
        """What WELCOME says; labels are a list."""
        self.send(protocol.HELLO, protocol.field(1, 1), protocol.field(ACCEPTS, 2))
        message, said = self.next()
        assert message == protocol.WELCOME, message
        welcome = dict(said)
        welcome[LABEL] = sorted(value.decode() for field, value in said if field == LABEL)
        return welcome

    def credit(self, size, stream=None, offset=None):
        place = [] if stream is None else [protocol.field(STREAM, stream),
                                           protocol.field(OFFSET, offset)]
        self.send(CREDIT, protocol.field(26, size), *place)

    def kept(self, stream, offset):
        self.send(KEPT, protocol.field(STREAM, stream), protocol.field(OFFSET, offset))

    def data(self):
        """Offset and content of the next DATA; None at the end."""
        while True:
            message, said = self.next()
            if message is None:
                return None, b""
            told = dict(said)
            if message == DATA:
                return number(told, OFFSET), told[CONTENT]
            if message == protocol.NOTICE:
                self.notices.append(told[protocol.TEXT].decode())
            if message == protocol.ANSWER:
                self.answers.append(told)

    def close(self):
        self.socket.close()


class Collector:
    def __init__(self, path):
        self.path = str(path)
        Path(self.path).unlink(missing_ok=True)
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(self.path)
        self.listener.listen()
        self.listener.settimeout(PATIENCE)

    def accept(self):
        return Connection(self.listener.accept()[0])

    def close(self):
        self.listener.close()
        os.unlink(self.path)


class Program:
    """Steps, which does what it is told."""

    def __init__(self, command, **more):
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, text=True, **more)
        self.calls = 0

    def do(self, *steps):
        for step in steps:
            self.process.stdin.write(f"{step}\n")
            self.process.stdin.flush()
            assert self.process.stdout.readline() == f"done {step}\n"
            self.calls += step if isinstance(step, int) else 0

    def end(self):
        output, errors = self.process.communicate(timeout=PATIENCE)
        return self.process.returncode, output, errors

    def end_well(self, errors=""):
        assert self.end() == (3, "", errors), (self.process.returncode, errors)


def calls_of(path, name):
    """Calls of the method in that file, which must be whole."""
    stream = Stream(path)
    assert stream.ended, f"{path} has no end"
    return sum(stream.methods[e.id].split("(")[0].strip().endswith(name)
               for e in stream.all("Enter"))


def test_nobody(start, name, trace):
    """The collector is never there; the program starts others meanwhile."""
    program = start(trace(), "/nowhere/at/all")
    program.do(1000, "true")
    time.sleep(2)  # wait: another attempt; whether there was one does not matter
    program.do(10, "true")
    program.end_well()
    assert calls_of(trace.path, name) == program.calls


def test_odd(start, name, trace, folder):
    """It does not accept; says nothing; says nonsense; half a frame; hangs up at once."""
    for odd in ("asleep", "silent", "nonsense", "half", "gone"):
        collector = Collector(folder / "odd")
        program = start(trace(), collector.path)
        program.do(1000)
        connection = None if odd == "asleep" else collector.accept()
        if odd == "nonsense":
            connection.socket.sendall(b"\xff\xff\xff\x7f" + os.urandom(100))
        if odd == "half":
            connection.socket.sendall(protocol.frame(protocol.HELLO, 1)[:7])
        if odd == "gone":
            connection.close()
        program.do(1000, "true")
        program.end_well()
        assert calls_of(trace.path, name) == program.calls, odd
        collector.close()


def test_deaf(start, name, trace, folder):
    """It gives credit and reads nothing: the program goes on and ends."""
    collector = Collector(folder / "deaf")
    program = start(trace(), collector.path)
    connection = collector.accept()
    connection.greet()
    connection.credit(1 << 40)
    program.do(1_000_000, "true", 1000)
    program.end_well()
    assert calls_of(trace.path, name) == program.calls
    connection.close()
    collector.close()


def test_resume(start, name, trace, folder):
    """It dies in the middle of frames, again and again; in the end it has every byte."""
    program = start(trace(), str(folder / "later"))
    program.do(100_000)
    collector = Collector(folder / "later")
    got, stream = b"", None
    for size in (100, 5000, 40_000):
        connection = collector.accept()
        welcome = connection.greet()
        assert stream in (None, number(welcome, STREAM))
        stream = number(welcome, STREAM)
        assert welcome[LABEL] == ["region=north", "service=shop"], welcome[LABEL]
        connection.credit(size, stream, len(got))
        end = len(got) + size
        while len(got) < end:
            offset, content = connection.data()
            assert offset == len(got)
            got += content
        connection.credit(1 << 20)
        connection.read(7)  # of a frame that nobody takes
        connection.close()
        program.do(10_000, "true")
    connection = collector.accept()
    connection.greet()
    connection.credit(1 << 40, stream, len(got))
    program.process.stdin.close()
    while True:
        offset, content = connection.data()
        if offset is None:
            break
        assert offset == len(got)
        got += content
    program.process.wait(timeout=PATIENCE)
    assert (program.process.returncode, program.process.stdout.read(),
            program.process.stderr.read()) == (3, "", "")
    assert got == trace.path.read_bytes(), "the collector has another stream than the file"
    assert calls_of(trace.path, name) == program.calls
    told = {e.fields["key"]: e.fields["value"] for e in Stream(trace.path).all("Setting")}
    assert told["label.service"] == "shop" and told["label.region"] == "north", told
    collector.close()


def blocks_of(data):
    """Where blocks begin and end, and how many events each has."""
    at = 32
    while at < len(data):
        mark, length = struct.unpack_from("<II", data, at)
        assert mark == 0x4b4c4250, f"no block at {at}"
        yield at, at + 72 + length, struct.unpack_from("<I", data, at + 12)[0]
        at += 72 + length


def take_all(connection, program):
    """What there is to the program's end, and how often some was left out."""
    program.process.stdin.close()
    got, follows, gaps = b"", 0, 0
    while True:
        offset, content = connection.data()
        if offset is None:
            return got, gaps
        gaps += offset != follows
        got, follows = got + content, offset + len(content)


def size_of(path):
    return path.stat().st_size if path.exists() else 0


def test_spool(start, name, trace, folder):
    """It comes too late for all of it: it gets whole blocks of the rest, and how much is gone."""
    program = start(trace(), str(folder / "late"), ",spool=100k,flush=20ms")
    for _ in range(10):
        size = size_of(trace.path)
        program.do(30_000)
        wait_until(lambda: size_of(trace.path) > size,  # noqa: B023
                   "blocks of these calls", process=program.process)
    collector = Collector(folder / "late")
    connection = collector.accept()
    connection.greet()
    connection.credit(1 << 40)
    got, gaps = take_all(connection, program)
    program.process.wait(timeout=PATIENCE)
    assert (program.process.returncode, program.process.stderr.read()) == (3, "")
    collector.close()
    left = folder / "left.ptrace"
    left.write_bytes(got)
    stream = Stream(left)
    lost = sum(e.fields["records"] for e in stream.all("Lost"))
    kept = sum(stream.methods[e.id].split("(")[0].strip().endswith(name)
               for e in stream.all("Enter", "Leave"))
    assert gaps > 0 and lost > 0 and kept > 0, (gaps, lost, kept)
    # Beside these calls the program has few events.
    assert 2 * program.calls <= kept + lost <= 2 * program.calls + 20_000, (kept, lost)


def test_kept(start, trace, folder):
    """It says what it has: that much of the file is given back."""
    program = start(trace(), str(folder / "keeps"), ",flush=20ms")
    collector = Collector(folder / "keeps")
    connection = collector.accept()
    stream = number(connection.greet(), STREAM)
    connection.credit(1 << 40)
    program.do(500_000)
    got = b""
    # All of it: an agent does not hear who leaves much unread.
    while len(got) < max(900_000, trace.path.stat().st_size):
        got += connection.data()[1]
    connection.kept(stream, len(got))

    def has_given_back():
        status = trace.path.stat()
        return status.st_blocks * 512 < status.st_size - 200_000
    wait_until(has_given_back, "a file that was given back", process=program.process)
    program.do(1000)
    rest, gaps = take_all(connection, program)
    assert gaps == 1  # as seen from 0, where take_all() begins
    got += rest
    program.process.wait(timeout=PATIENCE)
    assert (program.process.returncode, program.process.stderr.read()) == (3, "")
    collector.close()
    file, zeros = trace.path.read_bytes(), 0
    assert len(file) == len(got) and file[:32] == got[:32]
    for at, end, _ in blocks_of(got):
        same = file[at:end] == got[at:end]
        assert same or not any(file[at:end]), f"a block at {at} is neither there nor gone"
        zeros += 0 if same else end - at
    assert zeros > 200_000, zeros


class Trace:
    """A file for each recording: Trace(folder)() makes room for the next, `path` is where it is."""

    def __init__(self, folder):
        self.path = Path(folder) / "out.ptrace"

    def __call__(self):
        for old in (self.path, Path(f"{self.path}.segments")):
            old.unlink(missing_ok=True)
        return self.path


ENVIRONMENT = {"POLYTRACE_LABELS": "service=none,region=north", "OTEL_SERVICE_NAME": "shop"}
LABELS = "label=service:other"


def test_all(start, name, folder):
    """start(trace, connect, more options) gives a Program with LABELS and ENVIRONMENT; `name` is of
    its method."""
    folder = Path(folder)
    trace = Trace(folder)
    test_resume(start, name, trace, folder)
    test_spool(start, name, trace, folder)
    test_kept(start, trace, folder)
    test_nobody(start, name, trace)
    test_odd(start, name, trace, folder)
    test_deaf(start, name, trace, folder)
