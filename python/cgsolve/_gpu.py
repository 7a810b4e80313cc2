"""Arrays of CuPy, torch and others in the memory of a GPU, taken where they are."""

from __future__ import annotations

import contextlib
import ctypes
import sys
from collections.abc import Iterator
from typing import Any, NamedTuple, Optional

from ._library import ffi, lib
from ._matrix import cuda_device, library_of, sparse, square

# DLTensor of DLPack
ffi.cdef("""struct dl_tensor {
    void *data;
    int32_t device_type, device_id, ndim;
    uint8_t code, bits;
    uint16_t lanes;
    int64_t *shape, *strides;
    uint64_t byte_offset;
};""")
_TYPES = {(2, 64, 1): lib.CGS_DOUBLE, (2, 32, 1): lib.CGS_FLOAT, (0, 32, 1): lib.CGS_INT32, (0, 64, 1): lib.CGS_INT64}
_DEFAULT_STREAM = 1  # of CUDA, as DLPack counts: the context's, for which the library waits

_pointer = ctypes.pythonapi.PyCapsule_GetPointer
_pointer.restype, _pointer.argtypes = ctypes.c_void_p, (ctypes.py_object, ctypes.c_char_p)


class View(NamedTuple):
    """The library's view of an array in a GPU's memory, as long as `capsule` lives."""

    array: Any
    capsule: Any


def view(values: Any, gpu: int) -> Optional[View]:
    """That of an array (n,) in the memory of that GPU; None of one that the library does not take there. What was sent
    to the stream of its own library is done before what is sent to CUDA's default stream from now on."""
    if cuda_device("", values) != gpu or not hasattr(values, "__dlpack__") or getattr(values, "requires_grad", False):
        return None
    capsule = values.__dlpack__(stream=_DEFAULT_STREAM)
    tensor = ffi.cast("struct dl_tensor *", _pointer(capsule, b"dltensor"))
    kind = _TYPES.get((tensor.code, tensor.bits, tensor.lanes))
    if tensor.ndim != 1 or tensor.shape[0] == 0 or kind is None:
        return None
    if tensor.strides != ffi.NULL and tensor.strides[0] != 1 and tensor.shape[0] > 1:
        return None
    made = ffi.new("struct cgs_array *", {
        "data": ffi.cast("char *", tensor.data) + tensor.byte_offset, "rows": tensor.shape[0], "type": kind,
        "place": lib.CGS_CUDA, "device": gpu})
    return View(made[0], capsule)


class Rows(NamedTuple):
    """Both triangles of a matrix by rows, or by columns."""

    n: int
    offsets: View
    columns: View
    values: View


def rows(A: Any, gpu: Optional[int]) -> Optional[Rows]:
    """Those of a sparse matrix in the memory of that GPU, None: the host has to take them."""
    A = sparse(A)
    if gpu is None or getattr(A, "format", None) not in ("csr", "csc"):
        return None
    n = square("A", A.shape)
    views = [view(getattr(A, name), gpu) for name in ("indptr", "indices", "data")]
    if None in views:
        return None
    made = Rows(n, *views)
    integers = {one.array.type for one in views[:2]} <= {lib.CGS_INT32, lib.CGS_INT64}
    fit = made.offsets.array.rows == n + 1 and made.columns.array.rows == made.values.array.rows
    return made if integers and fit and made.values.array.type in (lib.CGS_DOUBLE, lib.CGS_FLOAT) else None


class System(NamedTuple):
    """An x beside b, and views of it, of b and of x0."""

    x: Any
    of_x: Any
    of_b: View
    of_x0: Optional[View]


def _is_finite(library: Any, values: Any) -> bool:
    return bool(library.isfinite(values).all())


def system(n: int, gpu: Optional[int], b: Any, x0: Any) -> Optional[System]:
    """Of finite doubles b (n,), and x0, of CuPy or torch in the memory of that GPU, None: the host has to take them."""
    name = type(b).__module__.partition(".")[0]
    if gpu is None or name not in ("cupy", "torch") or not (x0 is None or isinstance(x0, type(b))):
        return None
    library = sys.modules[name]
    with b.device if hasattr(b, "get") else contextlib.nullcontext():  # of CuPy
        views = [view(one, gpu) for one in (b, x0) if one is not None]
        if None in views or {(one.array.rows, one.array.type) for one in views} != {(n, lib.CGS_DOUBLE)}:
            return None
        if not all(_is_finite(library, one) for one in (b, x0) if one is not None):
            return None
        x = library.empty_like(b)
        return System(x, view(x, gpu), views[0], views[1] if x0 is not None else None)


class _Lent:
    """What the library lends to a function of the caller's, as CuPy and torch take it."""

    def __init__(self, given: Any) -> None:
        self.__cuda_array_interface__ = {
            "version": 3, "typestr": "<f8", "shape": (given.rows, given.columns),
            "strides": (8 * given.row_stride, 8 * given.column_stride),
            "data": (int(ffi.cast("uintptr_t", given.data)), False)}


class Calls:
    """How functions of the caller's are called on a GPU: with arrays of CuPy or torch, while the stream of the library
    is the current one. Which of the two: that of the operators, else that of b."""

    def __init__(self, gpu: int, *operators: Any) -> None:
        self.gpu = gpu
        self._own = library_of(*(getattr(one, "of", one) for one in operators))
        self._library: Any = None

    @property
    def _is_torch(self) -> bool:
        return bool(self._library.__name__ == "torch")

    def begin(self, b: Any) -> None:
        """Before a solve. What was sent to the current stream is done then: functions may use what it makes."""
        name = self._own or library_of(b)
        if name is None:
            raise ValueError(f"b is of {type(b).__module__}, and A or M is a function: on a GPU that gets arrays of "
                             'CuPy or torch, as b is; or device = "cpu"')
        self._library = sys.modules[name]
        cuda = self._library.cuda
        current = cuda.current_stream(self.gpu) if self._is_torch else cuda.get_current_stream()
        current.synchronize()

    @contextlib.contextmanager
    def on(self, stream: Any) -> Iterator[None]:
        cuda, address = self._library.cuda, int(ffi.cast("uintptr_t", stream))
        if self._is_torch:
            with self._library.no_grad(), cuda.stream(cuda.ExternalStream(address, device=self.gpu)):
                yield
        else:
            with cuda.Device(self.gpu), cuda.ExternalStream(address):
                yield

    def array(self, given: Any) -> Any:
        return self.put(_Lent(given))

    def copy(self, X: Any) -> Any:
        return X.clone() if self._is_torch else X.copy()

    def put(self, values: Any) -> Any:
        """An array there: the same memory, if that is there; of the host a copy."""
        if self._is_torch:
            return self._library.as_tensor(values, device=f"cuda:{self.gpu}")
        with self._library.cuda.Device(self.gpu):
            return self._library.asarray(values)

    def taken(self, what: str, values: Any) -> Any:
        if cuda_device(what, values) != self.gpu or library_of(values) != self._library.__name__:
            raise ValueError(f"{what} is of {type(values).__module__}: it must be an array of {self._library.__name__} "
                             f"in the memory of GPU {self.gpu}")
        if "complex" in str(values.dtype):
            raise ValueError(f"{what} has values of the type {values.dtype}: they must be real numbers")
        return values
