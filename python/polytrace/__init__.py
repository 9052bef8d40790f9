# SPDX-License-Identifier: Apache-2.0
"""Traces of Java, Mono and .NET programs, asked in SQL.

>>> import polytrace
>>> trace = polytrace.open("app.mlpd")                              # doctest: +SKIP
>>> for row in trace.sql("SELECT name, self_ns FROM methods(NULL, NULL, NULL)"):  # doctest: +SKIP
...     print(row.name, row.self_ns)
"""
from __future__ import annotations

import ctypes
import json
import os
from ctypes import byref, c_void_p
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence, Set, Union

from ._library import (OK, USAGE, Options, PolytraceError, Progress, QueryOptions, Scan, Text,
                       error_of, interruptible, library, text_in)
from ._result import Result

__all__ = ["PolytraceError", "Result", "Trace", "open", "version"]

PolytraceError.__module__ = Result.__module__ = __name__  # as people name them

Parameter = Union[None, bool, int, float, str]
Parameters = Union[Sequence[Parameter], Mapping[str, Parameter]]


def version() -> str:
    """The version of the library."""
    return library.pt_version().decode()


class Trace:
    """A trace that was opened. It is released with `close()`, `with`, or when it is forgotten.

    Threads may share one: their queries take turns.
    """

    def __init__(self, handle: c_void_p, error: Optional[PolytraceError]):
        self._handle, self._error = handle, error

    def __enter__(self) -> "Trace":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __del__(self) -> None:
        self.close()

    def close(self) -> None:
        """Releases it. Results that were made of it stay valid."""
        handle, self._handle = getattr(self, "_handle", None), None
        if handle:
            library.pt_release(handle)

    def _open(self) -> c_void_p:
        if not self._handle:
            raise PolytraceError("usage", "the trace is closed")
        return self._handle

    @property
    def partial(self) -> bool:
        """Something of the trace could not be read; `error` says what."""
        return self._error is not None

    @property
    def error(self) -> Optional[PolytraceError]:
        """The worst that reading it survived; None: nothing is missing."""
        return self._error

    @property
    def info(self) -> Dict[str, Any]:
        """What the trace is and holds: the document of `polytrace info --json`."""
        handle = self._open()
        json_text, error = Text(), c_void_p()
        status = interruptible(
            lambda: library.pt_info(handle, byref(json_text), byref(error)), self.stop)
        if status != OK:
            raise error_of(error)
        return json.loads(str(json_text))

    @property
    def notices(self) -> List[Dict[str, Any]]:
        """What reading it survived, also what cost nothing."""
        return self.info["notices"]

    @property
    def threads(self) -> List[Any]:
        """The rows of the table `thread`."""
        return list(self.sql("SELECT * FROM thread"))

    def stop(self) -> None:
        """Ends what runs on it, from any thread: that raises with the code "stopped"."""
        if self._handle:
            library.pt_stop(self._handle)

    def sql(self, query: str, parameters: Parameters = (), *, timeout: Optional[float] = None,
            memory: Optional[int] = None, max_rows: Optional[int] = None,
            read_only: bool = False) -> Result:
        """Asks in SQL: the tables and functions of docs/sql.md.

        parameters: for each `?` of the query, or by name for `:name`. timeout: seconds that the
        query may work. memory: bytes. max_rows: of the answer; if there are more, an error follows
        them. Of several statements the last one's answer is given; those before it have run.
        Statements without rows run at once, others as their result is read.
        """
        options = QueryOptions()
        library.pt_query_options_init(byref(options), ctypes.sizeof(options))
        options.timeout_ms = max(1, round(timeout * 1000)) if timeout is not None else 0
        options.memory, options.max_rows = memory or 0, max_rows or 0
        options.read_only = read_only
        rest, kept = text_in(query)
        result = None
        values = _by_name(parameters)
        unknown = set(values)
        while rest.size:
            made = self._prepare(rest, options)
            if made is None:
                break
            if result is not None and result.columns:
                result.run()
            result = made
            unknown &= _bind_all(result, values)
            if not result.columns:
                result.run()
        del kept
        if unknown:
            raise PolytraceError("usage", f"the query has no parameter {min(unknown)}")
        if result is None:
            raise PolytraceError("usage", "there is no statement in the query")
        return result

    def table(self, name: str, columns: Optional[Sequence[str]] = None, *,
              start: Optional[int] = None, end: Optional[int] = None,
              threads: Optional[Sequence[int]] = None, by_time: bool = False) -> Result:
        """A table of the schema, or a part of it: of these columns, with start <= ts < end, of
        these threads (utid), in order of time."""
        scan = _scan_of(start, end, threads)
        if columns is not None:
            scan.columns = ",".join(columns).encode()
        scan.by_time = by_time
        query, error = c_void_p(), c_void_p()
        status = library.pt_table_query(self._open(), name.encode(), byref(scan), byref(query),
                                        byref(error))
        if status != OK:
            raise error_of(error)
        return Result(self, query)

    def call_tree(self, start: Optional[int] = None, end: Optional[int] = None,
                  threads: Optional[Sequence[int]] = None, *, least_share: float = 0.0) -> Result:
        """Where time went, by path of calls: the table function `call_tree`, depth first."""
        ids = json.dumps(list(threads)) if threads is not None else None
        return self.sql("SELECT * FROM call_tree(?, ?, ?, ?)", [start, end, ids, least_share])

    def report(self, sections: Optional[str] = None, *, start: Optional[int] = None,
               end: Optional[int] = None, threads: Optional[Sequence[int]] = None) -> Dict[str, Any]:
        """What `polytrace report --json --limit 0` prints: of sections ("calls,collections"; None:
        all), of a part of the trace."""
        scan = _scan_of(start, end, threads)
        words = sections.encode() if sections is not None else None
        return self._document(lambda handle, text, error: library.pt_report(
            handle, words, byref(scan), text, error))

    def diff(self, after: "Trace") -> Dict[str, Any]:
        """What is different in another trace: what `polytrace diff --json --limit 0` prints."""
        other = after._open()
        return self._document(lambda handle, text, error: library.pt_diff(
            handle, other, text, error))

    def state(self, at: int, pattern: Optional[str] = None) -> Dict[str, Any]:
        """What everything was doing at a moment, in ns of the trace's clock: what `polytrace state
        --json` prints, of paths that fit the pattern ("Threads/*/Method")."""
        words = pattern.encode() if pattern is not None else None
        return self._document(lambda handle, text, error: library.pt_state(
            handle, at, words, text, error))

    def _document(self, ask: Callable[[c_void_p, Any, Any], int]) -> Dict[str, Any]:
        """Of a damaged trace, too: the document says what is missing."""
        handle, text, error = self._open(), Text(), c_void_p()
        status = interruptible(lambda: ask(handle, byref(text), byref(error)), self.stop)
        if not text.at:
            raise error_of(error)
        if status != OK:
            library.pt_error_release(error)
        told = json.loads(str(text))
        library.pt_text_release(text)
        return told

    def _prepare(self, rest: Text, options: QueryOptions) -> Optional[Result]:
        """The next statement; `rest` is behind it then."""
        query, behind, error = c_void_p(), Text(), c_void_p()
        status = library.pt_prepare(self._open(), rest, byref(options), byref(query),
                                    byref(behind), byref(error))
        if status != OK:
            raise error_of(error)
        rest.at, rest.size = behind.at, behind.size
        return Result(self, query) if query else None


def _scan_of(start: Optional[int], end: Optional[int], threads: Optional[Sequence[int]]) -> Scan:
    scan = Scan()
    library.pt_scan_init(byref(scan), ctypes.sizeof(scan))
    if start is not None:
        scan.from_ = start
    if end is not None:
        scan.to = end
    if threads is not None:
        scan.threads = (ctypes.c_int64 * len(threads))(*threads)
        scan.thread_count = len(threads)
    return scan


def _by_name(parameters: Parameters) -> Mapping[str, Parameter]:
    if isinstance(parameters, Mapping):
        return parameters
    return {str(i + 1): value for i, value in enumerate(parameters)}


def _bind_all(result: Result, values: Mapping[str, Parameter]) -> Set[str]:
    """The names that the statement does not know."""
    return {name for name, value in values.items()
            if _bind(result._query, name.encode(), value) == USAGE}


def _bind(query: c_void_p, name: bytes, value: Parameter) -> int:
    if value is None:
        return library.pt_bind_null(query, name)
    if isinstance(value, int):
        if not -2**63 <= value < 2**63:
            raise PolytraceError("usage", f"{value} has more than 64 bits")
        return library.pt_bind_i64(query, name, value)
    if isinstance(value, float):
        return library.pt_bind_f64(query, name, value)
    if isinstance(value, str):
        text, kept = text_in(value)
        status: int = library.pt_bind_text(query, name, text)
        del kept
        return status
    raise TypeError(f"a parameter is None, int, float or str, not {type(value).__name__}")


def open(path: Union[str, "os.PathLike[str]"], *,  # pylint: disable=redefined-builtin
         index: Union[str, "os.PathLike[str]", None] = None, temporary: bool = False,
         resync: bool = False,
         progress: Optional[Callable[[int, int], Optional[bool]]] = None) -> Trace:
    """Opens a trace of any format that polytrace reads; "-" is standard input.

    Its index is found, or made, which reads the trace once. index: the folder for it, else it is in
    the cache of polytrace. temporary: it goes with the trace. resync: behind damage, search for
    where reading can go on. progress: is told how many bytes of how many (0: not known) are read;
    True stops. A damaged trace is opened, too: see `Trace.partial`.
    """
    stopped: List[object] = []

    def look(_: object, done: int, total: int) -> int:
        try:
            if progress is not None and progress(done, total):
                stopped.append(None)
        except BaseException as fault:  # pylint: disable=broad-except
            stopped.append(fault)
        return bool(stopped)

    options = Options()
    library.pt_options_init(byref(options), ctypes.sizeof(options))
    options.index = os.fsencode(index) if index is not None else None
    options.index_mode = 2 if temporary else 0
    options.resync = resync
    options.progress = Progress(look)
    handle, error = c_void_p(), c_void_p()
    status = interruptible(
        lambda: library.pt_open(os.fsencode(path), byref(options), byref(handle), byref(error)),
        lambda: stopped.append(None))
    fault = next((one for one in stopped if isinstance(one, BaseException)), None)
    told = error_of(error) if status != OK else None
    if handle:
        trace = Trace(handle, told)
        if fault is None:
            return trace
        trace.close()
    raise fault or told or PolytraceError("stopped", "stopped before its end")
