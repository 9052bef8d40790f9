#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""ClickHouse of today over HTTP: its engine, which npm has as a library, behind as much of the
server's interface as a store is asked by. For tests, on 127.0.0.1, one statement at a time.

usage: engine.py LIBRARY FOLDER PORT
"""
import ctypes
import re
import signal
import sys
import tempfile
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qsl, urlparse

CODE = re.compile(r"Code: (\d+)")
#: What a request may set of a statement; the rest is the server's own business.
SETTINGS = ("max_execution_time", "max_rows_to_read", "max_memory_usage", "max_query_size",
            "skip_unavailable_shards", "insert_deduplicate")


class Engine:
    """A folder of the engine's. Any thread may ask."""

    def __init__(self, library, folder):
        self.folder = folder
        self.library = ctypes.CDLL(library)
        for name, result in (("chdb_connect", ctypes.POINTER(ctypes.c_void_p)),
                             ("chdb_query_n", ctypes.c_void_p),
                             ("chdb_result_buffer", ctypes.c_void_p),
                             ("chdb_result_length", ctypes.c_size_t),
                             ("chdb_result_error", ctypes.c_char_p)):
            getattr(self.library, name).restype = result
        words = [b"engine", b"--path=" + folder.encode()]
        self.connection = self.library.chdb_connect(
            len(words), (ctypes.c_char_p * len(words))(*words))
        if not self.connection:
            sys.exit("the engine does not start")
        self.asking = threading.Lock()

    def take(self, statement, rows):
        """Rows for an INSERT."""
        with self.asking:
            return self.insert(statement, rows)

    def ask(self, statement, tables=()):
        """The answer's bytes; `tables` are there meanwhile: (name, structure, rows in RowBinary).
        RuntimeError: what the engine says instead."""
        with self.asking:
            try:
                for name, structure, rows in tables:
                    self.ask_alone(f"CREATE TEMPORARY TABLE {name} ({structure})".encode())
                    self.insert(f"INSERT INTO {name} FORMAT RowBinary", rows)
                return self.ask_alone(statement)
            finally:
                for name, _, _ in tables:
                    self.ask_alone(f"DROP TEMPORARY TABLE IF EXISTS {name}".encode())

    def insert(self, statement, rows):
        """By way of a file: what stands behind a statement is taken for a part of it."""
        with tempfile.NamedTemporaryFile(dir=self.folder) as file:
            file.write(rows)
            file.flush()
            return self.ask_alone(re.sub(r"\s(FORMAT \w+)\s*$", rf" FROM INFILE '{file.name}' \1",
                                         statement).encode())

    def ask_alone(self, statement):
        form = b"TabSeparated"
        words = [ctypes.c_void_p(self.connection[0])]
        for text in (statement, form):
            words += [ctypes.c_char_p(text), ctypes.c_size_t(len(text))]
        result = ctypes.c_void_p(self.library.chdb_query_n(*words))
        try:
            fault = self.library.chdb_result_error(result)
            if fault:
                raise RuntimeError(fault.decode("utf-8", "replace"))
            return ctypes.string_at(self.library.chdb_result_buffer(result),
                                    self.library.chdb_result_length(result))
        finally:
            self.library.chdb_destroy_query_result(result)


def limited(statement, settings):
    """With what the request sets, which in a SELECT stands before the form of the answer."""
    chosen = ", ".join(f"{name} = {value}" for name, value in settings if name in SETTINGS)
    if not chosen or not statement.lstrip().upper().startswith((b"SELECT", b"INSERT")):
        return statement
    found = re.search(rb"\sFORMAT\s+\w+\s*;?\s*$", statement)
    at = found.start() if found else len(statement)
    return statement[:at] + b" SETTINGS " + chosen.encode() + statement[at:]


def parts_of(kind, body):
    """Of a form each part's name and bytes."""
    mark = b"--" + kind.split("boundary=")[1].strip('"').encode()
    for part in body.split(mark)[1:-1]:
        head, rows = part.split(b"\r\n\r\n", 1)
        yield re.search(rb'name="(\w+)"', head)[1].decode(), rows.removesuffix(b"\r\n")


class Talk(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def answer(self, words, body):
        settings, kind = dict(words), self.headers.get("Content-Type", "")
        query = settings.get("query", "")
        if kind.startswith("multipart/"):
            tables = [(name, settings[f"{name}_structure"], rows)
                      for name, rows in parts_of(kind, body)]
            return self.server.engine.ask(limited(query.encode(), words), tables)
        if query.upper().startswith("INSERT"):
            return self.server.engine.take(query, body)
        return self.server.engine.ask(limited(query.encode() + body, words))

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        try:
            status = 200
            answer = self.answer(parse_qsl(urlparse(self.path).query), body)
        except RuntimeError as fault:
            found = CODE.search(str(fault))
            begin = found.start() if found else 0
            status, answer = 500, str(fault)[begin:].encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    do_GET = do_POST

    def log_message(self, *_):
        pass


def main():
    library, folder, port = sys.argv[1:4]
    server = ThreadingHTTPServer(("127.0.0.1", int(port)), Talk)
    server.engine = Engine(library, folder)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    server.serve_forever()


if __name__ == "__main__":
    main()
