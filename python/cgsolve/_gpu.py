"""Arrays of CuPy, torch and others in the memory of a GPU, used in place."""

from __future__ import annotations

import contextlib
import ctypes
import sys
from collections.abc import Iterator
from typing import Any, NamedTuple, Optional

from ._library import Error, ffi, lib
from ._matrix import cuda_device, library_of, sparse, square

# DLTensor and DLManagedTensor of DLPack; functions of C, and of CUDA's driver
ffi.cdef("""struct dl_tensor {
    void *data;
    int32_t device_type, device_id, ndim;
    uint8_t code, bits;
    uint16_t lanes;
    int64_t *shape, *strides;
    uint64_t byte_offset;
};
struct dl_managed_tensor {
    struct dl_tensor tensor;
    void *context, *deleter;
    int64_t extents[2]; /* our own, after DLPack's */
};
void *malloc(size_t size);
void free(void *memory);
int cuStreamSynchronize(void *stream);
int cuMemcpyDtoDAsync_v2(uintptr_t to, uintptr_t from, size_t bytes, void *stream);""")
_c = ffi.dlopen(None)
_TYPES = {(2, 64, 1): lib.CGS_DOUBLE, (2, 32, 1): lib.CGS_FLOAT, (0, 32, 1): lib.CGS_INT32, (0, 64, 1): lib.CGS_INT64}
_DEFAULT_STREAM = 1  # CUDA's default stream, by DLPack's number: the context's, for which the library waits

_pointer = ctypes.pythonapi.PyCapsule_GetPointer
_pointer.restype, _pointer.argtypes = ctypes.c_void_p, (ctypes.py_object, ctypes.c_char_p)
_capsule = ctypes.pythonapi.PyCapsule_New
_capsule.restype, _capsule.argtypes = ctypes.py_object, (ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)
_NAME = b"dltensor"  # which a capsule points to
_CUDA = 2  # as DLPack counts devices


class View(NamedTuple):
    """The library's view of an array in a GPU's memory, as long as `capsule` lives."""

    array: Any
    capsule: Any


def _strides(tensor: Any) -> tuple[int, int]:
    """The strides of rows and columns, in elements, as the library has them."""
    columns = tensor.shape[1] if tensor.ndim == 2 else 1
    if tensor.strides == ffi.NULL:
        return columns, 1
    return tensor.strides[0], tensor.strides[1] if tensor.ndim == 2 else 1


def view(values: Any, gpu: int, dimensions: int = 1) -> Optional[View]:
    """The view of an array (n,), or of two dimensions (n, K), in the memory of that GPU; None if the library does not take
    it. Later work on CUDA's default stream waits for the stream of the array's library."""
    if cuda_device("", values) != gpu or not hasattr(values, "__dlpack__") or getattr(values, "requires_grad", False):
        return None
    capsule = values.__dlpack__(stream=_DEFAULT_STREAM)
    tensor = ffi.cast("struct dl_tensor *", _pointer(capsule, _NAME))
    kind = _TYPES.get((tensor.code, tensor.bits, tensor.lanes))
    if tensor.ndim != dimensions or 0 in tensor.shape[0:dimensions] or kind is None:
        return None
    rows, columns = _strides(tensor)
    if min(rows, columns) < 1 or (dimensions == 1 and rows != 1 and tensor.shape[0] > 1):
        return None
    made = ffi.new("struct cgs_array *", {
        "data": ffi.cast("char *", tensor.data) + tensor.byte_offset, "rows": tensor.shape[0],
        "columns": tensor.shape[1] if dimensions == 2 else 1, "row_stride": rows, "column_stride": columns,
        "type": kind, "place": lib.CGS_CUDA, "device": gpu})
    return View(made[0], capsule)


# --- the functions of a library of arrays --------------------------------------------------------

_MODULES = {"cupy": "cupy", "torch": "torch", "jax": "jax.numpy", "jaxlib": "jax.numpy"}


class _Library:
    """The functions of an array's library that this module uses."""

    def __init__(self, values: Any, gpu: int) -> None:
        self._module = sys.modules[_MODULES[type(values).__module__.partition(".")[0]]]
        self._gpu = gpu

    @staticmethod
    def has(values: Any) -> bool:
        return type(values).__module__.partition(".")[0] in _MODULES

    @property
    def is_torch(self) -> bool:
        return bool(self._module.__name__ == "torch")

    @property
    def is_cupy(self) -> bool:
        return bool(self._module.__name__ == "cupy")

    def on(self) -> Any:
        """New arrays are in the memory of that GPU."""
        return self._module.cuda.Device(self._gpu) if self.is_cupy else contextlib.nullcontext()

    def doubles(self, values: Any) -> Any:
        """float64 of any real numbers; JAX needs jax_enable_x64."""
        if str(values.dtype).endswith("float64"):
            return values
        return values.to(self._module.float64) if self.is_torch else values.astype("float64")

    def dense(self, values: Any) -> Any:
        """Without gaps, as those of JAX are."""
        if self.is_torch:
            return values.contiguous()
        return self._module.ascontiguousarray(values) if self.is_cupy else values

    def joined(self, *arrays: Any, along: int = 0) -> Any:
        return (self._module.cat if self.is_torch else self._module.concatenate)(arrays, along)

    def numbers(self, n: int, like: Any) -> Any:
        """0, 1, ..., n - 1 of the type of `like`."""
        of_torch = {"device": like.device} if self.is_torch else {}
        return self._module.arange(n, dtype=like.dtype, **of_torch)

    def rows(self, offsets: Any, count: int) -> Any:
        """The row of each of `count` entries."""
        right: dict[str, Any] = {"right": True} if self.is_torch else {"side": "right"}
        return self._module.searchsorted(offsets, self.numbers(count, offsets), **right) - 1

    def places(self, A: Any) -> Any:
        """The rows and columns of the nonzeros, row by row."""
        return A.nonzero(as_tuple=True) if self.is_torch else A.nonzero()

    def is_finite(self, values: Any) -> bool:
        return bool(self._module.isfinite(values).all())

    def empty(self, values: Any) -> Any:
        """As values, of its own."""
        return self._module.empty_like(values)


def _is_real(values: Any) -> bool:
    return "complex" not in str(values.dtype)


# --- a matrix ------------------------------------------------------------------------------------


class Entries(NamedTuple):
    """Entries by rows (offsets), or one by one (rows), as the library takes them."""

    n: int
    offsets: Optional[View]
    rows: Optional[View]
    columns: View
    values: View
    part: int


class _Arrays(NamedTuple):
    """The same as arrays; of the transposed matrix if it is kept by columns."""

    offsets: Any
    rows: Any
    columns: Any
    values: Any
    transposed: bool = False

    def one_by_one(self, library: _Library) -> _Arrays:
        if self.offsets is None:
            return self
        return self._replace(offsets=None, rows=library.rows(self.offsets, len(self.columns)))

    def triangle(self, library: _Library, upper: bool) -> _Arrays:
        """The entries of one triangle; the same arrays if there are no others."""
        entries = self.one_by_one(library)
        keep = entries.rows <= entries.columns if upper else entries.rows >= entries.columns
        if bool(keep.all()):
            return self
        return entries._replace(rows=entries.rows[keep], columns=entries.columns[keep], values=entries.values[keep])

    def minus_diagonal(self, library: _Library, n: int, shift: float) -> _Arrays:
        """A - shift I; repeated entries are added."""
        entries, values = self.one_by_one(library), library.doubles(self.values)
        return entries._replace(
            rows=library.joined(entries.rows, library.numbers(n, entries.rows)),
            columns=library.joined(entries.columns, library.numbers(n, entries.columns)),
            values=library.joined(values, 0 * library.numbers(n, values) - shift))


def _arrays_of(A: Any, library: _Library) -> Optional[_Arrays]:
    kept = getattr(A, "format", None)
    if kept in ("csr", "csc"):
        return _Arrays(A.indptr, None, A.indices, A.data, kept == "csc")
    if kept == "coo":
        return _Arrays(None, A.row, A.col, A.data)
    if hasattr(A, "tocsr"):
        return None
    rows, columns = library.places(A)
    return _Arrays(None, rows, columns, A[rows, columns])


def _viewed(n: int, arrays: _Arrays, part: int, library: _Library, gpu: int) -> Optional[Entries]:
    views = [view(library.dense(one), gpu) for one in arrays[:4] if one is not None]
    if None in views:
        return None
    first, columns, values = views
    by_rows = arrays.offsets is not None
    integers = {first.array.type, columns.array.type} <= {lib.CGS_INT32, lib.CGS_INT64}
    fit = first.array.rows == (n + 1 if by_rows else columns.array.rows) and columns.array.rows == values.array.rows
    if not integers or not fit or values.array.type not in (lib.CGS_DOUBLE, lib.CGS_FLOAT):
        return None
    return Entries(n, first if by_rows else None, None if by_rows else first, columns, values, part)


def entries(A: Any, gpu: Optional[int], shift: float = 0.0, uplo: Optional[str] = None) -> Optional[Entries]:
    """The entries of A - shift I, of a matrix in the memory of that GPU; None: the host has to take them."""
    A = sparse(A)
    values = getattr(A, "data", A) if hasattr(A, "tocsr") else A
    if gpu is None or not _Library.has(values) or cuda_device("A", values) != gpu or uplo not in (None, "L", "U"):
        return None
    n, library = square("A", A.shape), _Library(values, gpu)
    if not _is_real(values) or getattr(values, "requires_grad", False):
        return None
    with library.on():
        arrays = _arrays_of(A, library)
        if arrays is None or not len(arrays.columns) == len(arrays.values):
            return None
        upper = (uplo == "U") != arrays.transposed
        if uplo:
            arrays = arrays.triangle(library, upper)
        if shift:
            arrays = arrays.minus_diagonal(library, n, shift)
        if str(arrays.values.dtype).rpartition(".")[2] not in ("float32", "float64"):
            arrays = arrays._replace(values=library.doubles(arrays.values))
        part = lib.CGS_FULL if not uplo else lib.CGS_UPPER if upper else lib.CGS_LOWER
        return _viewed(n, arrays, part, library, gpu)


# --- vectors -------------------------------------------------------------------------------------


class System(NamedTuple):
    """An x beside b, and views of it, of b and of x0: (n, K), doubles."""

    x: Any
    of_x: Any
    of_b: View
    of_x0: Optional[View]


def _is_vector(n: int, gpu: int, values: Any) -> bool:
    """Of real numbers in the memory of that GPU, (n,) or (n, K)."""
    shape = tuple(values.shape)
    fits = len(shape) in (1, 2) and shape[0] == n and 0 not in shape
    return fits and cuda_device("", values) == gpu and _is_real(values) and not getattr(values, "requires_grad", False)


def system(n: int, gpu: Optional[int], b: Any, x0: Any) -> Optional[System]:
    """Of b and a finite x0, (n,) or (n, K), in the memory of that GPU; None: the host has to take them."""
    given = [b] if x0 is None else [b, x0]
    if gpu is None or not all(_Library.has(one) and isinstance(one, type(b)) for one in given):
        return None
    if not all(_is_vector(n, gpu, one) for one in given):
        return None
    library = _Library(b, gpu)
    with library.on():
        vectors = [library.doubles(one).reshape(n, -1) for one in given]
        count = vectors[0].shape[1]
        if vectors[-1].shape[1] not in (1, count) or not all(map(library.is_finite, vectors[1:])):
            return None
        if x0 is not None and vectors[1].shape[1] < count:
            vectors[1] = library.joined(*[vectors[1]] * count, along=1)
        x = library.empty(vectors[0])
        views = [view(one, gpu, 2) for one in (x, *vectors)]
        if None in views or {one.array.type for one in views} != {lib.CGS_DOUBLE}:
            return None
        return System(x, *views, *([None] if x0 is None else []))


# --- functions of the caller's -------------------------------------------------------------------


def _address(pointer: Any) -> int:
    return int(ffi.cast("uintptr_t", pointer))


class _Lent:
    """A library's array, lent to the caller's function, in the form for CuPy and torch."""

    def __init__(self, given: Any) -> None:
        self.__cuda_array_interface__ = {
            "version": 3, "typestr": "<f8", "shape": (given.rows, given.columns),
            "strides": (8 * given.row_stride, 8 * given.column_stride), "data": (_address(given.data), False)}


class _LentWithGaps:
    """The same for JAX, by DLPack: an array without gaps, (n, row_stride)."""

    def __init__(self, given: Any) -> None:
        self._given = given

    def __dlpack_device__(self) -> tuple[int, int]:
        return _CUDA, self._given.device

    def __dlpack__(self, **_options: Any) -> Any:
        """The consumer frees the description of the memory, not the memory."""
        given, size = self._given, ffi.sizeof("struct dl_managed_tensor")
        made = ffi.cast("struct dl_managed_tensor *", _c.malloc(size))
        if made == ffi.NULL:
            raise MemoryError
        ffi.memmove(made, bytes(size), size)
        made.deleter, made.extents = ffi.addressof(_c, "free"), (given.rows, given.row_stride)
        made.tensor.data, made.tensor.shape, made.tensor.ndim = given.data, made.extents, 2
        made.tensor.device_type, made.tensor.device_id = self.__dlpack_device__()
        made.tensor.code, made.tensor.bits, made.tensor.lanes = 2, 64, 1
        return _capsule(_address(made), _NAME, None)


class _Stream:
    """As CuPy takes one of others, from version 14 on."""

    def __init__(self, address: int) -> None:
        self._address = address

    def __cuda_stream__(self) -> tuple[int, int]:
        return 0, self._address


class _ByCupy:
    """How functions are called with arrays of CuPy."""

    name = "cupy"

    def __init__(self, gpu: int) -> None:
        self._cupy, self._gpu = sys.modules["cupy"], gpu

    def wait(self) -> None:
        """Waits for the current stream, so that functions may use its results."""
        self._cupy.cuda.get_current_stream().synchronize()

    @contextlib.contextmanager
    def on(self, stream: int) -> Iterator[None]:
        """The stream is the current one."""
        cuda = self._cupy.cuda
        newer = getattr(getattr(cuda, "Stream", None), "from_external", None)
        with cuda.Device(self._gpu), newer(_Stream(stream)) if newer else cuda.ExternalStream(stream):
            yield

    def put(self, values: Any) -> Any:
        """An array on the GPU: the same memory if `values` are on it, else a copy."""
        with self._cupy.cuda.Device(self._gpu):
            return self._cupy.asarray(values)

    def array(self, given: Any) -> Any:
        """(n, K), where it is."""
        return self.put(_Lent(given))

    @staticmethod
    def copy(X: Any) -> Any:
        return X.copy()

    def give(self, given: Any, values: Any) -> None:
        """Copies the values into the library's array."""
        self.array(given)[...] = values


class _ByTorch(_ByCupy):
    """The same of torch."""

    name = "torch"

    def __init__(self, gpu: int) -> None:  # pylint: disable=super-init-not-called
        self._torch, self._gpu = sys.modules["torch"], gpu

    def wait(self) -> None:
        self._torch.cuda.current_stream(self._gpu).synchronize()

    @contextlib.contextmanager
    def on(self, stream: int) -> Iterator[None]:
        cuda = self._torch.cuda
        with self._torch.no_grad(), cuda.stream(cuda.ExternalStream(stream, device=self._gpu)):
            yield

    def put(self, values: Any) -> Any:
        return self._torch.as_tensor(values, device=f"cuda:{self._gpu}")

    @staticmethod
    def copy(X: Any) -> Any:
        return X.clone()


class _Driver:
    """Functions of CUDA's driver, which is loaded in a process with a GPU."""

    def __init__(self) -> None:
        self._cuda = ffi.dlopen("libcuda.so.1")

    @staticmethod
    def _expect(what: str, number: int) -> None:
        if number:
            raise Error(f"CUDA's {what} has failed: error {number}")

    def wait(self, stream: int) -> None:
        self._expect("cuStreamSynchronize", self._cuda.cuStreamSynchronize(ffi.cast("void *", stream)))

    def copy(self, to: int, source: int, size: int, stream: int) -> None:
        """Copies after the work on the stream, and waits for the copy."""
        done = self._cuda.cuMemcpyDtoDAsync_v2(to, source, size, ffi.cast("void *", stream))
        self._expect("cuMemcpyDtoDAsync", done)
        self.wait(stream)


class _ByJax:
    """The same for JAX, which has its own streams, and immutable arrays: the host waits before and after a function,
    and copies the result."""

    name = "jax"

    def __init__(self, gpu: int) -> None:
        self._jax, self._numpy = sys.modules["jax"], sys.modules["jax.numpy"]
        if not self._jax.config.jax_enable_x64:
            raise ValueError("A or M is a function of JAX: it gets numbers in double precision, which JAX has with "
                             "jax_enable_x64")
        self._device = next(one for one in self._jax.local_devices(backend="gpu") if one.local_hardware_id == gpu)
        self._driver, self._stream = _Driver(), 0

    def wait(self) -> None:
        """JAX itself does so."""

    @contextlib.contextmanager
    def on(self, stream: int) -> Iterator[None]:
        self._driver.wait(stream)
        self._stream = stream
        with self._jax.default_device(self._device):
            yield

    def put(self, values: Any) -> Any:
        return self._jax.device_put(values, self._device)

    def array(self, given: Any) -> Any:
        return self._jax.dlpack.from_dlpack(_LentWithGaps(given))[:, :given.columns]

    def copy(self, X: Any) -> Any:
        """Complete: the library may change the memory from now on."""
        return self._numpy.array(X, copy=True).block_until_ready()

    def give(self, given: Any, values: Any) -> None:
        """With zeros in the gaps, which may have any values."""
        gaps = ((0, 0), (0, given.row_stride - given.columns))
        made = self._numpy.pad(values.astype("float64"), gaps).block_until_ready()
        self._driver.copy(_address(given.data), made.unsafe_buffer_pointer(), made.nbytes, self._stream)


class Calls:
    """Calls the caller's functions on a GPU: with arrays of CuPy, torch or JAX, by the type of the operators, else of
    b, with the library's stream as the current one."""

    def __init__(self, gpu: int, *operators: Any) -> None:
        self.gpu = gpu
        self._own = library_of(*(getattr(one, "of", one) for one in operators))
        self._by: Any = None

    def begin(self, b: Any) -> None:
        """Before a solve."""
        name = self._own or library_of(b)
        if name is None:
            raise ValueError(f"b is of {type(b).__module__}, and A or M is a function: on a GPU that gets arrays of "
                             'CuPy, torch or JAX, as b is; or device = "cpu"')
        self._by = {one.name: one for one in (_ByCupy, _ByTorch, _ByJax)}[name](self.gpu)
        self._by.wait()

    def on(self, stream: Any) -> contextlib.AbstractContextManager[Any]:
        return self._by.on(_address(stream))  # type: ignore[no-any-return]

    def array(self, given: Any) -> Any:
        return self._by.array(given)

    def copy(self, X: Any) -> Any:
        return self._by.copy(X)

    def put(self, values: Any) -> Any:
        """An array on the GPU."""
        return self._by.put(values)

    def give(self, given: Any, values: Any) -> None:
        self._by.give(given, values)

    def taken(self, what: str, values: Any) -> Any:
        if cuda_device(what, values) != self.gpu or library_of(values) != self._by.name:
            raise ValueError(f"{what} is of {type(values).__module__}: it must be an array of {self._by.name} "
                             f"in the memory of GPU {self.gpu}")
        if "complex" in str(values.dtype):
            raise ValueError(f"{what} has values of the type {values.dtype}: they must be real numbers")
        return values
