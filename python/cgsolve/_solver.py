"""A matrix, a kernel and a method, set up once, for many solves."""

from __future__ import annotations

import concurrent.futures
import contextlib
import weakref
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Callable, Optional, TypeVar, Union

import numpy as np

from ._library import Options, call, ffi, lib, text
from ._matrix import Data

Component = Union[str, Mapping[str, object]]
T = TypeVar("T")


def _named(key: str, component: Optional[Component], naming: str) -> dict[str, object]:
    """The options that choose a component: a name, or a mapping with its name and its own options."""
    if component is None:
        return {}
    if not isinstance(component, Mapping):
        return {key: component}
    if naming not in component:
        raise ValueError(f"{key} = {dict(component)!r} has no {naming!r}")
    own = {f"{key}.{name}": value for name, value in component.items() if name != naming}
    return {key: component[naming], **own}


def vector(what: str, values: Any, n: int) -> np.ndarray:
    """Doubles, (n,), from (n,) or (n, 1)."""
    array = np.asarray(values)
    if array.dtype.kind not in "fiub":
        raise ValueError(f"{what} has values of the type {array.dtype}: they must be real numbers")
    if array.shape not in ((n,), (n, 1)):
        raise ValueError(f"{what} has the shape {array.shape}: A has {n} rows")
    return np.ascontiguousarray(array.reshape(n), dtype=np.float64)


def doubles(array: Optional[np.ndarray]) -> Any:
    """The library's view of an array, or of none."""
    return ffi.NULL if array is None else ffi.from_buffer("double[]", array)


class Handles:
    """The library's handles from a context to a solver, destroyed with this object, the last one first.

    One thread of their own does all that uses them. So signals reach the main thread, which waits for it, and a process
    that is forked does not inherit half of the threads of OpenMP."""

    def __init__(self, A: Any, *, kernel: Optional[Component] = None, preconditioner: Optional[Component] = None,
                 reductions: Optional[str] = None, threads: Optional[int] = None, uplo: Optional[str] = None,
                 asymmetry: float = 0.0, **options: object) -> None:
        self.solver: Any = None
        self._thread = concurrent.futures.ThreadPoolExecutor(1, "cgsolve")
        self._handles = contextlib.ExitStack()
        weakref.finalize(self, self._handles.close)
        data = Data(A, uplo, asymmetry)
        self.n: int = data.data.n
        of_kernel = _named("kernel", kernel, "name")
        if reductions is not None:
            of_kernel["reductions"] = reductions
        of_solver = {**options, **_named("preconditioner", preconditioner, "type")}
        self.run(lambda: self._set_up(threads or 0, data, Options(of_kernel), Options(of_solver)))

    def _set_up(self, threads: int, data: Data, of_kernel: Options, of_solver: Options) -> None:
        context = self._create("context", ffi.new("struct cgs_context_options *", {
            "size": ffi.sizeof("struct cgs_context_options"), "threads": threads}))
        matrix = self._create("matrix", context, data.data)
        kernel = self._create("operator", matrix, of_kernel.list)
        self.solver = self._create("solver", kernel, of_solver.list)

    def _create(self, kind: str, *arguments: Any) -> Any:
        made = ffi.new(f"struct cgs_{kind} **")
        call(getattr(lib, f"cgs_{kind}_create"), *arguments, made)
        self._handles.callback(getattr(lib, f"cgs_{kind}_destroy"), made[0])
        return made[0]

    def set(self, option: str, value: object) -> None:
        call(lib.cgs_solver_set, self.solver, option.encode(), text(value))

    def history(self) -> np.ndarray:
        """The residual norms of the last solve."""
        values, rows = ffi.new("double **"), ffi.new("int64_t *")
        call(lib.cgs_solver_history, self.solver, b"residual", values, rows)
        return np.frombuffer(ffi.buffer(values[0], rows[0] * 8), dtype=np.float64).copy()

    def run(self, work: Callable[[], T]) -> T:
        """What work() returns in the thread of the handles, one call at a time. Ctrl-C ends a solve."""
        future = self._thread.submit(work)
        try:
            return future.result()
        except BaseException:
            while not (future.cancel() or future.done()):  # again and again: the solve may not have begun
                if self.solver:
                    lib.cgs_solver_cancel(self.solver)
                concurrent.futures.wait([future], 0.01)
            raise


@dataclass(frozen=True)
class Result:
    """What a solve has found."""

    x: np.ndarray
    reason: str  # "converged", or why it has ended
    iterations: int
    residual: float  # ||b - A x|| as the iteration has it
    true_residual: float  # computed once more from x, in twice the precision
    history: np.ndarray  # the residual of each iteration, from 0
    seconds: float  # of the iterations

    @property
    def converged(self) -> bool:
        return self.reason == "converged"


class Solver:
    """A x = b with one symmetric A for many b: the set-up is done once.

    A: a sparse matrix or array of SciPy, or a dense array. It is full and exactly symmetric, or as symmetric as
    `asymmetry`, the largest |a_ij - a_ji| / max(|a_ij|, |a_ji|), allows.
    uplo: "U" or "L": only that triangle of A is looked at.
    method: "cg" or "minres".
    rtol, atol: done when ||b - A x|| <= max(rtol ||b||, atol).
    maxiter: 10 n, or 5 n of minres, if it is None.
    kernel, preconditioner: a name, or a mapping with its options as a config of the program has them, as in
    {"name": "cpu_sym_bitwise", "precision": "float_double"} and {"type": "chebyshev", "degree": 4}.
    reductions: how dot products are summed: "reproducible", "exact", ...
    threads: None: all processors. The bits do not depend on it.

    Several Python threads may use one Solver: it does one solve after the other.
    """

    def __init__(self, A: Any, *, method: str = "cg", rtol: float = 1e-5, atol: float = 0.0,
                 maxiter: Optional[int] = None, kernel: Optional[Component] = None,
                 preconditioner: Optional[Component] = None, reductions: Optional[str] = None,
                 threads: Optional[int] = None, uplo: Optional[str] = None, asymmetry: float = 0.0) -> None:
        if method not in ("cg", "minres"):
            raise ValueError(f'method = {method!r} must be "cg" or "minres"')
        self._rtol, self._atol = float(rtol), float(atol)
        if not self._atol >= 0:
            raise ValueError(f"atol = {atol!r} must be at least 0")
        self._handles = Handles(A, kernel=kernel, preconditioner=preconditioner, reductions=reductions, threads=threads,
                                uplo=uplo, asymmetry=asymmetry, method=method)
        if maxiter is None:
            maxiter = (10 if method == "cg" else 5) * self._handles.n
        self._handles.set("max_iterations", maxiter)
        if not self._atol:
            self._set_tolerance(self._rtol)

    def _set_tolerance(self, relative: float) -> None:
        """To ||b||, and below 1, as the library has it."""
        self._handles.set("tolerance", min(relative, float(np.nextafter(1, 0))))

    def solve(self, b: Any, x0: Any = None) -> Result:
        """Solve from x0, 0 if it is None. A solve that has not converged raises nothing: look at the reason."""
        n = self._handles.n
        b = vector("b", b, n)
        start = None if x0 is None else vector("x0", x0, n)
        return self._handles.run(lambda: self._solve(b, start if b.any() else None))

    def _solve(self, b: np.ndarray, x0: Optional[np.ndarray]) -> Result:
        solver, x = self._handles.solver, np.empty(len(b))
        found = ffi.new("struct cgs_result *", {"size": ffi.sizeof("struct cgs_result")})
        norm = float(np.linalg.norm(b)) if self._atol else 0
        if norm:
            self._set_tolerance(max(self._rtol, self._atol / norm))
        call(lib.cgs_solve, solver, doubles(b), doubles(x0), doubles(x), found)
        return Result(x, ffi.string(lib.cgs_reason_name(found.reason)).decode(), found.iterations, found.residual,
                      found.true_residual, self._handles.history(), found.seconds)
