"""Functions with the names and arguments of scipy.sparse.linalg."""

from __future__ import annotations

import warnings
from dataclasses import replace
from typing import Any, Callable, Optional, Union

import numpy as np

from ._library import ffi, lib, number, whole
from ._matrix import columns, finite, is_single, like, minus, place, real, values_of, vector
from ._product import negative, product_of
from ._solver import Component, Result, Solver, SolverHandles, doubles, of_one


class IncompleteWarning(UserWarning):
    """What was found has converged, and the search for other eigenvalues, or copies, has not ended."""


def _refuse(instead: str, **given: object) -> None:
    for name, value in given.items():
        if value is not None:
            raise NotImplementedError(f"{name} is not taken: {instead}")


def _solve(A: Any, b: Any, x0: Any, M: Any, callback: Any, history: Optional[list[float]],
           device: Optional[str], **options: Any) -> tuple[np.ndarray, Any]:
    if history is not None and not hasattr(history, "extend"):
        raise ValueError(f"history = {history!r} must be a list")
    if device is None:
        gpu = place(None, A=values_of(A), b=b)
        device = "cpu" if gpu is None else f"cuda:{gpu}"
    options.update(M=M, device=device)
    solver = Solver(A, **options)
    if isinstance(x0, str) and x0 == "Mb":
        x0 = b if M is None else _times("M", M, columns("b", b, solver.n))
    result = solver.solve(b, x0, callback)
    if options["method"] == "cg" and _may_be_negative(result):
        opposite = Solver(negative(A), **options).solve(minus(real("b", b)), x0, callback)
        result = replace(opposite, x=like(b, opposite.x.astype(result.x.dtype, copy=False)))
    if np.shape(result.reason) == (1,):
        result = of_one(result)  # as SciPy's functions do
    several = isinstance(result.history, list)
    if history is not None:
        history.extend([one.tolist() for one in result.history] if several else result.history.tolist())
    info = np.where(result.converged, 0, np.maximum(result.iterations, 1))
    return result.x, info if several else int(info)


def _may_be_negative(result: Result) -> bool:
    """Whether the first product has shown that A is not positive definite. The steps of conjugate gradients with -A
    and -b are those with A and b."""
    refused = np.asarray(result.reason) == "not positive definite"
    return bool(refused.any()) and not np.any(result.iterations)


def _times(what: str, A: Any, x: np.ndarray) -> np.ndarray:
    """A x, column by column."""
    product, n = product_of(what, A)
    return np.stack([vector(f"{what} b", product(column), n) for column in x.T.copy()], axis=1)


def cg(A: Any, b: Any, x0: Any = None, *, rtol: float = 1e-5, atol: float = 0.0, maxiter: Optional[int] = None,
       M: Any = None, callback: Optional[Callable[[np.ndarray], object]] = None, history: Optional[list[float]] = None,
       kernel: Optional[Component] = None, preconditioner: Optional[Component] = None,
       reductions: Optional[str] = None, threads: Optional[int] = None, device: Optional[str] = None,
       uplo: Optional[str] = None, asymmetry: Optional[float] = None) -> tuple[np.ndarray, Any]:
    """Solve A x = b, A symmetric and definite, by conjugate gradients: (x, info), as scipy.sparse.linalg.cg.

    info is 0 if ||b - A x|| <= max(rtol ||b||, atol), else the number of iterations. history is a list to which the
    residual norm of each iteration is appended; callback(x) sees a copy of x behind each. x0 may be "Mb", M b. For b
    of shape (n, K), K > 1, x is of that shape, info an array of K, and history has a list for each column. M is
    positive definite, whatever A is. Class Solver says what the other keywords mean.
    """
    return _solve(A, b, x0, M, callback, history, method="cg", rtol=rtol, atol=atol, maxiter=maxiter, kernel=kernel,
                  preconditioner=preconditioner, reductions=reductions, threads=threads, device=device, uplo=uplo,
                  asymmetry=asymmetry)


def minres(A: Any, b: Any, x0: Any = None, *, rtol: float = 1e-5, shift: float = 0.0, maxiter: Optional[int] = None,
           M: Any = None, callback: Optional[Callable[[np.ndarray], object]] = None, show: bool = False,
           check: bool = False, history: Optional[list[float]] = None, kernel: Optional[Component] = None,
           preconditioner: Optional[Component] = None, reductions: Optional[str] = None,
           threads: Optional[int] = None, device: Optional[str] = None, uplo: Optional[str] = None,
           asymmetry: Optional[float] = None) -> tuple[np.ndarray, Any]:
    """Solve (A - shift I) x = b, A symmetric, definite or not, by MINRES: (x, info), as scipy.sparse.linalg.minres.

    info is 0 if the residual is at most rtol ||b||, else the number of iterations. history is a list to which the
    residual norm of each iteration is appended; callback(x) sees a copy of x behind each. M is positive definite,
    whatever A is. x0 may be "Mb", M b. For b of shape (n, K), K > 1, x is of that shape, info an array of K, and history
    has a list for each column. Class Solver says what the other keywords mean. A is always checked.
    """
    _refuse("history= has the residual norms", show=show or None)
    return _solve(A, b, x0, M, callback, history, method="minres", rtol=rtol, shift=shift, maxiter=maxiter,
                  kernel=kernel, preconditioner=preconditioner, reductions=reductions, threads=threads,
                  device=device, uplo=uplo, asymmetry=asymmetry)


def _chosen(values: np.ndarray, k: int, which: str) -> np.ndarray:
    """Which k of the eigenvalues of one or both ends, ascending, are asked for."""
    if which == "LM":
        return np.sort(np.argsort(-np.abs(values), kind="stable")[:k])
    if which == "BE":
        low = k // 2
        return np.concatenate((np.arange(low), np.arange(len(values) - (k - low), len(values))))
    return np.arange(len(values))


_ends = {"SA": "smallest", "LA": "largest", "BE": "both", "LM": "both"}


def eigsh(A: Any, k: int = 6, M: None = None, sigma: None = None, which: str = "LM", v0: Any = None,
          ncv: Optional[int] = None, maxiter: Optional[int] = None, tol: float = 0, return_eigenvectors: bool = True,
          Minv: None = None, OPinv: None = None, mode: str = "normal", rng: object = None, *,
          kernel: Optional[Component] = None, reductions: Optional[str] = None, threads: Optional[int] = None,
          device: Optional[str] = None, uplo: Optional[str] = None, asymmetry: Optional[float] = None) -> Union[np.ndarray, tuple[np.ndarray, np.ndarray]]:
    """k eigenvalues of a symmetric A by Lanczos' method: w, or (w, v) with a column of v for each of w, which ascends.

    A: as in class Solver.
    which: "SA", "LA", "BE", and "LM", which finds k at both ends first.
    tol: ||A v - w v|| <= tol |w|, or as small as rounding leaves it; 0: 1e-14.
    maxiter: the largest number of products with A; None: 10 n max(2 k + 1, 20), those of SciPy's 10 n restarts.
    ncv: the largest dimension of the subspace.
    v0: None: a random vector, always the same. `rng` is not looked at.

    A multiple eigenvalue is found as often as A has it. NoConvergence is raised if not all have converged;
    IncompleteWarning is given if maxiter ends the search for others.
    """
    _refuse("only A v = w v is solved, without a shift", M=M, sigma=sigma, Minv=Minv, OPinv=OPinv,
            mode=None if mode == "normal" else mode)
    k, tol = whole("k", k), number("tol", tol)
    if not isinstance(which, str) or which not in _ends:
        raise ValueError(f'which = {which!r} must be "SA", "LA", "BE" or "LM"')
    options: dict[str, Any] = {"method": "lanczos", "eigen.which": _ends[which],
                               "eigen.count": (k + 1) // 2 if which == "BE" else k,
                               "eigen.tolerance": tol or 1e-14, "eigen.restart": 0 if ncv is None else ncv}
    where = values_of(A)
    handles = SolverHandles(A, kernel=kernel, reductions=reductions, threads=threads, gpu=place(device, A=where),
                            uplo=uplo, asymmetry=asymmetry, **options)
    n = handles.n
    if k > n:
        raise ValueError(f"k = {k} must be from 1 to {n}, the rows of A")
    handles.set("max_iterations", 10 * n * max(2 * k + 1, 20) if maxiter is None else maxiter)
    start = None if v0 is None else finite("v0", vector("v0", v0, n))
    dtype = np.float32 if is_single(A) else np.float64
    count = lib.cgs_solver_eigen_count(handles.solver)
    values, vectors = np.empty(count), np.empty((count, n)) if return_eigenvectors else None
    found = ffi.new("struct cgs_result *", {"size": ffi.sizeof("struct cgs_result")})
    handles.call(lib.cgs_solve_eigen, handles.solver, doubles(start), doubles(values), doubles(vectors), found)
    if found.reason != lib.CGS_CONVERGED:
        there = ~np.isnan(values)
        reason = ffi.string(lib.cgs_reason_name(found.reason)).decode()
        from ._convergence import NoConvergence  # pylint: disable=import-outside-toplevel
        raise NoConvergence(f"{reason} after {found.iterations} products with A", values[there].astype(dtype),
                            np.empty((n, 0), dtype) if vectors is None else vectors[there].T.astype(dtype))
    if found.eigen_list == lib.CGS_LIST_OPEN:
        warnings.warn(f"eigenvalues may be missing: the search for others has not ended after {found.iterations} "
                      "products with A, maxiter", IncompleteWarning, stacklevel=2)
    wanted = _chosen(values, k, which)
    w = like(where, values[wanted].astype(dtype, copy=False))
    return w if vectors is None else (w, like(where, vectors[wanted].T.astype(dtype, copy=False)))
