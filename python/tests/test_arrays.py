"""Arrays that are not NumPy's: those of the host are taken where they are, those of a device refused."""

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
    """CuPy's arrays refuse to become NumPy's."""

    __cuda_array_interface__ = {"version": 3}
    dtype, shape, ndim = np.dtype(float), (64,), 1

    def __array__(self, *arguments, **options):
        raise TypeError("Implicit conversion")

    def __len__(self):
        return 64


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

    def test_of_a_device(self):
        sparse_there = sparse.csr_array(self.A)
        sparse_there.data = OfCupy()
        for there in (Elsewhere(self.b, (2, 0)), Elsewhere(self.b, (10, 0)), OfCupy()):
            for what, arguments in (("b", (self.A, there)), ("x0", (self.A, self.b, there)), ("A", (there, self.b)),
                                    ("A", (sparse_there, self.b)), ("M", (self.A, self.b))):
                options = {"M": there} if what == "M" else {}
                with self.assertRaisesRegex(ValueError, rf"^{what} is in the memory of a device.*\.cpu\(\).*\.get\(\)"):
                    cgsolve.cg(*arguments, **options)

    def test_torch(self):
        try:
            import torch  # pylint: disable=import-outside-toplevel
        except ImportError:
            self.skipTest("torch is not installed")
        self.assertEqual(cgsolve.cg(self.A, torch.from_numpy(self.b))[0].tobytes(), self.x)


if __name__ == "__main__":
    unittest.main()
