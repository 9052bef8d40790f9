# SPDX-License-Identifier: Apache-2.0
"""A stand-in for a collector's port that hands out one recorded trace, whatever blocks are asked
for, to who has its token; and a row of `moments` that tells of one call in that trace."""
import http.server
import json
import os
import subprocess
import threading

TOKEN = "0123456789abcdef" * 4
STREAM, BLOCK = 0xabcd, 7


class Edge:
    def __init__(self, folder, trace):
        self.asked = []
        self.token_file = f"{folder}/edge-token"
        with open(os.open(self.token_file, os.O_CREAT | os.O_WRONLY, 0o600), "w",
                  encoding="ascii") as out:
            out.write(TOKEN + "\n")
        edge, piece = self, open(trace, "rb").read()

        class Answer(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                edge.asked.append(self.path)
                good = self.headers.get("Authorization") == f"Bearer {TOKEN}"
                body = piece if good else b"who are you?\n"
                self.send_response(200 if good else 401)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Answer)
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()


def slowest_call(polytrace, trace):
    """Of all calls of the trace, by its events: begin and length on its clock, thread, and the wall
    time of the beginning; and the time of the first event."""
    lines = subprocess.run([polytrace, "cat", "--jsonl", trace], check=True, text=True,
                           stdout=subprocess.PIPE).stdout.splitlines()
    first, zero, stacks, best = None, None, {}, (0, 0, 0)
    for event in map(json.loads, lines):
        if event.get("time") is not None and first is None:
            first = int(event["time"])
        if event["kind"] == "clock" and zero is None:
            zero = int(event["wall"]) - int(event["time"])
        stack = stacks.setdefault(event.get("thread"), [])
        if event["kind"] == "enter":
            stack.append(int(event["time"]))
        elif event["kind"] in ("leave", "unwind") and stack:
            begin = stack.pop()
            best = max(best, (int(event["time"]) - begin, begin, int(event["thread"], 0)))
    took, begin, thread = best
    return {"begin": begin, "took": took, "thread": thread, "at": begin + zero, "first": first}


def put_moment(server, database, series, call, method):
    """Of this series, as a collector sends it: the window is that of its end."""
    t = (call["at"] + call["took"]) // 10**9 // 10 * 10
    server.ask(f"INSERT INTO {database}.moments (service, kind, hour, series, t, at, took, "
               f"subject, stream, block, thread) VALUES ({series['service']}, 1, {t // 3600}, "
               f"{series['series']}, {t}, {call['at']}, {call['took']}, {method}, {STREAM}, "
               f"{BLOCK}, {call['thread']})")
    return f"{STREAM:016x}-{BLOCK}-{call['at']}"
