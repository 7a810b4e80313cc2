"""x = A^-1 b with derivatives for JAX, in both modes, within jit, grad and vmap.

A is symmetric, so the derivatives are those of solves with A (jax.lax.custom_linear_solve):

    dx = A^-1 (db - dA x),    with y = A^-1 g:  dL/db = y,  dL/da_ij = -(y_i x_j + y_j x_i) / 2

on the pattern of A. The solves have the same bits on every run; a product dA x on a GPU, of forward mode, has the order
of XLA's sums. The arrays of a solve pass through the host.
"""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import scipy.sparse as sparse

from ._library import Error
from ._solver import Solver

__all__ = ["solve"]


class _Host:
    """Solves on the host's side of a callback. Those that follow one another with the same A share a set-up."""

    def __init__(self, n: int, options: dict[str, Any]) -> None:
        self._n, self._options = n, options
        self._last: Any = None

    def _solver(self, entries: list[np.ndarray]) -> Solver:
        last = self._last
        if last is None or not all(map(np.array_equal, last[0], entries)):
            rows, columns, values = entries
            A = sparse.coo_array((values, (rows, columns)), shape=(self._n, self._n))
            self._last = last = [one.copy() for one in entries], Solver(A, **self._options)
        solver: Solver = last[1]
        return solver

    def __call__(self, *given: Any) -> np.ndarray:
        *entries, b = map(np.asarray, given)
        found = self._solver(entries).solve(b.astype(np.float64))
        if not np.all(found.converged):
            raise Error(f"the solve has not converged: {found}")
        return np.asarray(found.x, dtype=b.dtype)


def _entries(A: Any) -> tuple[Any, Any, Any]:
    """Rows, columns and values."""
    if hasattr(A, "indptr"):  # BCSR
        rows = jnp.repeat(jnp.arange(A.shape[0]), jnp.diff(A.indptr), total_repeat_length=len(A.indices))
        return rows, A.indices, A.data
    if hasattr(A, "indices"):  # BCOO
        return A.indices[:, 0], A.indices[:, 1], A.data
    rows, columns = np.indices(A.shape).reshape(2, -1)
    return rows, columns, jnp.asarray(A).reshape(-1)


def solve(A: Any, b: Any, *, rtol: float = 1e-8, **options: Any) -> Any:
    """x of the shape and the type of b: (n,), or (n, K) for K right-hand sides. A is a BCOO or BCSR matrix of
    jax.experimental.sparse, or a dense array. The other arguments are those of cgsolve.Solver, but for uplo. A solve
    that does not converge is an error."""
    if "uplo" in options:
        raise ValueError("uplo is not taken: A is full and symmetric")
    rows, columns, values = _entries(A)
    b = jnp.asarray(b)
    host = _Host(A.shape[0], {"rtol": rtol, **options})

    def multiply(x: Any) -> Any:
        each = (values if x.ndim == 1 else values[:, None]).astype(x.dtype)
        sums = jnp.zeros_like(x).at[rows].add(each * x[columns]).at[columns].add(each * x[rows])
        return sums / 2

    def by_the_library(_multiply: Any, right: Any) -> Any:
        return jax.pure_callback(host, jax.ShapeDtypeStruct(right.shape, right.dtype), rows, columns, values, right,
                                 vmap_method="sequential")

    return jax.lax.custom_linear_solve(multiply, b, by_the_library, symmetric=True)
