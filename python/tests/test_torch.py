"""cgsolve.torch: derivatives against differences, and their bits."""

import importlib.util
import unittest
import warnings

import numpy as np
from support import gpu, grid, random

import cgsolve

if importlib.util.find_spec("torch"):
    import torch
    import cgsolve.torch


@unittest.skipUnless(importlib.util.find_spec("torch"), "no torch")
class Derivatives(unittest.TestCase):
    def setUp(self):
        warnings.simplefilter("ignore")  # sparse tensors are in beta
        self.random = random()
        self.A = grid(4).astype(float)
        self.A.data *= 1 + self.random.random()
        self.A.sort_indices()
        self.devices = ["cpu", *(["cuda"] if torch.cuda.is_available() and gpu() else [])]

    def tensor(self, values, device="cpu"):
        return torch.tensor(values, dtype=torch.float64, device=device, requires_grad=True)

    def matrix(self, values, layout):
        """A with these values."""
        n, device = self.A.shape[0], values.device
        offsets, columns = (torch.tensor(one, dtype=torch.int64, device=device)
                            for one in (self.A.indptr, self.A.indices))
        rows = torch.repeat_interleave(torch.arange(n, device=device), offsets.diff())
        if layout == "csr":
            return torch.sparse_csr_tensor(offsets, columns, values, (n, n))
        if layout == "csc":
            return torch.sparse_csc_tensor(offsets, columns, values, (n, n))
        if layout == "coo":
            return torch.sparse_coo_tensor(torch.stack([rows, columns]), values, (n, n))
        return torch.zeros(n, n, dtype=values.dtype, device=device).index_put((rows, columns), values)

    def test_differences(self):
        for device in self.devices:
            for layout in ("csr", "csc", "coo", "dense"):
                for shape in (16, (16, 3)):
                    def x(values, b, layout=layout):
                        return cgsolve.torch.solve(self.matrix(values, layout), b, rtol=1e-13, asymmetry=0.01)
                    given = self.tensor(self.A.data, device), self.tensor(self.random.uniform(-1, 1, shape), device)
                    with self.subTest(device=device, layout=layout, shape=shape):
                        self.assertTrue(torch.autograd.gradcheck(x, given))
                        self.assertTrue(torch.autograd.gradgradcheck(x, given))

    def test_one_triangle(self):
        b = self.random.uniform(-1, 1, 16)
        for uplo, keep in (("U", np.less_equal), ("L", np.greater_equal)):
            values = self.tensor(self.A.data)
            x = cgsolve.torch.solve(self.matrix(values, "csr"), self.tensor(b), rtol=1e-13, uplo=uplo)
            x.square().sum().backward()
            rows, columns = self.A.tocoo().coords
            full = self.tensor(self.A.data)
            cgsolve.torch.solve(self.matrix(full, "csr"), self.tensor(b), rtol=1e-13).square().sum().backward()
            wanted = full.grad.numpy() * np.where(rows == columns, 1, np.where(keep(rows, columns), 2, 0))
            np.testing.assert_allclose(values.grad.numpy(), wanted, rtol=1e-9, atol=1e-12)

    def derivatives(self, device, type_of_b, options):
        """The first ones, and the second ones of their squares."""
        values = self.tensor(self.A.data, device)
        b = torch.tensor(self.B, dtype=type_of_b, device=device, requires_grad=True)
        x = cgsolve.torch.solve(self.matrix(values, "csr"), b, **options)
        self.assertEqual((x.dtype, x.shape, x.device), (b.dtype, b.shape, b.device))
        first = torch.autograd.grad(x.sin().sum(), (values, b), create_graph=True)
        second = torch.autograd.grad(sum(one.double().square().sum() for one in first), (values, b))
        return [one.detach().cpu().numpy().tobytes() for one in (x, *first, *second)]

    def test_bits(self):
        self.A = grid(40).astype(float)
        self.A.sort_indices()
        self.B = self.random.uniform(-1, 1, (1600, 2))
        for device in self.devices:
            for dtype in (torch.float64, torch.float32):
                for options in ({}, {"preconditioner": "multigrid"}, {"rtol": 1e-11, "method": "minres"}):
                    found = [self.derivatives(device, dtype, options) for _ in range(3)]
                    self.assertEqual(found[0], found[1])
                    self.assertEqual(found[0], found[2])

    def test_many_solves(self):
        values, b = self.tensor(self.A.data), self.tensor(np.ones(16))
        solver = cgsolve.torch.LinearSolver(self.matrix(values, "csr"), rtol=1e-12)
        (solver(b) + solver(2 * b)).sum().backward()
        other = self.tensor(self.A.data)
        cgsolve.torch.solve(self.matrix(other, "csr"), 3 * b.detach(), rtol=1e-12).sum().backward()
        np.testing.assert_allclose(values.grad.numpy(), other.grad.numpy(), rtol=1e-8)

    def test_refused(self):
        A, b = self.matrix(self.tensor(self.A.data), "csr"), self.tensor(np.ones(16))
        with self.assertRaisesRegex(cgsolve.Error, "has not converged: Result.iteration limit"):
            cgsolve.torch.solve(A, b, maxiter=1)
        with self.assertRaisesRegex(ValueError, "A has 16 rows"):
            cgsolve.torch.solve(A, b[:3])
        with self.assertRaisesRegex(ValueError, "torch.sparse_bsr: it must be dense, or sparse by"):
            cgsolve.torch.solve(A.detach().to_sparse_bsr((2, 2)), b)


if __name__ == "__main__":
    unittest.main()
