"""Arrays that are not NumPy's: those of the host are taken where they are, those of a GPU copied."""

import unittest

import numpy as np
import scipy.sparse as sparse
from support import grid, random

import cgsolve


class Elsewhere:
    """What torch's tensors and others show of themselves."""

    def __init__(self, array, device=(1, 0)):
        self.array, self.device, self.taken = array, device, 0

    def __dlpack_device__(self):
        return self.device

    def __dlpack__(self, **options):
        self.taken += 1
        return self.array.__dlpack__(**options)


class OfCupy:
    """CuPy's arrays refuse to become NumPy's, but for a copy."""

    __cuda_array_interface__ = {"version": 3}

    def __init__(self, array):
        self.array, self.dtype, self.shape, self.ndim = array, array.dtype, array.shape, array.ndim

    def __array__(self, *arguments, **options):
        raise TypeError("Implicit conversion")

    def __array_namespace__(self):
        return OfCupy

    def __len__(self):
        return len(self.array)

    def get(self):
        return self.array.copy()

    @staticmethod
    def asarray(array):
        return OfCupy(array)


class OfTorch:
    """A sparse tensor of torch, by rows, and its arrays, on a GPU."""

    layout = "torch.sparse_csr"

    def __init__(self, A):
        self.A, self.shape = A, A.shape

    def crow_indices(self):
        return OfCupy(self.A.indptr)

    def col_indices(self):
        return OfCupy(self.A.indices)

    def values(self):
        return OfCupy(self.A.data)


class Arrays(unittest.TestCase):
    def setUp(self):
        self.A, self.b = grid(8).astype(float), random().uniform(-1, 1, 64)
        self.x = cgsolve.cg(self.A, self.b)[0].tobytes()

    def test_of_the_host(self):
        dense, b, x0 = (Elsewhere(values) for values in (self.A.toarray(), self.b, np.zeros(64)))
        self.assertEqual(cgsolve.cg(dense, b, x0)[0].tobytes(), self.x)
        self.assertEqual([it.taken for it in (dense, b, x0)], [1, 1, 1])
        self.assertEqual(cgsolve.cg(self.A, Elsewhere(self.b, (3, 0)))[0].tobytes(), self.x)
        _, info = cgsolve.cg(self.A, self.b, M=Elsewhere(np.linalg.inv(self.A.toarray())))
        self.assertEqual(info, 0)

    def test_no_copy(self):
        from cgsolve._matrix import vector  # pylint: disable=import-outside-toplevel
        self.assertTrue(np.shares_memory(vector("b", Elsewhere(self.b), 64), self.b))

    def test_of_a_gpu(self):
        """Without one: what is there is copied to the CPU that is asked for, and what comes of it goes back."""
        b, zeros, dense = OfCupy(self.b), OfCupy(np.zeros(64)), OfCupy(self.A.toarray())
        rows = sparse.csr_array(self.A)
        rows.data = OfCupy(rows.data)
        for A in (self.A, dense, rows, OfTorch(self.A)):
            for x0 in (None, zeros):
                x, info = cgsolve.cg(A, b, x0, device="cpu")
                self.assertEqual((type(x), x.array.tobytes(), info), (OfCupy, self.x, 0))
                self.assertEqual(cgsolve.cg(A, self.b, x0, device="cpu")[0].tobytes(), self.x)
        w, v = cgsolve.eigsh(dense, 2, which="LA", device="cpu")
        wanted = cgsolve.eigsh(self.A, 2, which="LA")
        self.assertEqual((w.array.tobytes(), v.array.tobytes()), (wanted[0].tobytes(), wanted[1].tobytes()))
        found = cgsolve.compare(rows, b, ["cpu_csr"], repeats=2, device="cpu")
        self.assertEqual(found.histories["cpu_csr"][0].tolist(), cgsolve.Solver(self.A).solve(self.b).history.tolist())

    def test_where(self):
        there, rows = OfCupy(self.b), sparse.csr_array(self.A)
        rows.data = OfCupy(rows.data)
        for A, b, options in ((self.A, there, {}), (rows, self.b, {}), (self.A, self.b, {"device": "cuda"}),
                              (self.A, Elsewhere(self.b, (2, 77)), {}), (self.A, self.b, {"device": "cuda:77"})):
            try:
                _, info = cgsolve.cg(A, b, **options)
                self.assertEqual(info, 0)
            except cgsolve.Error as error:
                self.assertRegex(str(error), 'no CUDA.*; device = "cpu" solves on the CPU$')
        with self.assertRaisesRegex(ValueError, 'device = "cpu"'):
            cgsolve.cg(self.A, self.b, M=sparse.identity(64), device="cuda")
        with self.assertRaisesRegex(ValueError, "b is in the memory of a device that is neither"):
            cgsolve.cg(self.A, Elsewhere(self.b, (10, 0)))
        with self.assertRaisesRegex(ValueError, r"^M is in the memory of a device.*\.cpu\(\).*\.get\(\)"):
            cgsolve.cg(self.A, self.b, M=OfCupy(self.A.toarray()))
        for device in ("gpu", "cuda:", "cuda:-1", 0):
            with self.assertRaisesRegex(ValueError, "device = .* must be"):
                cgsolve.cg(self.A, self.b, device=device)

    def test_torch(self):
        try:
            import torch  # pylint: disable=import-outside-toplevel
        except ImportError:
            self.skipTest("torch is not installed")
        self.assertEqual(cgsolve.cg(self.A, torch.from_numpy(self.b))[0].tobytes(), self.x)


if __name__ == "__main__":
    unittest.main()
