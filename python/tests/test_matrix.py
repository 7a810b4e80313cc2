"""Matrices of any format and type: one answer for all; and those that cannot be."""

import pathlib
import unittest
import warnings

import numpy as np
import scipy.sparse as sparse
from support import grid, random

import cgsolve

FORMATS = ("csr", "csc", "coo", "bsr", "dia", "lil", "dok")


def place_entries(coo, rows, columns):
    """With these very arrays."""
    if hasattr(coo, "coords"):  # from SciPy 1.13 on
        coo.coords = (rows, columns)
    else:
        coo.row, coo.col = rows, columns


class Formats(unittest.TestCase):
    def setUp(self):
        """Random values in a random pattern, with a diagonal that is larger than the rest of its row."""
        some = sparse.random(60, 60, density=0.1, format="csr", random_state=random())
        catcher = warnings.catch_warnings()
        catcher.__enter__()
        self.addCleanup(catcher.__exit__, None, None, None)
        warnings.simplefilter("ignore", sparse.SparseEfficiencyWarning)
        self.A = sparse.csr_array(some + some.T + 20 * sparse.identity(60))
        self.b = random().uniform(-1, 1, 60)
        self.x = cgsolve.cg(self.A, self.b)[0].tobytes()

    def expect_same(self, A, **options):
        x, info = cgsolve.cg(A, self.b, **options)
        self.assertEqual((x.tobytes(), info), (self.x, 0))

    def test_formats(self):
        for name in FORMATS:
            for cls in (sparse.csr_array, sparse.csr_matrix):
                with self.subTest(name, cls=cls):
                    self.expect_same(cls(self.A).asformat(name))
        for dense in (self.A.toarray(), np.asfortranarray(self.A.toarray()), self.A.toarray().tolist()):
            self.expect_same(dense)

    def test_triangles(self):
        """The triangle alone, and the triangle of a matrix whose other one is something else."""
        for uplo, take, other in (("U", sparse.triu, sparse.tril), ("L", sparse.tril, sparse.triu)):
            for name in FORMATS:
                with self.subTest(name, uplo=uplo):
                    self.expect_same(take(self.A).asformat(name), uplo=uplo)
                    self.expect_same((self.A + other(self.A, -1 if uplo == "U" else 1)).asformat(name), uplo=uplo)
            self.expect_same(take(self.A).toarray(), uplo=uplo)
            self.expect_same(self.A, uplo=uplo)

    def test_index_types(self):
        for dtype in (np.int32, np.int64, np.int16):
            for A in (self.A.tocsr(copy=True), self.A.tocoo(copy=True)):
                if A.format == "csr":
                    A.indices, A.indptr = A.indices.astype(dtype), A.indptr.astype(dtype)
                else:
                    place_entries(A, A.row.astype(dtype), A.col.astype(dtype))
                self.expect_same(A)
        mixed = self.A.tocsr(copy=True)
        mixed.indptr = mixed.indptr.astype(np.int64)
        self.expect_same(mixed)

    def test_orders(self):
        """Columns in any order, entries that come twice, and more memory than entries."""
        turned = self.A[:, ::-1][:, ::-1]
        turned.has_sorted_indices = False
        turned.indices, turned.data = turned.indices.copy(), turned.data.copy()
        for begin, end in zip(turned.indptr, turned.indptr[1:]):
            turned.indices[begin:end] = turned.indices[begin:end][::-1].copy()
            turned.data[begin:end] = turned.data[begin:end][::-1].copy()
        self.expect_same(turned)
        coo = self.A.tocoo()
        twice = sparse.coo_array((np.tile(coo.data / 2, 2), (np.tile(coo.row, 2), np.tile(coo.col, 2))))
        self.expect_same(twice)
        roomy = self.A.copy()
        roomy.indices = np.append(roomy.indices, np.int32(1000))
        roomy.data = np.append(roomy.data, np.nan)
        self.expect_same(roomy)

    def test_types_of_values(self):
        whole = grid(8)
        expected = cgsolve.cg(whole.astype(float), np.ones(64))[0].tobytes()
        for dtype in (np.float32, np.float16, np.int8, np.int64, ">f8", ">f4", np.longdouble):
            with self.subTest(dtype):
                dense = whole.toarray().astype(dtype)
                self.assertEqual(cgsolve.cg(dense, np.ones(64))[0].tobytes(), expected)
                if np.dtype(dtype).isnative and dtype is not np.float16:
                    self.assertEqual(cgsolve.cg(whole.astype(dtype), np.ones(64))[0].tobytes(), expected)
        self.assertEqual(cgsolve.cg(sparse.identity(4, dtype=bool), np.ones(4))[0].tolist(), [1] * 4)

    def test_arrays_are_not_touched(self):
        A = self.A.copy()
        for array in (A.indptr, A.indices, A.data):
            array.flags.writeable = False
        self.expect_same(A)
        self.assertEqual((A != self.A).nnz, 0)

    def test_rounding(self):
        A = self.A.copy()
        k = next(k for k in range(A.indptr[1]) if A.indices[k] != 0)
        A.data[k] += 1e-14 * A.data.max()
        mean = (A + A.T) / 2
        for name in FORMATS:
            solver = cgsolve.Solver(A.asformat(name))
            self.assertEqual(solver.solve(self.b).x.tobytes(), cgsolve.cg(mean, self.b)[0].tobytes())
            self.assertEqual(solver.averaged_pairs, 1)
            self.assertGreater(solver.asymmetry, 0)
            self.assertLess(solver.asymmetry, 1e-12)
            with self.assertRaisesRegex(ValueError, "not symmetric.* and 0 is allowed"):
                cgsolve.cg(A.asformat(name), self.b, asymmetry=0)
        solver = cgsolve.Solver(self.A, asymmetry=0)
        self.assertEqual((solver.averaged_pairs, solver.asymmetry), (0, 0))

    def test_single_precision(self):
        """Products of float32 are as symmetric as its rounding leaves them, with a shift too."""
        W = random().standard_normal((40, 40)).astype(np.float32)
        A = np.einsum("ik,k,jk->ij", W, np.linspace(1, 2, 40, dtype=np.float32), W, dtype=np.float32)
        A[0, 1] = A[1, 0] + np.float32(1e-5)
        for shift in (0, -1):
            solver = cgsolve.Solver(A, shift=shift)
            self.assertGreater(solver.averaged_pairs, 0)
            self.assertLess(solver.asymmetry, 1e-5)
            double = A.astype(float)  # as of L = I - D A D: what was computed in float32, in an array of double
            solver = cgsolve.Solver(double, shift=shift)
            self.assertGreater(solver.averaged_pairs, 0)
            double[0, 1] *= 1 + 1e-10
            for other, options in ((double, {}), (A.astype(float), {"asymmetry": 1e-12}),
                                   (np.rint(A.astype(float) * 2.0**24), {})):
                with self.assertRaisesRegex(ValueError, "not symmetric"):
                    cgsolve.Solver(other, shift=shift, **options)

    def test_asymmetry(self):
        A = self.A.copy()
        k = next(k for k in range(A.indptr[1]) if A.indices[k] != 0)
        A.data[k] += 1e-9 * A.data.max()
        for name in FORMATS:
            with self.assertRaisesRegex(ValueError, "not symmetric.*relative asymmetry of .*e-.*1e-12 is allowed"):
                cgsolve.cg(A.asformat(name), self.b)
        found = {cgsolve.cg(A.asformat(name), self.b, asymmetry=1e-8)[0].tobytes() for name in FORMATS}
        self.assertEqual(len(found), 1)
        with self.assertRaisesRegex(ValueError, "asymmetry is for"):
            cgsolve.cg(A, self.b, asymmetry=1e-8, uplo="U")


class Refused(unittest.TestCase):
    def refuse(self, A, says, **options):
        with self.assertRaisesRegex(ValueError, says):
            cgsolve.cg(A, np.ones(4), **options)

    def test_shapes(self):
        self.refuse(np.ones((4, 3)), r"shape \(4, 3\): it must be square")
        self.refuse(sparse.csr_array((3, 4)), r"shape \(3, 4\)")
        self.refuse(sparse.coo_array(np.ones(4)), r"shape \((1, 4|4,)\)")  # SciPy 1.10 knows no others
        self.refuse(np.ones((2, 2, 2)), "must be square")
        self.refuse(np.zeros((0, 0)), "n = 0 rows")
        self.refuse(sparse.coo_array(([1.0], ([0], [0])), shape=(2**31, 2**31)), "n = 2147483648 rows")
        self.refuse(7, "must be square")
        self.refuse(object(), "must be square")

    def test_values(self):
        self.refuse(1j * np.eye(4), "complex128: they must be real")
        self.refuse(sparse.csr_array(1j * np.eye(4)), "complex128")
        self.refuse(np.eye(4).astype(object), "object")
        self.refuse(np.diag([1, np.nan, 1, 1]), r"A\[1, 1\] = nan is not finite")
        self.refuse(sparse.diags([1, 1, np.inf, 1]), r"A\[2, 2\] = inf")
        for name in FORMATS:
            A = sparse.coo_array(([1.0, 2, 3, 4, 5], ([0, 1, 2, 3, 0], [0, 1, 2, 3, 2])), shape=(4, 4))
            self.refuse(A.asformat(name), r"A\[0, 2\] = 5\b")

    def test_broken_arrays(self):
        """SciPy looks at what it is given, and not at what is done to it later."""
        def broken(**members):
            A = sparse.csr_array(np.diag([1.0, 2, 3, 4]))
            for name, values in members.items():
                setattr(A, name, np.array(values))
            return A

        for uplo in (None, "U", "L"):
            self.refuse(broken(indptr=[0, 3, 2, 3, 4]), "ends before it begins", uplo=uplo)
            self.refuse(broken(indptr=[1, 1, 2, 3, 4]), "offsets of the matrix go from 1", uplo=uplo)
        for uplo in (None, "U"):
            self.refuse(broken(indices=[0, 1, 4, 3]), "outside of its 4 rows and columns", uplo=uplo)
        for uplo in (None, "L"):
            self.refuse(broken(indices=[0, -1, 2, 3]), "outside of its 4 rows and columns", uplo=uplo)
        coo = sparse.coo_array(np.eye(4))
        place_entries(coo, coo.row[:3], coo.col)
        self.refuse(coo, "3 rows, 4 columns and 4 values")
        self.refuse(broken(indptr=[0, 1, 2, 3, 5]), "do not fit together")
        self.refuse(broken(indptr=[0, 1, 2, 3, -4]), "do not fit together")
        self.refuse(broken(indptr=[0, 1, 2, 4]), "do not fit together")
        self.refuse(broken(indices=[0, 1]), "do not fit together")
        self.refuse(broken(data=[1.0]), "do not fit together")
        self.refuse(broken(indptr=np.zeros(0, int)), "0 offsets")
        self.refuse(broken(data=np.ones((4, 2))), r"shape \(4, 2\)")
        for name, what in (("indices", "indices"), ("indptr", "offsets")):
            self.refuse(broken(**{name: getattr(broken(), name).astype(float)}), f"{what} of the type float64")
        place_entries(coo, np.arange(4.0), np.arange(4))
        self.refuse(coo, "rows of the type float64")

    def test_masks(self):
        """Masked values are no numbers; an array of which none is masked is taken."""
        A, sparse_A = np.ma.array(3 * np.eye(4)), sparse.csr_array(3 * np.eye(4))
        self.assertEqual(cgsolve.cg(A, np.ones(4))[0].tolist(), cgsolve.cg(sparse_A, np.ones(4))[0].tolist())
        A[0, 1] = np.ma.masked
        self.refuse(A, "^A has masked values")
        self.refuse(sparse_A, "^M has masked values", M=A)
        sparse_A.data = np.ma.masked_equal(sparse_A.data, 3)
        self.refuse(sparse_A, "^A has masked values")

    def test_a_name_of_a_file(self):
        for name in ("A.mtx", b"A.mtx", pathlib.Path("A.mtx")):
            self.refuse(name, "A.mtx.* is no matrix: scipy.io.mmread")


if __name__ == "__main__":
    unittest.main()
