#!/usr/bin/env python3
"""The Python package beside scipy.sparse.linalg: the tables of docs/results/python.md.

    build/python/bin/python bench/python_scipy.py [--rounds N] [--side N] [MATRIX.mtx ...]

`make check-python PYPI=1` makes that Python, with the newest NumPy and SciPy. Everything from the call to x counts.
The two take turns, --rounds pairs of them; a ratio is the median of the pairs'. Before each the program sleeps, until
threads of the other library that wait actively are asleep. b is random, normally distributed, always the same.

cg         poisson3d of --side^3 and the matrices, both triangles in CSR: rtol 1e-5, at most 10 n iterations
eigsh      the same matrices, the 10 largest eigenvalues with their vectors, the default tolerance
overhead   n = 1000, one matrix solved with limits of 0 to 40 iterations: the intercept of the least times"""

import argparse
import pathlib
import statistics
import time

import numpy as np
import scipy.io
import scipy.sparse as sparse
import scipy.sparse.linalg

import cgsolve


def poisson3d(side):
    line = sparse.diags_array([-1.0, 2, -1], offsets=[-1, 0, 1], shape=(side, side), format="csr")
    unit = sparse.eye_array(side, format="csr")
    plane = sparse.kron(line, unit) + sparse.kron(unit, line)
    return sparse.csr_array(sparse.kron(plane, unit) + sparse.kron(sparse.eye_array(side * side), line))


def clocked(work, pause=0.2):
    time.sleep(pause)
    begin = time.perf_counter()
    result = work()
    return time.perf_counter() - begin, result


def in_turns(rounds, ours, theirs):
    """Medians of both, the median of the ratios theirs / ours, and the last results."""
    pairs = []
    for k in range(rounds):
        a, b = (clocked(ours), clocked(theirs)) if k % 2 == 0 else (clocked(theirs), clocked(ours))[::-1]
        pairs.append((a, b))
    return (statistics.median(a[0] for a, _ in pairs), statistics.median(b[0] for _, b in pairs),
            statistics.median(b[0] / a[0] for a, b in pairs), pairs[-1][0][1], pairs[-1][1][1])


def compare_cg(name, A, b, rounds, maxiter):
    history, count = [], []
    ours, theirs, ratio, mine, other = in_turns(
        rounds, lambda: cgsolve.cg(A, b, maxiter=maxiter, history=history),
        lambda: scipy.sparse.linalg.cg(A, b, maxiter=maxiter))
    scipy.sparse.linalg.cg(A, b, maxiter=maxiter, callback=lambda x: count.append(1))
    left = [np.linalg.norm(b - A @ found[0]) / np.linalg.norm(b) for found in (mine, other)]
    print(f"| {name} | {A.shape[0]} | {len(history) // rounds - 1} | {len(count)} | {ours:.4f} | {theirs:.4f} | "
          f"{ratio:.2f} | {left[0]:.1e} | {left[1]:.1e} |", flush=True)
    return ratio


def compare_eigsh(name, A, rounds):
    def theirs():
        return scipy.sparse.linalg.eigsh(A, 10, which="LA")

    def ours():
        return cgsolve.eigsh(A, 10, which="LA")
    try:
        mine, other, ratio, (w, v), (ws, vs) = in_turns(rounds, ours, theirs)
    except (cgsolve.Error, scipy.sparse.linalg.ArpackError) as error:
        print(f"| {name} | {A.shape[0]} | {error} |", flush=True)
        return
    print(f"| {name} | {A.shape[0]} | {mine:.3f} | {other:.3f} | {ratio:.2f} | "
          f"{np.max(np.linalg.norm(A @ v - v * w, axis=0) / w):.1e} | "
          f"{np.max(np.linalg.norm(A @ vs - vs * ws, axis=0) / ws):.1e} |", flush=True)


def overhead(A, b):
    """Of a second solve with one matrix; the limit is set behind the package's back, to have one solver for all."""
    limits = np.arange(0, 41, 5)
    for threads in 1, 2:
        solver = cgsolve.Solver(A, rtol=1e-300, threads=threads)
        solver.solve(b)
        least = np.full(len(limits), np.inf)
        for _ in range(300):
            for k, limit in enumerate(limits):
                solver._handles.set("max_iterations", int(limit))
                least[k] = min(least[k], clocked(lambda: solver.solve(b), 0)[0])
        slope, intercept = np.polyfit(limits, least, 1)
        print(f"overhead, {threads} threads: {intercept * 1e6:.1f} us, and {slope * 1e6:.2f} us an iteration")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--side", type=int, default=128)
    parser.add_argument("--only", choices=["cg", "eigsh", "overhead"])
    parser.add_argument("matrices", nargs="*")
    options = parser.parse_args()
    draw = np.random.default_rng(1)
    systems = [(f"poisson3d {options.side}^3", poisson3d(options.side))]
    for path in options.matrices:
        A = sparse.csr_array(scipy.io.mmread(path))
        systems.append((pathlib.Path(path).name.split(".")[0], A))
    if options.only in (None, "cg"):
        print("| matrix | n | iterations | SciPy's | s | SciPy s | ratio | residual | SciPy's |\n" + "|---" * 9 + "|")
        ratios = [compare_cg(name, A, draw.standard_normal(A.shape[0]), options.rounds, None) for name, A in systems]
        if len(ratios) > 1:
            print(f"geometric mean of the matrices: {statistics.geometric_mean(ratios[1:]):.2f}")
    if options.only in (None, "eigsh"):
        print("\n| matrix | n | s | SciPy s | ratio | residual | SciPy's |\n" + "|---" * 7 + "|")
        for name, A in systems:
            compare_eigsh(name, A, max(1, options.rounds // 2))
    if options.only in (None, "overhead"):
        A = poisson3d(10)
        overhead(A, draw.standard_normal(1000))


main()
