"""References: those of the program, and those that it takes."""

import pathlib
import subprocess
import tempfile
import unittest

import numpy as np
import scipy.io
import scipy.sparse as sparse
import scipy.sparse.linalg as linalg
from support import PROGRAM, grid, random

import cgsolve


class Reference(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = pathlib.Path(holder.name)
        self.path = self.folder / "grid.csv"
        self.A, self.b = grid(12).astype(float), random().uniform(-1, 1, 144)

    def program(self, *arguments, reference=""):
        """Its exit status, for the same system."""
        scipy.io.mmwrite(self.folder / "A.mtx", sparse.coo_array(self.A), precision=17, symmetry="symmetric")
        scipy.io.mmwrite(self.folder / "b.mtx", self.b[:, None], precision=17)
        (self.folder / "this.cfg").write_text(
            f'problem = {{ type = "mtx"; path = "{self.folder}/A.mtx"; }};\n'
            f'rhs = {{ type = "file"; path = "{self.folder}/b.mtx"; }};\n'
            f'solver = {{ tolerance = 1e-5; }}; kernels = ( "cpu_sym_bitwise" );\nrepeats = 1;\n{reference}')
        return subprocess.run([PROGRAM, "--quiet", "--output", str(self.folder / "out"), *arguments,
                               str(self.folder / "this.cfg")], capture_output=True, check=False).returncode

    def test_of_the_program(self):
        self.assertEqual(self.program("--write-reference", str(self.path)), 0)
        for threads in (1, 2):
            found = cgsolve.check_reference(self.path, cgsolve.Solver(self.A, threads=threads), self.b)
            self.assertTrue(found.converged)

    def test_for_the_program(self):
        for mode in ('mode = "bitwise";', 'mode = "ulps"; tolerance = 1;'):
            cgsolve.write_reference(self.path, cgsolve.Solver(self.A), self.b)
            self.assertEqual(self.program(reference=f'reference = {{ history = "{self.path}"; {mode} }};'), 0)
        history = str(self.folder / "out/history.csv")
        self.assertEqual(subprocess.run([PROGRAM, "check", history, str(self.path)], capture_output=True,
                                        check=False).returncode, 0)
        cgsolve.write_reference(self.path, cgsolve.Solver(self.A, maxiter=3), self.b)
        self.assertEqual(subprocess.run([PROGRAM, "check", history, str(self.path)], capture_output=True,
                                        check=False).returncode, 1)

    def change(self, k, value):
        """The reference with another residual in iteration k."""
        lines = self.path.read_text().splitlines()
        row = next(j for j, line in enumerate(lines) if line.startswith(f"cpu_csr,1,{k},"))
        lines[row] = f"cpu_csr,1,{k},{value!r},{float(value).hex()}"
        self.path.write_text("\n".join(lines) + "\n")

    def test_differences(self):
        for method in ("cg", "minres"):
            solver = cgsolve.Solver(self.A, method=method, kernel="cpu_csr")
            x0 = random().uniform(-1, 1, 144)
            residual = cgsolve.write_reference(self.path, solver, self.b, x0).history[2]
            cgsolve.check_reference(self.path, solver, self.b, x0)
            self.change(2, np.nextafter(np.nextafter(residual, 0), 0))
            with self.assertRaisesRegex(cgsolve.Difference, r"^iteration 2 differs from .*grid.csv: .*1 of \d+ res"):
                cgsolve.check_reference(self.path, solver, self.b, x0)
            cgsolve.check_reference(self.path, solver, self.b, x0, mode="ulps", tolerance=2)
            cgsolve.check_reference(self.path, solver, self.b, x0, mode="relative", tolerance=2.0**-51)
            for options in ({"mode": "ulps", "tolerance": 1}, {"mode": "relative", "tolerance": 2.0**-53}):
                with self.assertRaises(AssertionError):
                    cgsolve.check_reference(self.path, solver, self.b, x0, **options)
            for value in (np.nan, np.inf, 0.0):
                self.change(2, value)
                with self.assertRaises(cgsolve.Difference):
                    cgsolve.check_reference(self.path, solver, self.b, x0, mode="relative", tolerance=1e9)

    def test_counts(self):
        short, long = (cgsolve.Solver(self.A, rtol=1e-30, maxiter=maxiter) for maxiter in (4, 6))
        for one, other in ((short, long), (long, short)):
            cgsolve.write_reference(self.path, one, self.b)
            cgsolve.check_reference(self.path, other, self.b, iterations=2)
            with self.assertRaisesRegex(cgsolve.Difference, r"\d iterations, in .*grid.csv \d"):
                cgsolve.check_reference(self.path, other, self.b, iterations=1)

    def test_another_problem(self):
        solver = cgsolve.Solver(self.A)
        cgsolve.write_reference(self.path, solver, self.b)
        for fact, other, b, x0 in (("matrix", cgsolve.Solver(2 * self.A), self.b, None),
                                   ("rhs", solver, 2 * self.b, None),
                                   ("start", solver, self.b, self.b)):
            with self.assertRaisesRegex(ValueError, f"grid.csv is the history of another problem: {fact} there"):
                cgsolve.check_reference(self.path, other, b, x0)
        cgsolve.check_reference(self.path, solver, self.b, 0 * self.b)

    def test_refused(self):
        solver = cgsolve.Solver(self.A)
        for text in ("", "kernel,run\n", "# matrix: 1\n# rhs: 1\niteration,residual_hex\n0,x\n",
                     "# matrix: 1\n# rhs: 1\niteration,residual_hex\n1,0x1p+0\n", "iteration,residual_hex\n0,0x1p+0\n"):
            self.path.write_text(text)
            with self.assertRaisesRegex(ValueError, "grid.csv is no reference"):
                cgsolve.check_reference(self.path, solver, self.b)
        cgsolve.write_reference(self.path, solver, self.b)
        for options, says in (({"mode": "x"}, "mode = 'x'"), ({"tolerance": -1}, "tolerance = -1"),
                              ({"iterations": 0.5}, "iterations = 0.5")):
            with self.assertRaisesRegex(ValueError, says):
                cgsolve.check_reference(self.path, solver, self.b, **options)
        with self.assertRaisesRegex(ValueError, "A is known by its products alone"):
            cgsolve.write_reference(self.path, cgsolve.Solver(linalg.aslinearoperator(self.A)), self.b)
        with self.assertRaisesRegex(ValueError, r"b has the shape \(144, 2\)"):
            cgsolve.write_reference(self.path, solver, np.ones((144, 2)))
        with self.assertRaises(FileNotFoundError):
            cgsolve.check_reference(self.folder / "none.csv", solver, self.b)


if __name__ == "__main__":
    unittest.main()
