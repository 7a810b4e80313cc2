"""A and M that are known by their products, the shift, and what functions of Python may do wrong."""

import itertools
import unittest
import warnings

import numpy as np
import scipy.sparse as sparse
import scipy.sparse.linalg as linalg
from support import grid, random

import cgsolve


class Trouble(Exception):
    pass


class Known:
    """All that is asked of an operator: a shape and its product, here as a column."""

    def __init__(self, A):
        self.A, self.shape = A, A.shape

    def matvec(self, x):
        return (self.A @ x)[:, None]


class Failing(Known):
    """Its product number `last` raises."""

    def __init__(self, A, last):
        super().__init__(A)
        self.left = last

    def matvec(self, x):
        self.left -= 1
        if self.left == 0:
            raise Trouble(x.shape)
        return self.A @ x


class Spoiling(Known):
    """Keeps and overwrites what it was given."""

    kept = []

    def matvec(self, x):
        result = self.A @ x
        x[:] = np.nan
        self.kept.append(x)
        return result


class System(unittest.TestCase):
    def setUp(self):
        self.A, self.b = grid(12), random().uniform(-1, 1, 144)
        self.inverse = np.linalg.inv(self.A.toarray())

    def expect_solved(self, found, A, rtol=1e-5):
        x, info = found
        self.assertEqual((info, x.shape, x.dtype), (0, self.b.shape, np.float64))
        self.assertLessEqual(np.linalg.norm(self.b - A @ x), 1.1 * rtol * np.linalg.norm(self.b) * (1 + 1e-9))


class Operators(System):
    def test_solves(self):
        for A in (linalg.aslinearoperator(self.A), linalg.aslinearoperator(self.A.toarray()), Known(self.A)):
            for solve in (cgsolve.cg, cgsolve.minres):
                for options in ({}, {"x0": self.b}, {"reductions": "exact"}, {"threads": 1}):
                    self.expect_solved(solve(A, self.b, **options), self.A)
            solver = cgsolve.Solver(A, rtol=1e-10)
            first = solver.solve(self.b)
            self.assertEqual(first.x.tobytes(), solver.solve(self.b).x.tobytes())
            self.expect_solved((first.x, 0), self.A, 1e-10)

    def test_eigenvalues(self):
        A = self.A + sparse.diags(5.0 * np.arange(144))
        w, v = cgsolve.eigsh(linalg.aslinearoperator(A), 3, which="LA")
        np.testing.assert_allclose(w, np.linalg.eigvalsh(A.toarray())[-3:], rtol=1e-11)
        np.testing.assert_allclose(A @ v, v * w, atol=1e-9)

    def test_it_may_do_with_x_what_it_likes(self):
        expected = cgsolve.cg(Known(self.A), self.b)[0]
        found = cgsolve.cg(Spoiling(self.A), self.b)[0]
        self.assertEqual(found.tobytes(), expected.tobytes())
        self.assertGreater(len({id(x) for x in Spoiling.kept}), 1)

    def test_an_exception_is_raised_as_itself(self):
        """From the first product, from one of an iteration, and from the last, which confirms x."""
        counted = Failing(self.A, 0)
        cgsolve.cg(counted, self.b)
        for last in (1, 4, -counted.left):
            with self.assertRaisesRegex(Trouble, r"\(144,\)"):
                cgsolve.cg(Failing(self.A, last), self.b)
            with self.assertRaises(Trouble):
                cgsolve.cg(self.A, self.b, M=Failing(sparse.identity(144), min(last, 4)))
        solver = cgsolve.Solver(Failing(self.A, 3))
        with self.assertRaises(Trouble):
            solver.solve(self.b)
        self.assertTrue(solver.solve(self.b).converged)
        with self.assertRaises(Trouble):
            cgsolve.eigsh(Failing(self.A, 5))

    def test_wrong_results(self):
        for matvec, says in ((lambda x: x[:3], r"A.matvec\(x\) has the shape \(3,\)"), (lambda x: 1j * x, "complex128"),
                             (lambda x: None, "real")):
            A = Known(self.A)
            A.matvec = matvec
            with self.assertRaisesRegex(ValueError, says):
                cgsolve.cg(A, self.b)
        A.matvec = lambda x: np.nan * x
        self.assertGreater(cgsolve.cg(A, self.b)[1], 0)
        A.shape = (144, 143)
        with self.assertRaisesRegex(ValueError, r"A has the shape \(144, 143\)"):
            cgsolve.cg(A, self.b)

    def test_options_of_a_matrix(self):
        for options, says in (({"kernel": "cpu_csr"}, "kernel = 'cpu_csr' is for matrices"),
                              ({"uplo": "U"}, "uplo"), ({"asymmetry": 1e-9}, "asymmetry = 1e-09"),
                              ({"preconditioner": "jacobi"}, "jacobi: needs the entries of A")):
            with self.assertRaisesRegex(ValueError, says):
                cgsolve.cg(Known(self.A), self.b, **options)

    def test_a_solver_inside_of_itself(self):
        solver = cgsolve.Solver(self.A, rtol=1e-12)
        outer = cgsolve.Solver(linalg.LinearOperator((144, 144), lambda x: outer.solve(x).x, dtype=float))
        with self.assertRaisesRegex(cgsolve.Error, "uses the same solver"):
            outer.solve(self.b)
        within = linalg.LinearOperator((144, 144), lambda x: solver.solve(x).x, dtype=float)
        x, info = cgsolve.cg(within, self.b)
        self.assertEqual(info, 0)
        np.testing.assert_allclose(x, self.A @ self.b, atol=1e-2)


class Counting(linalg.LinearOperator):
    """Products with one vector, and with several."""

    def __init__(self, A):
        super().__init__(np.float64, A.shape)
        self.A, self.counts, self.widths = A, [0, 0], set()

    def _matvec(self, x):
        self.counts[0] += 1
        return self.A @ x

    def _matmat(self, X):
        self.counts[1] += 1
        self.widths.add(X.shape[1])
        return self.A @ X


class Several(System):
    """Products with several columns, where an operator has them."""

    def setUp(self):
        super().setUp()
        self.B = random().uniform(-1, 1, (144, 35))

    def expect_columns(self, X, info, A, B):
        self.assertEqual((X.shape, info.tolist()), (B.shape, [0] * B.shape[1]))
        errors = np.linalg.norm(B - A @ X, axis=0) / np.linalg.norm(B, axis=0)
        self.assertLessEqual(errors.max(), 1.1e-5 * (1 + 1e-9))

    def test_matmat(self):
        shifted = self.A - 2.5 * sparse.identity(144)
        for solve, A, options in ((cgsolve.cg, self.A, {}), (cgsolve.minres, self.A, {}), (cgsolve.cg, -self.A, {}),
                                  (cgsolve.minres, self.A, {"shift": 2.5})):
            for count in (3, 35):
                own, B = Counting(A), self.B[:, :count]
                X, info = solve(own, B, **options)
                self.expect_columns(X, info, shifted if options else A, B)
                self.assertEqual(own.widths, {3} if count == 3 else {32, 3})
                self.assertLessEqual(own.counts[0], 4 * count)  # the first one, and to confirm x
                self.assertGreater(own.counts[1], 5)

    def test_matmat_of_a_preconditioner(self):
        for A in (self.A, linalg.aslinearoperator(self.A)):
            for solve in (cgsolve.cg, cgsolve.minres):
                M = Counting(sparse.identity(144) / 3)
                X, info = solve(A, self.B[:, :3], M=M)
                self.expect_columns(X, info, self.A, self.B[:, :3])
                self.assertEqual(M.widths, {3})
                self.assertLess(M.counts[0], M.counts[1])

    def test_without_one(self):
        """SciPy's loop in the place of a matmat hands columns (n, 1) to functions that may know (n,) alone."""
        diagonal = np.arange(1.0, 145)
        operator = linalg.LinearOperator((144, 144), lambda x: diagonal * x, dtype=float)

        class OfVectors(linalg.LinearOperator):
            def _matvec(self, x):
                return diagonal * x

        for A in (operator, OfVectors(np.dtype(float), (144, 144))):
            X, info = cgsolve.cg(A, self.B)
            self.expect_columns(X, info, np.diag(diagonal), self.B)

    def test_what_it_does_wrong(self):
        for matmat, error, says in ((lambda X: X[:, :1], ValueError, r"A.matmat\(X\) has the shape \(144, 1\)"),
                                    (lambda X: 1j * X, ValueError, "complex128"), (lambda X: None, ValueError, "real"),
                                    (lambda X: Failing(X, 1).matvec(X), Trouble, "144")):
            A = linalg.LinearOperator((144, 144), lambda x: self.A @ x, matmat=matmat, dtype=float)
            A.matmat = matmat  # SciPy looks at the shape itself
            with self.assertRaisesRegex(error, says):
                cgsolve.cg(A, self.B[:, :3])


class Preconditioners(System):
    def test_the_inverse_of_A(self):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", PendingDeprecationWarning)
            matrix = np.asmatrix(self.inverse)
        for M in (self.inverse, sparse.csr_array(self.inverse), matrix, self.inverse.tolist(),
                  linalg.aslinearoperator(self.inverse), Known(self.inverse)):
            for A, solve in itertools.product((self.A, Known(self.A)), (cgsolve.cg, cgsolve.minres)):
                history = []
                self.expect_solved(solve(A, self.b, M=M, history=history), self.A)
                self.assertLessEqual(len(history), 3)
        for method in ("cg", "minres"):
            solver = cgsolve.Solver(self.A, method=method, M=self.inverse)
            self.assertLessEqual(max(solver.solve(k * self.b).iterations for k in (1, 2)), 2)

    def test_check_of_minres(self):
        """As SciPy's: A and M are tried with b, and are not changed by that."""
        n = len(self.b)
        M = np.diag(np.linspace(1, 2, n))
        wrong = M.copy()
        wrong[1, 2] = 1
        for b in np.ones(n), np.ones((n, 2)):
            x = cgsolve.minres(self.A, b, M=M)[0]
            self.assertEqual(cgsolve.minres(Known(self.A), b, M=M, check=True)[0].tobytes(),
                             cgsolve.minres(Known(self.A), b, M=M)[0].tobytes())
            self.assertEqual(cgsolve.minres(self.A, b, M=M, check=True)[0].tobytes(), x.tobytes())
            with self.assertRaisesRegex(ValueError, "M is not symmetric"):
                cgsolve.minres(self.A, b, M=wrong, check=True)
            with self.assertRaisesRegex(ValueError, "A is not symmetric"):
                cgsolve.minres(Known(wrong), b, check=True)

    def test_minres_of_an_indefinite_A(self):
        """|A|^-1 leaves the eigenvalues 1 and -1, for which three steps are enough."""
        values, vectors = np.linalg.eigh(self.A.toarray() - 2.5 * np.eye(144))
        M = (vectors / np.abs(values)) @ vectors.T
        shifted = self.A - 2.5 * sparse.identity(144)
        for options in ({}, {"shift": 2.5}):
            history = []
            found = cgsolve.minres(self.A if options else shifted, self.b, M=M, history=history, rtol=1e-9, **options)
            self.expect_solved(found, shifted)
            self.assertLessEqual(len(history), 4)

    def test_the_start_Mb(self):
        starts = (self.inverse, self.inverse @ self.b), (None, self.b)
        for solve, (M, start) in itertools.product((cgsolve.cg, cgsolve.minres), starts):
            expected, found = [], []
            x, _ = solve(self.A, self.b, start, M=M, history=expected)
            again, _ = solve(self.A, self.b, "Mb", M=M, history=found)
            self.assertEqual((again.tobytes(), found), (x.tobytes(), expected))
        with self.assertRaisesRegex(ValueError, "x0 has values of the type"):
            cgsolve.cg(self.A, self.b, "Ab")

    def test_refused(self):
        for options, says in (({"M": self.inverse[:3, :3]}, "M has 3 rows: A has 144"),
                              ({"M": self.inverse[:3]}, r"M has the shape \(3, 144\)"),
                              ({"M": 1j * self.inverse}, r"M.matvec\(r\) has values of the type complex"),
                              ({"M": self.inverse, "preconditioner": "jacobi"}, "exclude each other")):
            for solve in cgsolve.cg, cgsolve.minres:
                with self.assertRaisesRegex(ValueError, says):
                    solve(self.A, self.b, **options)
        for method in ("cg", "minres"):
            found = cgsolve.Solver(self.A, method=method, M=-self.inverse).solve(self.b)
            self.assertEqual((found.reason, found.iterations), ("not positive definite", 0))


class Shifts(System):
    def test_bits_of_the_shifted_matrix(self):
        shift = random().uniform(2.1, 5)
        B = sparse.csr_array(self.A - shift * sparse.identity(144))
        expected = cgsolve.minres(B, self.b)
        self.expect_solved(expected, B)
        for A in (self.A, self.A.tocsc(), self.A.tocoo(), self.A.todia(), self.A.toarray()):
            for options in ({}, {"uplo": "U"}, {"uplo": "L"}):
                x, info = cgsolve.minres(A, self.b, shift=shift, **options)
                self.assertEqual((x.tobytes(), info), (expected[0].tobytes(), 0))
        for A in (linalg.aslinearoperator(self.A), Known(self.A)):
            self.expect_solved(cgsolve.minres(A, self.b, shift=shift), B)

    def test_a_diagonal_that_is_not_stored(self):
        A = sparse.csr_array(self.A - sparse.diags(self.A.diagonal().astype(float)))
        A.eliminate_zeros()
        self.expect_solved(cgsolve.minres(A, self.b, shift=7), A - 7 * sparse.identity(144))

    def test_refused(self):
        with self.assertRaisesRegex(ValueError, "shift = nan must be finite"):
            cgsolve.minres(self.A, self.b, shift=float("nan"))
        broken = self.A.copy()
        broken.indptr[3] = 1000
        with self.assertRaisesRegex(ValueError, "ends before it begins"):
            cgsolve.minres(broken, self.b, shift=1)


if __name__ == "__main__":
    unittest.main()
