"""The lines of docs/python.md run, one block after the other, and say what the page says."""

import contextlib
import importlib
import importlib.util
import io
import os
import re
import tempfile
import unittest

import numpy as np
from support import ROOT, gpu

# What a block prints that needs another package.
PRINTED = {
    "torch": r"torch.Size\(\[7840\]\) torch.Size\(\[1600\]\)\n",
    "torch on a GPU": r"cuda:0 0 \d\.\d+e-(0[6-9]|1\d)\n",
    "cupy on a GPU": r"cupy converged \d\.\d+e-(0[6-9]|1\d)\n0\n",
    "jax": r"\(1600,\)\n",
    "skfem": r"12033 unknowns, converged: \d\d iterations, .* s\n0\.149\d* \[ *9\.64\d* +15\.19\d* +19\.73\d* *\]\n",
    "pyamg": (r"PyAMG's multigrid: \d\d iterations, .* s with set-up\n"
              r"cgsolve, multigrid: \d\d iterations, .* s with set-up\n"
              r"cgsolve, none: \d\d\d iterations, .* s with set-up\n"),
    "sklearn": r"\[[^\]]*\]\n9[67]\.\d% right, at most \d\d iterations, .* s\n",
}


def is_installed(library, on_gpu):
    """Whether a library is installed, and works on a GPU."""
    if not importlib.util.find_spec(library) or not on_gpu:
        return importlib.util.find_spec(library) is not None
    return gpu() and (library != "torch" or importlib.import_module("torch").cuda.is_available())


class Page(unittest.TestCase):
    def test_blocks(self):
        blocks = re.findall(r"^```python\n(.*?)^```$", (ROOT / "docs/python.md").read_text(), re.MULTILINE | re.DOTALL)
        names, printed = {}, []
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(folder.name)  # a block writes a file
        for block in blocks:
            needs = re.match(r"# needs (\w+)( on a GPU)?\n", block)
            if needs and not is_installed(needs[1], needs[2]):
                continue
            output = io.StringIO()
            with contextlib.redirect_stdout(output):
                code = compile(block, "docs/python.md", "exec")
                exec(code, {**names} if needs else names)  # pylint: disable=exec-used
            if needs:  # what it names is its own
                self.assertRegex(output.getvalue(), f"^{PRINTED[''.join(needs.groups(''))]}$")
                continue
            printed.append(output.getvalue())
            if "info" in names:
                self.assertEqual(names["info"], 0)
                self.assertLess(np.linalg.norm(names["b"] - names["A"] @ names["x"]), 2e-5 * 40)
        self.assertEqual(len(blocks), 16)
        self.assertTrue(printed[0].startswith("0 "))
        self.assertTrue(printed[3].startswith("converged "))
        self.assertRegex(printed[4], r"^\(1600, 3\) \['converged' 'converged' 'converged'\] \[ *\d+ +\d+ +\d+\]\n")
        self.assertRegex(printed[7], r"(?s)^kernel .*\ncpu_sym_atomic .*\nbitwise .*\n1\n$")
        self.assertTrue(names["again"].converged)
        self.assertLess(np.linalg.norm(names["A"] @ names["v"] - names["M"] @ names["v"] * names["w"]), 1e-10)


if __name__ == "__main__":
    unittest.main()
