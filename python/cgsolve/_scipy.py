"""Functions with the names and arguments of scipy.sparse.linalg."""

from __future__ import annotations

from typing import Any, Callable, Optional

import numpy as np

from . import _gpu
from ._matrix import columns, is_operator, place, values_of, vector
from ._product import Here, negative, opposite_of, product_of
from ._solver import Component, Result, Solver, of_one


def _refuse(instead: str, **given: object) -> None:
    for name, value in given.items():
        if value is not None:
            raise NotImplementedError(f"{name} is not taken: {instead}")


def _solve(A: Any, b: Any, x0: Any, M: Any, callback: Any, history: Optional[list[float]],
           device: Optional[str], **options: Any) -> tuple[np.ndarray, Any]:
    if history is not None and not hasattr(history, "extend"):
        raise ValueError(f"history = {history!r} must be a list")
    gpu = place(device, A=values_of(A), b=b)
    options.update(M=M, device="cpu" if gpu is None else f"cuda:{gpu}")
    solver = Solver(A, **options)
    if isinstance(x0, str) and x0 == "Mb":
        x0 = b if M is None else _times("M", M, columns("b", b, solver.n), _calls(gpu, M, b))
    result = solver.solve(b, x0, callback)
    if options["method"] == "cg" and _may_be_negative(result):
        result = Solver(negative(A), **options).solve(opposite_of("b", b), x0, callback)
    if np.shape(result.reason) == (1,):
        result = of_one(result)  # as SciPy's functions do
    several = isinstance(result.history, list)
    if history is not None:
        history.extend([one.tolist() for one in result.history] if several else result.history.tolist())
    info = np.where(result.converged, 0, np.maximum(result.iterations, 1))
    return result.x, info if several else int(info)


def _may_be_negative(result: Result) -> bool:
    """Whether the first product shows that A is not positive definite. Conjugate gradients with -A and -b take the
    steps of A and b."""
    refused = np.asarray(result.reason) == "not positive definite"
    return bool(refused.any()) and not np.any(result.iterations)


def _calls(gpu: Optional[int], operator: Any, b: Any) -> Any:
    """The calls of the operator, in a solve with b."""
    calls: Any = Here if gpu is None else _gpu.Calls(gpu, operator)
    calls.begin(b)
    return calls


def _times(what: str, A: Any, x: np.ndarray, calls: Any) -> np.ndarray:
    """A x, column by column."""
    product, n = product_of(what, A, calls.gpu)
    return np.stack([vector(f"{what} b", product(calls.put(column)), n) for column in x.T.copy()], axis=1)


def _expect_symmetric(what: str, A: Any, b: Any, calls: Any) -> None:
    """Refuse an operator whose b . A A b is not ||A b||^2, as SciPy's minres does."""
    B = columns(what, b, product_of(what, A, calls.gpu)[1])
    once = _times(what, A, B, calls)
    twice = _times(what, A, once, calls)
    eps = np.finfo(float).eps
    for square, other in zip((once * once).sum(axis=0), (B * twice).sum(axis=0)):
        if not abs(square - other) <= (square + eps) * eps**(1 / 3):
            raise ValueError(f"{what} is not symmetric: ||{what} b||^2 = {square:.9g}, and b . {what} {what} b = "
                             f"{other:.9g}")


def cg(A: Any, b: Any, x0: Any = None, *, rtol: float = 1e-5, atol: float = 0.0, maxiter: Optional[int] = None,
       M: Any = None, callback: Optional[Callable[[np.ndarray], object]] = None, history: Optional[list[float]] = None,
       kernel: Optional[Component] = None, preconditioner: Optional[Component] = None,
       reductions: Optional[str] = None, threads: Optional[int] = None, device: Optional[str] = None,
       uplo: Optional[str] = None, asymmetry: Optional[float] = None, near_null: Any = None,
       coordinates: Any = None, null_space: str = "auto", resident: str = "auto") -> tuple[np.ndarray, Any]:
    """Solve A x = b, A symmetric and definite, by conjugate gradients: (x, info), as scipy.sparse.linalg.cg.

    info is 0 if ||b - A x|| <= max(rtol ||b||, atol), else the number of iterations. history is a list to which the
    residual norm of each iteration is appended; callback(x) sees a copy of x after each. x0 may be "Mb", M b. For b
    of shape (n, K), K > 1, x is of that shape, info an array of K, and history has a list for each column. M is
    positive definite, whatever A is. Class Solver says what the other keywords mean.
    """
    return _solve(A, b, x0, M, callback, history, method="cg", rtol=rtol, atol=atol, maxiter=maxiter, kernel=kernel,
                  preconditioner=preconditioner, reductions=reductions, threads=threads, device=device, uplo=uplo,
                  asymmetry=asymmetry, near_null=near_null, coordinates=coordinates, null_space=null_space,
                  resident=resident)


def minres(A: Any, b: Any, x0: Any = None, *, rtol: float = 1e-5, shift: float = 0.0, maxiter: Optional[int] = None,
           M: Any = None, callback: Optional[Callable[[np.ndarray], object]] = None, show: bool = False,
           check: bool = False, history: Optional[list[float]] = None, kernel: Optional[Component] = None,
           preconditioner: Optional[Component] = None, reductions: Optional[str] = None,
           threads: Optional[int] = None, device: Optional[str] = None, uplo: Optional[str] = None,
           asymmetry: Optional[float] = None, near_null: Any = None,
           coordinates: Any = None, null_space: str = "auto") -> tuple[np.ndarray, Any]:
    """Solve (A - shift I) x = b, A symmetric, definite or not, by MINRES: (x, info), as scipy.sparse.linalg.minres.

    info is 0 if the residual is at most rtol ||b||, else the number of iterations. history is a list to which the
    residual norm of each iteration is appended; callback(x) sees a copy of x after each. M is positive definite,
    whatever A is. x0 may be "Mb", M b. For b of shape (n, K), K > 1, x is of that shape, info an array of K, and history
    has a list for each column. Class Solver says what the other keywords mean. The entries of a matrix A are always
    compared; with check an operator A, and M, are tried with b.
    """
    _refuse("history= has the residual norms", show=show or None)
    if check:
        gpu = place(device, A=values_of(A), b=b)
        for what, operator in (("A", A if is_operator(A) else None), ("M", M)):
            if operator is not None:
                _expect_symmetric(what, operator, b, _calls(gpu, operator, b))
    return _solve(A, b, x0, M, callback, history, method="minres", rtol=rtol, shift=shift, maxiter=maxiter,
                  kernel=kernel, preconditioner=preconditioner, reductions=reductions, threads=threads,
                  device=device, uplo=uplo, asymmetry=asymmetry, near_null=near_null,
                  coordinates=coordinates, null_space=null_space)
