#!/usr/bin/env python3
"""Test suites of SciPy, networkx and scikit-learn with cgsolve's cg, minres and eigsh in the place of SciPy's: the table
of docs/results/python.md, and the cases that do not pass.

    build/python/bin/pip install networkx scikit-learn
    build/python/bin/python bench/python_suites.py [SUITE ...]

`make check-python PYPI=1` makes that Python. A suite runs with SciPy's functions, then with cgsolve's. "with a call" are
the cases that call one of the three with a real A."""

import importlib.metadata
import os
import pathlib
import re
import subprocess
import sys
import tempfile

TESTS = pathlib.Path(__file__).resolve().parents[1] / "python/tests"
SUITES = {
    "scipy": ["scipy.sparse.linalg._isolve.tests.test_iterative", "scipy.sparse.linalg._isolve.tests.test_minres",
              "scipy.sparse.linalg._eigen.arpack.tests.test_arpack"],
    "networkx": ["networkx.linalg", "networkx.drawing.tests.test_layout", "networkx.algorithms.centrality"],
    "scikit-learn": [f"sklearn.{module}" for module in (
        "manifold.tests.test_spectral_embedding", "manifold.tests.test_locally_linear", "manifold.tests.test_isomap",
        "decomposition.tests.test_kernel_pca", "decomposition.tests.test_truncated_svd",
        "cluster.tests.test_spectral", "cluster.tests.test_bicluster", "linear_model.tests.test_ridge")]}


def passed(modules, *options, **environment):
    """How many tests pass."""
    done = subprocess.run([sys.executable, "-B", "-m", "pytest", "-q", "-p", "no:cacheprovider", *options, "--pyargs",
                           *modules], env={**os.environ, **environment}, capture_output=True, text=True, check=False)
    if done.returncode not in (0, 1):  # all passed; some failed
        sys.exit(done.stdout + done.stderr)
    return int(re.findall(r"(\d+) passed", done.stdout)[-1])


def main(names):
    print("| suite | passed, with SciPy | with cgsolve | with a call | of these passed |\n|---|---|---|---|---|")
    failed = []
    for name in names or SUITES:
        with tempfile.TemporaryDirectory() as directory:
            cases = pathlib.Path(directory) / "cases"
            theirs = passed(SUITES[name])
            ours = passed(SUITES[name], "-p", "scipy_plugin", CASES=str(cases), PYTHONPATH=os.pathsep.join(
                [str(TESTS), *os.environ.get("PYTHONPATH", "").split(os.pathsep)]))
            called = cases.read_text(encoding="utf-8").splitlines()
        wrong = [case for case in called if case.startswith("failed")]
        failed += [f"{name}: {case}" for case in wrong]
        print(f"| {name} {importlib.metadata.version(name)} | {theirs} | {ours} | {len(called)} "
              f"| {len(called) - len(wrong)} |", flush=True)
    print("\n".join(failed))


if __name__ == "__main__":
    main(sys.argv[1:])
