#!/usr/bin/env python3
"""Minimal residuals beside SciPy's, and beside the optimum where the matrix is skew-symmetric.

    bench/minres_scipy.py [MATRIX.mtx ...]     prints the tables of docs/results/data/minres*.csv

Symmetric matrices, those that are generated here and those of the command line: the first k with
||b - A x_k|| <= 1e-8 ||b||, of ./cgsolve (kernel cpu_sym_bitwise) and of scipy.sparse.linalg.minres, whose x_k is
taken in every iteration and its residual computed anew. b is random and the same.

The same matrices by a loop written here, which differs in one thing, how alpha_k is made: the first k again, and the
largest |v_{k+1} . v_k|.

Singular ones, with a b that is not in the range: ||b - A x|| of both over the least there is, which is b's part in the
null space, by a dense decomposition.

Skew-symmetric ones, (shift I + S) x = b: the largest relative distance of a residual in history.csv from the least one
over the Krylov space, which is made here in long double with every vector made orthogonal twice.

Needs numpy and scipy, and ./cgsolve in the working directory."""
import csv
import json
import pathlib
import subprocess
import sys
import tempfile

import numpy as np
import scipy.io
import scipy.sparse as sparse
import scipy.sparse.linalg

TOLERANCE = 1e-8


def grid(sizes, weights, diagonal, sign):
    """The 7-point matrix: weights above the diagonal, sign times that below."""
    lines = [sparse.eye_array(n, k=1, format="csr") for n in sizes]
    units = [sparse.eye_array(n, format="csr") for n in sizes]
    upper = sum(w * sparse.kron(sparse.kron(lines[2] if a == 2 else units[2], lines[1] if a == 1 else units[1]),
                                lines[0] if a == 0 else units[0]) for a, w in enumerate(weights))
    upper = sparse.csr_array(upper)
    return sparse.csr_array(upper + sign * upper.T + diagonal * sparse.eye_array(upper.shape[0]))


def saddle(n, m, seed):
    """[[D, B'], [B, 0]], D positive and diagonal: as in constrained optimisation."""
    draw = np.random.default_rng(seed)
    B = sparse.random_array((m, n), density=4 / n, rng=draw, format="csr") + sparse.eye_array(m, n)
    return sparse.csr_array(sparse.block_array([[sparse.diags_array(draw.uniform(1, 10, n)), B.T], [B, None]]))


def two_sided(n, seed):
    """A random orthogonal similarity of eigenvalues in [-10, -1] and [1, 10]."""
    draw = np.random.default_rng(seed)
    Q = np.linalg.qr(draw.standard_normal((n, n)))[0]
    A = (Q * (draw.uniform(1, 10, n) * draw.choice([-1, 1], n))) @ Q.T
    return sparse.csr_array((A + A.T) / 2)


def generated():
    yield "poisson 16^3 - 1 I", grid((16, 16, 16), (-1, -1, -1), 6 - 1, 1)
    yield "poisson 16^3 - 2.5 I", grid((16, 16, 16), (-1, -1, -1), 6 - 2.5, 1)
    yield "poisson 31x24x1 - 0.4 I", grid((31, 24, 1), (-1, -1, 0), 4 - 0.4, 1)
    yield "poisson 12^3, weights 1, 0.1, 0.01, - 0.5 I", grid((12, 12, 12), (-1, -0.1, -0.01), 2.22 - 0.5, 1)
    yield "saddle point 800 + 300", saddle(800, 300, 1)
    yield "saddle point 3000 + 1000", saddle(3000, 1000, 2)
    yield "spectrum in [-10, -1] and [1, 10], n = 400", two_sided(400, 3)


def skew():
    for sizes, velocity, shift in [((16, 16, 16), (1, 0.5, 0.25), 0.1), ((16, 16, 16), (1, 1, 1), 1),
                                   ((40, 30, 1), (1, -0.6, 0), 0.2), ((12, 10, 8), (1, 0.7, -0.4), 0),
                                   ((20, 6, 4), (2, 1, 1), 3)]:
        yield f"{sizes[0]} x {sizes[1]} x {sizes[2]}, velocity {velocity}, shift {shift:g}", \
            grid(sizes, velocity, 0, -1), shift


def solve(A, b, directory, solver, symmetry):
    """summary.json's run and the residuals of ./cgsolve."""
    scipy.io.mmwrite(directory / "A.mtx", sparse.coo_array(A), symmetry=symmetry, precision=17)
    scipy.io.mmwrite(directory / "b.mtx", b[:, None], precision=17)
    config = directory / "minres.cfg"
    config.write_text(f'problem = {{ type = "mtx"; path = "{directory}/A.mtx"; }};\n'
                      f'rhs = {{ type = "file"; path = "{directory}/b.mtx"; }};\n'
                      f'solver = {{ {solver} tolerance = {TOLERANCE}; max_iterations = 100000; }};\n'
                      f'kernels = ( "cpu_sym_bitwise" );\noutput = {{ directory = "{directory}/out"; }};\n')
    subprocess.run(["./cgsolve", "--quiet", str(config)], check=False)
    run = json.loads((directory / "out/summary.json").read_text())["kernels"][0]["runs"][0]
    with open(directory / "out/history.csv", newline="") as rows:
        return run, [float(row["residual"]) for row in csv.DictReader(rows)]


def scipy_count(A, b):
    """The first k that passes, by residuals that are computed anew; and the k at which SciPy stops by itself."""
    passed, steps = [], [0]

    def look(x):
        steps[0] += 1
        if not passed and np.linalg.norm(b - A @ x) <= TOLERANCE * np.linalg.norm(b):
            passed.append(steps[0])

    scipy.sparse.linalg.minres(A, b, rtol=1e-15, maxiter=100000, callback=look)
    return passed[0] if passed else None, steps[0]


def order_of_a_step(A, b, order):
    """The first k whose recursive residual passes, and the largest |v_{k+1} . v_k| up to there."""
    beta = phi = np.linalg.norm(b)
    target, v, before, upper, along, largest = TOLERANCE * beta, b / beta, 0 * b, 0.0, 0.0, 0.0
    cosine = cosine_before = 1.0
    sine = 0.0
    for k in range(1, 100000):
        q = A @ v
        if order == "alpha of q - beta v":
            w = q - upper * before
            alpha = v @ w
            w = w - alpha * v
        else:
            alpha = v @ q - (along if order == "alpha less w.v" else 0)
            w = q - alpha * v - upper * before
        along, beta = w @ v, np.linalg.norm(w)
        largest = max(largest, abs(along) / beta)
        bar = cosine * alpha - sine * cosine_before * upper
        gamma = np.hypot(bar, beta)
        cosine_before, cosine, sine = cosine, bar / gamma, beta / gamma
        phi, before, v, upper = -sine * phi, v, w / beta, beta
        if abs(phi) <= target:
            break
    return k, largest


def path(n, draw=None):
    """The graph Laplacian of a path, with weights of four decades where draw is given."""
    weights = np.ones(n - 1) if draw is None else 10 ** draw.uniform(-4, 0, n - 1)
    ends = np.append(weights, 0) + np.append(0, weights)
    return sparse.csr_array(sparse.diags_array([-weights, ends, -weights], offsets=[-1, 0, 1]))


def singular():
    draw = np.random.default_rng(5)
    yield "Laplacian of a path of 200", path(200)
    yield "the same of 1000", path(1000)
    yield "of a path of 300, weights of 4 decades", path(300, draw)
    yield "of a grid 60 x 61", sparse.csr_array(sparse.kron(path(60), sparse.eye_array(61)) +
                                                sparse.kron(sparse.eye_array(60), path(61)))
    yield "poisson 20 x 20 - 4 I, 20 eigenvalues 0", grid((20, 20, 1), (-1, -1, 0), 0, 1)
    B = sparse.random_array((400, 200), density=0.0125, rng=draw)
    yield "[[0, B], [B', 0]], B 400 x 200", sparse.csr_array(sparse.block_array([[None, B], [B.T, None]]))


def least_residual(A, b):
    """||b's part in the null space of A||."""
    values, vectors = np.linalg.eigh(A.toarray())
    return np.linalg.norm(vectors[:, abs(values) <= 1e-12 * abs(values).max()].T @ b)


def optimum(A, b, steps):
    """min ||b - A x|| over the Krylov spaces of dimension 0 ... steps."""
    wide = np.longdouble
    values, r = A.toarray().astype(wide), b.astype(wide)
    space, image, least = [r / np.sqrt(r @ r)], [], [np.sqrt(r @ r)]
    for _ in range(steps):
        made = values @ space[-1]
        for basis in (image, space):
            new = made.copy()
            for _ in range(2):
                for old in basis:
                    new -= (old @ new) * old
            basis.append(new / np.sqrt(new @ new))
        r = r - (image[-1] @ r) * image[-1]
        least.append(np.sqrt(r @ r))
    return least


def main():
    with tempfile.TemporaryDirectory() as made:
        directory = pathlib.Path(made)
        print("| matrix | n | cgsolve, k | reason | SciPy, k | SciPy stops itself at |\n|---|---|---|---|---|---|")
        files = [(pathlib.Path(path).name.split(".")[0], sparse.csr_array(scipy.io.mmread(path)).astype(float))
                 for path in sys.argv[1:]]
        for name, A in [*generated(), *files]:
            b = np.random.default_rng(7).uniform(-1, 1, A.shape[0])
            run, _ = solve(A, b, directory, 'method = "minres";', "symmetric")
            first, stop = scipy_count(A, b)
            print(f"| {name} | {A.shape[0]} | {run['iterations']} | {run['reason']} | {first} | {stop} |", flush=True)
        print("\n| matrix | n | cgsolve's order | SciPy's | cgsolve's, alpha_k less w_{k-1} . v_{k-1} |\n"
              "|---|---|---|---|---|")
        for name, A in [*generated(), *files]:
            b = np.random.default_rng(7).uniform(-1, 1, A.shape[0])
            counts = [order_of_a_step(A, b, order) for order in ("plain", "alpha of q - beta v", "alpha less w.v")]
            shown = " | ".join(f"{k} ({along:.0e})" for k, along in counts)
            print(f"| {name} | {A.shape[0]} | {shown} |", flush=True)
        print("\n| singular system | n | cgsolve, k | reason | residual / least - 1 | SciPy, k | residual / least - 1 |"
              "\n|---|---|---|---|---|---|---|")
        for name, A in singular():
            b = np.random.default_rng(7).uniform(0, 1, A.shape[0])
            run, _ = solve(A, b, directory, 'method = "minres";', "symmetric")
            steps = []
            x, _ = scipy.sparse.linalg.minres(A, b, rtol=TOLERANCE, maxiter=100000, callback=lambda _: steps.append(1))
            floor = least_residual(A, b)
            print(f"| {name} | {A.shape[0]} | {run['iterations']} | {run['reason']} | "
                  f"{run['true_residual'] / floor - 1:.0e} | {len(steps)} | "
                  f"{np.linalg.norm(b - A @ x) / floor - 1:.0e} |", flush=True)
        print("\n| skew system | n | steps compared | largest relative distance |\n|---|---|---|---|")
        for name, S, shift in skew():
            b = np.random.default_rng(7).uniform(-1, 1, S.shape[0])
            _, residuals = solve(S, b, directory, f'method = "skew"; shift = {float(shift)};', "skew-symmetric")
            steps = min(len(residuals) - 1, 60)
            least = optimum(S + shift * sparse.eye_array(S.shape[0]), b, steps)
            distance = max(abs(residuals[k] / least[k] - 1) for k in range(steps + 1))
            print(f"| {name} | {S.shape[0]} | {steps} | {float(distance):.1e} |", flush=True)


if __name__ == "__main__":
    main()
