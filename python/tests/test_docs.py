"""The lines of docs/python.md run, one block after the other, and say what the page says."""

import contextlib
import io
import os
import re
import tempfile
import unittest

import numpy as np
from support import ROOT


class Page(unittest.TestCase):
    def test_blocks(self):
        blocks = re.findall(r"^```python\n(.*?)^```$", (ROOT / "docs/python.md").read_text(), re.MULTILINE | re.DOTALL)
        names, printed = {}, []
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(folder.name)  # a block writes a file
        for block in blocks:
            output = io.StringIO()
            with contextlib.redirect_stdout(output):
                exec(compile(block, "docs/python.md", "exec"), names)  # pylint: disable=exec-used
            printed.append(output.getvalue())
            if "info" in names:
                self.assertEqual(names["info"], 0)
                self.assertLess(np.linalg.norm(names["b"] - names["A"] @ names["x"]), 2e-5 * 40)
        self.assertEqual(len(blocks), 9)
        self.assertTrue(printed[0].startswith("0 "))
        self.assertTrue(printed[3].startswith("converged "))
        self.assertRegex(printed[4], r"^\(1600, 3\) \['converged' 'converged' 'converged'\] \[ *\d+ +\d+ +\d+\]\n")
        self.assertRegex(printed[7], r"(?s)^kernel .*\ncpu_sym_atomic .*\nbitwise .*\n1\n$")
        self.assertTrue(names["again"].converged)
        self.assertLess(np.linalg.norm(names["A"] @ names["v"] - names["M"] @ names["v"] * names["w"]), 1e-10)


if __name__ == "__main__":
    unittest.main()
