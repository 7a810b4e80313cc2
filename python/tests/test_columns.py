"""Several right-hand sides: each column has the bits of its own solve, in whatever order the array has them."""

import unittest

import numpy as np
import scipy.sparse as sparse
import scipy.sparse.linalg as linalg
from support import grid, random
from test_arrays import Elsewhere, OfCupy

import cgsolve


def spread(B):
    """The same with gaps between columns and rows."""
    wide = np.full((2 * len(B), 3 * B.shape[1]), np.nan)
    wide[::2, ::3] = B
    return wide[::2, ::3]


LAYOUTS = (np.ascontiguousarray, np.asfortranarray, spread, lambda B: spread(B.T).T, lambda B: B[::-1].copy()[::-1],
           lambda B: B.astype(">f8"), lambda B: B.tolist(), Elsewhere)


class Columns(unittest.TestCase):
    def setUp(self):
        self.A, generator = grid(12), random()
        self.B, self.X0 = generator.uniform(-1, 1, (144, 33)), generator.uniform(-1, 1, (144, 33))
        self.B[:, 1] = 0
        self.B[:, 2] = self.B[:, 0]

    def expect_columns(self, found, alone):
        count = len(alone)
        self.assertEqual(found.x.shape, (144, count))
        self.assertEqual(found.x.tobytes(order="F"), b"".join(one.x.tobytes() for one in alone))
        for name in ("reason", "iterations", "residual", "true_residual", "converged"):
            self.assertEqual(getattr(found, name).shape, (count,))
            self.assertEqual(getattr(found, name).tolist(), [getattr(one, name) for one in alone])
        self.assertEqual([one.tolist() for one in found.history], [one.history.tolist() for one in alone])

    def test_the_bits_of_each_alone(self):
        indefinite = self.A - 3 * sparse.identity(144, dtype=np.int64)
        chebyshev = {"type": "chebyshev", "degree": 2}
        for A, options in ((self.A, {}), (self.A, {"preconditioner": "jacobi", "atol": 1e-3}),
                           (indefinite, {"method": "minres"}),
                           (indefinite, {"method": "minres", "preconditioner": chebyshev})):
            solver = cgsolve.Solver(A, threads=2, **options)
            for starts in (False, True):
                alone = [solver.solve(self.B[:, j], self.X0[:, j] if starts else None) for j in range(33)]
                self.assertTrue(alone[0].converged)
                self.assertGreater(alone[0].iterations, 5)
                for count in (1, 3, 33):
                    for layout in LAYOUTS:
                        B, X0 = layout(self.B[:, :count]), self.X0[:, :count] if starts else None
                        self.expect_columns(solver.solve(B, X0), alone[:count])

    def test_order(self):
        """x lies as b does, and neither is changed."""
        solver = cgsolve.Solver(self.A)
        for layout in LAYOUTS[:5]:
            B = layout(self.B)
            before, x = B.copy(), solver.solve(B).x
            np.testing.assert_array_equal(B, before)
            self.assertTrue(x.flags.f_contiguous if abs(B.strides[0]) < B.strides[1] else x.flags.c_contiguous)

    def test_no_copy(self):
        from cgsolve._matrix import columns  # pylint: disable=import-outside-toplevel
        for layout in LAYOUTS[:4]:
            B = layout(self.B)
            self.assertTrue(np.shares_memory(columns("b", B, 144), B))
        windows = np.lib.stride_tricks.sliding_window_view(self.B.ravel()[:146], 3)  # columns that overlap
        for B in (windows, np.broadcast_to(self.B[:, :1], (144, 3))):
            found, alone = cgsolve.Solver(self.A).solve(B), [cgsolve.Solver(self.A).solve(b) for b in B.T]
            self.expect_columns(found, alone)

    def test_one_start_for_all(self):
        solver, start = cgsolve.Solver(self.A), self.X0[:, 0]
        alone = [solver.solve(self.B[:, j], start) for j in range(3)]
        for x0 in (start, start[:, None], start.astype(np.float64).tolist()):
            self.expect_columns(solver.solve(self.B[:, :3], x0), alone)
        x0 = self.X0.copy()
        solver.solve(self.B, x0)
        np.testing.assert_array_equal(x0, self.X0)

    def test_cg_and_minres(self):
        for solve in (cgsolve.cg, cgsolve.minres):
            history, lists = [], []
            X, info = solve(self.A, self.B[:, :3], maxiter=9, rtol=1e-12, history=history)
            for j in range(3):
                own = []
                x, own_info = solve(self.A, self.B[:, j], maxiter=9, rtol=1e-12, history=own)
                self.assertEqual((x.tobytes(), own_info), (X[:, j].tobytes(), info[j]))
                lists.append(own)
            self.assertEqual((history, info.tolist()), (lists, [9, 0, 9]))
            X, info = solve(self.A, self.B[:, :3], [[1.0]] * 144)
            self.assertEqual((X.shape, info.shape), ((144, 3), (3,)))

    def test_one_column_is_that_of_scipy(self):
        """x of shape (n,), and an int, also for b of shape (n, 1); a Solver keeps the shape of b."""
        for name in ("cg", "minres"):
            ours, theirs = getattr(cgsolve, name), getattr(linalg, name)
            for b in (self.B[:, 0], self.B[:, :1], self.B[:, :1].tolist()):
                for x0 in (None, self.X0[:, 0], self.X0[:, :1]):
                    history, seen = [], []
                    x, info = ours(self.A, b, x0, history=history, callback=seen.append)
                    self.assertEqual((x.shape, info, type(info)), ((144,), 0, int))
                    self.assertEqual((x.shape, info), (theirs(self.A, b, x0)[0].shape, theirs(self.A, b, x0)[1]))
                    self.assertEqual((len(history), seen[-1].tobytes()), (len(seen) + 1, x.tobytes()))
        found = cgsolve.Solver(self.A).solve(self.B[:, :1])
        self.assertEqual((found.x.shape, found.iterations.shape, len(found.history)), ((144, 1), (1,), 1))

    def test_a_callback_for_one_column(self):
        seen = []
        x, _ = cgsolve.cg(self.A, self.B[:, :1], callback=seen.append)
        self.assertEqual(seen[-1].tobytes(), x.tobytes())

    def test_operators(self):
        M = np.linalg.inv(self.A.toarray())
        A, inverse = linalg.aslinearoperator(self.A), linalg.aslinearoperator(M)
        for given in (inverse, M):
            X, info = cgsolve.cg(A, self.B[:, :3], "Mb", M=given)
            self.assertFalse(info.any())
            for j in range(3):
                self.assertEqual(cgsolve.cg(A, self.B[:, j], "Mb", M=given)[0].tobytes(), X[:, j].tobytes())

    def test_what_a_product_raises(self):
        def product(x):
            raise KeyError("enough")

        solver = cgsolve.Solver(linalg.LinearOperator((144, 144), product, dtype=float))
        with self.assertRaisesRegex(KeyError, "enough"):
            solver.solve(self.B[:, :3])

    def test_of_a_gpu(self):
        x, info = cgsolve.cg(self.A, OfCupy(self.B), device="cpu")
        self.assertEqual((type(x), info.any()), (OfCupy, False))
        self.assertEqual(x.array.tobytes(), cgsolve.cg(self.A, self.B)[0].tobytes())

    def test_not_finite(self):
        for wrong in (np.nan, -np.inf):
            X0 = self.X0.copy()
            X0[5, 2] = wrong
            for layout in LAYOUTS:
                with self.assertRaisesRegex(ValueError, rf"^x0\[5, 2\] = {wrong} is not finite"):
                    cgsolve.Solver(self.A).solve(self.B[:, :3], layout(X0[:, :3]))
                with self.assertRaisesRegex(ValueError, rf"^b\[5, 2\] = {wrong} is not finite"):
                    cgsolve.Solver(self.A).solve(layout(X0[:, :3]))


if __name__ == "__main__":
    unittest.main()
