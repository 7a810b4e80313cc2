"""cgsolve.jax: derivatives against differences, in jit and vmap, and their bits; functions of JAX as operators."""

import importlib.util
import types
import unittest
from unittest import mock

import numpy as np
from support import grid, random

if importlib.util.find_spec("jax"):
    import jax
    import jax.numpy as jnp
    from jax.experimental import sparse
    from jax.test_util import check_grads
    import cgsolve
    import cgsolve.jax
    from cgsolve import _gpu
    jax.config.update("jax_enable_x64", True)


@unittest.skipUnless(importlib.util.find_spec("jax"), "no JAX")
class Derivatives(unittest.TestCase):
    def setUp(self):
        self.random = random()
        self.A = grid(4).astype(float)
        self.A.sort_indices()

    def matrix(self, values, kind):
        rows, columns = self.A.tocoo().coords
        if kind == "bcsr":
            return sparse.BCSR((values, jnp.array(self.A.indices), jnp.array(self.A.indptr)), shape=self.A.shape)
        if kind == "bcoo":
            return sparse.BCOO((values, jnp.stack([rows, columns], axis=1)), shape=self.A.shape)
        return jnp.zeros(self.A.shape).at[rows, columns].set(values)

    def test_differences(self):
        for kind in ("bcoo", "bcsr", "dense"):
            for shape in (16, (16, 3)):
                def x(values, b, kind=kind):
                    return cgsolve.jax.solve(self.matrix(values, kind), b, rtol=1e-13, asymmetry=0.01)
                given = jnp.array(self.A.data), jnp.array(self.random.uniform(-1, 1, shape))
                with self.subTest(kind=kind, shape=shape):
                    check_grads(x, given, order=2, modes=["fwd", "rev"], atol=1e-5, rtol=1e-5)

    def test_bits(self):
        self.A = grid(40).astype(float)
        self.A.sort_indices()
        values, b = jnp.array(self.A.data), jnp.array(self.random.uniform(-1, 1, 1600))

        def loss(values, b):
            return jnp.sin(cgsolve.jax.solve(self.matrix(values, "bcsr"), b, preconditioner="multigrid")).sum()

        for derivatives in (jax.grad(loss, argnums=(0, 1)), jax.jit(jax.grad(loss, argnums=(0, 1)))):
            found = [[np.asarray(one).tobytes() for one in derivatives(values, b)] for _ in range(3)]
            self.assertEqual(found[0], found[1])
            self.assertEqual(found[0], found[2])

    def test_several(self):
        B = jnp.array(self.random.uniform(-1, 1, (5, 16)))
        A = self.matrix(jnp.array(self.A.data), "bcoo")
        X = jax.vmap(lambda b: cgsolve.jax.solve(A, b))(B)
        for b, x in zip(B, X):
            self.assertEqual(np.asarray(cgsolve.jax.solve(A, b)).tobytes(), np.asarray(x).tobytes())
        pairs = jnp.stack([B, 2 * B], axis=2)
        X = jax.jit(jax.vmap(lambda b: cgsolve.jax.solve(A, b)))(pairs)
        for b, x in zip(pairs, X):
            self.assertEqual(np.asarray(cgsolve.jax.solve(A, b)).tobytes(), np.asarray(x).tobytes())
        scaled = jnp.outer(jnp.arange(1.0, 4), A.data)
        X = jax.vmap(lambda values: cgsolve.jax.solve(sparse.BCOO((values, A.indices), shape=A.shape), B[0]))(scaled)
        np.testing.assert_allclose(X * jnp.arange(1.0, 4)[:, None], jnp.stack([X[0]] * 3), rtol=1e-6, atol=1e-7)
        single = cgsolve.jax.solve(A, B[0].astype(jnp.float32))
        self.assertEqual(single.dtype, jnp.float32)
        np.testing.assert_allclose(single, X[0], rtol=1e-5, atol=1e-6)

    def test_no_callback(self):
        """Outside jit there is none, and the set-up is shared; the bits are those of jit."""
        values, b = jnp.array(self.A.data), jnp.array(self.random.uniform(-1, 1, 16))

        def loss(values, b):
            return jnp.sin(cgsolve.jax.solve(self.matrix(values, "bcoo"), b)).sum()

        derivatives = jax.value_and_grad(loss, argnums=(0, 1))
        wanted = jax.jit(derivatives)(values, b)
        refusal = AssertionError("a callback")
        with mock.patch.object(jax, "pure_callback", side_effect=refusal), \
                mock.patch.object(cgsolve.jax, "Solver", side_effect=cgsolve.Solver) as made:
            found = derivatives(values, b)
        self.assertEqual(made.call_count, 1)
        for one, other in zip(jax.tree.leaves(found), jax.tree.leaves(wanted)):
            self.assertIsInstance(one, jax.Array)
            self.assertEqual(one.devices(), b.devices())
            np.testing.assert_allclose(one, other, rtol=1e-12, atol=1e-13)

    def test_refused(self):
        A, b = self.matrix(jnp.array(self.A.data), "bcoo"), jnp.ones(16)
        with self.assertRaisesRegex(Exception, "has not converged: Result.iteration limit"):
            cgsolve.jax.solve(A, b, maxiter=1).block_until_ready()
        with self.assertRaisesRegex(ValueError, "uplo is not taken"):
            cgsolve.jax.solve(A, b, uplo="U")


@unittest.skipUnless(importlib.util.find_spec("jax"), "no JAX")
class Functions(unittest.TestCase):
    """Of JAX, as operators and preconditioners."""

    def setUp(self):
        self.A, self.b = grid(20).astype(float), random().uniform(-1, 1, 400)
        matrix, diagonal = sparse.BCOO.from_scipy_sparse(self.A.tocoo()), jnp.array(self.A.diagonal())
        self.operator = types.SimpleNamespace(shape=self.A.shape, matvec=jax.jit(lambda x: matrix @ x))
        self.M = types.SimpleNamespace(shape=self.A.shape, matvec=jax.jit(lambda r: r / diagonal))
        self.matmat = jax.jit(lambda X: matrix @ X)

    def test_on_the_host(self):
        for b in (self.b, jnp.array(self.b)):
            x, info = cgsolve.cg(self.operator, b, "Mb", rtol=1e-9, M=self.M)
            self.assertEqual(info, 0)
            self.assertLess(np.linalg.norm(self.b - self.A @ x), 1.1e-9 * np.linalg.norm(self.b))

    def test_lent_memory(self):
        """What a function gets and gives on a GPU, with memory of the host in its place."""
        device, sent = jax.devices()[0], []

        class Driver:
            def wait(self, stream):
                sent.append(stream)

            def copy(self, to, source, size, stream):
                sent.append((size, stream))
                _gpu.ffi.memmove(_gpu.ffi.cast("char *", to), _gpu.ffi.cast("char *", source), size)

        pretended = (mock.patch.object(_gpu, "_Driver", Driver), mock.patch.object(_gpu, "_CUDA", 1),
                     mock.patch.object(jax, "local_devices", lambda backend: [device]),
                     mock.patch.object(_gpu, "cuda_device", lambda what, values: 0))
        for patch in pretended:
            patch.start()
            self.addCleanup(patch.stop)
        calls = _gpu.Calls(0)
        calls.begin(jnp.array(self.b))
        self.operator.matmat = self.matmat
        for shift in (0.0, 0.5):
            for columns, stride in ((1, 1), (3, 4), (4, 4)):
                X, Y = random().uniform(-1, 1, (400, stride)), np.full((400, stride), np.nan)
                raised = []
                with mock.patch("cgsolve._product._expect_on"):
                    function, _, _ = cgsolve._product.product("A", "x", self.operator, raised, shift, calls)
                arrays = [_gpu.ffi.new("struct cgs_array *", {
                    "data": _gpu.ffi.cast("void *", one.ctypes.data), "rows": 400, "columns": columns,
                    "row_stride": stride, "column_stride": 1}) for one in (X, Y)]
                sent.clear()
                self.assertEqual(function(_gpu.ffi.NULL, *arrays, _gpu.ffi.cast("void *", 77)), 0, raised)
                self.assertEqual(sent, [77, (8 * 400 * stride, 77)])
                wanted = self.A @ X - shift * X
                np.testing.assert_allclose(Y[:, :columns], wanted[:, :columns], rtol=1e-13, atol=1e-13)
                self.assertFalse(Y[:, columns:].any())

    def test_single_precision(self):
        with mock.patch.object(type(jax.config), "jax_enable_x64", False), \
                self.assertRaisesRegex(ValueError, "with jax_enable_x64"):
            _gpu.Calls(0).begin(jnp.array(self.b))


if __name__ == "__main__":
    unittest.main()
