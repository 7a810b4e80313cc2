"""Solves: the bits of the program, SciPy's arguments and answers, and what is refused."""

import inspect
import unittest

import numpy as np
import scipy.sparse as sparse
import scipy.sparse.linalg as linalg
from support import by_the_program, gpu, grid, plate, random

import cgsolve


def norm_of_residual(A, x, b):
    return np.linalg.norm(b - A @ x)


class Scale(unittest.TestCase):
    """A and b times a power of two: the iterations of scale 1, and x times another power."""

    def test_every_scale(self):
        A, b = sparse.csr_array(grid(6)).astype(float), random().uniform(-1, 1, 36)
        for options in ({}, {"method": "minres"}, {"preconditioner": "chebyshev"}, {"preconditioner": "multigrid"}):
            one = cgsolve.Solver(A, **options).solve(b)
            for j, i in ((-1000, -500), (-540, 0), (540, 0), (1000, 500), (0, -1000), (0, 510), (0, 1000)):
                scaled = A.copy()
                scaled.data = np.ldexp(A.data, j)
                found = cgsolve.Solver(scaled, **options).solve(np.ldexp(b, i))
                self.assertEqual((found.reason, found.iterations), (one.reason, one.iterations))
                self.assertEqual(found.x.tobytes(), np.ldexp(one.x, i - j).tobytes())
                self.assertEqual(found.history.tolist(), np.ldexp(one.history, i).tolist())

    def test_eigenvalues(self):
        A = sparse.csr_array(grid(6)).astype(float)
        one = cgsolve.eigsh(A, 2, which="LA", return_eigenvectors=False)
        for j in (-1000, -540, 540, 1000):
            scaled = A.copy()
            scaled.data = np.ldexp(A.data, j)
            values = cgsolve.eigsh(scaled, 2, which="LA", return_eigenvectors=False)
            self.assertEqual(values.tolist(), np.ldexp(one, j).tolist())


class Bits(unittest.TestCase):
    """x and every residual norm are those of the program, with any number of threads."""

    def compare(self, A, solver, kernel_text, **options):
        b = random().uniform(-1, 1, A.shape[0])
        x, history = by_the_program(A, b, solver, kernel_text)
        for threads in (1, 2, 3, None):
            found = cgsolve.Solver(A, threads=threads, **options).solve(b)
            self.assertTrue(found.converged)
            self.assertEqual(found.history.tolist(), history)
            self.assertEqual(found.x.tobytes(), x.tobytes())

    def test_cg(self):
        self.compare(plate(), "tolerance = 1e-5; max_iterations = 50000;", 'name = "cpu_sym_bitwise";', maxiter=50000)

    def test_minres(self):
        A = grid(15) - 3 * sparse.identity(225, dtype=np.int64)
        self.compare(A, 'method = "minres"; tolerance = 1e-7;', 'name = "cpu_sym_bitwise";', method="minres", rtol=1e-7)

    def test_minres_with_a_preconditioner(self):
        A = grid(15) - 3 * sparse.identity(225, dtype=np.int64)
        self.compare(A, 'method = "minres"; tolerance = 1e-7; preconditioner = { type = "chebyshev"; degree = 2; };',
                     'name = "cpu_sym_bitwise";', method="minres", rtol=1e-7,
                     preconditioner={"type": "chebyshev", "degree": 2})

    def test_options_of_kernel_and_preconditioner(self):
        self.compare(plate(), 'tolerance = 1e-6; preconditioner = { type = "block_jacobi"; block = 3; };'
                     'reductions = "exact";', 'name = "cpu_sym_bitwise"; precision = "float_double";', rtol=1e-6,
                     reductions="exact", kernel={"name": "cpu_sym_bitwise", "precision": "float_double"},
                     preconditioner={"type": "block_jacobi", "block": 3})

    def test_multigrid_that_keeps_its_aggregates(self):
        self.compare(plate(), 'tolerance = 1e-6; preconditioner = { type = "multigrid"; reuse = "aggregates"; };',
                     'name = "cpu_sym_bitwise";', rtol=1e-6,
                     preconditioner={"type": "multigrid", "reuse": "aggregates"})


class LikeSciPy(unittest.TestCase):
    def setUp(self):
        self.A = grid(20)
        self.b = random().uniform(-1, 1, self.A.shape[0])

    @unittest.skipIf("tol" in inspect.signature(linalg.minres).parameters, "this SciPy is older than 1.14")
    def test_arguments(self):
        """What SciPy's functions take is taken here, in the same places and with the same defaults."""
        for name in ("cg", "minres", "eigsh"):
            theirs = inspect.signature(getattr(linalg, name)).parameters
            ours = inspect.signature(getattr(cgsolve, name)).parameters
            for place, (key, parameter) in enumerate(theirs.items()):
                self.assertEqual(ours[key].default, parameter.default, f"{name}({key})")
                self.assertEqual(ours[key].kind, parameter.kind, f"{name}({key})")
                self.assertEqual(list(ours).index(key), place, f"{name}({key})")

    def test_cg_and_minres(self):
        for name in ("cg", "minres"):
            x, info = getattr(cgsolve, name)(self.A, self.b)
            self.assertEqual((info, x.shape, x.dtype), (0, self.b.shape, np.float64))
            self.assertLessEqual(norm_of_residual(self.A, x, self.b), 1.1e-5 * np.linalg.norm(self.b))
            exact = linalg.spsolve(self.A.astype(float).tocsc(), self.b)
            x, info = getattr(cgsolve, name)(self.A, self.b, rtol=1e-12)
            self.assertEqual(info, 0)
            np.testing.assert_allclose(x, exact, rtol=0, atol=1e-11 * np.linalg.norm(exact))

    def test_atol(self):
        """The larger of the two wins; both stop where they say, and not one iteration later."""
        norm = np.linalg.norm(self.b)
        for rtol, atol in ((1e-3, 1e-6 * norm), (1e-6, 1e-3 * norm), (0, 1e-3 * norm)):
            history = []
            _, info = cgsolve.cg(self.A, self.b, rtol=rtol, atol=atol, history=history)
            self.assertEqual(info, 0)
            self.assertLessEqual(history[-1], 1e-3 * norm * (1 + 1e-15))
            self.assertGreater(history[-2], 1e-3 * norm)
        for atol in (norm, 10 * norm, float("inf")):
            x, info = cgsolve.cg(self.A, self.b, atol=atol)
            self.assertEqual(info, 0)
            self.assertLessEqual(norm_of_residual(self.A, x, self.b), atol)

    def test_zero_right_hand_side(self):
        for b in (0 * self.b, np.zeros(len(self.b), dtype=int)):
            for name in ("cg", "minres"):
                x, info = getattr(cgsolve, name)(self.A, b, self.b)
                self.assertEqual((info, x.any()), (0, False))
            x, info = cgsolve.cg(self.A, b, self.b, rtol=0, atol=1e-3)
            self.assertEqual((info, x.any()), (0, False))

    def test_start(self):
        solver = cgsolve.Solver(self.A, rtol=1e-10)
        first = solver.solve(self.b)
        again = solver.solve(self.b, first.x)
        self.assertLess(again.iterations, first.iterations // 2)
        self.assertAlmostEqual(again.history[0], first.true_residual)
        start = self.b.copy()
        x, info = cgsolve.cg(self.A, self.b, start, rtol=1e-10)
        self.assertEqual(info, 0)
        np.testing.assert_array_equal(start, self.b)
        np.testing.assert_allclose(x, first.x, atol=1e-9)

    def test_not_converged(self):
        history = [7.0]
        x, info = cgsolve.cg(self.A, self.b, rtol=1e-14, maxiter=4, history=history)
        self.assertEqual((info, len(history)), (4, 1 + 5))
        self.assertAlmostEqual(norm_of_residual(self.A, x, self.b), history[-1])
        self.assertEqual(cgsolve.minres(self.A, self.b, maxiter=3)[1], 3)
        self.assertGreater(cgsolve.cg(self.A, self.b, maxiter=0)[1], 0)
        self.assertGreater(cgsolve.cg(-1 * self.A, self.b)[1], 0)
        self.b[3] = np.nan
        self.assertGreater(cgsolve.cg(self.A, self.b)[1], 0)

    def test_vectors(self):
        """Any real type, any stride, (n,) or (n, 1); the default maxiter is enough for a small system."""
        wide = np.repeat(self.b, 3)
        whole = np.round(100 * self.b).astype(np.int32)
        expected = cgsolve.cg(self.A, self.b)[0]
        for b in (self.b[:, None], wide[::3], list(self.b), self.b.astype(">f8")):
            x, info = cgsolve.cg(self.A, b)
            self.assertEqual((info, x.tobytes()), (0, expected.tobytes()))
        self.assertEqual(cgsolve.cg(self.A, whole)[0].tobytes(), cgsolve.cg(self.A, whole.astype(float))[0].tobytes())
        line = sparse.diags([-1.0, 2, -1], offsets=[-1, 0, 1], shape=(50, 50))
        self.assertEqual(cgsolve.cg(line, np.ones(50))[1], 0)
        self.assertEqual(cgsolve.cg([[2]], [4])[0].tolist(), [2])

    def test_singular(self):
        """What multigrid's sentence on a singular A advises helps."""
        n = int(random().integers(20, 60))
        chain = sparse.diags([np.r_[1, np.full(n - 2, 2.0), 1], -np.ones(n - 1), -np.ones(n - 1)], [0, 1, -1])
        A = sparse.csr_array(sparse.kronsum(chain, chain))
        b = random().standard_normal(n * n)
        b -= b.mean()
        with self.assertRaisesRegex(ValueError, "singular: take jacobi, chebyshev or none.*multiple of its diagonal"):
            cgsolve.cg(A, b, preconditioner="multigrid")
        for preconditioner in (None, "jacobi", "chebyshev"):
            for name in ("cg", "minres"):
                x, info = getattr(cgsolve, name)(A, b, preconditioner=preconditioner)
                self.assertEqual(info, 0)
                self.assertLessEqual(norm_of_residual(A, x, b), 1.1e-5 * np.linalg.norm(b))
        near = sparse.csr_array(A + 1e-8 * sparse.diags(A.diagonal()))
        x, info = cgsolve.cg(near, b, preconditioner="multigrid")
        self.assertEqual(info, 0)
        self.assertLessEqual(norm_of_residual(A, x, b), 1.1e-5 * np.linalg.norm(b))

    def test_many_solves(self):
        solver = cgsolve.Solver(self.A, preconditioner="jacobi", atol=1e-6)
        found = [solver.solve(b) for b in (self.b, 2 * self.b, self.b)]
        self.assertEqual(found[0].x.tobytes(), found[2].x.tobytes())
        self.assertGreater(found[1].iterations, 0)
        self.assertEqual((found[0].reason, len(found[0].history)), ("converged", found[0].iterations + 1))
        self.assertEqual(found[0].history[-1], found[0].residual)
        self.assertAlmostEqual(found[0].true_residual, norm_of_residual(self.A, found[0].x, self.b))
        self.assertGreaterEqual(found[0].seconds, 0)


class Callback(unittest.TestCase):
    A, b = grid(9), random().standard_normal(81)

    def test_it_sees_each_x(self):
        for solve in cgsolve.cg, cgsolve.minres:
            seen, history = [], []
            x, info = solve(self.A, self.b, rtol=1e-10, callback=seen.append, history=history)
            self.assertEqual((info, len(seen)), (0, len(history) - 1))
            self.assertEqual(seen[-1].tobytes(), x.tobytes())
            for k, then in enumerate(seen, 1):
                self.assertEqual(then.tobytes(), solve(self.A, self.b, rtol=1e-10, maxiter=k)[0].tobytes())

    def test_what_it_raises_ends_the_solve(self):
        seen = []

        def stop(x):
            seen.append(x)
            if len(seen) == 3:
                raise KeyError("enough")

        solver = cgsolve.Solver(self.A, rtol=1e-10)
        with self.assertRaisesRegex(KeyError, "enough"):
            solver.solve(self.b, callback=stop)
        self.assertEqual(len(seen), 3)
        self.assertTrue(solver.solve(self.b).converged)
        self.assertEqual(len(seen), 3)

    def test_absolute_tolerance(self):
        norm = float(np.linalg.norm(self.b))
        relative, absolute = [], []
        cgsolve.cg(self.A, self.b, rtol=1e-6, history=relative)
        cgsolve.cg(self.A, self.b, rtol=0, atol=1e-6 * norm, history=absolute)
        self.assertLessEqual(abs(len(relative) - len(absolute)), 1)
        self.assertEqual(cgsolve.cg(self.A, self.b, atol=2 * norm)[0].tobytes(), np.zeros(81).tobytes())


class Refused(unittest.TestCase):
    A, b = grid(5), np.ones(25)

    def refuse(self, exception, says, function, *arguments, **options):
        with self.assertRaisesRegex(exception, says):
            function(*arguments, **options)

    def test_what_is_not_there_yet(self):
        self.refuse(NotImplementedError, "show", cgsolve.minres, self.A, self.b, show=True)

    def test_options(self):
        for options, says in (({"kernel": "cpu_fast"}, "kernel wants .* not .cpu_fast"),
                              ({"kernel": {"name": "cpu_csr", "colour": 3}}, "kernel.colour"),
                              ({"kernel": {"precision": "float"}}, "has no 'name'"),
                              ({"preconditioner": "ilu"}, "not .ilu"), ({"reductions": "fast"}, "not .fast"),
                              ({"threads": -1}, "threads = -1"), ({"rtol": 0}, "rtol = 0.0.* atol is 0"),
                              ({"rtol": "x"}, "rtol = .x"), ({"rtol": float("nan")}, "rtol = nan"),
                              ({"rtol": -1}, "rtol = -1"), ({"atol": -1}, "atol = -1"),
                              ({"atol": None}, "atol = None"), ({"atol": "legacy"}, "atol = 'legacy'"),
                              ({"maxiter": -1}, "^maxiter .* not -1"), ({"maxiter": 1.5}, "^maxiter"),
                              ({"uplo": "upper"}, "uplo = 'upper'"), ({"asymmetry": 3}, "asymmetry")):
            with self.subTest(options):
                self.refuse(ValueError, says, cgsolve.cg, self.A, self.b, **options)
        self.refuse(ValueError, "method = 'lanczos'", cgsolve.Solver, self.A, method="lanczos")
        if not gpu():
            self.refuse(cgsolve.Error, "CUDA", cgsolve.cg, self.A, self.b, kernel="cuda_csr_vector")

    def test_vectors(self):
        for b, says in ((np.ones(24), r"b has the shape \(24,\): A has 25 rows"), (np.ones((24, 2)), "shape"),
                        (np.ones((1, 25)), "shape"), (np.ones((25, 2, 1)), "shape"), (np.ones((25, 0)), "shape"),
                        ([[1, 2]] * 24 + [[3]], "^b is not an array, as its rows have not all the same length"), (1.0, "shape"), (1j * self.b, "complex"), (["a"] * 25, "real")):
            self.refuse(ValueError, says, cgsolve.cg, self.A, b)
        self.refuse(ValueError, "x0 has the shape", cgsolve.cg, self.A, self.b, np.ones(3))
        for b, x0 in ((np.ones((25, 3)), np.ones((25, 2))), (self.b, np.ones((25, 2)))):
            self.refuse(ValueError, "x0 has 2 columns: b has [13]", cgsolve.cg, self.A, b, x0)
        self.refuse(ValueError, "x0 has the shape", cgsolve.cg, self.A, np.ones((25, 3)), np.ones((3, 25)))
        self.refuse(NotImplementedError, "callback is not taken.* there are 3", cgsolve.cg, self.A, np.ones((25, 3)),
                    callback=print)


if __name__ == "__main__":
    unittest.main()
