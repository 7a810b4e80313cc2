"""The recording of SciPy's histories in docs/your-solver.md runs, and cgsolve report reads what it writes."""

import os
import pathlib
import re
import subprocess
import tempfile
import unittest

import scipy

from support import PROGRAM, ROOT


class Page(unittest.TestCase):
    def test_recording(self):
        page = (ROOT / "docs/your-solver.md").read_text(encoding="utf-8")
        blocks = re.findall(r"^```python\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
        self.assertEqual(len(blocks), 1)
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(folder.name)
        os.symlink(ROOT / "problems", "problems")
        if tuple(map(int, scipy.__version__.split(".")[:2])) < (1, 12):
            blocks[0] = blocks[0].replace("rtol=", "tol=")  # its name before
        exec(compile(blocks[0], "docs/your-solver.md", "exec"), {})  # pylint: disable=exec-used
        rows = [line.split(",") for line in pathlib.Path("theirs.csv").read_text(encoding="utf-8").split()[1:]]
        counts = [max(int(row[1]) for row in rows if row[0] == run) for run in "1234"]
        for run in "1234":
            norms = [float(row[2]) for row in rows if row[0] == run]
            self.assertLess(norms[-1], 1.01e-8 * norms[0])
        histories = {tuple(row[2] for row in rows if row[0] == run) for run in "1234"}
        done = subprocess.run([PROGRAM, "report", "theirs.csv"], stdout=subprocess.PIPE, text=True, check=True)
        verdict = re.search(r"^theirs: (\d+) (?:history|different histories) in 4 runs, (.*) iterations$", done.stdout,
                            re.MULTILINE)
        self.assertTrue(verdict, done.stdout)
        self.assertEqual(int(verdict[1]), len(histories))
        self.assertEqual([int(count) for count in verdict[2].split(" to ")], sorted({min(counts), max(counts)}))
        self.assertIn("theirs.csv", pathlib.Path("theirs.html").read_text(encoding="utf-8"))


if __name__ == "__main__":
    unittest.main()
