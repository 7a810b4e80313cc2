"""cgsolve.jax: derivatives against differences, in jit and vmap, and their bits."""

import importlib.util
import unittest

import numpy as np
from support import grid, random

if importlib.util.find_spec("jax"):
    import jax
    import jax.numpy as jnp
    from jax.experimental import sparse
    from jax.test_util import check_grads
    import cgsolve.jax
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
        single = cgsolve.jax.solve(A, B[0].astype(jnp.float32))
        self.assertEqual(single.dtype, jnp.float32)
        np.testing.assert_allclose(single, X[0], rtol=1e-5, atol=1e-6)

    def test_refused(self):
        A, b = self.matrix(jnp.array(self.A.data), "bcoo"), jnp.ones(16)
        with self.assertRaisesRegex(Exception, "has not converged: Result.iteration limit"):
            cgsolve.jax.solve(A, b, maxiter=1).block_until_ready()
        with self.assertRaisesRegex(ValueError, "uplo is not taken"):
            cgsolve.jax.solve(A, b, uplo="U")


if __name__ == "__main__":
    unittest.main()
