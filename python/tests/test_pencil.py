"""Eigenvalues of A v = w M v, and near a sigma: those of LAPACK, and residuals with A."""

import itertools
import unittest
import warnings

import numpy as np
import scipy.linalg
import scipy.sparse as sparse
import scipy.sparse.linalg as linalg
from support import random

import cgsolve

U = 2.0**-53
FORMS = (np.asarray, sparse.csr_array, sparse.coo_array, linalg.aslinearoperator)


def s_of(w, sigma, mode):
    """The numbers of which `which` speaks."""
    if sigma is None:
        return w
    return {"normal": 1 / (w - sigma), "cayley": (w + sigma) / (w - sigma), "buckling": w / (w - sigma)}[mode]


def chosen(w, k, which, sigma, mode):
    s = s_of(w, sigma, mode)
    order = np.argsort(np.abs(s) if which[1] == "M" else s)
    low = {"L": 0, "S": k, "B": k // 2}[which[0]]
    return np.sort(w[np.concatenate((order[:low], order[len(w) - (k - low):]))])


def norm(A):
    return abs(A).sum(axis=0).max()


def laplacian(*paths):
    """Of paths that are not joined; 2 - 2 cos(pi i / n) of one with n nodes."""
    A = sparse.csr_array(sparse.csgraph.laplacian(sparse.block_diag([
        sparse.diags([np.ones(n - 1)] * 2, [-1, 1]) for n in paths])))
    return A, np.sort(np.concatenate([2 - 2 * np.cos(np.pi * np.arange(n) / n) for n in paths]))


class Pencils(unittest.TestCase):
    def setUp(self):
        """w at least 0.4 from each other and 0.2 from the whole numbers and 0, of both signs."""
        rng = random()
        n = self.n = int(rng.integers(20, 90))
        w = self.w = np.arange(n) - n // 2 + 0.5 + rng.uniform(-0.3, 0.3, n)
        L = np.eye(n) + np.tril(rng.uniform(-1, 1, (n, n)), -1) / n
        Q = np.linalg.qr(rng.standard_normal((n, n)))[0]
        L, self.inverse = L @ Q, Q.T @ scipy.linalg.inv(L)
        self.plain = (Q * w) @ Q.T, None
        self.general = (L * w) @ L.T, L @ L.T
        self.buckling = L @ L.T, (L / w) @ L.T
        for A, M in (self.plain, self.general, self.buckling):
            A[:] = (A + A.T) / 2
            if M is not None:
                M[:] = (M + M.T) / 2

    def expect(self, A, M, w, v, k, which, sigma=None, mode="normal", tol=1e-14):
        """The bound of eigsh's page; and |w - w'| <= ||B^-1/2 r|| of a pair with v^T B v = 1, and what LAPACK leaves,
        10 n u (||B^-1|| ||A|| + cond(B) |w|) (Users' Guide, section 4.10), of "buckling" for 1 / w."""
        n, eye = len(A), np.eye(len(A))
        M_or_I = eye if M is None else M
        B, other = (A, M_or_I) if mode == "buckling" else (M_or_I, A)
        at, b = sigma or 0, {"normal": norm(M_or_I), "buckling": norm(A) / abs(sigma or 1),
                             "cayley": norm(M_or_I) * abs(w + (sigma or 0)) / abs(2 * (sigma or 1))}[mode]
        largest = np.abs(self.w).max() * np.ones(k) if sigma is None else np.abs(w)
        rounding = (n + max(60, 4 * k + 20)) * U
        r = A @ v - M_or_I @ v * w
        lengths = np.linalg.norm(v, axis=0)
        allowed = (1.1 * tol + rounding) * b * np.abs(w - at) + rounding * (norm(A) + largest * norm(M_or_I))
        self.assertTrue((np.linalg.norm(r, axis=0) <= 1.01 * allowed * lengths).all())
        half = np.linalg.cholesky(B)
        expected = chosen(self.w, k, which, sigma, mode)
        error = np.linalg.norm(scipy.linalg.solve_triangular(half, r, lower=True), axis=0)
        made = 10 * n * U * np.linalg.norm(np.linalg.inv(B), 2)
        if mode == "buckling":
            error = np.abs(w * expected) * (error / np.abs(w) + made * (norm(other) + norm(B) / np.abs(w)))
        else:
            error = error + made * (norm(other) + norm(B) * np.abs(w))
        self.assertTrue((np.abs(w - expected) <= error).all(), (w, expected, error))
        np.testing.assert_allclose((v * (B @ v)).sum(axis=0), 1, rtol=1e-12)

    def test_every_mode(self):
        for which, k in itertools.product(("LM", "SM", "LA", "SA", "BE"), (1, 4, 7)):
            for mode, sigma in (("normal", None), ("normal", 3.0), ("normal", 0), ("cayley", 3.0), ("cayley", -2.0),
                                ("buckling", 3.0), ("buckling", -2.0)):
                for A, M in (self.buckling,) if mode == "buckling" else (self.plain, self.general):
                    form = FORMS[(k + len(which) + ord(which[0]) + (M is None)) % len(FORMS)]
                    with self.subTest(which, k=k, mode=mode, sigma=sigma, M=M is not None, form=form.__name__):
                        w, v = cgsolve.eigsh(form(A), k, None if M is None else form(M), sigma, which, mode=mode,
                                             threads=1)
                        self.expect(A, M, w, v, k, which, sigma, mode)

    def test_tolerances(self):
        for tol in (1e-3, 1e-8):
            for mode, (A, M) in (("normal", self.general), ("cayley", self.general), ("buckling", self.buckling)):
                w, v = cgsolve.eigsh(A, 3, M, 3.0, tol=tol, mode=mode)
                self.expect(A, M, w, v, 3, "LM", 3.0, mode, tol)

    def test_inverses_of_the_caller(self):
        A, M = self.general
        inverse = np.linalg.inv(A - 3 * M)
        for given in (inverse, sparse.csr_array(inverse), linalg.aslinearoperator(inverse)):
            for form in FORMS:
                w, v = cgsolve.eigsh(form(A), 4, M, 3.0, OPinv=given)
                self.expect(A, M, w, v, 4, "LM", 3.0)
        w, v = cgsolve.eigsh(A, 4, M, which="SA", Minv=np.linalg.inv(M))
        self.expect(A, M, w, v, 4, "SA")
        w, v = cgsolve.eigsh(linalg.aslinearoperator(self.plain[0]), 4, sigma=3.0,
                             OPinv=np.linalg.inv(self.plain[0] - 3 * np.eye(self.n)))
        self.expect(*self.plain, w, v, 4, "LM", 3.0)

    def test_a_wrong_inverse_is_not_confirmed(self):
        """S has its own eigenvalues, and A has others."""
        A, M = self.general
        inverse = np.linalg.inv(A - 3.01 * M)
        with self.assertRaisesRegex(cgsolve.NoConvergence, "residual gap after") as raised:
            cgsolve.eigsh(A, 4, M, 3.0, OPinv=inverse @ (np.eye(self.n) + np.diag(random().uniform(0, 0.1, self.n))))
        self.assertEqual(raised.exception.eigenvectors.shape, (self.n, len(raised.exception.eigenvalues)))

    def test_bits(self):
        A, M = map(sparse.csc_array, self.general)
        for options in ({"sigma": 3.0}, {"which": "SM"}, {"which": "LA"}):
            self.assertEqual(len({tuple(map(bytes, cgsolve.eigsh(A, 4, M, threads=threads, **options)))
                                  for threads in (1, 2, 3)}), 1)

    def test_types(self):
        A, M = (X.astype(np.float32) for X in self.general)
        w, v = cgsolve.eigsh((A + A.T) / 2, 3, (M + M.T) / 2, 3.0)
        self.assertEqual((w.dtype, v.dtype), (np.float32, np.float32))
        np.testing.assert_array_equal(cgsolve.eigsh(*self.general[:1], 3, self.general[1], 3.0,
                                                    return_eigenvectors=False),
                                      cgsolve.eigsh(self.general[0], 3, self.general[1], 3.0)[0])


class Singular(unittest.TestCase):
    """Eigenvalues at sigma. What is known of w is ||r|| where M = I, and n u ||A|| of what is expected."""

    def expect(self, A, expected, w, v):
        r = np.linalg.norm(A @ v - v * w, axis=0) / np.linalg.norm(v, axis=0)
        bound = 1.1e-14 * np.abs(w) + (A.shape[0] + 100) * 3 * U * norm(A)
        self.assertTrue((r <= bound).all(), (r, bound))
        self.assertTrue((np.abs(w - expected) <= bound).all(), (w, expected))
        np.testing.assert_allclose(v.T @ v, np.eye(len(w)), atol=1e-9)

    def test_laplacians(self):
        """Of as many 0 as there are paths; of one sign, which needs no inverse, or with a sigma, which does."""
        for paths in ((150,), (40, 41, 42), (9, 7)):
            A, expected = laplacian(*paths)
            for options in ({"which": "SM"}, {"sigma": 0}, {"sigma": -1e-3}):
                for form in FORMS[1:]:
                    for sign in (1, -1):
                        given = form(sparse.csr_array(sign * A))
                        theirs = {name: sign * value if name == "sigma" else value for name, value in options.items()}
                        with self.subTest(paths=paths, sign=sign, form=form.__name__, **theirs):
                            w, v = cgsolve.eigsh(given, 5, threads=1, **theirs)
                            self.expect(sign * A, np.sort(sign * expected[:5]), w, v)

    def test_smallest_of_both_signs(self):
        """A bipartite graph has w and -w, and 0 where its halves are unequal; one of random signs has neither."""
        path = sparse.csr_array(sparse.diags([np.ones(100)] * 2, [-1, 1]))
        w, v = cgsolve.eigsh(path, 3, which="SM")
        self.expect(path, 2 * np.cos(np.pi * np.array([52, 51, 50]) / 102), w, v)
        some = sparse.random(80, 80, density=0.1, random_state=random())
        A = sparse.csr_array(some + some.T + sparse.diags(np.arange(80.0) - 40.3))
        expected = np.linalg.eigvalsh(A.toarray())
        w, v = cgsolve.eigsh(A, 4, which="SM")
        self.expect(A, np.sort(expected[np.argsort(np.abs(expected))[:4]]), w, v)

    def test_sigma_at_an_eigenvalue(self):
        """Beside it the others of S are small; each multiple one is found as often as it is."""
        rng = random()
        w = np.repeat(rng.permutation(np.arange(-30.0, 30)), rng.integers(1, 3, 60))
        A = sparse.diags(w).tocsr()
        for sigma in (0, 5, 5 + 1e-13):
            found, v = cgsolve.eigsh(A, 7, sigma=sigma)
            np.testing.assert_allclose(np.sort(np.abs(found - sigma)), np.sort(np.abs(w - sigma))[:7], atol=1e-12)
            self.expect(A, np.round(found), found, v)

    def test_M_with_rows_of_zeros(self):
        """Which has infinite w: the others are those of the Schur complement."""
        rng = random()
        G = rng.standard_normal((40, 40))
        A, mass = G @ G.T + np.eye(40), np.where(np.arange(40) % 3 == 0, 0, rng.uniform(1, 2, 40))
        there = mass > 0
        inner = A[np.ix_(there, there)] - A[np.ix_(there, ~there)] @ np.linalg.solve(A[np.ix_(~there, ~there)],
                                                                                  A[np.ix_(~there, there)])
        expected = scipy.linalg.eigh(inner, np.diag(mass[there]), eigvals_only=True)[:4]
        for form in FORMS:
            w = cgsolve.eigsh(form(A), 4, form(np.diag(mass)), 0, return_eigenvectors=False)
            np.testing.assert_allclose(w, expected, rtol=1e-9)
        with self.assertRaisesRegex(ValueError, "M is not positive definite: it has rows of zeros"):
            cgsolve.eigsh(A, 4, np.diag(mass))


class Refused(unittest.TestCase):
    def test_values(self):
        A, one = sparse.diags(np.arange(1.0, 31)).tocsr(), np.eye(30)
        wrong = A.tolil()
        wrong[2, 3] = 1
        for options, says in (
                ({"M": -one}, "M is not positive definite"), ({"M": -sparse.csr_array(one)}, "M is not positive"),
                ({"M": wrong}, r"M\[2, 3\] = 1"), ({"M": one[:4, :4]}, "M has 4 rows: A has 30"),
                ({"M": one[:4]}, r"M has the shape \(4, 30\)"), ({"M": 1j * one}, "complex128"),
                ({"sigma": np.nan}, "sigma = nan must be finite"), ({"sigma": 1j}, "sigma = 1j must be finite"),
                ({"sigma": "x"}, "sigma = 'x'"), ({"sigma": 1, "mode": "x"}, "mode = 'x' must be"),
                ({"mode": "cayley"}, "mode is not taken without a sigma"),
                ({"sigma": 0, "mode": "cayley"}, "sigma = 0 is none for the mode 'cayley'"),
                ({"OPinv": one}, "OPinv is not taken without a sigma"), ({"Minv": one}, "Minv is not taken without M"),
                ({"sigma": 1, "M": one, "Minv": one}, "Minv is not taken with a sigma"),
                ({"sigma": 1, "OPinv": one[:3, :3]}, "OPinv has 3 rows: A has 30"), ({"sigma": 1, "k": 31}, "k = 31"),
                ({"sigma": 1, "v0": np.ones(3)}, "v0 has the shape")):
            with self.subTest(options), self.assertRaisesRegex(ValueError, says):
                cgsolve.eigsh(A, **options)
        with self.assertRaisesRegex(ValueError, "A.2, 3. = 1"):
            cgsolve.eigsh(wrong, sigma=1)
        for name, value in (("kernel", "cpu_csr"), ("uplo", "U")):
            with self.assertRaisesRegex(NotImplementedError, f"{name} is not taken with M, sigma or"):
                cgsolve.eigsh(A, sigma=1.5, **{name: value})

    def test_not_converged(self):
        A = laplacian(300)[0]
        for options in ({"which": "SM"}, {"sigma": 1.5}, {"M": sparse.identity(300), "which": "SA"}):
            with self.assertRaisesRegex(cgsolve.NoConvergence, "iteration limit after"), warnings.catch_warnings():
                cgsolve.eigsh(A, 4, maxiter=6, **options)

    def test_what_an_inverse_raises(self):
        def fail(_):
            raise KeyError("mine")

        with self.assertRaisesRegex(KeyError, "mine"):
            cgsolve.eigsh(np.eye(9), 2, sigma=3, OPinv=linalg.LinearOperator((9, 9), fail, dtype=float))


if __name__ == "__main__":
    unittest.main()
