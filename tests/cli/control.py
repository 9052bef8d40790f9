#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`polytrace control` against an agent's server that is written from the protocol's description."""
import json
import os
import socket
import struct
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

HELLO, START, STOP, FILTERS, OPTION, DUMP, STATUS, NOTE, BYE = 1, 2, 3, 6, 7, 8, 11, 12, 14
WELCOME, ANSWER, DONE, NOTICE = 65, 66, 67, 69
TOKEN, CONTROL, RIGHTS, PROCESS, AGENT, OUTCOME, STATE, TEXT, FIGURE, RULE, NAME, VALUE = (
    2, 5, 6, 7, 10, 15, 16, 17, 18, 23, 24, 25)
SESSION, EVENT, DURATION, LIMIT = 19, 20, 21, 22


def varint(number):
    out = bytearray()
    while number >= 0x80:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes(out + bytes([number]))


def field(number, value):
    content = varint(value) if isinstance(value, int) else value
    return varint(number) + varint(len(content)) + content


def take_varint(body, at):
    value = shift = 0
    while True:
        byte = body[at]
        at += 1
        value |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            return value, at


def fields(body):
    at, found = 0, []
    while at < len(body):
        number, at = take_varint(body, at)
        length, at = take_varint(body, at)
        found.append((number, body[at:at + length]))
        at += length
    return found


def frame(message, request, *parts):
    body = b"".join(parts)
    return struct.pack("<IHHI", 8 + len(body), message, 0, request) + body


class Agent(threading.Thread):
    """Serves one client after the other, and notes what they say."""

    def __init__(self, listener, right=2, token=b""):
        super().__init__(daemon=True)
        self.listener, self.right, self.token, self.heard = listener, right, token, []
        self.rules = []
        self.starts = []

    def run(self):
        while True:
            client, _ = self.listener.accept()
            with client, client.makefile("rb") as stream:
                while head := stream.read(12):
                    length, message, flags, request = struct.unpack("<IHHI", head)
                    said = fields(stream.read(length - 8))
                    client.sendall(self.answer(message, flags, request, said))

    def answer(self, message, flags, request, said):
        told = dict(said)
        done = field(OUTCOME, 0) + field(STATE, 1)
        if message == HELLO:
            if told.get(TOKEN, b"") != self.token:
                return frame(BYE, 0, field(TEXT, b"wrong token"))
            right = self.right if told[CONTROL] == b"\1" else 1
            return frame(WELCOME, request, field(RIGHTS, right), field(PROCESS, 99),
                         field(AGENT, b"test-agent"), field(250, b"of a later version"))
        if message == STATUS:
            return frame(NOTICE, 0, field(TEXT, b"by the way")) + frame(
                ANSWER, request, done, field(FIGURE, varint(1234567) + b"events"))
        if message == FILTERS:
            self.rules += [value for number, value in said if number == RULE]
            return b"" if flags & 1 else frame(ANSWER, request, done)
        if message == DUMP:
            return frame(ANSWER, request, done, field(TEXT, b"started")) + frame(
                DONE, request, done, field(FIGURE, varint(7) + b"objects"))
        if message == START:
            self.starts.append(said)
            return frame(ANSWER, request, done)
        if message == STOP:
            return frame(ANSWER, request, field(OUTCOME, 3), field(TEXT, b"does not run"))
        self.heard.append((message, told))
        return frame(ANSWER, request, done)


FAILURES = []


def expect(holds, what):
    if not holds:
        FAILURES.append(what)


def control(*words):
    result = subprocess.run([os.environ["POLYTRACE"], "control", *words], capture_output=True,
                            text=True, timeout=150, check=False)
    return result.returncode, result.stdout, result.stderr


def check_commands(path, agent):
    code, out, _ = control("--json", path, "status")
    answer = json.loads(out)
    expect(code == 0 and answer["figures"] == {"events": 1234567}, f"status: {out}")
    expect(answer["schema"] == "polytrace.control/1" and answer["state"] == "running", out)
    expect(answer["agent"] == "test-agent" and answer["process"] == 99, out)
    code, out, _ = control(path, "status")
    expect(code == 0 and "events" in out and "1,234,567" in out.replace("\u202f", ","), out)
    code, _, err = control(path, "stop")
    expect(code == 1 and "does not run" in err, f"stop: {code} {err}")
    code, out, _ = control("--json", path, "heap-dump", "one")
    expect(code == 0 and json.loads(out)["figures"] == {"objects": 7}, f"heap-dump: {out}")
    rules = [f"com.acme.C{i}.* * INCLUDE" for i in range(3000)]
    code, out, err = control(path, "filters", *rules)
    expect(code == 0 and agent.rules == [rule.encode() for rule in rules], f"filters: {err}")
    expect(control(path, "start")[0] == 0, "start")
    code, _, err = control(path, "start", "events=alloc=sampled:1m,gc", "duration=1.5s", "limit=2k",
                           "session=one")
    expect(code == 0 and agent.starts == [[], [
        (EVENT, b"alloc=sampled:1m"), (EVENT, b"gc"), (DURATION, varint(1500)),
        (LIMIT, varint(2048)), (SESSION, b"one")]], f"start: {agent.starts} {err}")
    expect(control(path, "option", "flush=100")[0] == 0, "option")
    expect(control(path, "annotate", "here")[0] == 0, "annotate")
    expect(agent.heard == [(OPTION, {NAME: b"flush", VALUE: b"100"}), (NOTE, {TEXT: b"here"})],
           f"heard {agent.heard}")


def check_faults(path):
    for words in [(path, "staus"), (path, "status", "more"), (path, "annotate"), (path,),
                  (path, "start", "events"), (path, "start", "duration=0"),
                  (path, "start", "limit=much"), (path, "start", "colour=red")]:
        code, _, err = control(*words)
        expect(code == 2, f"{words}: {code} {err}")
    expect('did you mean "status"?' in control(path, "staus")[2], "no guess at a command")
    for target in ["/nonexistent/socket", "2147483600", str(os.getpid()), ":0", ":1"]:
        code, _, err = control(target, "status")
        expect(code == 1, f"{target}: {code} {err}")


def start_time(process):
    return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[19]


def check_who_answers(folder):
    """By a process' number only that process is spoken to, and only where nobody else could be."""
    os.environ["XDG_RUNTIME_DIR"] = folder
    other = subprocess.Popen(["sleep", "600"])
    for process, mode, good in [(os.getpid(), 0o700, True), (os.getpid(), 0o755, False),
                                (other.pid, 0o700, False)]:
        place = Path(folder) / "polytrace" / f"{process}-{start_time(process)}"
        place.mkdir(parents=True, exist_ok=True)
        place.chmod(mode)
        (place / "control").unlink(missing_ok=True)
        listener = socket.socket(socket.AF_UNIX)
        listener.bind(str(place / "control"))
        listener.listen()
        agent = Agent(listener)
        agent.start()
        code, _, err = control(str(process), "annotate", "hello")
        expect(code == (0 if good else 1), f"{process}, mode {mode:o}: {code} {err}")
        expect(bool(agent.heard) == good, f"{process}, mode {mode:o}: was told {agent.heard}")
        expect(good or "not the agent of process" in err, err)
    other.kill()
    other.wait()


def main():
    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/socket"
        listener = socket.socket(socket.AF_UNIX)
        listener.bind(path)
        listener.listen()
        agent = Agent(listener)
        agent.start()
        check_commands(path, agent)
        check_faults(path)
        agent.right = 1
        code, _, err = control(path, "pause")
        expect(code == 1 and "another client" in err, f"pause without right: {code} {err}")
        tcp = socket.create_server(("127.0.0.1", 0))
        token = Path(folder) / "token"
        token.write_text("0123456789abcdef" * 2)
        Agent(tcp, token=token.read_bytes()).start()
        port = f":{tcp.getsockname()[1]}"
        expect(control("--token-file", str(token), port, "flush")[0] == 0, "TCP with its token")
        code, _, err = control(port, "flush")
        expect(code == 1 and "wrong token" in err, f"TCP without token: {code} {err}")
        check_who_answers(folder)
    for failure in FAILURES:
        print("FAILED:", failure, file=sys.stderr)
    return 1 if FAILURES else 0


if __name__ == "__main__":
    sys.exit(main())
