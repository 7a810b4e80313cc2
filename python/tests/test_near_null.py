"""Coordinates and near-null vectors: the bits of the program with the same files, and what is refused."""

import os
import pathlib
import pickle
import re
import subprocess
import tempfile
import unittest

import numpy as np
import scipy.sparse as sparse
import scipy.sparse.linalg as linalg

import cgsolve
from support import PROGRAM, ROOT, by_the_program, grid, random

N = 180  # nodes of 2 or 3 rows


class NearNull(unittest.TestCase):
    def setUp(self):
        self.A, self.b = grid(30)[:N, :N], random().uniform(-1, 1, N)

    def compare(self, key, values, **options):
        """A solve by the program, which reads the values from a file; and by the package, in every way."""
        with tempfile.TemporaryDirectory() as directory:
            path = pathlib.Path(directory) / "values.npy"
            np.save(path, values)
            x, history = by_the_program(
                self.A, self.b, f'tolerance = 1e-9; preconditioner = {{ type = "multigrid"; {key} = "{path}"; }};',
                'name = "cpu_sym_bitwise";')
        options = {"preconditioner": "multigrid", "rtol": 1e-9, **options}
        solver = cgsolve.Solver(self.A, **options)
        for one in (solver, pickle.loads(pickle.dumps(solver))):
            found = one.solve(self.b)
            self.assertEqual(found.x.tobytes(), x.tobytes())
            self.assertEqual(found.history.tolist(), history)
            self.assertLess(len(repr(one)), 400)
        self.assertEqual(cgsolve.cg(self.A, self.b, **options)[0].tobytes(), x.tobytes())
        self.assertEqual(cgsolve.minres(self.A, self.b, **options)[0].shape, (N,))
        runs = cgsolve.compare(self.A, self.b, ["cpu_sym_bitwise"], 2, **options).histories["cpu_sym_bitwise"]
        self.assertEqual(runs[1].tolist(), history)

    def test_coordinates(self):
        for dimensions in (2, 3):
            xyz = random().uniform(-1, 1, (N // dimensions, dimensions))
            self.compare("coordinates", xyz, coordinates=xyz)
            self.compare("coordinates", xyz, coordinates=np.asfortranarray(xyz))

    def test_vectors(self):
        x, y = np.divmod(np.arange(N), 30)  # of the grid
        B = np.stack([np.ones(N), x, y, x * y], axis=1) + random().uniform(0, 0.01, (N, 4))
        self.compare("vectors", B, near_null=B)
        self.compare("vectors", B, near_null=np.asfortranarray(B))
        self.compare("vectors", B[:, :1], near_null=B[:, 0])
        self.compare("vectors", B[:, ::2].astype(np.float32), near_null=B[:, ::2].astype(np.float32))

    def test_refused(self):
        xyz, B = np.ones((N // 3, 3)), np.ones((N, 2))
        multigrid = {"preconditioner": "multigrid"}
        for says, options in (
                ("exclude each other", {**multigrid, "near_null": B, "coordinates": xyz}),
                ("is for a preconditioner", {"near_null": B}),
                ("coordinates is for a preconditioner", {"coordinates": xyz}),
                (r"coordinates has the shape \(59, 3\): A has 180 rows, so it must be \(90, 2\) or \(60, 3\)",
                 {**multigrid, "coordinates": xyz[1:]}),
                ("coordinates has the shape", {**multigrid, "coordinates": xyz.ravel()}),
                (r"near_null has the shape \(179, 2\)", {**multigrid, "near_null": B[1:]}),
                (r"coordinates\[2, 1\] = nan is not finite",
                 {**multigrid, "coordinates": np.where(np.arange(N).reshape(-1, 3) == 7, np.nan, xyz)}),
                ("near-null vector 2 is 0", {**multigrid, "near_null": B * [1, 0]}),
                ("13 vectors: must have 1 to 12", {**multigrid, "near_null": np.ones((N, 13))}),
                ("must be real numbers", {**multigrid, "near_null": 1j * B}),
                ("the library reads no such file", {"preconditioner": {"type": "multigrid", "vectors": "B.npy"}})):
            with self.assertRaisesRegex(ValueError, says):
                cgsolve.Solver(self.A, **options)
        with self.assertRaisesRegex(ValueError, "near_null is for matrices"):
            cgsolve.Solver(linalg.aslinearoperator(self.A), near_null=B)

    def test_blocks(self):
        """A BSR matrix says what the unknowns of a node are."""
        A = sparse.bsr_array(sparse.kron(grid(8), np.eye(3)), blocksize=(3, 3))
        found = cgsolve.Solver(A, preconditioner="multigrid", near_null=np.tile(np.eye(3), (64, 1))).solve(np.ones(192))
        self.assertTrue(found.converged)


class Page(unittest.TestCase):
    def test_elasticity(self):
        """The lines of docs/preconditioners.md run, and the program finds the same."""
        page = (ROOT / "docs/preconditioners.md").read_text(encoding="utf-8")
        section = re.search(r"^## Elasticity$.*?^## ", page, re.MULTILINE | re.DOTALL)[0]
        block, command = re.search(r"```python\n(.*?)```\n\n```sh\n(.*?)\n", section, re.DOTALL).groups()
        names = {}
        self.addCleanup(os.chdir, os.getcwd())
        with tempfile.TemporaryDirectory() as directory:
            os.chdir(directory)
            exec(compile(block, "docs/preconditioners.md", "exec"), names)  # pylint: disable=exec-used
            found = names["found"]
            self.assertTrue(found.converged)
            words = [PROGRAM, *command.split()[1:], "--quiet", "--solution", "x.npy"]
            self.assertEqual(subprocess.run(words, check=False).returncode, 0)
            self.assertEqual(np.load("x.npy").tobytes(), found.x.tobytes())


if __name__ == "__main__":
    unittest.main()
