"""Vectors and matrices of NumPy, SciPy and others as the arrays that the library takes."""

from __future__ import annotations

import contextlib
import re
import sys
import types
from typing import Any, NamedTuple, Optional

import numpy as np

from ._library import ffi, lib, number


_HOST, _CUDA = (1, 3), (2, 13)  # devices of DLPack: memory of the host, and what is pinned; of a GPU, and managed
_TYPES = {np.dtype("float64"): lib.CGS_DOUBLE, np.dtype("float32"): lib.CGS_FLOAT, np.dtype("int32"): lib.CGS_INT32,
          np.dtype("int64"): lib.CGS_INT64}
_TORCH_ROWS = {"torch.sparse_csr": ("csr", "crow_indices", "col_indices"),
               "torch.sparse_csc": ("csc", "ccol_indices", "row_indices")}


def cuda_device(what: str, values: Any) -> Optional[int]:
    """The GPU in whose memory an array is, None: the host has it."""
    where = None if isinstance(values, np.ndarray) else getattr(values, "__dlpack_device__", None)
    kind, number = where() if where else (1, 0)
    if kind in _CUDA:
        return int(number)
    if kind not in _HOST:
        raise ValueError(f"{what} is in the memory of a device that is neither the host nor a GPU of CUDA")
    if not where and hasattr(values, "__cuda_array_interface__"):
        return int(getattr(getattr(values, "device", None), "id", 0))
    return None


def array(what: str, values: Any) -> np.ndarray:
    """The values as NumPy has them: the same memory, where it can be; from a GPU, a copy."""
    if isinstance(values, np.ndarray):
        if np.ma.is_masked(values):
            raise ValueError(f"{what} has masked values: they would be taken for numbers")
        return np.asarray(values)
    if cuda_device(what, values) is not None:
        for copy in ("get", "cpu"):  # of CuPy, of torch
            if hasattr(values, copy):
                return np.asarray(getattr(values, copy)())
        return np.asarray(values)
    if hasattr(values, "__dlpack_device__"):
        return np.from_dlpack(values)
    try:
        return np.asarray(values)
    except ValueError as error:
        raise ValueError(f"{what} is not an array, as its rows have not all the same length: {error}") from None


def like(theirs: Any, values: np.ndarray) -> Any:
    """The values in the memory of the GPU that has `theirs`, as an array of the same library; else as they are."""
    if cuda_device("", theirs) is None:
        return values
    library = (theirs.__array_namespace__() if hasattr(theirs, "__array_namespace__")
               else sys.modules[type(theirs).__module__.partition(".")[0]])
    if hasattr(theirs, "get"):  # CuPy
        with theirs.device if hasattr(theirs, "device") else contextlib.nullcontext():
            return library.asarray(values)
    return library.asarray(values, device=theirs.device)


def sparse(A: Any) -> Any:
    """A sparse tensor of torch or matrix of JAX with the members of SciPy's arrays; anything else as it is."""
    layout = str(getattr(A, "layout", ""))
    if layout == "torch.sparse_coo":
        rows, columns = A._indices()  # of one that is not coalesced, too: what comes twice is added
        return types.SimpleNamespace(format="coo", shape=A.shape, row=rows, col=columns, data=A._values(), tocsr=None)
    if type(A).__module__.startswith("jax.experimental.sparse"):
        members = dict(shape=A.shape, data=A.data, tocsr=None)
        if hasattr(A, "indptr"):  # BCSR
            return types.SimpleNamespace(format="csr", indptr=A.indptr, indices=A.indices, **members)
        if type(A).__name__ == "BCOO":
            return types.SimpleNamespace(format="coo", row=A.indices[:, 0], col=A.indices[:, 1], **members)
    if layout not in _TORCH_ROWS:
        return A
    name, offsets, indices = _TORCH_ROWS[layout]
    return types.SimpleNamespace(format=name, shape=A.shape, indptr=getattr(A, offsets)(),
                                 indices=getattr(A, indices)(), data=A.values(), tocsr=None)


_LIBRARIES = {"cupy": "cupy", "cupyx": "cupy", "torch": "torch", "jax": "jax", "jaxlib": "jax"}


def library_of(*given: Any) -> Optional[str]:
    """"cupy", "torch" or "jax", of the first of the given that is an array, a matrix or an operator of it."""
    names = (kind.__module__.partition(".")[0] for one in given for kind in type(one).__mro__)
    return next((_LIBRARIES[name] for name in names if name in _LIBRARIES), None)


def is_operator(A: Any) -> bool:
    """Whether A is known by its products alone, as a LinearOperator of SciPy is."""
    return hasattr(A, "matvec")


def is_single(*given: Any) -> bool:
    """Whether all are of float32, as is then what is found from them."""
    dtypes = [getattr(one, "dtype", None) for one in given]  # of NumPy and others, or of torch
    return all(str(getattr(dtype, "name", dtype)).endswith("float32") for dtype in dtypes)


def minus(values: np.ndarray) -> np.ndarray:
    """-values, of any real type."""
    return -(values if values.dtype.kind == "f" else values.astype(np.float64))


def values_of(A: Any) -> Any:
    """An array that is where A is."""
    if is_operator(A) and library_of(A) == "cupy":
        return sys.modules["cupy"].empty(0)
    A = sparse(A)
    return getattr(A, "data", A) if hasattr(A, "tocsr") else A


def place(device: Optional[str], **given: Any) -> Optional[int]:
    """The GPU to work on, None: the CPU. device=None: that of the first of the given which is on one."""
    if device is None:
        numbers = (cuda_device(what, values) for what, values in given.items() if values is not None)
        return next((number for number in numbers if number is not None), None)
    found = re.fullmatch(r"cpu|cuda(?::(\d{1,4}))?", str(device))
    if not found:
        raise ValueError(f'device = {device!r} must be None, "cpu", "cuda", or "cuda:1" and so on')
    return None if found[0] == "cpu" else int(found[1] or 0)


def real(what: str, values: Any) -> np.ndarray:
    """Real numbers, as NumPy has them."""
    values = array(what, values)
    if values.dtype.kind not in "fiub":
        raise ValueError(f"{what} has values of the type {values.dtype}: they must be real numbers")
    return values


def finite(what: str, values: np.ndarray, dimensions: int = 1) -> np.ndarray:
    """The values; an index is that of the array, of so many dimensions, from which they come."""
    wrong = ~np.isfinite(values)
    if wrong.any():
        place = np.argwhere(wrong)[0]
        raise ValueError(f"{what}[{', '.join(map(str, place[:dimensions]))}] = {values[tuple(place)]} is not finite")
    return values


def vector(what: str, values: Any, n: int) -> np.ndarray:
    """Doubles, (n,), from (n,) or (n, 1)."""
    values = real(what, values)
    if values.shape not in ((n,), (n, 1)):
        raise ValueError(f"{what} has the shape {values.shape}: A has {n} rows")
    return np.ascontiguousarray(values.reshape(n), dtype=np.float64)


def _is_taken(values: np.ndarray) -> bool:
    """Whether the library takes this array of two dimensions where it is."""
    (n, columns), (row, column) = values.shape, values.strides
    return (values.dtype == np.float64 and values.flags.aligned and row % 8 == column % 8 == 0 < min(row, column)
            and ((n - 1) * row < column or (columns - 1) * column < row))


def columns(what: str, values: Any, n: int) -> np.ndarray:
    """Finite doubles, (n, K), where they are, if that can be; from (n,) those of one column."""
    values = real(what, values)
    if values.ndim not in (1, 2) or len(values) != n or values.size == 0:
        raise ValueError(f"{what} has the shape {values.shape}: A has {n} rows, so it must be ({n},) or ({n}, K)")
    two = values.reshape(n, 1) if values.ndim == 1 else values
    return finite(what, two if _is_taken(two) else np.array(two, dtype=np.float64, order="A"), values.ndim)


def strided(values: Optional[np.ndarray]) -> Any:
    """The library's view of an array (n,) or (n, K), which must live as long; None: an array that is missing."""
    made = ffi.new("struct cgs_array *")
    if values is not None:
        made.data, made.type = ffi.cast("void *", values.ctypes.data), _TYPES[values.dtype]
        made.rows, made.columns = (*values.shape, 1)[:2]
        made.row_stride, made.column_stride = (*(stride // values.itemsize for stride in values.strides), 0)[:2]
    return made[0]


def square(what: str, shape: tuple[int, ...]) -> int:
    """The rows of what has this shape."""
    if len(shape) != 2 or shape[0] != shape[1]:
        wanted = "square" if len(shape) == 2 else "square, expected 2-D"
        raise ValueError(f"{what} has the shape {tuple(shape)}: it must be {wanted}")
    return int(shape[0])


class Entries(NamedTuple):
    """Entries by rows (offsets), or one by one (rows); of the transposed matrix if it was kept by columns."""

    n: int
    offsets: Optional[np.ndarray]
    rows: Optional[np.ndarray]
    columns: np.ndarray
    values: np.ndarray
    transposed: bool = False

    @property
    def dtype(self) -> np.dtype:
        return self.values.dtype


def _indices(what: str, values: Any) -> np.ndarray:
    """Integers, (k,)."""
    values = array("A", values)
    if values.dtype.kind not in "iu" or values.ndim != 1:
        raise ValueError(f"A has {what} of the type {values.dtype} and the shape {values.shape}: they must be integers "
                         "in a row")
    return values


def entries_of(A: Any) -> Entries:
    """Those of a matrix, where they are."""
    if isinstance(A, Entries):
        return A
    if isinstance(A, (str, bytes)) or hasattr(A, "__fspath__"):
        raise ValueError(f"A = {A!r} is no matrix: scipy.io.mmread reads one from a file")
    A = sparse(A)
    dense = not hasattr(A, "tocsr")
    if dense:
        A = array("A", A)
    n = square("A", A.shape)
    if dense:
        rows, columns = np.nonzero(A)
        return Entries(n, None, rows, columns, A[rows, columns])
    if A.format not in ("csr", "csc", "coo"):
        A = A.tocsr()
    values = array("A", A.data)
    if values.ndim != 1:
        raise ValueError(f"A.data has the shape {values.shape}: it must have one dimension")
    if A.format == "coo":
        rows, columns = _indices("rows", A.row), _indices("columns", A.col)
        if not len(rows) == len(columns) == len(values):
            raise ValueError(f"A has {len(rows)} rows, {len(columns)} columns and {len(values)} values of entries: "
                             "they do not fit together")
        return Entries(n, None, rows, columns, values)
    offsets, indices = _indices("offsets", A.indptr), _indices("indices", A.indices)
    nnz = int(offsets[-1]) if len(offsets) else 0
    if len(offsets) != n + 1 or not 0 <= nnz <= min(len(indices), len(values)):
        raise ValueError(f"A has {len(offsets)} offsets, the last of them {nnz}, {len(indices)} indices and "
                         f"{len(values)} values: they do not fit together")
    return Entries(n, offsets, None, indices[:nnz], values[:nnz], A.format == "csc")


def _one_by_one(entries: Entries) -> Entries:
    """With rows in the place of offsets; the same if the library will refuse these."""
    if entries.offsets is None:
        return entries
    lengths = np.diff(entries.offsets)
    if lengths.min(initial=0) < 0 or lengths.sum() != len(entries.columns):
        return entries
    return entries._replace(offsets=None, rows=np.repeat(np.arange(entries.n), lengths))


def _triangle(entries: Entries, upper: bool) -> Entries:
    """The entries of one triangle; the same arrays if there are no others, or if the library will refuse them."""
    rows, columns = _one_by_one(entries)[2:4]
    if rows is None:
        return entries
    keep = rows <= columns if upper else rows >= columns
    if keep.all():
        return entries
    kept = entries._replace(columns=columns[keep], values=entries.values[keep])
    if entries.rows is not None:
        return kept._replace(rows=rows[keep])
    return kept._replace(offsets=np.concatenate(([0], np.cumsum(np.bincount(rows[keep], minlength=entries.n)))))


def _minus_diagonal(entries: Entries, shift: float) -> Entries:
    """A - shift I: the library adds what comes twice."""
    entries = _one_by_one(entries)
    if entries.rows is None:
        return entries
    diagonal = np.arange(entries.n)
    return entries._replace(rows=np.append(entries.rows, diagonal), columns=np.append(entries.columns, diagonal),
                            values=np.append(entries.values, np.full(entries.n, -shift)))


OF_SINGLE = 1e-4  # the library's default of `asymmetry` for float32


def matrix_data(n: int, offsets: Any, rows: Any, columns_: Any, values: Any, part: int,
                asymmetry: Optional[float]) -> Any:
    """A struct cgs_matrix_data over views of arrays."""
    return ffi.new("struct cgs_matrix_data *", {
        "size": ffi.sizeof("struct cgs_matrix_data"), "n": n, "offsets": offsets, "rows": rows, "columns": columns_,
        "values": values, "part": part,
        "asymmetry": 0 if asymmetry is None else number("asymmetry", asymmetry) or -1})  # -1: exactly symmetric


class Data:
    """A - shift I as a struct cgs_matrix_data, `data`, until it is dropped. Indices are copied: another thread that
    changes them would have the library write where it must not. Values are copied only where it does not take their
    type."""

    def __init__(self, A: Any, shift: float, uplo: Optional[str], asymmetry: Optional[float]) -> None:
        if uplo not in (None, "L", "U"):
            raise ValueError(f'uplo = {uplo!r} must be None, "L" or "U"')
        entries = entries_of(A)
        part = lib.CGS_FULL
        if uplo:
            upper = (uplo == "U") != entries.transposed
            entries = _triangle(entries, upper)
            part = lib.CGS_UPPER if upper else lib.CGS_LOWER
        if shift:
            if asymmetry is None and not uplo and entries.values.dtype == np.float32:
                asymmetry = OF_SINGLE  # the differences are in double precision
            entries = _minus_diagonal(entries, shift)
        values = real("A", entries.values)
        single = values.dtype == np.float32
        self._transposed = entries.transposed
        self._values = None if single or asymmetry is not None else values
        self._arrays: list[np.ndarray] = []
        self.data = matrix_data(
            entries.n, self._integers(entries.offsets), self._integers(entries.rows), self._integers(entries.columns),
            self._kept(np.ascontiguousarray(values, dtype=np.float32 if single else np.float64)), part, asymmetry)

    def _integers(self, array: Optional[np.ndarray]) -> Any:
        if array is None:
            return strided(None)
        return self._kept(np.array(array, dtype=np.int32 if array.dtype == np.int32 else np.int64))

    def _kept(self, array: np.ndarray) -> Any:
        self._arrays.append(array)
        return strided(array)

    def rounded_to_single(self) -> bool:
        """Whether the values in double precision were computed in single: all are float32 numbers, and not all are
        integers. Then the asymmetry of float32 is allowed from now on, unless the caller has chosen one."""
        values, self._values = self._values, None
        if values is None or not np.array_equal(values, values.astype(np.float32)):
            return False
        if np.array_equal(values, np.rint(values)):
            return False
        self.data.asymmetry = OF_SINGLE
        return True

    def drop(self) -> None:
        """The arrays are not needed any more."""
        self._values = None
        self._arrays.clear()

    def in_python(self, sentence: str) -> str:
        """The library's a(1,2) as A[0, 1], or as A[1, 0] if A was read by columns."""
        def entry(found: re.Match[str]) -> str:
            row, column = (int(k) - 1 for k in found.groups())
            return f"A[{column}, {row}]" if self._transposed else f"A[{row}, {column}]"

        return re.sub(r"\ba\((\d+),(\d+)\)", entry, sentence)
