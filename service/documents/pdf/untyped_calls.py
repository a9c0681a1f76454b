"""Functions of PDFium's that are called for each letter or object of a page, by a quicker way. In a sandbox only."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import TypeAlias

CNumber: TypeAlias = type[ctypes.c_int] | type[ctypes.c_uint] | type[ctypes.c_size_t] | type[ctypes.c_double]


def untyped(function: object, gives: CNumber | None) -> Callable[..., int]:
    """A function of PDFium's once more, without types of its arguments, and of its result where nobody looks at it.

    References made beforehand and whole numbers then pass as they are: in half the time or less. An address must be
    passed as `c_void_p` or by a reference, since a number alone passes as an `int` of C.
    """
    address = ctypes.cast(function, ctypes.c_void_p).value or 0  # pyright: ignore[reportArgumentType] - a C function
    return ctypes.PYFUNCTYPE(gives)(address)
