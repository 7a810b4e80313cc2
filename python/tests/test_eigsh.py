"""Eigenvalues: those of SciPy, and residuals of their own."""

import pickle
import unittest
import warnings

import numpy as np
import scipy.sparse as sparse
import scipy.sparse.linalg as linalg
from support import random

import cgsolve


class Eigsh(unittest.TestCase):
    def setUp(self):
        """Of both signs, with distances."""
        some = sparse.random(150, 150, density=0.05, format="csr", random_state=random())
        self.A = sparse.csr_array(some + some.T + sparse.diags(np.arange(-40.0, 110.0)))
        self.all = np.linalg.eigvalsh(self.A.toarray())

    def test_all_ends(self):
        by_size = self.all[np.argsort(-np.abs(self.all))]
        for k in (1, 4, 5):
            for which, expected in (("SA", self.all[:k]), ("LA", self.all[-k:]), ("LM", np.sort(by_size[:k])),
                                    ("BE", np.append(self.all[:k // 2], self.all[-(k - k // 2):]))):
                with self.subTest(which, k=k):
                    w, v = cgsolve.eigsh(self.A, k, which=which)
                    np.testing.assert_allclose(w, expected, atol=1e-11)
                    self.assertEqual((w.shape, v.shape), ((k,), (150, k)))
                    np.testing.assert_allclose(v.T @ v, np.eye(k), atol=1e-11)
                    np.testing.assert_allclose(self.A @ v, v * w, atol=1e-10)
                    np.testing.assert_array_equal(cgsolve.eigsh(self.A, k, which=which, return_eigenvectors=False), w)

    def test_defaults_are_those_of_scipy(self):
        theirs, _ = linalg.eigsh(self.A)
        w, _ = cgsolve.eigsh(self.A)
        np.testing.assert_allclose(w, theirs, atol=1e-10)

    def test_small_matrices(self):
        """Where both ends meet, and where all are wanted."""
        for n, k in ((1, 1), (2, 1), (5, 3), (5, 5), (9, 8)):
            A = np.diag(np.arange(n) - 2.5)
            expected = np.diag(A)[np.argsort(-np.abs(np.diag(A)), kind="stable")[:k]]
            w, v = cgsolve.eigsh(A, k)
            np.testing.assert_allclose(np.sort(np.abs(w)), np.sort(np.abs(expected)), atol=1e-13)
            np.testing.assert_allclose(A @ v, v * w, atol=1e-13)
            both = cgsolve.eigsh(A, k, which="BE", return_eigenvectors=False)
            low = k // 2
            np.testing.assert_allclose(both, np.append(np.diag(A)[:low], np.diag(A)[n - (k - low):]), atol=1e-13)

    def test_bits(self):
        v0 = random().uniform(-1, 1, 150)
        for options in ({}, {"v0": v0}, {"ncv": 30, "tol": 1e-8}):
            found = {tuple(map(bytes, cgsolve.eigsh(self.A, 4, which="SA", threads=threads, **options)))
                     for threads in (1, 2, 3)}
            self.assertEqual(len(found), 1)

    def test_lists_are_complete(self):
        """Multiple eigenvalues, as often as the matrix has them, from any first vector."""
        path = np.diag(np.full(25, 2.0)) - np.eye(25, k=1) - np.eye(25, k=-1)
        path[0, 0] = path[-1, -1] = 1
        cube = np.array([[float(bin(i ^ j).count("1") == 1) for j in range(64)] for i in range(64)])
        one = np.zeros(150)
        one[3] = 1
        for A, k, v0 in ((np.diag(np.repeat((1.0, 50.0), 100)), 5, None), (np.kron(np.eye(6), path), 8, one),
                         (100 * np.eye(100) - 1, 3, None), (cube, 6, None), (path, 4, np.ones(25))):
            expected = np.linalg.eigvalsh(A)
            for which in ("SA", "LA"):
                for tol in (0, 1e-4, 1e-8):
                    with self.subTest(n=len(A), which=which, tol=tol), warnings.catch_warnings():
                        warnings.simplefilter("error")
                        w = cgsolve.eigsh(A, k, which=which, v0=v0, tol=tol, return_eigenvectors=False)
                        wanted = expected[:k] if which == "SA" else expected[-k:]
                        np.testing.assert_allclose(w, wanted, atol=1e-11 + 2 * tol * np.abs(wanted).max())

    def test_a_list_that_is_not_known_to_be_complete(self):
        """The pairs converge at least one product before the search for others ends."""
        for maxiter in range(4, 200):
            try:
                with warnings.catch_warnings(record=True) as said:
                    warnings.simplefilter("always")
                    cgsolve.eigsh(self.A, 2, which="LA", maxiter=maxiter)
            except cgsolve.NoConvergence:
                continue
            self.assertEqual([one.category for one in said], [cgsolve.IncompleteWarning])
            self.assertIn(f"after {maxiter} products", str(said[0].message))
            return
        self.fail("nothing has converged")

    def test_room_for_both_ends(self):
        """Of a subspace of any dimension above k, as SciPy takes it."""
        expected = np.sort(self.all[np.argsort(-np.abs(self.all))[:6]])
        for ncv in range(7, 14):
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                w = cgsolve.eigsh(self.A, 6, ncv=ncv, return_eigenvectors=False)
            np.testing.assert_allclose(w, expected, atol=1e-11)

    def test_maxiter_is_enough_by_default(self):
        """Of chains that are not joined, 0 once each and 2 - 2 cos(pi i / n), in many rounds, and of a long one."""
        for chains, n, counts in ((12, 200, (6, 12)), (1, 1000, (3,))):
            one = sparse.diags([np.ones(n - 1)] * 2, [-1, 1])
            A = sparse.csr_array(sparse.csgraph.laplacian(sparse.block_diag([one] * chains)))
            expected = np.repeat(2 - 2 * np.cos(np.pi * np.arange(n) / n), chains)
            for k in counts:
                with self.subTest(chains=chains, k=k), warnings.catch_warnings():
                    warnings.simplefilter("error")
                    w = cgsolve.eigsh(A, k, which="SA", return_eigenvectors=False, threads=1)
                    np.testing.assert_allclose(w, expected[:k], atol=1e-12)

    def test_not_converged(self):
        with self.assertRaisesRegex(cgsolve.NoConvergence, "iteration limit after 20 products") as raised:
            cgsolve.eigsh(self.A, 4, which="SA", maxiter=20)
        self.assertEqual(raised.exception.eigenvectors.shape, (150, len(raised.exception.eigenvalues)))
        with self.assertRaisesRegex(linalg.ArpackNoConvergence, "iteration limit"):
            cgsolve.eigsh(self.A, 4, which="SA", maxiter=20)
        self.assertTrue(issubclass(cgsolve.NoConvergence, cgsolve.Error))

    def test_not_converged_in_another_process(self):
        """The exception comes back from it as it was raised."""
        for options in ({}, {"return_eigenvectors": False}):
            with self.assertRaises(cgsolve.NoConvergence) as raised:
                cgsolve.eigsh(self.A, 4, which="SA", maxiter=20, **options)
            error = pickle.loads(pickle.dumps(raised.exception))
            self.assertEqual((type(error), str(error)), (cgsolve.NoConvergence, str(raised.exception)))
            np.testing.assert_array_equal(error.eigenvalues, raised.exception.eigenvalues)
            np.testing.assert_array_equal(error.eigenvectors, raised.exception.eigenvectors)

    def test_types(self):
        """As SciPy's, w and v are of float32 where A is."""
        for dtype in (np.float32, np.float64, np.int32, np.int64):
            A = sparse.csr_array(np.round(self.A.toarray() * 8)).astype(dtype)
            expected = linalg.eigsh(A.astype(np.float32 if dtype == np.float32 else float), 3, which="LA")
            for given in (A, A.toarray(), linalg.aslinearoperator(A)):
                w, v = cgsolve.eigsh(given, 3, which="LA")
                self.assertEqual((w.dtype, v.dtype), (expected[0].dtype, expected[1].dtype))
                np.testing.assert_allclose(w, np.linalg.eigvalsh(A.toarray().astype(float))[-3:],
                                           rtol=1e-6 if dtype == np.float32 else 1e-12)

    def test_refused(self):
        for options, says in (({"which": "LR"}, "which = 'LR' must be"), ({"k": 0}, "^k wants .* not 0"),
                              ({"k": 2.5}, "^k = 2.5 must be"), ({"k": "3"}, "^k = '3' must be"),
                              ({"k": 10**30}, "^k = 10+"), ({"which": ["SA"]}, "which = ..SA.. must"),
                              ({"tol": "x"}, "^tol = 'x' must"), ({"tol": 10**400}, "^tol = 10+"),
                              ({"ncv": []}, r"^ncv = \[\] must be"), ({"v0": np.full(150, np.nan)}, r"^v0\[0\] = nan is not"),
                              ({"k": 151}, "k = 151"),
                              ({"tol": 2}, "^tol wants"), ({"ncv": 3}, "^ncv = 3 is too small"),
                              ({"v0": np.ones(3)}, "v0 has the shape"), ({"v0": np.zeros(150)}, "0")):
            with self.subTest(options):
                with self.assertRaisesRegex(ValueError, says):
                    cgsolve.eigsh(self.A, **options)


if __name__ == "__main__":
    unittest.main()
