# SPDX-License-Identifier: Apache-2.0
"""A query's Arrow stream as the capsule that other libraries take."""
from __future__ import annotations

import ctypes
from ctypes import CFUNCTYPE, POINTER, Structure, c_char_p, c_void_p
from typing import Any, Dict

from ._library import OK, error_of

_NAME = b"arrow_array_stream"


class _Stream(Structure):
    pass


_Release = CFUNCTYPE(None, POINTER(_Stream))
_Stream._fields_ = [("get_schema", c_void_p), ("get_next", c_void_p),
                    ("get_last_error", c_void_p), ("release", _Release),
                    ("private_data", c_void_p)]

_new = ctypes.pythonapi.PyCapsule_New
_new.restype, _new.argtypes = ctypes.py_object, [c_void_p, c_char_p, c_void_p]
# By address alone: of a capsule that goes nobody may take a reference.
_pointer = ctypes.PYFUNCTYPE(c_void_p, c_void_p, c_char_p)(
    ("PyCapsule_GetPointer", ctypes.pythonapi))

#: Streams whose capsules live, by address.
_alive: Dict[int, _Stream] = {}


@ctypes.PYFUNCTYPE(None, c_void_p)
def _forget(capsule: int) -> None:
    stream = _alive.pop(_pointer(capsule, _NAME), None)
    # Who took the stream out has left no release behind.
    if stream is not None and stream.release:
        stream.release(ctypes.byref(stream))


class Stream:
    """An Arrow stream that is released with it, unless a capsule takes it."""

    def __init__(self, make: Any, query: c_void_p):
        """make: the function of the library that gives it."""
        self._stream, error = _Stream(), c_void_p()
        status: int = make(query, ctypes.byref(self._stream), ctypes.byref(error))
        if status != OK:
            raise error_of(error)

    def __del__(self) -> None:
        stream = getattr(self, "_stream", None)
        if stream is not None and stream.release:
            stream.release(ctypes.byref(stream))

    def capsule(self) -> object:
        """Once."""
        stream, self._stream = self._stream, None
        address = ctypes.addressof(stream)
        _alive[address] = stream
        return _new(address, _NAME, ctypes.cast(_forget, c_void_p))
