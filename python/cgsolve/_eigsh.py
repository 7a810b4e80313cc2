"""Eigenvalues, by a function with the name and arguments of scipy.sparse.linalg.eigsh."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any, NamedTuple, Optional, Union

import numpy as np

from ._library import ffi, lib, number, whole
from ._matrix import finite, is_single, like, place, strided, values_of, vector
from ._solver import Component, SolverHandles, doubles, reason_name

if TYPE_CHECKING:
    from ._pencil import Pencil

_ENDS = {"SA": "smallest", "LA": "largest", "BE": "both", "LM": "both"}


class IncompleteWarning(UserWarning):
    """The found eigenvalues have converged, but the search for others, or for copies, has not ended."""


class _Found(NamedTuple):
    n: int
    w: np.ndarray  # ascending
    v: Optional[np.ndarray]  # (n, len(w))
    reason: str  # "converged", or why it has ended
    products: int
    is_open: bool  # the search for others has not ended
    reach: tuple[float, float] = (0.0, 0.0)  # from the least to the largest Ritz value

    def of(self, wanted: np.ndarray) -> _Found:
        return self._replace(w=self.w[wanted], v=None if self.v is None else self.v[:, wanted])


def _chosen(values: np.ndarray, k: int, which: str) -> np.ndarray:
    """The indices of the k wanted eigenvalues, among those of one or both ends, ascending."""
    k = min(k, len(values))
    if which == "LM":
        return np.sort(np.argsort(-np.abs(values), kind="stable")[:k])
    low = {"SA": k, "LA": 0, "BE": k // 2}[which]
    return np.concatenate((np.arange(low), np.arange(len(values) - (k - low), len(values))))


def _between(values: np.ndarray) -> float:
    """A number between the eigenvalues of the lower and of the upper end, near 0. The eigenvalues of the matrix are
    farther out (Cauchy)."""
    low, high = values[len(values) // 2 - 1], values[len(values) // 2]
    middle = (low + high) / 2
    return float(min(2 * low, middle) if low > 0 else max(2 * high, middle) if high < 0 else 0)


def _larger_end(reach: tuple[float, float]) -> str:
    """The end with the largest magnitude, if the other end is far smaller."""
    low, high = reach
    if min(-low, high) > max(-low, high) / 8:
        return "both"
    return "largest" if high > -low else "smallest"


class _Rounds:
    """The pairs of A v = w M v from the rounds of a search."""

    def __init__(self, pencil: Pencil, which: str, tol: float, terms: int) -> None:
        self._pencil, self._which, self._tol, self._terms = pencil, which, tol, terms
        self.w, self.v, self._residuals = np.empty(0), np.empty((pencil.n, 0)), np.empty(0)
        self.locked, self.among = np.empty((pencil.size, 0)), 0.0
        self._confirmed = np.empty(0, bool)

    def take(self, run: _Found, ends: str) -> bool:
        """Take the pairs of a round; whether A confirms a new one."""
        if ends == "both" and not self.among:
            self.among = _between(run.w)
        Y = run.v[:, np.linalg.norm(self.locked.T @ run.v, axis=0) < 0.5]
        kept = self.w, self.v, self._residuals
        self.w, self.v, self._residuals = map(np.hstack, zip(kept, self._pencil.pairs(Y, self.v)))
        allowed = self._pencil.allowed(self.w, self._tol, max(map(abs, run.reach)), self._terms)
        self._confirmed = self._residuals <= allowed
        return bool(self._confirmed.sum() > self.locked.shape[1])

    def lock(self) -> None:
        """Keep and lock the pairs that A confirms."""
        kept = self._confirmed
        self.w, self.v, self._residuals = self.w[kept], self.v[:, kept], self._residuals[kept]
        self.locked = self._pencil.start(self.v)

    def wanted(self, k: int) -> np.ndarray:
        """The indices of the confirmed pairs among the k wanted ones, by ascending w."""
        values = self._pencil.values(self.w)
        order = np.argsort(values, kind="stable")
        wanted = order[_chosen(values[order], k, self._which)]
        wanted = wanted[self._confirmed[wanted]]
        return wanted[np.argsort(self.w[wanted], kind="stable")]

    def is_seen(self, sure: np.ndarray, reach: tuple[float, float]) -> bool:
        """Whether a search could have seen copies of them. Lanczos' method searches down to 2^-20 of an eigenvalue. It
        cannot if that is below the rounding of the largest, as with an eigenvalue at sigma; then these are locked."""
        known = np.linalg.norm(self.locked.T @ self._pencil.start(self.v[:, sure]), axis=0) > 0.5
        least = np.abs(self._pencil.values(self.w[sure])).min()
        return bool(known.all() or max(map(abs, reach)) <= 2.0**33 * least)

    def is_hidden(self, sure: np.ndarray, reach: tuple[float, float], ends: str) -> bool:
        """Whether the other end, not searched yet, may have some of the largest in magnitude."""
        if self._which != "LM" or ends == "both":
            return False
        other = reach[1] if ends == "smallest" else -reach[0]
        return bool(4 * other > np.abs(self._pencil.values(self.w[sure])).min())


class _Search:
    """Lanczos' method with the arguments of one call."""

    def __init__(self, k: int, tol: float, ncv: Optional[int], maxiter: Optional[int], **options: Any) -> None:
        self.k, self.tol, self.ncv, self._maxiter, self._options = k, tol or 1e-14, ncv, maxiter, options

    def run(self, A: Any, ends: str, count: int, start: Any = None, vectors: bool = True,
            tol: Optional[float] = None, maxiter: Optional[int] = None, **options: Any) -> _Found:
        """That number of eigenvalues of each end."""
        least = (2 if ends == "both" else 1) * count + 2  # vectors in the subspace; with fewer the search is slow
        ncv = self.ncv or 0
        if self.k < ncv < least:
            ncv += least
        handles = SolverHandles(A, **self._options, **options, **{
            "method": "lanczos", "eigen.which": ends, "eigen.count": count, "eigen.tolerance": tol or self.tol,
            "eigen.restart": ncv})
        n = handles.n
        if count > n:
            raise ValueError(f"k = {self.k} must be from 1 to {n}, the rows of A")
        limit = maxiter or (10 * n * max(2 * self.k + 1, 20) if self._maxiter is None else self._maxiter)
        handles.set("max_iterations", limit)
        handles.calls.begin(start)
        start = None if start is None else finite("v0", vector("v0", start, n))
        count = lib.cgs_solver_eigen_count(handles.solver)
        values, rows = np.empty(count), np.empty((count, n)) if vectors else None
        found = ffi.new("struct cgs_result *", {"size": ffi.sizeof("struct cgs_result")})
        handles.call(lib.cgs_solve_eigen, handles.solver, strided(start), doubles(values),
                     strided(None if rows is None else rows.T), found)
        there = ~np.isnan(values)
        is_open = found.eigen_list == lib.CGS_LIST_OPEN and found.iterations == limit
        return _Found(n, values[there], None if rows is None else rows[there].T,
                      reason_name(found.reason), found.iterations, is_open,
                      (found.ritz_low, found.ritz_high))

    def of_matrix(self, A: Any, which: str, start: Any, vectors: bool = True, **options: Any) -> _Found:
        """A v = w v."""
        found = self.run(A, _ENDS[which], (self.k + 1) // 2 if which == "BE" else self.k, start, vectors, **options)
        return found.of(_chosen(found.w, self.k, which)) if found.reason == "converged" else found

    def of_pencil(self, pencil: Pencil, which: str, start: Any) -> _Found:
        """A v = w M v. Locks confirmed pairs, and searches again while wanted pairs are unconfirmed, or too small
        beside the largest. If the largest of the other end may disturb them, it finds both ends."""
        search = _Rounds(pencil, which, self.tol, pencil.size + (self.ncv or max(60, 4 * self.k + 20)))
        start = None if start is None else pencil.start(start)
        products, ends, one_end = 0, _ENDS[which], which == "LM" and pencil.inverted
        while True:
            S = pencil.operator(search.locked, search.among)
            ends = _larger_end(self.reach(S, maxiter=20)) if one_end else ends
            run = self.run(S, ends, self.k, start)
            products, start = products + run.products, None
            is_new = search.take(run, ends)
            sure = search.wanted(self.k)
            found = _Found(pencil.n, search.w[sure], search.v[:, sure], "converged", products, run.is_open)
            is_known = len(sure) == self.k and search.is_seen(sure, run.reach)
            if is_known and not search.is_hidden(sure, run.reach, ends):
                return found
            if not is_known and run.reason not in ("converged", "residual gap"):
                return found._replace(reason=run.reason)
            if is_known or not is_new:
                if ends == "both" or not pencil.inverted:
                    return found._replace(reason="residual gap")
                one_end, ends = False, "both"
            search.lock()

    def reach(self, A: Any, **options: Any) -> tuple[float, float]:
        """Nearly the least and the largest eigenvalue."""
        return self.run(A, "both", 1, vectors=False, tol=0.1, **options).reach

    def smallest(self, A: Any, M: Any, v0: Any, Minv: Any, asymmetry: Optional[float]) -> _Found:
        """The smallest in magnitude: of one end if all have one sign, else by the inverse of A."""
        pencil = None if M is None else self.pencil(A, M, inverse=Minv, asymmetry=asymmetry)
        ends = self.reach(A, asymmetry=asymmetry) if pencil is None else self.reach(pencil.operator())
        rounding = 2.0**-53 * 100 * max(map(abs, ends))
        for which, sign, end in (("SA", 1, ends[0]), ("LA", -1, ends[1])):
            if sign * end >= -rounding:
                found = (self.of_matrix(A, which, v0, asymmetry=asymmetry) if pencil is None else
                         self.of_pencil(pencil, which, v0))
                if (sign * found.w >= -rounding).all():
                    return found
        return self.of_pencil(self.pencil(A, M, inverted=True, asymmetry=asymmetry), "LM", v0)

    def pencil(self, A: Any, M: Any, **options: Any) -> Pencil:
        from ._pencil import Pencil  # pylint: disable=import-outside-toplevel
        return Pencil(A, M, lambda: max(map(abs, self.reach(A))), **options)

    def shifted(self, A: Any, M: Any, sigma: float, which: str, v0: Any, mode: str, OPinv: Any,
                asymmetry: Optional[float]) -> _Found:
        """The smallest in magnitude are the largest of 1 / s, which is s of "cayley" with -sigma, and else of the
        pencil that is not inverted."""
        inverted = True
        if mode != "normal" and sigma == 0:
            raise ValueError(f"sigma = 0 is none for the mode {mode!r}: it makes all eigenvalues 1")
        if which == "SM":
            which, OPinv, inverted, sigma = "LM", None, mode == "cayley", -sigma if mode == "cayley" else sigma
        pencil = self.pencil(A, M, sigma=sigma, mode=mode, inverted=inverted, inverse=OPinv, asymmetry=asymmetry)
        return self.of_pencil(pencil, which, v0)


def _check_inverses(M: Any, sigma: Any, Minv: Any, OPinv: Any, mode: str) -> None:
    for name, given, place, has_place in (("OPinv", OPinv is not None, "without a sigma", sigma is not None),
                                          ("mode", mode != "normal", "without a sigma", sigma is not None),
                                          ("Minv", Minv is not None, "without M", M is not None),
                                          ("Minv", Minv is not None, "with a sigma", sigma is None)):
        if given and not has_place:
            raise ValueError(f"{name} is not taken {place}")


def _refuse(**given: object) -> None:
    for name, value in given.items():
        if value is not None:
            raise NotImplementedError(f"{name} is not taken with M, sigma or which = 'SM'")


def eigsh(A: Any, k: int = 6, M: Any = None, sigma: Optional[float] = None, which: str = "LM", v0: Any = None,
          ncv: Optional[int] = None, maxiter: Optional[int] = None, tol: float = 0, return_eigenvectors: bool = True,
          Minv: Any = None, OPinv: Any = None, mode: str = "normal", rng: object = None, *,
          kernel: Optional[Component] = None, reductions: Optional[str] = None, threads: Optional[int] = None,
          device: Optional[str] = None, uplo: Optional[str] = None,
          asymmetry: Optional[float] = None) -> Union[np.ndarray, tuple[np.ndarray, np.ndarray]]:
    """k eigenvalues of A v = w M v by Lanczos' method: w, or (w, v) with a column of v for each of w, which ascends.

    A, M: symmetric, as A in class Solver; M positive definite, None: I. In the mode "buckling" A is positive definite
    instead. With a sigma, M may have rows of zeros.
    which: "SA", "LA", "BE", "LM", "SM": the ends, or the largest or smallest in magnitude, of w; with a sigma of

        1 / (w - sigma), of the mode "cayley" (w + sigma) / (w - sigma), of "buckling" w / (w - sigma).

    tol: ||A v - w v|| <= tol |w|, or as small as rounding leaves it; 0: 1e-14. With M or a sigma

        ||A v - w M v|| <= (1.1 tol b |w - sigma| + t u (b |w - sigma| + ||A|| + |w| ||M||)) ||v||

    with b = ||M||, of "cayley" ||M|| |w + sigma| / |2 sigma|, of "buckling" ||A|| / |sigma|; t = n + ncv, or n +
    max(60, 4 k + 20); u = 2^-53; norms are the largest sums of columns; without a sigma |w| is the largest one.
    v^T M v = 1, of "buckling" v^T A v.
    maxiter: the largest number of products; None: 10 n max(2 k + 1, 20), those of SciPy's 10 n restarts.
    ncv: the largest dimension of the subspace, above k; larger if necessary for k of both ends.
    v0: None: a random vector, always the same. `rng` is ignored.
    OPinv, Minv: products with the inverse of A - sigma M, or of M, instead of a factorisation by SciPy. An operator
    that needs one is expanded by n products. All of this, and "SM", is for the CPU.

    A multiple eigenvalue is found with its multiplicity. NoConvergence is raised if not all have converged;
    IncompleteWarning is given if maxiter ends the search for others.
    """
    k, tol = whole("k", k), number("tol", tol)
    if not isinstance(which, str) or which not in (*_ENDS, "SM"):
        raise ValueError(f'which = {which!r} must be "SA", "LA", "BE", "LM" or "SM"')
    if mode not in ("normal", "cayley", "buckling"):
        raise ValueError(f'mode = {mode!r} must be "normal", "cayley" or "buckling"')
    _check_inverses(M, sigma, Minv, OPinv, mode)
    where = values_of(A)
    gpu = place(device, A=where)
    search = _Search(k, tol, None if ncv is None else whole("ncv", ncv), maxiter, reductions=reductions,
                     threads=threads, gpu=gpu)
    if M is None and sigma is None and which != "SM":
        found = search.of_matrix(A, which, v0, return_eigenvectors, kernel=kernel, uplo=uplo, asymmetry=asymmetry)
    else:
        _refuse(kernel=kernel, uplo=uplo)
        if gpu is not None:
            raise ValueError('M, sigma and which = "SM" are for the CPU: device = "cpu"')
        if sigma is not None:
            found = search.shifted(A, M, number("sigma", sigma, "finite"), which, v0, mode, OPinv, asymmetry)
        elif which == "SM":
            found = search.smallest(A, M, v0, Minv, asymmetry)
        else:
            found = search.of_pencil(search.pencil(A, M, inverse=Minv, asymmetry=asymmetry), which, v0)
    dtype = np.float32 if is_single(A) else np.float64
    w, v = found.w.astype(dtype, copy=False), None if found.v is None else found.v.astype(dtype, copy=False)
    if found.reason != "converged":
        from ._convergence import NoConvergence  # pylint: disable=import-outside-toplevel
        raise NoConvergence(f"{found.reason} after {found.products} products with A", w,
                            np.empty((found.n, 0), dtype) if v is None else v)
    if found.is_open:
        warnings.warn(f"eigenvalues may be missing: the search for others has not ended after {found.products} "
                      "products with A, maxiter", IncompleteWarning, stacklevel=2)
    w = like(where, w)
    return (w, like(where, v)) if return_eigenvectors else w
