# SPDX-License-Identifier: Apache-2.0
"""Answers as arrays of NumPy and frames of pandas. Neither is needed for anything else."""
# pylint: disable=import-outside-toplevel
from __future__ import annotations

from typing import TYPE_CHECKING, Any, Dict, Iterator, List

if TYPE_CHECKING:
    from ._result import Part, Result


def _column_of(part: "Part", i: int) -> Any:
    """A copy: the part goes with the next one."""
    import numpy
    if part.types()[i] not in (1, 2):
        column = numpy.empty(part.rows, object)
        column[:] = part.cells(i)
        return column
    numbers = numpy.array(part.numbers(i))
    valid = part.valid(i)
    if valid is None:
        return numbers
    bits = numpy.unpackbits(numpy.frombuffer(valid, numpy.uint8), bitorder="little")
    return numpy.ma.MaskedArray(numbers, bits[:part.rows] == 0)


def _joined(pieces: List[Any]) -> Any:
    import numpy
    if any(isinstance(piece, numpy.ma.MaskedArray) for piece in pieces):
        return numpy.ma.concatenate(pieces)
    return numpy.concatenate(pieces) if pieces else numpy.empty(0, object)


def numpy_of(names: List[str], parts: "Iterator[Part]") -> Dict[str, Any]:
    pieces: List[List[Any]] = [[] for _ in names]
    for part in parts:
        for i, column in enumerate(pieces):
            column.append(_column_of(part, i))
    return {name: _joined(column) for name, column in zip(names, pieces)}


def _pandas_column(column: Any) -> Any:
    import numpy
    import pandas
    if column.dtype == numpy.int64:
        return pandas.arrays.IntegerArray(numpy.ma.getdata(column),
                                          numpy.ma.getmaskarray(column).copy())
    if isinstance(column, numpy.ma.MaskedArray):
        return column.filled(numpy.nan)
    return column


def pandas_of(result: "Result") -> Any:
    import pandas
    try:
        import pyarrow
    except ImportError:
        return pandas.DataFrame({name: _pandas_column(column)
                                 for name, column in result.numpy().items()})
    types = {pyarrow.int64(): pandas.Int64Dtype()}
    return result.arrow().to_pandas(types_mapper=types.get)
