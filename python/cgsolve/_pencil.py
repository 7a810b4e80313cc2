"""A v = w M v by the eigenvalues of one symmetric operator, with SciPy's factorisations."""

from __future__ import annotations

import functools
import types
import warnings
from typing import Any, Callable, Optional

import numpy as np
import scipy.linalg as dense
import scipy.sparse as sparse
import scipy.sparse.linalg as linalg

from ._matrix import Data, array, entries_of, is_operator, real, square, vector
from ._product import Product, product_of
from ._solver import Handles


def _check(what: str, A: Any, asymmetry: Optional[float]) -> None:
    """Have the library look at the entries of a matrix, and at their symmetry."""
    handles = Handles()
    try:
        data = Data(A, 0.0, None, asymmetry)
        handles.in_thread(lambda: handles.matrix(handles.context(1, None), data))
    except ValueError as error:
        raise ValueError(str(error).replace("A", what, 1)) from None


def _entries(what: str, A: Any) -> Any:
    """A matrix of SciPy or NumPy; that of an operator by n products."""
    if is_operator(A):
        product, n = product_of(what, A)
        columns = (real(what, product(np.eye(1, n, j)[0])).reshape(n, 1) for j in range(n))
        return sparse.hstack([sparse.csc_array(column) for column in columns])
    if not hasattr(A, "tocsr") and "sparse" not in str(getattr(A, "layout", "")):
        return np.asarray(array(what, A))
    n, offsets, rows, columns, values, _ = entries_of(A)
    if rows is None:
        return sparse.csr_array((values, columns, offsets), shape=(n, n))
    return sparse.coo_array((values, (rows, columns)), shape=(n, n))


def _symmetric(what: str, A: Any, asymmetry: Optional[float] = None) -> Any:
    """A in double, exactly symmetric: dense if A is, else by columns."""
    if not is_operator(A):
        _check(what, A, asymmetry)
    A = _entries(what, A).astype(np.float64)
    mean = (A + A.T) * 0.5
    return mean if isinstance(mean, np.ndarray) else sparse.csc_array(mean)


def _solve(K: Any) -> Optional[Product]:
    """z = K^-1 b by a factorisation; None: K is singular."""
    if isinstance(K, np.ndarray):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", dense.LinAlgWarning)
            factors = dense.lu_factor(K)
        return functools.partial(dense.lu_solve, factors) if np.diag(factors[0]).all() else None
    try:
        solve: Product = linalg.splu(K).solve
    except RuntimeError:  # "Factor is exactly singular"
        return None
    return solve


def _given(what: str, inverse: Any, n: int) -> Product:
    """z = K^-1 b by the caller."""
    product, rows = product_of(what, inverse)
    if rows != n:
        raise ValueError(f"{what} has {rows} rows: A has {n}")
    return lambda b: vector(f"{what}.matvec(b)", product(b), n)


def _root(what: str, B: Any) -> tuple[Any, Optional[Product]]:
    """F with B = F F^T, a column for each row of B that is not 0: in these B is positive definite; and z = B^-1 b, None
    where B has rows that are 0."""
    rows = np.flatnonzero(B.diagonal())
    part = B[rows][:, rows]
    try:
        if isinstance(B, np.ndarray):
            F = np.linalg.cholesky(part)
            solve: Product = functools.partial(dense.cho_solve, (F, True))
        else:
            lu = linalg.splu(part, permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=0.0, options={"SymmetricMode": True})
            pivots, solve = lu.U.diagonal(), lu.solve
            if not np.array_equal(lu.perm_r, lu.perm_c) or pivots.min() <= 0:
                raise np.linalg.LinAlgError
            F = sparse.csr_array(lu.L)[lu.perm_r] @ sparse.diags(np.sqrt(pivots))
    except (RuntimeError, np.linalg.LinAlgError):
        raise ValueError(f"{what} is not positive definite") from None
    if len(rows) == B.shape[0]:
        return F, solve
    return sparse.eye(B.shape[0], format="csr")[:, rows] @ F, None


def _columns(product: Product, X: np.ndarray) -> np.ndarray:
    """The product with each column of X."""
    return np.stack([product(x) for x in X.T.copy()], axis=1) if X.size else X


def _norm(A: Any) -> float:
    """The largest sum of a column's absolute values, at least the 2-norm of a symmetric A."""
    return float(abs(A).sum(axis=0).max())


class Pencil:
    """A v = w M v as S y = s y, with K = A - sigma M and B = F F^T, which is M, or A of the mode "buckling":

        inverted    S = F^T K^-1 F,             s = 1 / (w - sigma), or w / (w - sigma) of "buckling"
                    S = I + 2 sigma F^T K^-1 F, s = (w + sigma) / (w - sigma) of "cayley"
        else        S = F^T B^-1 K B^-1 F,      s is 1 over the first line

    and v = F^-T y (Ericsson and Ruhe 1980; Grimes, Lewis and Simon 1994).

    inverse: z = K^-1 b, or B^-1 b where S is not inverted; None: by a factorisation. Where K has none, sigma of K moves
    by 2^-26 ||A|| / ||M||. norm: that of an operator, where A is one whose entries are not needed."""

    def __init__(self, A: Any, M: Any, norm: Callable[[], float], sigma: float = 0.0, mode: str = "normal",
                 inverted: bool = False, inverse: Any = None, asymmetry: Optional[float] = None) -> None:
        self._sigma, self._mode, self.inverted = sigma, mode, inverted
        by_products = is_operator(A) and mode != "buckling" and (not inverted or inverse is not None)
        A = A if by_products else _symmetric("A", A, asymmetry)
        M = None if M is None else _symmetric("M", M)
        (self._A, n), self._M = product_of("A", A), M.__matmul__ if M is not None else lambda x: x
        if M is not None and square("M", M.shape) != n:
            raise ValueError(f"M has {M.shape[0]} rows: A has {n}")
        self._norm_A = norm() if by_products else _norm(A)
        self._norm_M = 1.0 if M is None else _norm(M)
        B, self._B = (A, self._A) if mode == "buckling" else (M, self._M)
        self._F, back = (None, None) if B is None else _root("A" if B is A else "M", B)
        solve = back
        if inverse is not None:
            solve = _given("OPinv" if inverted else "Minv", inverse, n)
        elif inverted:
            solve = self._shifted(A, M)
        elif B is not None and solve is None:
            raise ValueError(f"{'A' if B is A else 'M'} is not positive definite: it has rows of zeros")
        self._solve: Product = solve or (lambda b: b)
        self._solves = (self._solve, (lambda b: b) if B is None else back or self._solve)
        self.n: int = n
        self.size: int = n if self._F is None else self._F.shape[1]

    def _shifted(self, A: Any, M: Any) -> Product:
        if M is None:
            M = np.eye(len(A)) if isinstance(A, np.ndarray) else sparse.eye(A.shape[0], format="csc")
        elif isinstance(M, np.ndarray) != isinstance(A, np.ndarray):
            A, M = (X if isinstance(X, np.ndarray) else X.toarray() for X in (A, M))
        away = 2.0**-26 * self._norm_A / self._norm_M
        for sigma in (self._sigma, self._sigma + away, self._sigma - away):
            solve = _solve(A - sigma * M)
            if solve is not None:
                return solve
        raise ValueError("A - sigma M is singular for every sigma")

    def operator(self, locked: Optional[np.ndarray] = None, among: float = 0.0) -> Any:
        """S, where it maps what is orthogonal to the columns of `locked`; these have the eigenvalue `among`."""
        def matvec(y: np.ndarray) -> np.ndarray:
            part = 0 if locked is None else locked @ (locked.T @ y)
            z = self._vectors(y - part)
            if not self.inverted:
                z = self._solve(self._A(z) - self._sigma * self._M(z))
            z = self.start(z)
            if self._mode == "cayley":
                z = y - part + 2 * self._sigma * z
            return z if locked is None else z - locked @ (locked.T @ z) + among * part

        return types.SimpleNamespace(shape=(self.size, self.size), matvec=matvec)

    def start(self, v: np.ndarray) -> np.ndarray:
        """The y of which v is made, but for a factor: F^T v."""
        y: np.ndarray = v if self._F is None else self._F.T @ v
        return y

    def _vectors(self, y: np.ndarray) -> np.ndarray:
        z: np.ndarray = self._solve(y if self._F is None else self._F @ y)
        return z

    def values(self, w: np.ndarray) -> np.ndarray:
        """s of w."""
        above = {"normal": np.ones_like(w), "cayley": w + self._sigma, "buckling": w}[self._mode]
        with np.errstate(divide="ignore"):
            return above / (w - self._sigma) if self.inverted else (w - self._sigma) / above

    def pairs(self, Y: np.ndarray, locked: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """w, v with v^T B v = 1, and ||A v - w M v|| / ||v||, from vectors of S; v orthogonal to those that are locked.
        Of v = K^-1 F y and v = F^-T y the better one: the first loses what y has of far eigenvalues too much, and has
        more of near ones."""
        Z = Y if self._F is None else self._F @ Y
        found = [self._quotients(_columns(solve, Z), locked) for solve in self._solves]
        first = found[0][2] <= found[-1][2]
        w, v, residuals = (np.where(first, one, other) for one, other in zip(found[0], found[-1]))
        return w, v, residuals

    def _quotients(self, V: np.ndarray, locked: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        V = V - locked @ (_columns(self._B, locked).T @ V)
        AV, MV = _columns(self._A, V), _columns(self._M, V)
        vAv, vMv = (V * AV).sum(axis=0), (V * MV).sum(axis=0)
        with np.errstate(divide="ignore", invalid="ignore"):
            w = vAv / vMv
            residuals = np.linalg.norm(AV - w * MV, axis=0) / np.linalg.norm(V, axis=0)
            return w, V / np.sqrt(vAv if self._mode == "buckling" else vMv), residuals

    def allowed(self, w: np.ndarray, tol: float, reach: float, terms: int) -> np.ndarray:
        """What ||A v - w M v|| / ||v|| may be,

            (1.1 tol + terms u) b |w - sigma| + terms u (||A|| + |w| ||M||)

        with b = ||M||, of "cayley" ||M|| |w + sigma| / |2 sigma|, of "buckling" ||A|| / |sigma|, and u = 2^-53. The
        first term is what tol |s| leaves of a pair of S. |w| is `reach`, the largest of them, where S is A in other
        coordinates."""
        rounding = terms * 2.0**-53
        largest = np.abs(w) if self.inverted or self._sigma else np.maximum(np.abs(w), reach)
        scale = {"normal": lambda: self._norm_M, "buckling": lambda: self._norm_A / abs(self._sigma),
                 "cayley": lambda: self._norm_M * np.abs(w + self._sigma) / abs(2 * self._sigma)}[self._mode]()
        allowed: np.ndarray = ((1.1 * tol + rounding) * scale * np.abs(w - self._sigma)
                               + rounding * (self._norm_A + largest * self._norm_M))
        return allowed
