"""Arrays of CuPy and torch in the memory of a GPU, where there is one: the bits of the CPU."""

import importlib
import unittest

import numpy as np
import scipy.sparse as sparse
from support import gpu, grid, random

import cgsolve
from cgsolve import _gpu, _library


def module(name):
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


class Pretended:
    """An array of the host that says it is in the memory of GPU 3."""

    def __init__(self, values):
        self.values, self.streams = values, []

    def __dlpack_device__(self):
        return 2, 3

    def __dlpack__(self, stream):
        self.streams.append(stream)
        return self.values.__dlpack__()


class Views(unittest.TestCase):
    """What the library is told of arrays in a GPU's memory."""

    def test_members(self):
        names = {np.float64: "DOUBLE", np.float32: "FLOAT", np.int32: "INT32", np.int64: "INT64"}
        for dtype, name in names.items():
            given = Pretended(np.arange(9, dtype=dtype)[2:])
            seen = _gpu.view(given, 3).array
            self.assertEqual(int(_library.ffi.cast("intptr_t", seen.data)), given.values.ctypes.data)
            self.assertEqual((seen.rows, seen.columns, seen.device), (7, 0, 3))
            self.assertEqual((seen.type, seen.place), (getattr(_library.lib, f"CGS_{name}"), _library.lib.CGS_CUDA))
            self.assertEqual(given.streams, [1])

    def test_others(self):
        for values in (np.ones(4, dtype=np.float16), np.ones((2, 2)), np.ones(8)[::2], np.ones(0), np.ones(3, dtype=int)
                       .astype(np.uint64), np.ones(3, dtype=complex)):
            self.assertIsNone(_gpu.view(Pretended(values), 3))
        self.assertIsNone(_gpu.view(Pretended(np.ones(3)), 0))
        self.assertIsNone(_gpu.view(np.ones(3), 3))


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

    def refusals(self, put):
        """What is wrong with a matrix is said as of the host; put: rows to the memory of the GPU."""
        good = sparse.csr_matrix(self.A)
        for change in (lambda A: A.data.__setitem__(7, np.nan), lambda A: A.data.__setitem__(1, 5.0),
                       lambda A: A.indices.__setitem__(3, 900), lambda A: A.indices.__setitem__(5, -1),
                       lambda A: A.indptr.__setitem__(2, 0)):
            bad, said = good.copy(), []
            change(bad)
            for A in (bad, put(bad)):
                with self.assertRaises(ValueError) as raised:
                    cgsolve.Solver(A, device="cuda")
                said.append(str(raised.exception))
            self.assertEqual(said[0], said[1])
        b = self.b.copy()
        b[17] = np.nan
        for given in (b, self.on_device(b)):
            with self.assertRaisesRegex(ValueError, r"b\[17\] = nan is not finite"):
                cgsolve.Solver(put(good)).solve(given)

    def kinds(self, put):
        """Unsorted rows, wide indices, single values, a start, and a second solve, from the memory of the GPU."""
        unsorted = sparse.csr_matrix(self.A)[:, ::-1][:, ::-1]
        wide = sparse.csr_matrix(self.A)
        wide.indptr, wide.indices = wide.indptr.astype(np.int64), wide.indices.astype(np.int64)
        single = sparse.csr_matrix(self.A.astype(np.float32))
        for A in (unsorted, wide, single, sparse.csr_matrix(self.A)):
            for preconditioner in (None, "jacobi", "multigrid"):
                solvers = [cgsolve.Solver(one, rtol=1e-9, preconditioner=preconditioner, device="cuda")
                           for one in (A, put(A))]
                for x0 in (None, self.x0, None):
                    here = solvers[0].solve(self.b, x0)
                    there = solvers[1].solve(self.on_device(self.b), None if x0 is None else self.on_device(x0))
                    self.assertEqual(np.asarray(there.x.cpu() if hasattr(there.x, "cpu") else there.x.get()).tobytes(),
                                     here.x.tobytes())
                    self.assertEqual((there.reason, there.true_residual), (here.reason, here.true_residual))
                    self.assertEqual(there.history.tobytes(), here.history.tobytes())

    @unittest.skipUnless(module("cupy"), "CuPy is not installed")
    def test_rows_of_cupy(self):
        cupy, sparse_there = module("cupy"), importlib.import_module("cupyx.scipy.sparse")

        def put(A):
            return sparse_there.csr_matrix(tuple(map(cupy.asarray, (A.data, A.indices, A.indptr))), shape=A.shape)

        self.on_device = cupy.asarray
        self.refusals(put)
        self.kinds(put)

    @unittest.skipUnless(module("torch"), "torch is not installed")
    def test_rows_of_torch(self):
        torch = module("torch")

        def put(A):
            there = (torch.from_numpy(array).cuda() for array in (A.indptr, A.indices, A.data))
            return torch.sparse_csr_tensor(*there, size=A.shape, check_invariants=False)

        self.on_device = lambda array: torch.from_numpy(array).cuda()
        self.refusals(put)
        self.kinds(put)

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
