#!/usr/bin/env python3
"""Test suites of SciPy, networkx, scikit-learn, scikit-image, pyamg and PyGSP with cgsolve's cg, minres and eigsh in the
place of SciPy's: the table of docs/results/python.md, and the cases that do not pass.

    build/python/bin/pip install networkx scikit-learn scikit-image pyamg PyGSP pytest-pretty
    build/python/bin/python bench/python_suites.py [SUITE ...]

`make check-python PYPI=1` makes that Python. The cases are those that
call one of the three with a real A; they run with SciPy's functions, then with cgsolve's."""

import importlib.metadata
import json
import os
import pathlib
import subprocess
import sys
import tarfile
import tempfile
import urllib.request

TESTS = pathlib.Path(__file__).resolve().parents[1] / "python/tests"
SUITES = {
    "scipy": ["scipy.sparse.linalg._isolve.tests.test_iterative", "scipy.sparse.linalg._isolve.tests.test_minres",
              "scipy.sparse.linalg._eigen.arpack.tests.test_arpack"],
    "networkx": ["networkx.linalg", "networkx.drawing.tests.test_layout", "networkx.algorithms.centrality"],
    "scikit-learn": [f"sklearn.{module}" for module in (
        "manifold.tests.test_spectral_embedding", "manifold.tests.test_locally_linear", "manifold.tests.test_isomap",
        "decomposition.tests.test_kernel_pca", "decomposition.tests.test_truncated_svd",
        "cluster.tests.test_spectral", "cluster.tests.test_bicluster", "linear_model.tests.test_ridge")],
    "scikit-image": ["tests/skimage/segmentation/test_random_walker.py", "tests/skimage/graph"],
    "pyamg": ["pyamg.tests", "pyamg.aggregation", "pyamg.krylov", "pyamg.util"],
    "PyGSP": ["pygsp.tests.test_graphs", "pygsp.tests.test_filters", "pygsp.tests.test_learning"]}
INDEX = "https://pypi.org/simple"


def source(name, directory):
    """Where the source distribution of the installed version is unpacked: its wheel has no tests."""
    asked = urllib.request.Request(f"{INDEX}/{name}/", headers={"Accept": "application/vnd.pypi.simple.v1+json"})
    wanted = f"{name.replace('-', '_')}-{importlib.metadata.version(name)}.tar.gz"
    with urllib.request.urlopen(asked) as answer:
        url, = (file["url"] for file in json.load(answer)["files"] if file["filename"] == wanted)
    with urllib.request.urlopen(url) as archive, tarfile.open(fileobj=archive, mode="r|gz") as files:
        files.extractall(directory, filter="data")
    return pathlib.Path(directory) / wanted.removesuffix(".tar.gz")


def outcomes(modules, **environment):
    """The lines of the cases that call one of the functions."""
    with tempfile.TemporaryDirectory() as directory:
        cases = pathlib.Path(directory) / "cases"
        path = os.pathsep.join([str(TESTS), *filter(None, [os.environ.get("PYTHONPATH")])])
        done = subprocess.run([sys.executable, "-B", "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p",
                               "scipy_plugin", "--pyargs", *modules], capture_output=True, text=True, check=False, cwd=directory,
                              env={**os.environ, "CASES": str(cases), "PYTHONPATH": path, **environment})
        if done.returncode not in (0, 1):  # all passed; some failed
            sys.exit(done.stdout + done.stderr)
        return cases.read_text(encoding="utf-8").splitlines()


def main(names):
    print("| suite | cases with a call | pass with SciPy | with cgsolve |\n|---|---|---|---|")
    failed = []
    for name in names or SUITES:
        with tempfile.TemporaryDirectory() as directory:
            places = SUITES[name]
            if "/" in places[0]:
                root = source(name, directory)
                places = [str(root / place) for place in places]
            theirs, ours = outcomes(places, THEIRS="1"), outcomes(places)
        passed = [sum(line.startswith("passed") for line in lines) for lines in (theirs, ours)]
        failed += [f"{name}: {line}" for line in ours if line.startswith("failed")]
        print(f"| {name} {importlib.metadata.version(name)} | {len(ours)} | {passed[0]} | {passed[1]} |", flush=True)
    print("\n".join(failed))


if __name__ == "__main__":
    main(sys.argv[1:])
