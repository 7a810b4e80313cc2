"""Plug-ins: docs/example compiled by the line of docs/plugins.md, for a library that Python alone sees."""

import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

import numpy as np
from support import ROOT, grid

import cgsolve


def example(directory):
    page = (ROOT / "docs/plugins.md").read_text(encoding="utf-8")
    line = page[page.index("    cc "):].split("\n\n")[0].replace("example.so", f"'{directory}/example.so'")
    subprocess.run(line, shell=True, check=True, cwd=ROOT)
    return pathlib.Path(directory, "example.so")


class Plugin(unittest.TestCase):
    @unittest.skipUnless(shutil.which("cc"), "no compiler")
    def test_it_is_used(self):
        A = grid(8)
        b = np.ones(A.shape[0])
        with self.assertRaisesRegex(ValueError, "cpu_csr_descending"):
            cgsolve.cg(A, b, kernel="cpu_csr_descending")
        with tempfile.TemporaryDirectory() as directory:
            path = example(directory)
            cgsolve.load(path)
            cgsolve.load(os.fspath(path))
        x, info = cgsolve.cg(A, b, kernel="cpu_csr_descending")
        self.assertEqual(info, 0)
        y, info = cgsolve.cg(A, b, preconditioner="richardson")
        self.assertEqual(info, 0)
        self.assertLess(np.abs(x - y).max(), 1e-3)

    def test_it_is_refused(self):
        with self.assertRaisesRegex(ValueError, "none.so: cannot be loaded: No such file"):
            cgsolve.load("none.so")
        with self.assertRaises(ValueError):
            cgsolve.load("")


if __name__ == "__main__":
    unittest.main()
