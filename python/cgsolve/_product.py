"""Products by functions of Python."""

from __future__ import annotations

import contextlib
import types
from typing import Any, Callable, Optional

import numpy as np

from ._library import ffi
from ._matrix import array, cuda_device, entries_of, is_operator, minus, real, square, values_of

Product = Callable[[Any], Any]


def _matmat(A: Any) -> Optional[Product]:
    """The operator's own product with several columns. SciPy's default matmat of a LinearOperator does not count: it is
    a loop over matvec, with columns of shape (n, 1)."""
    method = getattr(type(A), "_matmat", None)
    is_loop = getattr(method, "__qualname__", "") == "LinearOperator._matmat"
    if is_loop or getattr(A, "_CustomLinearOperator__matmat_impl", A) is None:
        return None
    return getattr(A, "matmat", None)


def _expect_on(what: str, A: Any, gpu: Optional[int]) -> None:
    """Refuse a matrix in other memory than its products."""
    where = cuda_device(what, values_of(A))
    if gpu is None and where is not None:
        raise ValueError(f"{what} is in the memory of a device, and its products are made on the CPU: copy it to the "
                         "host, by .cpu() of torch, by .get() of CuPy")
    if where != gpu:
        raise ValueError(f"{what} is not in the memory of GPU {gpu}, where its products are made: copy it to "
                         'that GPU, or solve with device = "cpu"')


def product_of(what: str, A: Any, gpu: Optional[int] = None) -> tuple[Product, int]:
    """The product with an operator, a sparse matrix or an array, and its rows."""
    if is_operator(A):
        return A.matvec, square(what, A.shape)
    _expect_on(what, A, gpu)
    if gpu is None and not hasattr(A, "tocsr"):
        A = np.asarray(array(what, A))
    return A.__matmul__, square(what, A.shape)


def opposite_of(what: str, values: Any) -> Any:
    """-values, where they are."""
    return minus(real(what, values)) if cuda_device(what, values) is None else -values


def negative(A: Any) -> Any:
    """-A, an operator or the entries of a matrix."""
    if is_operator(A):
        matmat = _matmat(A)
        opposite = types.SimpleNamespace(shape=A.shape, of=A, matvec=lambda x: opposite_of("A.matvec(x)", A.matvec(x)))
        if matmat is not None:
            opposite.matmat = lambda X: opposite_of("A.matmat(X)", matmat(X))
        return opposite
    if cuda_device("A", values_of(A)) is not None:
        return -A
    entries = entries_of(A)
    return entries._replace(values=minus(real("A", entries.values)))


def at(address: Any, n: int) -> np.ndarray:
    """The n doubles at the address, without a copy."""
    return np.frombuffer(ffi.buffer(address, 8 * n), dtype=np.float64)


def c_function(kind: str, function: Callable[..., Any], raised: list[BaseException]) -> Any:
    """The callback for the library, valid as long as this object. Its exception ends the solve, and is appended to
    `raised`; so is that of a signal handler, even before the first line of the function."""
    return ffi.callback(kind, function, error=1, onerror=lambda _type, error, _traceback: raised.append(error))


class Here:
    """Calls the caller's functions on the CPU, with arrays of NumPy."""

    gpu = None

    @staticmethod
    def begin(_b: Any) -> None:
        """Before a solve."""

    @staticmethod
    def on(_stream: Any) -> contextlib.AbstractContextManager[Any]:
        return contextlib.nullcontext()

    @staticmethod
    def array(given: Any) -> np.ndarray:
        """(n, K), where it is."""
        n, stride = given.rows, given.row_stride
        return at(given.data, n * stride).reshape(n, stride)[:, :given.columns]

    @classmethod
    def give(cls, given: Any, values: np.ndarray) -> None:
        """Copies the values into the library's array."""
        cls.array(given)[...] = values

    @staticmethod
    def copy(X: np.ndarray) -> np.ndarray:
        return X.copy()

    @staticmethod
    def put(values: np.ndarray) -> np.ndarray:
        """An array of the host, as functions get it."""
        return values

    @staticmethod
    def taken(what: str, values: Any) -> np.ndarray:
        """Real numbers that a function has returned."""
        return real(what, values)


def product(what: str, x: str, A: Any, raised: list[BaseException], shift: float = 0.0,
            calls: Any = Here) -> tuple[Any, bool, int]:
    """The callback of A x - shift x, x a copy; whether it takes several columns, as A has a product of its own with
    them; and the rows of A. An error names x so. calls: how A is called, Here or of _gpu."""
    (matvec, n), matmat = product_of(what, A, calls.gpu), _matmat(A)

    def column(X: Any) -> Any:
        made = calls.taken(f"{what}.matvec({x})", matvec(calls.copy(X[:, 0])))
        if tuple(made.shape) not in ((n,), (n, 1)):
            raise ValueError(f"{what}.matvec({x}) has the shape {tuple(made.shape)}: A has {n} rows")
        return made.reshape(n, 1)

    def several(X: Any) -> Any:
        name = f"{what}.matmat({x.upper()})"
        made = calls.taken(name, matmat(calls.copy(X)))
        if made.shape != X.shape:
            raise ValueError(f"{name} has the shape {tuple(made.shape)}: {x.upper()} has {tuple(X.shape)}")
        return made

    def multiply(_user: Any, given: Any, made: Any, stream: Any) -> int:
        with calls.on(stream):
            X = calls.array(given)
            result = (column if matmat is None or given.columns == 1 else several)(X)
            calls.give(made, result - shift * X if shift else result)
        return 0

    return c_function("cgs_product", multiply, raised), matmat is not None, n
