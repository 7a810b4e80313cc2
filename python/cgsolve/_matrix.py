"""A matrix of SciPy or NumPy as the arrays that the library takes."""

from __future__ import annotations

from typing import Any, NamedTuple, Optional

import numpy as np

from ._library import ffi, lib


class Entries(NamedTuple):
    """Entries by rows (offsets), or one by one (rows); of the transposed matrix if it was kept by columns."""

    n: int
    offsets: Optional[np.ndarray]
    rows: Optional[np.ndarray]
    columns: np.ndarray
    values: np.ndarray
    transposed: bool = False


def _entries(A: Any) -> Entries:
    if hasattr(A, "matvec"):
        raise NotImplementedError("A is a LinearOperator: only a matrix is taken, sparse or dense")
    sparse = hasattr(A, "tocsr")
    if not sparse:
        A = np.asarray(A)
    if A.ndim != 2 or A.shape[0] != A.shape[1]:
        raise ValueError(f"A has the shape {A.shape}: it must be square")
    n = A.shape[0]
    if not sparse:
        rows, columns = np.nonzero(A)
        return Entries(n, None, rows, columns, A[rows, columns])
    if A.format == "coo":
        if not len(A.row) == len(A.col) == len(A.data):
            raise ValueError(f"A has {len(A.row)} rows, {len(A.col)} columns and {len(A.data)} values of entries: "
                             "they do not fit together")
        return Entries(n, None, A.row, A.col, A.data)
    if A.format not in ("csr", "csc"):
        A = A.tocsr()
    nnz = int(A.indptr[-1])
    if len(A.indptr) != n + 1 or not 0 <= nnz <= min(len(A.indices), len(A.data)):
        raise ValueError(f"A has {len(A.indptr)} offsets, the last of them {nnz}, {len(A.indices)} indices and "
                         f"{len(A.data)} values: they do not fit together")
    return Entries(n, A.indptr, None, A.indices[:nnz], A.data[:nnz], A.format == "csc")


def _triangle(entries: Entries, upper: bool) -> Entries:
    """The entries of one triangle; the same arrays if there are no others, or if the library will refuse them."""
    rows, n = entries.rows, entries.n
    if entries.offsets is not None:
        lengths = np.diff(entries.offsets)
        if lengths.min(initial=0) < 0 or lengths.sum() != len(entries.columns):
            return entries
        rows = np.repeat(np.arange(n), lengths)
    assert rows is not None
    keep = rows <= entries.columns if upper else rows >= entries.columns
    if keep.all():
        return entries
    kept = entries._replace(columns=entries.columns[keep], values=entries.values[keep])
    if entries.rows is not None:
        return kept._replace(rows=rows[keep])
    return kept._replace(offsets=np.concatenate(([0], np.cumsum(np.bincount(rows[keep], minlength=n)))))


class Data:
    """A struct cgs_matrix_data, `data`, for as long as this object lives. Arrays are copied only where the library
    does not take their type."""

    def __init__(self, A: Any, uplo: Optional[str], asymmetry: float) -> None:
        if uplo not in (None, "L", "U"):
            raise ValueError(f'uplo = {uplo!r} must be None, "L" or "U"')
        entries = _entries(A)
        part = lib.CGS_FULL
        if uplo:
            upper = (uplo == "U") != entries.transposed
            entries = _triangle(entries, upper)
            part = lib.CGS_UPPER if upper else lib.CGS_LOWER
        values = entries.values
        if values.dtype.kind not in "fiub":
            raise ValueError(f"A has values of the type {values.dtype}: they must be real numbers")
        real = np.float32 if values.dtype == np.float32 else np.float64
        integers = [array for array in entries[1:4] if array is not None]
        index = np.int32 if all(array.dtype == np.int32 for array in integers) else np.int64
        self._arrays: list[Any] = []
        self.data = ffi.new("struct cgs_matrix_data *", {
            "size": ffi.sizeof("struct cgs_matrix_data"),
            "n": entries.n,
            "nnz": len(values),
            "offsets": self._pointer(entries.offsets, index),
            "rows": self._pointer(entries.rows, index),
            "columns": self._pointer(entries.columns, index),
            "values": self._pointer(values, real),
            "index": lib.CGS_INT32 if index is np.int32 else lib.CGS_INT64,
            "real": lib.CGS_FLOAT if real is np.float32 else lib.CGS_DOUBLE,
            "part": part,
            "asymmetry": asymmetry})

    def _pointer(self, array: Optional[np.ndarray], dtype: type) -> Any:
        if array is None:
            return ffi.NULL
        self._arrays.append(ffi.from_buffer(np.ascontiguousarray(array, dtype=dtype)))
        return self._arrays[-1]
