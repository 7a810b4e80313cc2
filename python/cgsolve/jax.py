"""x = A^-1 b with derivatives for JAX, in both modes, within jit, grad and vmap.

A is symmetric, so the derivatives are those of solves with A (jax.lax.custom_linear_solve):

    dx = A^-1 (db - dA x),    with y = A^-1 g:  dL/db = y,  dL/da_ij = -(y_i x_j + y_j x_i) / 2

on the pattern of A. The solves have the same bits on every run; a product dA x on a GPU, of forward mode, has the order
of XLA's sums. Outside jit a GPU that has A and b in its memory solves there, derivatives too. Within jit, and where vmap
goes over A, the arrays of a solve pass through the host (jax.pure_callback), and the CPU solves unless device says
"cuda".
"""

from __future__ import annotations

import types
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import scipy.sparse as sparse
from jax.extend.core import Primitive
from jax.interpreters import batching, mlir

from ._library import Error
from ._matrix import cuda_device, place
from ._solver import Solver

__all__ = ["solve"]


def _is_same(kept: Any, given: Any) -> bool:
    """Of arrays of NumPy, or of JAX, which are compared where they are."""
    equal = jnp.array_equal if isinstance(kept, jax.Array) else np.array_equal
    return kept is given or (isinstance(given, type(kept)) and bool(equal(kept, given)))


class _Solves:
    """Solves with arrays of JAX, or of NumPy. Consecutive solves with the same A share a set-up."""

    def __init__(self, n: int, options: dict[str, Any]) -> None:
        self._n, self._options = n, options
        self._last: Any = None

    def _solver(self, entries: list[Any]) -> Solver:
        last = self._last
        if last is None or not all(map(_is_same, last[0], entries)):
            shape, (rows, columns, values) = (self._n, self._n), entries
            if isinstance(values, jax.Array):
                A = types.SimpleNamespace(format="coo", shape=shape, row=rows, col=columns, data=values, tocsr=None)
            else:
                entries = [one.copy() for one in entries]
                A = sparse.coo_array((values, (rows, columns)), shape=shape)
            self._last = last = entries, Solver(A, **self._options)
        solver: Solver = last[1]
        return solver

    def __call__(self, *given: Any) -> Any:
        """x, of the type of b, as NumPy has it, or in the memory of the GPU that has b and solves."""
        gpu = place(self._options.get("device"), A=given[2], b=given[3])
        *entries, b = (one if gpu is not None and cuda_device("", one) == gpu else np.asarray(one) for one in given)
        if not all(isinstance(one, jax.Array) for one in entries):
            entries = list(map(np.asarray, entries))
        found = self._solver(entries).solve(b if isinstance(b, jax.Array) else b.astype(np.float64))
        if not np.all(found.converged):
            raise Error(f"the solve has not converged: {found}")
        return found.x.astype(b.dtype)


# --- a primitive: rows, columns and values of A, and b, (n,) or (n, K), to x ----------------------

_solve = Primitive("cgsolve")


def _at_once(*given: Any, solves: _Solves) -> Any:
    """Outside jit. An array over several devices is one of the host's."""
    arrays = list(map(jnp.asarray, given))
    x = solves(*(one if one.sharding.num_devices == 1 else np.asarray(one) for one in arrays))
    return x if isinstance(x, jax.Array) else jax.device_put(x, arrays[-1].sharding if arrays[-1].committed else None)


def _through_the_host(*given: Any, solves: _Solves) -> Any:
    b = given[-1]
    return jax.pure_callback(solves, jax.ShapeDtypeStruct(b.shape, b.dtype), *given, vmap_method="sequential")


def _of_several(given: Any, dims: Any, *, solves: _Solves) -> tuple[Any, int]:
    """Several b are columns of one solve; several A are solved one after the other."""
    *entries, b = given
    if all(dim is None for dim in dims[:-1]):
        b = jnp.moveaxis(b, dims[-1], -1)
        x = _solve.bind(*entries, b.reshape(b.shape[0], -1), solves=solves)
        return x.reshape(b.shape), b.ndim - 1
    size = next(one.shape[dim] for one, dim in zip(given, dims) if dim is not None)
    each = [jnp.broadcast_to(one, (size, *one.shape)) if dim is None else jnp.moveaxis(one, dim, 0)
            for one, dim in zip(given, dims)]
    return jax.lax.map(lambda one: _solve.bind(*one, solves=solves), each), 0


_solve.def_impl(_at_once)
_solve.def_abstract_eval(lambda *given, solves: jax.core.ShapedArray(given[-1].shape, given[-1].dtype))
mlir.register_lowering(_solve, mlir.lower_fun(_through_the_host, multiple_results=False))
batching.primitive_batchers[_solve] = _of_several


def _entries(A: Any) -> tuple[Any, Any, Any]:
    """Rows, columns and values."""
    if hasattr(A, "indptr"):  # BCSR
        rows = jnp.repeat(jnp.arange(A.shape[0]), jnp.diff(A.indptr), total_repeat_length=len(A.indices))
        return rows, A.indices, A.data
    if hasattr(A, "indices"):  # BCOO
        return A.indices[:, 0], A.indices[:, 1], A.data
    rows, columns = jnp.indices(A.shape).reshape(2, -1)
    return rows, columns, jnp.asarray(A).reshape(-1)


def solve(A: Any, b: Any, *, rtol: float = 1e-8, **options: Any) -> Any:
    """x of the shape and the type of b: (n,), or (n, K) for K right-hand sides. A is a BCOO or BCSR matrix of
    jax.experimental.sparse, or a dense array. The other arguments are those of cgsolve.Solver, but for uplo. A solve
    that does not converge is an error."""
    if "uplo" in options:
        raise ValueError("uplo is not taken: A is full and symmetric")
    rows, columns, values = _entries(A)
    b = jnp.asarray(b)
    solves = _Solves(A.shape[0], {"rtol": rtol, **options})

    def multiply(x: Any) -> Any:
        each = (values if x.ndim == 1 else values[:, None]).astype(x.dtype)
        sums = jnp.zeros_like(x).at[rows].add(each * x[columns]).at[columns].add(each * x[rows])
        return sums / 2

    def by_the_library(_multiply: Any, right: Any) -> Any:
        return _solve.bind(rows, columns, values, right, solves=solves)

    return jax.lax.custom_linear_solve(multiply, b, by_the_library, symmetric=True)
