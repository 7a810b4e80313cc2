"""SciPy's own tests and examples, with cgsolve's functions in: what does not pass is what the table of docs/python.md
says."""

import doctest
import importlib.util
import inspect
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest
import unittest.mock

import scipy
import scipy.sparse.linalg as linalg
from support import ROOT

import cgsolve

FILES = [f"scipy.sparse.linalg.{name}" for name in ("_isolve.tests.test_iterative", "_isolve.tests.test_minres",
                                                    "_eigen.arpack.tests.test_arpack")]

EXAMPLES = {name: getattr(linalg, name).__doc__ for name in ("cg", "minres", "eigsh")}


def outcomes():
    """"passed" or "failed" of each case by its name."""
    with tempfile.TemporaryDirectory() as directory:
        cases = pathlib.Path(directory) / "cases"
        here = {"CASES": str(cases), "PYTHONPATH": str(pathlib.Path(__file__).parent)}
        done = subprocess.run([sys.executable, "-B", "-m", "pytest", "-q", "-p", "scipy_plugin", "-p",
                               "no:cacheprovider", "--pyargs", *FILES], cwd=directory, env={**os.environ, **here},
                              capture_output=True, text=True, check=False)
        if done.returncode not in (0, 1):  # all passed; some failed
            raise AssertionError(done.stdout + done.stderr)
        return {name: outcome for outcome, name in (line.split(" ", 1) for line in cases.read_text().splitlines())}


def excused():
    """The patterns of the page's table, as regular expressions: its rows begin with names of tests."""
    rows = re.findall(r"^\| (`test_.*?`) \|", (ROOT / "docs/python.md").read_text(encoding="utf-8"), re.MULTILINE)
    return {name: re.compile(re.escape(name).replace(r"\*", ".*")) for row in rows
            for name in re.findall("`(.*?)`", row)}


class SciPy(unittest.TestCase):
    maxDiff = None

    def test_its_own_tests(self):
        reason = ("SciPy is older than 1.14" if "tol" in inspect.signature(linalg.minres).parameters else
                  "its tests are not installed" if not all(map(importlib.util.find_spec, FILES)) else "")
        if reason:
            print(f"SciPy {scipy.__version__}: its own tests do not run: {reason}")
            self.skipTest(reason)
        found, patterns = outcomes(), excused()
        failed = {name for name, outcome in found.items() if outcome == "failed"}
        expected = {name for name in found if any(pattern.fullmatch(name) for pattern in patterns.values())}
        self.assertEqual(sorted(failed - expected), [], "fail, and are not in the table")
        self.assertEqual(sorted(expected - failed), [], "pass, and are in the table")
        self.assertEqual([name for name, pattern in patterns.items() if not any(map(pattern.fullmatch, found))], [],
                         "in the table, and there are none")
        self.assertGreater(len(found) - len(failed), 50)

    def test_the_examples_of_its_documentation(self):
        for ours in (cgsolve.cg, cgsolve.minres, cgsolve.eigsh):
            with self.subTest(ours.__name__), unittest.mock.patch.object(linalg, ours.__name__, wraps=ours) as called:
                name = ours.__name__
                theirs = doctest.DocTestParser().get_doctest(EXAMPLES[name], {}, name, None, None)
                says = []
                found = doctest.DocTestRunner().run(theirs, out=says.append)
                self.assertEqual(found.failed, 0, "".join(says))
                self.assertTrue(called.called)


if __name__ == "__main__":
    unittest.main()
