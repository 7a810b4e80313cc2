"""Products by functions of Python."""

from __future__ import annotations

import types
from typing import Any, Callable, Optional

import numpy as np

from ._library import ffi
from ._matrix import array, cuda_device, entries_of, minus, real, square, values_of, vector

Product = Callable[[np.ndarray], Any]


def is_operator(A: Any) -> bool:
    """Whether A is known by its products alone, as a LinearOperator of SciPy is."""
    return hasattr(A, "matvec")


def _matmat(A: Any) -> Optional[Product]:
    """The operator's own product with several columns. That which a LinearOperator of SciPy has without one is a loop
    over matvec, which it gives columns of shape (n, 1)."""
    method = getattr(type(A), "_matmat", None)
    is_loop = getattr(method, "__qualname__", "") == "LinearOperator._matmat"
    if is_loop or getattr(A, "_CustomLinearOperator__matmat_impl", A) is None:
        return None
    return getattr(A, "matmat", None)


def product_of(what: str, A: Any) -> tuple[Product, int]:
    """The product with an operator, a sparse matrix or an array, and its rows."""
    if is_operator(A):
        return A.matvec, square(what, A.shape)
    if cuda_device(what, values_of(A)) is not None:
        raise ValueError(f"{what} is in the memory of a device, and its products are made on the CPU: hand over a copy "
                         "there, by .cpu() of torch, by .get() of CuPy")
    if not hasattr(A, "tocsr"):
        A = np.asarray(array(what, A))
    return A.__matmul__, square(what, A.shape)


def negative(A: Any) -> Any:
    """-A, an operator or the entries of a matrix."""
    if is_operator(A):
        matmat = _matmat(A)
        opposite = types.SimpleNamespace(shape=A.shape, matvec=lambda x: minus(real("A.matvec(x)", A.matvec(x))))
        if matmat is not None:
            opposite.matmat = lambda X: minus(real("A.matmat(X)", matmat(X)))
        return opposite
    entries = entries_of(A)
    return entries._replace(values=minus(real("A", entries.values)))


def at(address: Any, n: int) -> np.ndarray:
    """The n doubles there, where they are."""
    return np.frombuffer(ffi.buffer(address, 8 * n), dtype=np.float64)


def c_function(kind: str, function: Callable[..., Any], raised: list[BaseException]) -> Any:
    """The function for the library, for as long as this lives. What it raises ends the solve, and is appended to
    `raised`; so is what a handler of a signal raises, even before the first line of the function."""
    return ffi.callback(kind, function, error=1, onerror=lambda _type, error, _traceback: raised.append(error))


def product(what: str, x: str, A: Any, raised: list[BaseException], shift: float = 0.0) -> tuple[Any, bool, int]:
    """The callback of A x - shift x, x a copy; whether it takes several columns, as A has a product of its own with
    them; and the rows of A. An error names x so."""
    (matvec, n), matmat = product_of(what, A), _matmat(A)

    def result(X: np.ndarray) -> np.ndarray:
        if matmat is None or X.shape[1] == 1:
            return vector(f"{what}.matvec({x})", matvec(X[:, 0].copy()), n).reshape(n, 1)
        name = f"{what}.matmat({x.upper()})"
        made = real(name, matmat(X.copy()))
        if made.shape != X.shape:
            raise ValueError(f"{name} has the shape {made.shape}: {x.upper()} has {X.shape}")
        return made

    def multiply(_user: Any, given: Any, made: Any, _stream: Any) -> int:
        stride = given.row_stride
        X, Y = (at(array.data, n * stride).reshape(n, stride)[:, :given.columns] for array in (given, made))
        Y[:] = result(X) - shift * X if shift else result(X)
        return 0

    return c_function("cgs_product", multiply, raised), matmat is not None, n
