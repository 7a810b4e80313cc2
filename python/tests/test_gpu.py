"""Arrays of CuPy and torch in the memory of a GPU, where there is one: the bits of the CPU."""

import importlib
import unittest

import numpy as np
import scipy.sparse as sparse
from support import gpu, grid, random

import cgsolve


def module(name):
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


@unittest.skipUnless(gpu(), "no GPU, or a package without CUDA")
class OnGpu(unittest.TestCase):
    def setUp(self):
        self.A, self.b = grid(30).astype(float), random().uniform(-1, 1, 900)
        self.x0 = random().uniform(-1, 1, 900)

    def solve(self, A, b, x0=None, **options):
        """x, and the same by the CPU."""
        history, wanted_history = [], []
        x, info = cgsolve.cg(A, b, x0, rtol=1e-9, history=history, **options)
        wanted, _ = cgsolve.cg(self.A, self.b, None if x0 is None else self.x0, rtol=1e-9, history=wanted_history)
        self.assertEqual((info, history), (0, wanted_history))
        return x, wanted

    def test_of_the_host(self):
        for device in ("cuda", "cuda:0"):
            x, wanted = self.solve(self.A, self.b, self.x0, device=device)
            self.assertEqual(x.tobytes(), wanted.tobytes())
        A = self.A - 3 * sparse.identity(900)
        found = [cgsolve.Solver(A, method="minres", rtol=1e-8, device=device).solve(self.b) for device in ("cpu", "cuda")]
        self.assertEqual(found[0].x.tobytes(), found[1].x.tobytes())
        B = np.stack([self.b, self.x0, 0 * self.b], axis=1)
        found = [cgsolve.Solver(A, method="minres", rtol=1e-8, device=device).solve(B) for device in ("cpu", "cuda")]
        self.assertEqual(found[0].x.tobytes(), found[1].x.tobytes())
        self.assertEqual([one.tolist() for one in found[0].history], [one.tolist() for one in found[1].history])
        pairs = [cgsolve.eigsh(self.A, 3, which="SA", device=device) for device in ("cpu", "cuda")]
        self.assertEqual([array.tobytes() for array in pairs[0]], [array.tobytes() for array in pairs[1]])

    def test_compare(self):
        found = cgsolve.compare(self.A, self.b, repeats=3, device="cuda")
        self.assertEqual([row.label for row in found], ["atomics", "compensated", "compensated all", "bitwise"])
        self.assertEqual((found[3].histories, found[3].solutions), (1, 1))

    @unittest.skipUnless(module("cupy"), "CuPy is not installed")
    def test_cupy(self):
        cupy, sparse_there = module("cupy"), importlib.import_module("cupyx.scipy.sparse")
        b, x0 = cupy.asarray(self.b), cupy.asarray(self.x0)
        for A in (self.A, cupy.asarray(self.A.toarray()), sparse_there.csr_matrix(self.A),
                  sparse_there.csc_matrix(self.A), sparse_there.coo_matrix(self.A)):
            x, wanted = self.solve(A, b, x0)
            self.assertIsInstance(x, cupy.ndarray)
            self.assertEqual(x.get().tobytes(), wanted.tobytes())
        with cupy.cuda.Stream(non_blocking=True):  # b is made on a stream of its own
            for _ in range(100):
                cupy.sort(cupy.random.random(1 << 22))
            x, wanted = self.solve(sparse_there.csr_matrix(self.A), cupy.asarray(self.b) * 1)
            self.assertEqual(x.get().tobytes(), wanted.tobytes())
        X, _ = cgsolve.cg(self.A, cupy.stack([b, x0], axis=1), rtol=1e-9)
        self.assertEqual(X[:, 0].get().tobytes(), wanted.tobytes())
        w, v = cgsolve.eigsh(sparse_there.csr_matrix(self.A), 2, which="LA")
        self.assertLess(float(cupy.abs(cupy.asarray(self.A.toarray()) @ v - v * w).max()), 1e-12)

    @unittest.skipUnless(module("torch"), "torch is not installed")
    def test_torch(self):
        torch = module("torch")
        b, x0, dense = (torch.from_numpy(array).cuda() for array in (self.b, self.x0, self.A.toarray()))
        for A in (self.A, dense, dense.to_sparse_csr(), dense.to_sparse_csc(), dense.to_sparse_coo(),
                  dense.cpu().to_sparse_csr()):
            x, wanted = self.solve(A, b, x0)
            self.assertEqual((x.device, x.dtype), (b.device, torch.float64))
            self.assertEqual(x.cpu().numpy().tobytes(), wanted.tobytes())
        x, wanted = self.solve(dense.to_sparse_csr(), self.b)
        self.assertEqual(x.tobytes(), wanted.tobytes())
        X, _ = cgsolve.cg(self.A, torch.stack([b, x0], dim=1), rtol=1e-9)
        self.assertEqual((X.device, X[:, 0].cpu().numpy().tobytes()), (b.device, wanted.tobytes()))
        solver = cgsolve.Solver(dense, rtol=1e-9)
        with torch.cuda.stream(torch.cuda.Stream()):
            for _ in range(100):
                torch.sort(torch.rand(1 << 22, device="cuda"))
            found = solver.solve(torch.from_numpy(self.b).cuda() * 1)
        self.assertEqual(found.x.cpu().numpy().tobytes(), wanted.tobytes())


if __name__ == "__main__":
    unittest.main()
