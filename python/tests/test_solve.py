"""Solves: the bits of the program, SciPy's arguments and answers, and what is refused."""

import copy
import inspect
import pickle
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
        self.assertGreater(cgsolve.cg(self.A - 3.1 * sparse.identity(400), self.b)[1], 0)

    def test_negative_definite(self):
        """The steps with -A and -b, as SciPy's function makes them with A and b."""
        x0, B = random().uniform(-1, 1, 400), random().uniform(-1, 1, (400, 3))
        B[:, 1] = 0
        M = sparse.csr_array(np.linalg.inv(self.A.toarray()))
        for b in (self.b, B):
            for options in ({}, {"x0": x0}, {"M": M.toarray()}, {"M": M, "x0": "Mb"}, {"atol": 1e-3}):
                expected, found, seen = [], [], []
                other = dict(options)
                if "x0" in other and "M" in other:
                    other["x0"] = np.stack([M @ column for column in b.reshape(400, -1).T], axis=1)
                x, info = cgsolve.cg(self.A, -b, history=expected, **other)
                watch = {} if b is B else {"callback": seen.append}
                for A in (-self.A, (-self.A).toarray(), (-self.A).tocoo(), linalg.aslinearoperator(-self.A)):
                    found.clear()
                    seen.clear()
                    y, its = cgsolve.cg(A, b, history=found, **watch, **options)
                    self.assertFalse(np.any(its))
                    if not isinstance(A, linalg.LinearOperator):
                        self.assertEqual((y.tobytes(), found), (x.tobytes(), expected))
                    if watch:
                        self.assertEqual(len(seen), len(found) - 1)
                    norms = np.linalg.norm(b - A @ y, axis=0) - 1.1e-5 * np.linalg.norm(b, axis=0)
                    self.assertLessEqual(np.max(norms), 1.1e-3 if "atol" in options else 0)
        self.assertEqual(linalg.cg(-self.A, self.b)[1], 0)
        self.assertEqual(cgsolve.cg(sparse.triu(-self.A), self.b, uplo="U")[0].tobytes(),
                         cgsolve.cg(self.A, -self.b)[0].tobytes())
        self.assertGreater(cgsolve.cg(sparse.diags([-1.0, 1.0] * 200), self.b)[1], 0)
        with self.assertRaisesRegex(ValueError, "singular, with 400 null vectors"):
            cgsolve.cg(sparse.csr_array((400, 400)), self.b)

    def test_types(self):
        """x has the type that SciPy's cg gives: float32 where A and b are, else double."""
        types = (np.float32, np.float64, np.int32, np.float16)
        for ours in (cgsolve.cg, cgsolve.minres):
            for of_A in types[:3]:
                for of_b in types:
                    A, b, seen = self.A.astype(of_A), np.round(100 * self.b).astype(of_b), []
                    for given in (A, A.toarray(), linalg.aslinearoperator(A)):
                        x, info = ours(given, b, callback=seen.append)
                        self.assertEqual((x.dtype, info), (linalg.cg(given, b)[0].dtype, 0))
                        self.assertEqual(seen[-1].tobytes(), x.tobytes())
        A, b = self.A.astype(np.float32), self.b.astype(np.float32)
        self.assertEqual(cgsolve.cg(A, b)[0].tobytes(), cgsolve.cg(A, b.astype(float))[0].astype(np.float32).tobytes())
        found = cgsolve.Solver(A).solve(np.stack([b, b], axis=1))
        self.assertEqual((found.x.dtype, found.history[0].dtype), (np.float32, np.float64))
        self.assertEqual(cgsolve.cg(-A, b)[0].dtype, np.float32)

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
        """A Laplacian of two parts: b in its range, x of least norm; other b are refused, or projected."""
        n = int(random().integers(20, 60))
        chain = sparse.diags([np.r_[1, np.full(n - 2, 2.0), 1], -np.ones(n - 1), -np.ones(n - 1)], [0, 1, -1])
        part = sparse.csr_array(sparse.kronsum(chain, chain))
        A = sparse.csr_array(sparse.block_diag((part, 3 * part)))
        b = random().standard_normal((2, n * n))
        inside = (b - b.mean(axis=1)[:, None]).ravel()
        for preconditioner in (None, "jacobi", "chebyshev", "multigrid"):
            for name in ("cg", "minres"):
                x, info = getattr(cgsolve, name)(A, inside, preconditioner=preconditioner)
                self.assertEqual(info, 0)
                self.assertLessEqual(norm_of_residual(A, x, inside), 1.1e-5 * np.linalg.norm(b))
                self.assertLessEqual(abs(x.reshape(2, -1).mean(axis=1)).max(), 1e-14 * abs(x).max())
        with self.assertRaisesRegex(ValueError, "singular, with 2 null vectors, and b is not in its range.*project"):
            cgsolve.cg(A, b.ravel(), preconditioner="multigrid")
        found = cgsolve.Solver(A, preconditioner="multigrid", null_space="project").solve(b.ravel())
        self.assertTrue(found.converged)
        self.assertLessEqual(norm_of_residual(A, found.x, inside), 1.1e-5 * np.linalg.norm(b))

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


class Shown(unittest.TestCase):
    """Solvers and results print in a few lines, and pass through pickle and copy."""

    def setUp(self):
        self.A, self.b = grid(30), random().uniform(-1, 1, 900)

    def test_repr(self):
        A = self.A - 3 * sparse.identity(900)
        for solver in (cgsolve.Solver(self.A), cgsolve.Solver(A, method="minres", rtol=1e-9, M=np.eye(900)),
                       cgsolve.Solver(linalg.aslinearoperator(self.A)), cgsolve.Solver(A)):
            found = [solver.solve(self.b), solver.solve(np.stack([self.b, 0 * self.b], axis=1))]
            for it in (solver, *found):
                self.assertLess(len(repr(it)), 400)
                self.assertEqual(len(repr(it).splitlines()), 1)
            self.assertIn("900", repr(solver))
            for part in (found[0].reason, str(found[0].iterations), f"{found[0].true_residual:.3g}", "(900,)"):
                self.assertIn(part, repr(found[0]))
            self.assertRegex(repr(found[1]), rf"1 {found[0].reason}|2 converged")
            self.assertIn(f"0 to {found[0].iterations}", repr(found[1]) + "0 to 0")

    def test_copies(self):
        """What is made from the same matrix and arguments has the same bits."""
        for options in ({}, {"method": "minres", "shift": 2.5, "rtol": 1e-9, "maxiter": 777},
                        {"kernel": {"name": "cpu_sym_bitwise", "precision": "float_double"}, "threads": 2},
                        {"M": sparse.identity(900), "atol": 1e-3}, {"preconditioner": "jacobi", "uplo": "L"}):
            solver = cgsolve.Solver(self.A, **options)
            found = solver.solve(self.b)
            for other in (pickle.loads(pickle.dumps(solver)), copy.copy(solver), copy.deepcopy(solver)):
                again = other.solve(self.b)
                self.assertEqual(again.x.tobytes(), found.x.tobytes())
                self.assertEqual(again.history.tolist(), found.history.tolist())
                self.assertEqual(repr(other), repr(solver))
            for result in (found, solver.solve(np.stack([self.b, self.b], axis=1))):
                for other in (pickle.loads(pickle.dumps(result)), copy.deepcopy(result)):
                    self.assertEqual((other.x.tobytes(), repr(other)), (result.x.tobytes(), repr(result)))
        comparison = cgsolve.compare(self.A, self.b, ["cpu_csr"], 2)
        self.assertEqual(repr(pickle.loads(pickle.dumps(comparison))), repr(comparison))


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
                              ({"uplo": "upper"}, "uplo = 'upper'"), ({"asymmetry": 3}, "asymmetry"),
                              ({"asymmetry": "x"}, "asymmetry = 'x'"), ({"asymmetry": -1}, "asymmetry = -1"),
                              ({"rtol": 10**400}, "rtol = 10+"), ({"atol": 10**400}, "atol = 10+"),
                              ({"threads": 1.5}, "threads = 1.5"), ({"threads": "x"}, "threads = 'x'"),
                              ({"threads": 10**10}, "threads = 10+"), ({"kernel": "cpu_csr\0x"}, "kernel .*cpu_csr.0x"),
                              ({"kernel": "\udc80"}, "^kernel wants"), ({"history": ()}, r"^history = \(\) must"),
                              ({"callback": 3}, "^callback = 3 must"), ({"x0": [np.nan] * 25}, r"^x0\[0\] = nan"),
                              ({"maxiter": 10**30}, "^maxiter"), ({"M": 5}, "^M has the shape"),
                              ({"device": "cpu\n"}, "^device")):
            with self.subTest(options):
                self.refuse(ValueError, says, cgsolve.cg, self.A, self.b, **options)
        for shift in (None, "x", 1j, 10**400, float("inf")):
            self.refuse(ValueError, "shift = .* must be finite", cgsolve.minres, self.A, self.b, shift=shift)
        self.refuse(ValueError, "method = 'lanczos'", cgsolve.Solver, self.A, method="lanczos")
        if not gpu():
            self.refuse(cgsolve.Error, "CUDA", cgsolve.cg, self.A, self.b, kernel="cuda_csr_vector")

    def test_vectors(self):
        for b, says in ((np.ones(24), r"b has the shape \(24,\): A has 25 rows"), (np.ones((24, 2)), "shape"),
                        (np.ones((1, 25)), "shape"), (np.ones((25, 2, 1)), "shape"), (np.ones((25, 0)), "shape"),
                        ([[1, 2]] * 24 + [[3]], "^b is not an array, as its rows have not all the same length"), (1.0, "shape"), (1j * self.b, "complex"), (["a"] * 25, "real"),
                        (np.full(25, np.nan), r"^b\[0\] = nan is not finite"), (None, "real"), ("b.npy", "real"),
                        ([1] * 24 + [np.inf], r"^b\[24\] = inf is not finite"),
                        (np.full((25, 1), -np.inf), r"^b\[0, 0\] = -inf is not finite"),
                        (np.ma.masked_equal(self.b, 1), "^b has masked values")):
            self.refuse(ValueError, says, cgsolve.minres, self.A, b)
            self.refuse(ValueError, says, cgsolve.cg, self.A, b)
        self.refuse(ValueError, "x0 has the shape", cgsolve.cg, self.A, self.b, np.ones(3))
        for b, x0 in ((np.ones((25, 3)), np.ones((25, 2))), (self.b, np.ones((25, 2)))):
            self.refuse(ValueError, "x0 has 2 columns: b has [13]", cgsolve.cg, self.A, b, x0)
        self.refuse(ValueError, "x0 has the shape", cgsolve.cg, self.A, np.ones((25, 3)), np.ones((3, 25)))
        self.refuse(NotImplementedError, "callback is not taken.* there are 3", cgsolve.cg, self.A, np.ones((25, 3)),
                    callback=print)


if __name__ == "__main__":
    unittest.main()
