# SPDX-License-Identifier: Apache-2.0
"""The shared library libpolytrace.so.1, its functions and its errors."""
from __future__ import annotations

import ctypes
import json
import os
import threading
from ctypes import POINTER, Structure, c_char_p, c_double, c_int, c_int32, c_int64, c_size_t
from ctypes import c_uint, c_uint8, c_uint32, c_uint64, c_void_p
from pathlib import Path
from typing import Callable, Optional, TypeVar

_NAME = "libpolytrace.so.1"
_ABI = 1
OK, USAGE, DAMAGED, LIMIT, STOPPED = 0, 2, 4, 6, 130
INDEX_KEPT, INDEX_NONE, INDEX_TEMPORARY = 0, 1, 2


class PolytraceError(Exception):
    """What went wrong, and where.

    code: stable, for programs ("open-failed"); text: a sentence; offset: in bytes of the trace,
    line and column: of a query; file; hint: what one can do. Each is None where it is not known.
    """

    def __init__(self, code: str, text: str, offset: Optional[int] = None, *,
                 line: Optional[int] = None, column: Optional[int] = None,
                 file: Optional[str] = None, hint: Optional[str] = None):
        super().__init__(f"{code}: {text}")
        self.code, self.text, self.offset = code, text, offset
        self.line, self.column, self.file, self.hint = line, column, file, hint


class Text(Structure):
    _fields_ = [("at", c_void_p), ("size", c_size_t)]

    def __str__(self) -> str:
        return ctypes.string_at(self.at, self.size).decode() if self.size else ""


Progress = ctypes.CFUNCTYPE(c_int, c_void_p, c_uint64, c_uint64)


class Options(Structure):
    _fields_ = [("size", c_size_t), ("index", c_char_p), ("index_mode", c_int), ("resync", c_int),
                ("follow", c_int), ("threads", c_uint), ("progress", Progress),
                ("user", c_void_p)]


class Column(Structure):
    _fields_ = [("name", Text), ("unit", Text), ("type", c_int), ("values", c_void_p),
                ("offsets", POINTER(c_int32)), ("valid", POINTER(c_uint8))]


class Columns(Structure):
    _fields_ = [("size", c_size_t), ("count", c_size_t), ("rows", c_size_t),
                ("columns", POINTER(Column))]


class QueryOptions(Structure):
    _fields_ = [("size", c_size_t), ("timeout_ms", c_uint64), ("memory", c_uint64),
                ("max_rows", c_uint64), ("read_only", c_int)]


class Scan(Structure):
    _fields_ = [("size", c_size_t), ("from_", c_int64), ("to", c_int64),
                ("threads", POINTER(c_int64)), ("thread_count", c_size_t),
                ("columns", c_char_p), ("batch_rows", c_size_t), ("by_time", c_int)]


#: Result and arguments of each function.
_FUNCTIONS = {
    "pt_abi": (c_uint32, []),
    "pt_version": (c_char_p, []),
    "pt_error_text": (Text, [c_void_p]),
    "pt_error_code": (Text, [c_void_p]),
    "pt_error_json": (Text, [c_void_p]),
    "pt_error_release": (None, [c_void_p]),
    "pt_options_init": (None, [POINTER(Options), c_size_t]),
    "pt_open": (c_int, [c_char_p, POINTER(Options), POINTER(c_void_p), POINTER(c_void_p)]),
    "pt_refresh": (c_int, [c_void_p, POINTER(c_int), POINTER(c_void_p)]),
    "pt_info": (c_int, [c_void_p, POINTER(Text), POINTER(c_void_p)]),
    "pt_stop": (None, [c_void_p]),
    "pt_release": (None, [c_void_p]),
    "pt_query_options_init": (None, [POINTER(QueryOptions), c_size_t]),
    "pt_prepare": (c_int, [c_void_p, Text, POINTER(QueryOptions), POINTER(c_void_p),
                           POINTER(Text), POINTER(c_void_p)]),
    "pt_query_describe": (None, [c_void_p, POINTER(Columns)]),
    "pt_bind_i64": (c_int, [c_void_p, c_char_p, c_int64]),
    "pt_bind_f64": (c_int, [c_void_p, c_char_p, c_double]),
    "pt_bind_text": (c_int, [c_void_p, c_char_p, Text]),
    "pt_bind_null": (c_int, [c_void_p, c_char_p]),
    "pt_query_columns": (c_int, [c_void_p, c_size_t, POINTER(Columns), POINTER(c_void_p)]),
    "pt_query_stream": (c_int, [c_void_p, c_void_p, POINTER(c_void_p)]),
    "pt_part_stream": (c_int, [c_void_p, c_void_p, POINTER(c_void_p)]),
    "pt_query_release": (None, [c_void_p]),
    "pt_scan_init": (None, [POINTER(Scan), c_size_t]),
    "pt_table_query": (c_int, [c_void_p, c_char_p, POINTER(Scan), POINTER(c_void_p),
                               POINTER(c_void_p)]),
    "pt_report": (c_int, [c_void_p, c_char_p, POINTER(Scan), POINTER(Text), POINTER(c_void_p)]),
    "pt_diff": (c_int, [c_void_p, c_void_p, POINTER(Text), POINTER(c_void_p)]),
    "pt_state": (c_int, [c_void_p, c_int64, c_char_p, POINTER(Text), POINTER(c_void_p)]),
    "pt_convert": (c_int, [c_char_p, c_char_p, c_char_p, Progress, c_void_p, POINTER(Text),
                           POINTER(c_void_p)]),
    "pt_export": (c_int, [c_void_p, c_char_p, c_char_p, c_char_p, POINTER(Text),
                          POINTER(c_void_p)]),
    "pt_text_release": (None, [Text]),
}


def _load() -> ctypes.CDLL:
    beside = Path(__file__).with_name(_NAME)
    wanted = os.environ.get("POLYTRACE_LIBRARY") or (str(beside) if beside.exists() else _NAME)
    try:
        loaded = ctypes.CDLL(wanted)
    except OSError as fault:
        raise ImportError(f"{wanted}: {fault}. POLYTRACE_LIBRARY says where {_NAME} is") from fault
    for name, (result, arguments) in _FUNCTIONS.items():
        function = getattr(loaded, name)
        function.restype, function.argtypes = result, arguments
    if loaded.pt_abi() >> 16 != _ABI:
        raise ImportError(f"{wanted} has another interface than this package")
    return loaded


library = _load()


def text_in(text: str) -> tuple[Text, bytes]:
    """A text for C, and the bytes that must live as long."""
    data = text.encode()
    return Text(ctypes.cast(c_char_p(data), c_void_p), len(data)), data


def error_of(error: c_void_p) -> PolytraceError:
    """Takes the error."""
    if not error:
        return PolytraceError("limit-exceeded", "out of memory")
    told = json.loads(str(library.pt_error_json(error)))
    text = str(library.pt_error_text(error))
    library.pt_error_release(error)
    return PolytraceError(told["code"], text, told["offset"], line=told.get("line"),
                          column=told.get("column"), file=told["file"], hint=told["hint"])


Given = TypeVar("Given")


def interruptible(work: Callable[[], Given], stop: Callable[[], None]) -> Given:
    """What `work` gives. Ctrl-C calls `stop`, which makes it end soon."""
    if threading.current_thread() is not threading.main_thread():
        return work()
    given: list[Given] = []
    faults: list[BaseException] = []
    done = threading.Event()

    def run() -> None:
        try:
            given.append(work())
        except BaseException as fault:  # pylint: disable=broad-except
            faults.append(fault)
        finally:
            done.set()

    threading.Thread(target=run, daemon=True).start()
    try:
        done.wait()
    except BaseException:
        while not done.is_set():
            stop()
            done.wait(0.01)
        raise
    if faults:
        raise faults[0]
    return given[0]


class Watch:
    """Who looks at how far reading has come, and may stop it; `callback` is for C."""

    def __init__(self, progress: Optional[Callable[[int, int], Optional[bool]]]):
        self.fault: Optional[BaseException] = None
        self._progress, self._is_stopped = progress, False
        self.callback = Progress(self._look)

    def stop(self) -> None:
        self._is_stopped = True

    def _look(self, _: object, done: int, total: int) -> int:
        try:
            if self._progress is not None and self._progress(done, total):
                self._is_stopped = True
        except BaseException as fault:  # pylint: disable=broad-except
            self.fault, self._is_stopped = fault, True
        return self._is_stopped
