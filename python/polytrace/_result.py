# SPDX-License-Identifier: Apache-2.0
"""Answers: rows, or columns for the libraries that know them."""
from __future__ import annotations

import ctypes
from collections import namedtuple
from ctypes import c_double, c_int64, c_void_p
from typing import TYPE_CHECKING, Any, Dict, Iterator, List, Optional, Tuple

from . import _arrow, _frames
from ._library import (OK, Column, Columns, PolytraceError, error_of, interruptible, library)

if TYPE_CHECKING:
    import numpy
    import pandas
    import polars
    import pyarrow

    from . import Trace

_NUMBERS = {1: c_int64, 2: c_double}


class Part:
    """Up to 65,536 rows as columns. It lives until the next one is fetched."""

    def __init__(self, columns: Columns):
        self.rows: int = columns.rows
        self._columns = [Column.from_buffer_copy(columns.columns[i])
                         for i in range(columns.count)]

    def types(self) -> List[int]:
        return [column.type for column in self._columns]

    def valid(self, i: int) -> Optional[bytes]:
        """A bit a row; None: all are told."""
        valid = self._columns[i].valid
        return ctypes.string_at(valid, (self.rows + 7) // 8) if valid else None

    def numbers(self, i: int) -> Any:
        column = self._columns[i]
        return (_NUMBERS[column.type] * self.rows).from_address(column.values)

    def texts(self, i: int) -> List[str]:
        column = self._columns[i]
        at = column.offsets[:self.rows + 1]
        data = ctypes.string_at(column.values, at[-1])
        return [data[at[row]:at[row + 1]].decode() for row in range(self.rows)]

    def cells(self, i: int) -> List[Any]:
        """As Python has them, None for what is not told."""
        is_number = self._columns[i].type in _NUMBERS
        cells: List[Any] = self.numbers(i)[:] if is_number else self.texts(i)
        valid = self.valid(i)
        if valid is None:
            return cells
        return [cell if valid[row >> 3] >> (row & 7) & 1 else None
                for row, cell in enumerate(cells)]


class Result:
    """The answer to a query, to be read once: row by row, or as a whole by one of the methods.

    The query runs as it is read. Rows are named tuples. `Result` has the Arrow PyCapsule
    interface: `pyarrow.table(result)`, `polars.DataFrame(result)` and DuckDB take it as it is.
    """

    def __init__(self, trace: "Trace", query: c_void_p):
        self._trace, self._query = trace, query
        self._is_read = False
        told = Columns(ctypes.sizeof(Columns))
        library.pt_query_describe(query, ctypes.byref(told))
        self._names = [str(told.columns[i].name) for i in range(told.count)]
        self._units = [str(told.columns[i].unit) or None for i in range(told.count)]

    def __del__(self) -> None:
        query, self._query = getattr(self, "_query", None), None
        if query:
            library.pt_query_release(query)

    @property
    def columns(self) -> Tuple[str, ...]:
        """The names of the columns."""
        return tuple(self._names)

    @property
    def units(self) -> Dict[str, Optional[str]]:
        """The unit of each column ("ns", "bytes" ...); None: none, or not known."""
        return dict(zip(self._names, self._units))

    def _begin(self) -> None:
        if self._is_read:
            raise PolytraceError("usage", "a result is read once; ask again for another one")
        self._is_read = True

    def _parts(self) -> Iterator[Part]:
        self._begin()
        while True:
            columns, error = Columns(ctypes.sizeof(Columns)), c_void_p()
            status = interruptible(
                lambda: library.pt_query_columns(self._query, 0, ctypes.byref(columns),
                                                 ctypes.byref(error)),
                self._trace.stop)
            if columns.rows:
                yield Part(columns)
            if status != OK:
                raise error_of(error)
            if not columns.rows:
                return

    def batches(self) -> "Iterator[Batch]":
        """The result in pieces of at most 65,536 rows, as they come: each is a result of its own,
        which can be read whenever one likes."""
        for part in self._parts():
            yield Batch(self, part)

    def stop(self) -> None:
        """Ends what runs on its trace, from any thread; of a file that is followed, the result."""
        self._trace.stop()

    def run(self) -> None:
        """Runs it for what it does: rows are not kept."""
        for _ in self._parts():
            pass

    def __iter__(self) -> Iterator[Any]:
        row = namedtuple("Row", self._names, rename=True)  # type: ignore[misc]
        for part in self._parts():
            cells = [part.cells(i) for i in range(len(self._names))]
            yield from map(row._make, zip(*cells))

    def _check_names(self) -> None:
        """One column would hide the other."""
        if len(set(self._names)) != len(self._names):
            raise PolytraceError("usage", "two columns have one name: give them others, with AS")

    def dicts(self) -> List[Dict[str, Any]]:
        """A dictionary for each row."""
        self._check_names()
        return [dict(zip(self._names, row)) for row in self]

    def numpy(self) -> "Dict[str, numpy.ndarray]":
        """An array for each column: int64, float64, or objects for texts.

        Numbers of which some are not told are masked arrays; texts that are not told are None.
        """
        self._check_names()
        return _frames.numpy_of(self._names, self._parts())

    def pandas(self) -> "pandas.DataFrame":
        """A data frame. Whole numbers are Int64, which knows NULL."""
        self._check_names()
        return _frames.pandas_of(self)

    def arrow(self) -> "pyarrow.Table":
        """A table of pyarrow."""
        import pyarrow  # pylint: disable=import-outside-toplevel
        return interruptible(lambda: pyarrow.table(self), self._trace.stop)

    def polars(self) -> "polars.DataFrame":
        """A data frame of polars."""
        import polars  # pylint: disable=import-outside-toplevel
        return interruptible(lambda: polars.DataFrame(self), self._trace.stop)

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        del requested_schema  # the interface lets us give our own
        self._begin()
        return _arrow.Stream(library.pt_query_stream, self._query).capsule()


class Batch(Result):
    """A piece of a result, which is a result of its own. `len()` is how many rows it has."""

    def __init__(self, whole: Result, part: Part):  # pylint: disable=super-init-not-called
        # The stream has what the part shows, as long as it lives.
        self._stream = _arrow.Stream(library.pt_part_stream, whole._query)
        self._trace, self._query, self._part = whole._trace, None, part
        self._names, self._units, self._is_read = whole._names, whole._units, False

    def __len__(self) -> int:
        return self._part.rows

    def _parts(self) -> Iterator[Part]:
        self._begin()
        yield self._part

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        del requested_schema
        self._begin()
        return self._stream.capsule()
