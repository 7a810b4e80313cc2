"""Systems for the tests, and the program that the package is compared with."""

import csv
import os
import pathlib
import subprocess
import tempfile
import time

import numpy as np
import scipy.io
import scipy.sparse as sparse

import cgsolve

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = os.environ.get("CGSOLVE", str(ROOT / "cgsolve"))
SEED = int(os.environ.get("CGSOLVE_TEST_SEED", time.time_ns() % 2**32))
print(f"CGSOLVE_TEST_SEED={SEED}")


def random():
    return np.random.default_rng(SEED)


def gpu():
    """Whether this package works on one."""
    try:
        cgsolve.cg(np.eye(2), np.ones(2), device="cuda")
        return True
    except cgsolve.Error:
        return False


def plate():
    """A matrix of finite elements, positive definite, in coordinates with both triangles."""
    return scipy.io.mmread(ROOT / "problems/plate.mtx.gz")


def grid(side):
    """The five-point Laplacian, moved to be well conditioned, whose values are integers."""
    line = sparse.diags([-1, 3, -1], offsets=[-1, 0, 1], shape=(side, side), dtype=np.int64)
    unit = sparse.identity(side, dtype=np.int64)
    return sparse.csr_array(sparse.kron(line, unit) + sparse.kron(unit, line))


def by_the_program(A, b, solver, kernel, threads=2):
    """x and the residual norms of a solve by the program; solver and kernel are texts of a config."""
    with tempfile.TemporaryDirectory() as directory:
        folder = pathlib.Path(directory)
        scipy.io.mmwrite(folder / "A.mtx", sparse.coo_array(A), precision=17, symmetry="symmetric")
        scipy.io.mmwrite(folder / "b.mtx", b[:, None], precision=17)
        (folder / "this.cfg").write_text(
            f'problem = {{ type = "mtx"; path = "{folder}/A.mtx"; }};\n'
            f'rhs = {{ type = "file"; path = "{folder}/b.mtx"; }};\n'
            f"solver = {{ {solver} }};\nkernels = ( {{ {kernel} label = \"it\"; }} );\nrepeats = 1;\n"
            'output = { solution = "npy"; };\n')
        done = subprocess.run([PROGRAM, "--quiet", "--threads", str(threads), "--output", str(folder / "out"),
                               str(folder / "this.cfg")], capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise AssertionError(done.stdout + done.stderr)
        with open(folder / "out/history.csv", encoding="utf-8") as lines:
            history = [float.fromhex(row["residual_hex"]) for row in csv.DictReader(lines)]
        return np.load(folder / "out/solution-it-1.npy"), history
