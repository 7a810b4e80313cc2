"""Arrays of CuPy, torch and JAX in the memory of a GPU, where there is one: the bits of the CPU."""

import contextlib
import importlib
import os
import sys
import types
import unittest
from unittest import mock

import numpy as np
import scipy.sparse as sparse
from support import gpu, grid, random

import cgsolve
from cgsolve import _gpu, _library, _matrix, _product, _solver
from cgsolve._library import lib


os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")  # JAX would take most of the memory


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
            self.assertEqual((seen.rows, seen.columns, seen.device), (7, 1, 3))
            self.assertEqual((seen.type, seen.place), (getattr(_library.lib, f"CGS_{name}"), _library.lib.CGS_CUDA))
            self.assertEqual(given.streams, [1])

    def test_strides(self):
        for values, strides in ((np.ones((4, 3)), (3, 1)), (np.ones((4, 3), order="F"), (1, 4)),
                                (np.ones((4, 6))[:, ::2], (6, 2)), (np.ones((4, 1)), (1, 1))):
            seen = _gpu.view(Pretended(values), 3, 2).array
            self.assertEqual((seen.rows, seen.columns, seen.row_stride, seen.column_stride), (*values.shape, *strides))
        for values in (np.ones(4), np.ones((4, 0)), np.ones((4, 3))[::-1]):
            self.assertIsNone(_gpu.view(Pretended(values), 3, 2))

    def test_others(self):
        for values in (np.ones(4, dtype=np.float16), np.ones((2, 2)), np.ones(8)[::2], np.ones(0), np.ones(3, dtype=int)
                       .astype(np.uint64), np.ones(3, dtype=complex)):
            self.assertIsNone(_gpu.view(Pretended(values), 3))
        self.assertIsNone(_gpu.view(Pretended(np.ones(3)), 0))
        self.assertIsNone(_gpu.view(np.ones(3), 3))


class There(np.ndarray):
    """What CuPy would have in the memory of GPU 0."""

    def copy(self, order="C"):
        return np.array(self).view(There)


There.__module__ = "cupy"


def there(values):
    return np.array(values).view(There)


def pretended_cupy():
    """Its functions, by those of NumPy."""
    made = types.ModuleType("cupy")
    for name in ("arange", "ascontiguousarray", "concatenate", "empty_like", "isfinite", "searchsorted"):
        function = getattr(np, name)
        setattr(made, name, lambda *arguments, _by=function, **options: np.asarray(_by(*arguments, **options))
                .view(There))

    def asarray(values):
        interface = getattr(values, "__cuda_array_interface__", None)
        return np.asarray(types.SimpleNamespace(__array_interface__=interface) if interface else values).view(There)

    made.asarray = asarray
    made.streams = []
    stream = types.SimpleNamespace(synchronize=lambda: made.streams.append("waited for"))
    made.cuda = types.SimpleNamespace(
        Device=lambda number: contextlib.nullcontext(), get_current_stream=lambda: stream,
        ExternalStream=lambda address: contextlib.nullcontext(made.streams.append(address)))
    return made


class Pretending(unittest.TestCase):
    """What is done with arrays in a GPU's memory before the library gets them, without a GPU."""

    def setUp(self):
        self.random = random()
        self.cupy = pretended_cupy()
        where, here = _gpu.cuda_device, mock.patch.dict(sys.modules, {"cupy": self.cupy})
        here.start()
        self.addCleanup(here.stop)
        for module in (_gpu, _product):
            patch = mock.patch.object(module, "cuda_device", lambda what, values, known=where: 0
                                      if isinstance(values, There) else known(what, values))
            patch.start()
            self.addCleanup(patch.stop)
        patch = mock.patch.object(_gpu, "view", self.view)
        patch.start()
        self.addCleanup(patch.stop)

    @staticmethod
    def view(values, _gpu_number, dimensions=1):
        dense = values.flags.c_contiguous or dimensions == 2
        taken = values.dtype in _matrix._TYPES and values.ndim == dimensions and dense
        return _gpu.View(_matrix.strided(np.asarray(values)), values) if taken else None

    def kinds(self):
        """A matrix by rows, columns, entries and dense, in order and not; with triangles apart; of float32."""
        A = grid(9).astype(float)
        A.data *= 1.5
        known, order = A.tocoo(), self.random.permutation(A.nnz)
        places = known.row[order], known.col[order]
        coordinates = sparse.coo_array((known.data[order], places), shape=A.shape)
        twice = sparse.coo_array((np.tile(coordinates.data / 4, 2), tuple(np.tile(places, 2))), shape=A.shape)
        unsorted = sparse.csr_array(A)[:, ::-1][:, ::-1]
        return [sparse.csr_array(A), sparse.csc_array(A), unsorted, coordinates, twice, A.toarray(),
                sparse.csr_array(A.astype(np.float32)), np.rint(A.toarray()).astype(int),
                sparse.csr_array(sparse.triu(A)), sparse.csc_array(sparse.triu(A)), sparse.csr_array(sparse.tril(A))]

    def put(self, A):
        """The same with arrays of the GPU."""
        A = A.copy()
        if isinstance(A, np.ndarray):
            return there(A)
        if A.format == "coo":
            return types.SimpleNamespace(format="coo", shape=A.shape, row=there(A.row), col=there(A.col),
                                         data=there(A.data), tocsr=None)
        A.data, A.indices, A.indptr = map(there, (A.data, A.indices, A.indptr))
        return A

    def hash_of(self, A, there_too, **options):
        """That of A - shift I, or what is said of it."""
        handles = _solver.Handles()
        context = handles.context(1, None)
        if there_too:
            entries = _gpu.entries(self.put(A), 0, **options)
            self.assertIsNotNone(entries)
            made = handles.matrix_on_gpu(context, entries, None)
            return lib.cgs_matrix_hash(made) if made else "refused"
        try:
            options = {"shift": 0.0, "uplo": None, **options}
            return lib.cgs_matrix_hash(handles.matrix(context, _matrix.Data(A, asymmetry=None, **options)))
        except ValueError:
            return "refused"

    def test_matrices(self):
        for which, A in enumerate(self.kinds()):
            for options in ({}, {"uplo": "U"}, {"uplo": "L"}, {"shift": 0.37}, {"shift": -2.0, "uplo": "L"}):
                with self.subTest(which=which, options=options):
                    self.assertEqual(self.hash_of(A, True, **options), self.hash_of(A, False, **options))

    def test_left_to_the_host(self):
        """What is refused there, or cannot be taken."""
        good = self.kinds()[0]
        for change in (lambda A: setattr(A, "data", A.data[:-1]), lambda A: setattr(A, "data", A.data.astype(complex)),
                       lambda A: setattr(A, "indices", A.indices.astype(np.int16)),
                       lambda A: setattr(A, "indptr", A.indptr[:-1])):
            bad = self.put(good)
            change(bad)
            self.assertIsNone(_gpu.entries(bad, 0))
        self.assertIsNone(_gpu.entries(good, 0))
        self.assertIsNone(_gpu.entries(self.put(good), 1))
        self.assertIsNone(_gpu.entries(self.put(good), None))

    def test_vectors(self):
        b = self.random.uniform(-1, 1, 12)
        for given in (b, b.astype(np.float32), b.reshape(12, 1), np.arange(12), np.stack([b, b], axis=1)[:, 1]):
            seen = _gpu.system(12, 0, there(given), there(given))
            for one in (seen.of_b, seen.of_x0):
                self.assertEqual(np.asarray(one.capsule).tobytes(), given.astype(float).tobytes())
            self.assertEqual((seen.x.shape, seen.x.dtype), ((12, 1), np.float64))
        B = np.stack([b, 2 * b], axis=1)
        for given in (B, np.asfortranarray(B), B[:, ::-1].copy()[::1]):
            seen = _gpu.system(12, 0, there(given), there(b))
            self.assertEqual(seen.x.strides, given.strides)
            self.assertEqual((np.asarray(seen.of_b.capsule) == given).all(), True)
            self.assertEqual((np.asarray(seen.of_x0.capsule) == b[:, None]).all(), True)
        for given in (b.astype(complex), b[1:], np.stack([B, B])):
            self.assertIsNone(_gpu.system(12, 0, there(given), None))
        self.assertIsNone(_gpu.system(12, 0, there(b), there(np.where(b == b[5], np.inf, b))))
        self.assertIsNone(_gpu.system(12, 0, there(b), b))
        self.assertIsNone(_gpu.system(12, 0, there(b), there(B)))
        self.assertIsNone(_gpu.system(12, 0, b, None))

    def call(self, operator, x, calls, shift=0.0):
        """The product by the function that the library gets, or what it has raised."""
        raised, y = [], np.full_like(x, np.nan)
        function, several, n = _product.product("A", "x", operator, raised, shift, calls)
        self.assertEqual(n, len(x))
        arrays = [_library.ffi.new("struct cgs_array *", _matrix.strided(v)) for v in (x, y)]
        failed = function(_library.ffi.NULL, *arrays, _library.ffi.cast("void *", 77))
        self.assertEqual(failed, 1 if raised else 0)
        return (raised[0] if raised else y), several

    def test_functions(self):
        A, kinds = grid(4).astype(float), []

        class Operator:
            shape = A.shape

            def matvec(self, x):
                kinds.append((type(x), x.shape))
                y = there(A @ np.asarray(x))
                x[:] = np.nan
                return y

        calls, x = _gpu.Calls(0), self.random.uniform(-1, 1, (16, 1))
        with self.assertRaisesRegex(ValueError, "b is of numpy, and A or M is a function"):
            calls.begin(x)
        calls.begin(there(x))
        for shift in (0.0, 0.5):
            y, several = self.call(Operator(), x, calls, shift)
            self.assertFalse(several)
            self.assertEqual(y.tobytes(), (A @ x - shift * x if shift else A @ x).tobytes())
        self.assertEqual(kinds, [(There, (16,))] * 2)
        self.assertEqual(self.cupy.streams, ["waited for", 77, 77])
        self.cupy.cuda.Stream = types.SimpleNamespace(
            from_external=lambda it: contextlib.nullcontext(self.cupy.streams.append(it.__cuda_stream__())))
        self.assertEqual(self.call(Operator(), x, calls)[0].tobytes(), (A @ x).tobytes())
        self.assertEqual(self.cupy.streams[-1], (0, 77))
        Operator.matmat = lambda self, X: there(A @ np.asarray(X))
        X = self.random.uniform(-1, 1, (16, 4))
        y, several = self.call(Operator(), X, calls)
        self.assertTrue(several)
        self.assertEqual(y.tobytes(), (A @ X).tobytes())
        for wrong, said in ((lambda self, x: np.ones(16), "is of numpy: it must be an array of cupy"),
                            (lambda self, x: there(np.ones(15)), r"has the shape \(15,\)"),
                            (lambda self, x: there(np.ones(16, dtype=complex)), "must be real"),
                            (lambda self, x: 1 / 0, "division by zero")):
            Operator.matvec = wrong
            self.assertRegex(str(self.call(Operator(), x, calls)[0]), said)

    def test_where_matrices_are(self):
        with self.assertRaisesRegex(ValueError, "^M is not in the memory of GPU 0.*device = \"cpu\""):
            _product.product("M", "r", np.eye(3), [], calls=_gpu.Calls(0))
        with self.assertRaisesRegex(ValueError, "^M is in the memory of a device"):
            _product.product("M", "r", there(np.eye(3)), [])


class Memory(unittest.TestCase):
    def test_empty_cache(self):
        """Another solve has the same bits, with a GPU or without one."""
        A, b, device = grid(20), random().uniform(-1, 1, 400), "cuda" if gpu() else "cpu"
        found = []
        for _ in range(3):
            found.append(cgsolve.cg(A, b, device=device)[0].tobytes())
            self.assertIsNone(cgsolve.empty_cache())
            cgsolve.empty_cache()
        self.assertEqual(len(set(found)), 1)


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
        for wrong, options in ((np.nan, {}), (np.inf, {"method": "minres"}), (-np.inf, {"preconditioner": "multigrid"})):
            b = self.b.copy()
            b[17] = wrong
            solver = cgsolve.Solver(put(good), **options)
            for given in (b, self.on_device(b)):
                with self.assertRaisesRegex(ValueError, rf"b\[17\] = {wrong} is not finite"):
                    solver.solve(given)
            with self.assertRaisesRegex(ValueError, rf"b\[17, 1\] = {wrong} is not finite"):
                solver.solve(self.on_device(np.stack([self.b, b], axis=1)))

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


class OfCupy:
    """Arrays and matrices of CuPy: from those of NumPy and SciPy, and back."""

    name = "cupy"

    def __init__(self):
        self.module, self.sparse = module("cupy"), importlib.import_module("cupyx.scipy.sparse")
        self.kind = self.module.ndarray

    def put(self, values):
        return self.module.asarray(values)

    def get(self, values):
        return values.get()

    def matrix(self, A):
        """CSR, CSC and COO as they are, other formats dense."""
        if not sparse.issparse(A):
            return self.put(A)
        if A.format == "coo":
            places = self.put(A.row), self.put(A.col)
            return self.sparse.coo_matrix((self.put(A.data), places), shape=A.shape)
        made = {"csr": self.sparse.csr_matrix, "csc": self.sparse.csc_matrix}[A.format]
        return made(tuple(map(self.put, (A.data, A.indices, A.indptr))), shape=A.shape)

    def stream(self):
        return self.module.cuda.Stream(non_blocking=True)


class OfTorch:
    """Tensors of torch."""

    name = "torch"

    def __init__(self):
        self.module = module("torch")
        self.kind = self.module.Tensor

    def put(self, values):
        return self.module.from_numpy(np.ascontiguousarray(values)).cuda()

    def get(self, values):
        return values.cpu().numpy()

    def matrix(self, A):
        if not sparse.issparse(A):
            return self.put(A)
        if A.format == "coo":
            places = self.put(np.stack([A.row, A.col]).astype(np.int64))
            return self.module.sparse_coo_tensor(places, self.put(A.data), A.shape)
        made = {"csr": self.module.sparse_csr_tensor, "csc": self.module.sparse_csc_tensor}[A.format]
        return made(*map(self.put, (A.indptr, A.indices, A.data)), size=A.shape, check_invariants=False)

    def stream(self):
        return self.module.cuda.stream(self.module.cuda.Stream())


class OfJax:
    """Arrays of JAX, and its matrices BCOO and BCSR."""

    name = "jax"

    def __init__(self):
        self.module = importlib.import_module("jax.numpy")
        self.sparse = importlib.import_module("jax.experimental.sparse")
        module("jax").config.update("jax_enable_x64", True)
        self.kind = module("jax").Array

    def put(self, values):
        return self.module.asarray(values)

    def get(self, values):
        return np.asarray(values)

    def matrix(self, A):
        if not sparse.issparse(A):
            return self.put(A)
        if A.format == "coo":
            return self.sparse.BCOO((self.put(A.data), self.put(np.stack([A.row, A.col], axis=1))), shape=A.shape)
        A = A.tocsr()
        return self.sparse.BCSR(tuple(map(self.put, (A.data, A.indices, A.indptr))), shape=A.shape)

    @staticmethod
    def stream():
        """It has its own."""
        return contextlib.nullcontext()


def has_gpu(name):
    """Whether a library is here, and finds the GPU."""
    try:
        if name == "jax":
            return bool(module("jax") and module("jax").devices("gpu"))
        return bool(module(name) and (name == "cupy" or module(name).cuda.is_available()))
    except RuntimeError:  # of JAX without one
        return False


class Library:
    """What holds for each library of arrays on a GPU: `its` adapter. The bits are those of arrays of the host."""

    def setUp(self):
        self.random = random()
        self.put, self.get = self.its.put, self.its.get
        self.A, self.b = grid(20).astype(float), self.random.uniform(-1, 1, 400)

    def no_host(self):
        """From here on a matrix or a vector that passes through the host is an error."""
        refusal = AssertionError("arrays pass through the host")
        for name in ("Data", "columns"):
            patch = mock.patch.object(_solver, name, side_effect=refusal)
            patch.start()
            self.addCleanup(patch.stop)

    def kinds(self):
        A, known = self.A, self.A.tocoo()
        order = self.random.permutation(A.nnz)
        places = known.row[order], known.col[order]
        rounded = sparse.csr_array(A * (1 / 3))
        rounded.data[1] *= 1 + 2.0**-50
        return [sparse.csr_array(A), sparse.csc_array(A), sparse.csr_array(A)[:, ::-1][:, ::-1],
                sparse.coo_array((known.data[order], places), shape=A.shape),
                sparse.coo_array((np.tile(known.data[order] / 4, 2), tuple(np.tile(places, 2))), shape=A.shape),
                sparse.csr_array(A.astype(np.float32)), A.toarray(), rounded]

    def test_matrices(self):
        wanted, chosen = [], ({}, {"uplo": "U"}, {"uplo": "L", "preconditioner": "multigrid"},
                              {"shift": 0.3, "method": "minres"})
        for A in self.kinds():
            for options in chosen:
                solver = cgsolve.Solver(A, rtol=1e-9, device="cuda", **options)
                wanted.append((solver.solve(self.b), solver.averaged_pairs, solver.asymmetry))
        b = self.put(self.b)
        given = [self.its.matrix(A) for A in self.kinds()]
        self.no_host()
        for which, A in enumerate(given):
            for options in chosen:
                with self.subTest(which=which, options=options):
                    solver = cgsolve.Solver(A, rtol=1e-9, **options)
                    found, (expected, pairs, asymmetry) = solver.solve(b), wanted.pop(0)
                    self.assertIsInstance(found.x, self.its.kind)
                    self.assertEqual(self.get(found.x).tobytes(), expected.x.tobytes())
                    self.assertEqual(found.history.tobytes(), expected.history.tobytes())
                    self.assertEqual((solver.averaged_pairs, solver.asymmetry), (pairs, asymmetry))

    def test_vectors(self):
        A, x0 = self.A.astype(np.float32), self.random.uniform(-1, 1, 400)
        solvers = [cgsolve.Solver(one, rtol=1e-5, device="cuda") for one in (self.A, A)]
        given = [self.b, self.b.astype(np.float32), self.b.reshape(400, 1), np.arange(400)]
        wanted = [[solver.solve(b, start) for b in given for start in (None, x0)] for solver in solvers]
        self.no_host()
        for solver, expected in zip(solvers, wanted):
            found = [solver.solve(self.put(b), start) for b in given for start in (None, self.put(x0))]
            for one, other in zip(found, expected):
                x = self.get(one.x)
                self.assertEqual((x.dtype, x.shape, x.tobytes()), (other.x.dtype, other.x.shape, other.x.tobytes()))
                self.assertEqual(np.ravel(one.reason).tolist(), np.ravel(other.reason).tolist())

    def test_callback(self):
        seen = [], []
        solver = cgsolve.Solver(self.its.matrix(sparse.csr_array(self.A)), rtol=1e-9)
        solver.solve(self.b, callback=lambda x: seen[0].append(x.tobytes()))
        b, B = self.put(self.b), self.put(np.stack([self.b, self.b], axis=1))
        self.no_host()
        found = solver.solve(b, callback=lambda x: seen[1].append(x.tobytes()))
        self.assertEqual(len(seen[1]), found.iterations)
        self.assertEqual(seen[0], seen[1])
        with self.assertRaises(ZeroDivisionError):
            solver.solve(b, callback=lambda x: 1 / 0)
        with self.assertRaisesRegex(NotImplementedError, "there are 2"):
            solver.solve(B, callback=print)

    def test_several(self):
        B = np.stack([self.b, 0 * self.b, self.random.uniform(-1, 1, 400)], axis=1)
        solver = cgsolve.Solver(self.its.matrix(sparse.csr_array(self.A)), rtol=1e-9)
        given, expected = [], []
        for x0 in (None, self.b, B[:, ::-1]):
            for b in (B, np.asfortranarray(B), B.astype(np.float32)):
                expected.append(solver.solve(b, x0))
                given.append((self.put(b), None if x0 is None else self.put(x0.copy())))
        self.no_host()
        for (b, x0), wanted in zip(given, expected):
            found = solver.solve(b, x0)
            self.assertIsInstance(found.x, self.its.kind)
            self.assertEqual(self.get(found.x).tobytes(), wanted.x.tobytes())
            self.assertEqual(found.iterations.tolist(), wanted.iterations.tolist())
            self.assertEqual(found.true_residual.tobytes(), wanted.true_residual.tobytes())

    def test_refused(self):
        """As of the host, with row and column."""
        known = self.A.tocoo()
        for values, places in ((np.where(known.data == known.data[7], np.inf, known.data), (known.row, known.col)),
                               (known.data, (known.row, np.where(known.col == 8, 500, known.col))),
                               (np.where(known.row == 3, 2 * known.data, known.data), (known.row, known.col))):
            A = types.SimpleNamespace(format="coo", shape=self.A.shape, row=places[0], col=places[1], data=values,
                                      tocsr=None)
            there_too = types.SimpleNamespace(format="coo", shape=A.shape, row=self.put(A.row), col=self.put(A.col),
                                              data=self.put(A.data), tocsr=None)
            said = []
            for one in (A, there_too):
                with self.assertRaises(ValueError) as raised:
                    cgsolve.Solver(one, device="cuda")
                said.append(str(raised.exception))
            self.assertEqual(said[0], said[1])


class Operators:
    """Functions that work on a GPU, and allocate there."""

    class Known:
        """A x of a matrix there."""

        def __init__(self, A, last=-1):
            self.A, self.shape, self.left = A, tuple(A.shape), last

        def matvec(self, x):
            self.left -= 1
            if self.left == 0:
                raise ZeroDivisionError(f"in {len(x)} rows")
            return (self.A @ (x + 0.0)) * 1.0

    def functions(self, **options):
        A = self.Known(self.put(self.A.toarray()), **options)  # JAX adds the products of sparse rows in any order
        diagonal = self.put(1 / self.A.diagonal())
        M = types.SimpleNamespace(shape=A.shape, matvec=lambda r: diagonal * r)
        return A, M

    def expect_solved(self, found, shift=0.0):
        x = self.get(found.x)
        self.assertEqual(found.reason, "converged")
        self.assertLess(np.linalg.norm(self.b - (self.A @ x - shift * x)), 1.1e-9 * np.linalg.norm(self.b))

    def test_products(self):
        A, M = self.functions()
        b = self.put(self.b)
        self.no_host()
        for options in ({}, {"M": M}, {"method": "minres", "shift": 0.2}, {"method": "minres", "M": M}):
            with self.subTest(options=options):
                found = [cgsolve.Solver(A, rtol=1e-9, device="cuda", **options).solve(b) for _ in range(2)]
                self.expect_solved(found[0], options.get("shift", 0.0))
                self.assertIsInstance(found[0].x, self.its.kind)
                self.assertEqual(self.get(found[0].x).tobytes(), self.get(found[1].x).tobytes())
        found = cgsolve.Solver(self.its.matrix(sparse.csr_array(self.A)), rtol=1e-9, M=M).solve(b)
        self.expect_solved(found)

    def test_functions_of_scipy(self):
        A, M = self.functions()
        b = self.put(self.b)
        x, info = cgsolve.cg(A, b, "Mb", M=M, rtol=1e-9)
        self.assertEqual((type(x), info), (type(b), 0))
        opposite = types.SimpleNamespace(shape=A.shape, matvec=lambda x: -A.matvec(x))
        y, info = cgsolve.cg(opposite, -b, "Mb", M=M, rtol=1e-9)
        self.assertEqual(info, 0)
        z, info = cgsolve.minres(A, b, M=M, check=True, rtol=1e-9)
        self.assertEqual(info, 0)
        for one in (y, z):
            np.testing.assert_allclose(self.get(one), self.get(x), rtol=0, atol=1e-7)

    def test_columns_of_functions(self):
        A, _ = self.functions()
        B = np.stack([self.b, 2 * self.b, self.random.uniform(-1, 1, 400)], axis=1)
        for matmat in (None, lambda X: A.A @ X):
            if matmat:
                A.matmat = matmat
            found = cgsolve.Solver(A, rtol=1e-9, device="cuda").solve(self.put(B))
            self.assertEqual(found.reason.tolist(), ["converged"] * 3)
            residual = np.linalg.norm(B - self.A @ self.get(found.x), axis=0)
            self.assertTrue((residual <= 1.1e-9 * np.linalg.norm(B, axis=0)).all())

    def test_what_is_raised(self):
        for last in (1, 2, 9):
            A, _ = self.functions(last=last)
            with self.assertRaisesRegex(ZeroDivisionError, "in 400 rows"):
                cgsolve.cg(A, self.put(self.b))
        A, _ = self.functions()
        A.matvec = lambda x: self.b
        with self.assertRaisesRegex(ValueError, r"A.matvec\(x\) is of numpy"):
            cgsolve.cg(A, self.put(self.b))
        A, _ = self.functions()
        with self.assertRaisesRegex(ValueError, "b is of numpy"):
            cgsolve.Solver(A, device="cuda").solve(self.b)

    def test_a_stream_of_its_own(self):
        """What the functions use is made on the current stream, right before."""
        A, _ = self.functions()
        wanted = self.get(cgsolve.cg(A, self.put(self.b), rtol=1e-9)[0])
        library = self.its.module
        with self.its.stream():
            for _ in range(100):
                library.sort(self.put(np.zeros(1 << 20)))
            scaled = self.functions()[0]
            x, _ = cgsolve.cg(scaled, self.put(self.b) * 1.0, rtol=1e-9)
        self.assertEqual(self.get(x).tobytes(), wanted.tobytes())


@unittest.skipUnless(gpu() and has_gpu("cupy"), "no GPU, or no CuPy")
class Cupy(Library, Operators, unittest.TestCase):
    def setUp(self):
        self.its = OfCupy()
        super().setUp()

    def test_operators_of_cupy(self):
        """A LinearOperator says that it is there: b may be of the host."""
        linalg = importlib.import_module("cupyx.scipy.sparse.linalg")
        A = linalg.aslinearoperator(self.its.matrix(sparse.csr_array(self.A)))
        found = cgsolve.Solver(A, rtol=1e-9).solve(self.b)
        self.assertIsInstance(found.x, np.ndarray)
        self.assertLess(np.linalg.norm(self.b - self.A @ found.x), 1.1e-9 * np.linalg.norm(self.b))
        w, v = cgsolve.eigsh(A, 2, which="LA")
        self.assertIsInstance(w, self.its.kind)
        self.assertLess(np.abs(self.A @ v.get() - v.get() * w.get()).max(), 1e-10)


@unittest.skipUnless(gpu() and has_gpu("torch"), "no GPU, or no torch")
class Torch(Library, Operators, unittest.TestCase):
    def setUp(self):
        self.its = OfTorch()
        super().setUp()


@unittest.skipUnless(gpu() and has_gpu("jax"), "no GPU, or no JAX for it")
class Jax(Library, Operators, unittest.TestCase):
    def setUp(self):
        self.its = OfJax()
        super().setUp()

    def test_derivatives(self):
        """cgsolve.jax.solve: outside jit on the GPU, with the bits of the host; within jit through the host."""
        jax, solve = module("jax"), importlib.import_module("cgsolve.jax").solve
        wanted = cgsolve.Solver(self.A, rtol=1e-9).solve(self.b).x
        A, b = self.its.matrix(sparse.csr_array(self.A)), self.put(self.b)
        X = jax.vmap(lambda one: solve(A, one, rtol=1e-9))(self.its.module.stack([b, 2 * b]))

        def loss(values, b, given=A):
            made = self.its.sparse.BCSR((values, given.indices, given.indptr), shape=given.shape)
            return (solve(made, b, rtol=1e-9) ** 2).sum()

        by_jit = jax.jit(jax.grad(loss, argnums=(0, 1)))(A.data, b)
        self.no_host()
        x = solve(A, b, rtol=1e-9)
        self.assertIsInstance(x, self.its.kind)
        self.assertEqual(x.devices(), b.devices())
        self.assertEqual(self.get(x).tobytes(), wanted.tobytes())
        self.assertEqual(self.get(X[0]).tobytes(), wanted.tobytes())
        found = [jax.grad(loss, argnums=(0, 1))(A.data, b) for _ in range(2)]
        for one, again, other in zip(*found, by_jit):
            self.assertEqual(self.get(one).tobytes(), self.get(again).tobytes())
            np.testing.assert_allclose(self.get(one), self.get(other), rtol=1e-6, atol=1e-6)

if __name__ == "__main__":
    unittest.main()
