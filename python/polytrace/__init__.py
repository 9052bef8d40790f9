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

from ._library import (INDEX_KEPT, INDEX_NONE, INDEX_TEMPORARY, OK, STOPPED, USAGE, Options,
                       PolytraceError, QueryOptions, Scan, Text, Watch, error_of, interruptible,
                       library, text_in)
from ._result import Batch, Result

__all__ = ["Batch", "PolytraceError", "Result", "Trace", "convert", "open", "read", "version"]

for _one in (Batch, PolytraceError, Result):
    _one.__module__ = __name__  # as people name them

FilePath = Union[str, "os.PathLike[str]"]
Looking = Optional[Callable[[int, int], Optional[bool]]]
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

    def refresh(self) -> bool:
        """Looks at the file again: whether it has changed. If it has, what is asked from now on is
        asked of the file as it is now; results that were made before stay with the old one, as do
        temporary tables."""
        handle, changed, error = self._open(), ctypes.c_int(), c_void_p()
        status = interruptible(
            lambda: library.pt_refresh(handle, byref(changed), byref(error)), self.stop)
        told = error_of(error) if status != OK else None
        if told is not None and not changed.value:
            raise told
        if changed.value:
            self._error = told
        return bool(changed.value)

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

    def export(self, target: str, path: FilePath, *, start: Union[int, str, None] = None,
               end: Union[int, str, None] = None, thread: Optional[str] = None,
               name: Optional[str] = None, regex: bool = False, subtract: Optional[str] = None,
               weight: Optional[str] = None, limit: Optional[int] = None,
               depth: Optional[int] = None, show_helpers: bool = False,
               snapshot: Optional[int] = None, tables: Optional[Sequence[str]] = None,
               force: bool = False, strict: bool = False) -> Dict[str, Any]:
        """Writes a file of another tool (docs/exports.md), as `polytrace export` does, whose
        document this is.

        target: "perfetto", "pprof", "sqlite" ... start, end: ns of the trace's clock, or words as
        the command has them ("50%"). weight, limit, depth, show_helpers, subtract, name: of
        profiles. snapshot: of heap snapshots. tables: of files of tables. force: replaces a file.
        strict: writes nothing of a trace with problems.
        """
        options = _options_of(
            {"from": start, "until": end, "thread": thread, "name": name, "regex": regex,
             "subtract": subtract, "weight": weight, "limit": limit, "depth": depth,
             "show_helpers": show_helpers, "snapshot": snapshot, "force": force, "strict": strict,
             "tables": ",".join(tables) if tables is not None else None})
        handle = self._open()
        return _written(lambda text, error: library.pt_export(
            handle, target.encode(), os.fsencode(path), options, text, error), self.stop)

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


def _options_of(options: Dict[str, Any]) -> bytes:
    """What is told of them."""
    return json.dumps({name: value for name, value in options.items()
                       if value is not None and value is not False}).encode()


def _written(work: Callable[[Any, Any], int], stop: Callable[[], None]) -> Dict[str, Any]:
    """The document of what was written; it says what is missing."""
    text, error = Text(), c_void_p()
    status = interruptible(lambda: work(byref(text), byref(error)), stop)
    told = error_of(error) if status != OK else None
    document: Dict[str, Any] = json.loads(str(text)) if text.at else {}
    library.pt_text_release(text)
    files = document.get("outputs", [document.get("output")])
    if told is not None and (status == STOPPED or not all(one and one["written"] for one in files)):
        raise told
    return document


def _opened(path: FilePath, options: Options, watch: Watch) -> Trace:
    handle, error = c_void_p(), c_void_p()
    options.progress = watch.callback
    status = interruptible(
        lambda: library.pt_open(os.fsencode(path), byref(options), byref(handle), byref(error)),
        watch.stop)
    told = error_of(error) if status != OK else None
    if handle:
        trace = Trace(handle, told)
        if watch.fault is None:
            return trace
        trace.close()
    raise watch.fault or told or PolytraceError("stopped", "stopped before its end")


def _new_options() -> Options:
    options = Options()
    library.pt_options_init(byref(options), ctypes.sizeof(options))
    return options


def open(path: FilePath, *,  # pylint: disable=redefined-builtin
         index: Optional[FilePath] = None, temporary: bool = False, resync: bool = False,
         threads: int = 0, progress: Looking = None) -> Trace:
    """Opens a trace of any format that polytrace reads; "-" is standard input.

    Its index is found, or made, which reads the trace once. index: the folder for it, else it is in
    the cache of polytrace. temporary: it goes with the trace. resync: behind damage, search for
    where reading can go on. threads: that read the trace; 0: one per core. progress: is told how
    many bytes of how many (0: not known) are read; True stops. A damaged trace is opened, too: see
    `Trace.partial`.
    """
    options = _new_options()
    options.index = os.fsencode(index) if index is not None else None
    options.index_mode = INDEX_TEMPORARY if temporary else INDEX_KEPT
    options.resync, options.threads = resync, threads
    return _opened(path, options, Watch(progress))


def read(path: FilePath, columns: Optional[Sequence[str]] = None, *, start: Optional[int] = None,
         end: Optional[int] = None, follow: bool = False, resync: bool = False) -> Result:
    """The events of a trace as they are read, without an index: the rows of the table `event`, in
    the order of the file. "-" is standard input.

    follow: waits for more at the end of a growing file, until `Result.stop()`. Where something of
    the trace could not be read, an error follows the rows.
    """
    options = _new_options()
    options.index_mode, options.follow, options.resync = INDEX_NONE, follow, resync
    trace = _opened(path, options, Watch(None))
    return trace.table("event", columns, start=start, end=end)


def convert(source: FilePath, target: FilePath, *, to: Optional[str] = None,
            to_version: Optional[str] = None, byte_order: Optional[str] = None, force: bool = False,
            leave_open: bool = False, resync: bool = False, strict: bool = False,
            segments: Optional[FilePath] = None, progress: Looking = None) -> Dict[str, Any]:
    """Writes a trace in another format, as `polytrace convert` does, whose document this is.

    to: the format ("mlpd", "native:1"), else it is that of the target's ending. byte_order: "big"
    or "little". force: replaces a file. leave_open: without an end where the source has none. strict:
    writes nothing of a trace with problems, or if something would be lost. progress: as of `open`.
    """
    options = _options_of(
        {"to": to, "to_version": to_version, "byte_order": byte_order, "force": force,
         "leave_open": leave_open, "resync": resync, "strict": strict,
         "segments": os.fspath(segments) if segments is not None else None})
    watch = Watch(progress)
    try:
        return _written(lambda text, error: library.pt_convert(
            os.fsencode(source), os.fsencode(target), options, watch.callback, None, text, error),
            watch.stop)
    except PolytraceError:
        if watch.fault is not None:
            raise watch.fault from None
        raise
