"""The shared library beside this file, with the declarations of its own header."""

from __future__ import annotations

import atexit
import math
import operator
import os
import pathlib
import re
import reprlib
from collections.abc import Mapping
from typing import Any

import cffi


class Error(RuntimeError):
    """What the library could not do; the message says why."""


def _declarations(header: str) -> str:
    """What a compiler would see of the header, in C."""
    for what in (r"/\*.*?\*/", r"^#ifdef __cplusplus$.*?^#endif$", r"^#.*?$", r"\bCGS_API\b",
                 r"^CGS_ADDRESS_ALONE.*?^}$"):
        header = re.sub(what, "", header, flags=re.DOTALL | re.MULTILINE)
    return header


_here = pathlib.Path(__file__).parent
ffi: Any = cffi.FFI()
ffi.cdef(_declarations((_here / "cgsolve.h").read_text(encoding="utf-8")))
lib: Any = ffi.dlopen(str(_here / "libcgsolve.so.0"))
atexit.register(lib.cgs_end_callbacks)  # a daemon thread in a solve must not call Python after its end
version: str = ffi.string(lib.cgs_version()).decode()

_exceptions = {lib.CGS_BAD_OPTION: ValueError, lib.CGS_BAD_INPUT: ValueError, lib.CGS_NO_MEMORY: MemoryError}


_KEYWORDS = {"max_iterations": "maxiter", "absolute_tolerance": "atol", "tolerance": "rtol", "eigen.count": "k",
             "eigen.tolerance": "tol", "eigen.restart": "ncv"}


def _sentence(error: Any) -> str:
    """What the library says, with the options by the names of keywords."""
    said: str = ffi.string(error.text).decode(errors="replace")
    return re.sub(r"\b(eigen\.)?\w+", lambda found: _KEYWORDS.get(found[0], found[0]), said)


def call(function: Any, *arguments: Any) -> None:
    """Call a function of the library, whose last argument is its error; raise what it says."""
    error = ffi.new("struct cgs_error *")
    status = function(*arguments, error)
    if status:
        raise _exceptions.get(status, Error)(_sentence(error))


def load(path: str | os.PathLike[str]) -> None:
    """Load a plug-in, whose kernels, methods and preconditioners then have names here as those that are built in."""
    call(lib.cgs_load, os.fsencode(path))


def empty_cache() -> None:
    """Give back the memory that the library keeps on GPUs for the next solve, as `torch.cuda.empty_cache` does."""
    lib.cgs_empty_cache()


def text(value: object) -> bytes:
    """A value as a config of the program has it. Characters that a text of C cannot have are escaped, so the library
    refuses the whole, and not what is left of it."""
    if isinstance(value, bool):
        return b"true" if value else b"false"
    return str(value).replace("\0", "\\0").encode(errors="backslashreplace")


def number(what: str, value: Any, wanted: str = "a number, at least 0") -> float:
    """The value as a double, which must be `wanted`: that, or "finite"."""
    try:
        found = float(value)
    except (TypeError, ValueError, OverflowError):
        found = math.nan
    if not (math.isfinite(found) if wanted == "finite" else found >= 0):
        raise ValueError(f"{what} = {reprlib.repr(value)} must be {wanted}")
    return found


def whole(what: str, value: Any) -> int:
    """The value as an int of C."""
    try:
        found = operator.index(value)
    except TypeError:
        found = 1 << 31
    if abs(found) >= 1 << 31:
        raise ValueError(f"{what} = {reprlib.repr(value)} must be a whole number, below 2^31")
    return found


class Options:
    """A list of options by name, as the library takes it: `list`, for as long as this object lives."""

    def __init__(self, options: Mapping[str, object]) -> None:
        self.given = options
        self._texts = [ffi.new("char[]", text(t)) for option in options.items() for t in option]
        self.list = ffi.new("char *[]", [*self._texts, ffi.NULL])
