#!/usr/bin/env python3
"""cgsolve's Lanczos method beside ARPACK (scipy.sparse.linalg.eigsh) on the same matrices:

    bench/lanczos_arpack.py [OPTION...] [MATRIX.mtx[.gz]:smallest|largest|both]...

Eight problems that are generated here, and files. Both get the same matrix, start vector, tolerance and size of the
basis. Wants NumPy and SciPy (pip install numpy scipy), and the ./cgsolve that `make` builds.
"""

import argparse
import os
import statistics
import sys
import tempfile
import time

import numpy
import scipy.io
import scipy.sparse
from scipy.sparse.linalg import ArpackNoConvergence, LinearOperator, eigsh

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "support"))
import lanczos  # noqa: E402

WHICH = {"smallest": "SA", "largest": "LA", "both": "BE"}

ABOUT = """\
{count} eigenvalues with their vectors, at one end of the spectrum or half of them at each, by `cgsolve` (method =
"lanczos", kernel {kernel}) and by ARPACK (scipy.sparse.linalg.eigsh). Both begin with the same random vector, keep at
most {restart} vectors, and stop when ||A v - theta v|| is below {tolerance:g} |theta| by an estimate. *Products* with A:
ARPACK's are counted by a LinearOperator in a solve of its own. *Seconds*: the median of {repeats} solves with {threads}
thread(s); ours with the set-up of the kernel, ARPACK's with SciPy's own product, whose CSR loop has one
thread. *Residual*: the largest ||A v - theta v|| / max(|theta|, eps^(2/3) ||A||), which both compare with the tolerance. *Apart*: the largest distance between theta of the two,
in units of ||A||, here the largest absolute row sum. A problem that did not converge has a star, and is not counted below."""


def poisson(*shape, kappa=None):
    """The matrix of src/problem/poisson3d.c in any number of dimensions, with the conductivity of every cell."""
    kappa = numpy.ones(shape) if kappa is None else kappa
    number = numpy.arange(kappa.size).reshape(shape)
    diagonal = numpy.zeros(shape)
    rows, columns, values = [], [], []
    for axis in range(len(shape)):
        k, at, sums = (numpy.moveaxis(a, axis, 0) for a in (kappa, number, diagonal))
        face = 2 * k[:-1] * k[1:] / (k[:-1] + k[1:])
        sums[:-1] += face
        sums[1:] += face
        sums[0] += k[0]
        sums[-1] += k[-1]
        rows.append(at[:-1].ravel())
        columns.append(at[1:].ravel())
        values.append(-face.ravel())
    upper = scipy.sparse.coo_matrix((numpy.concatenate(values), (numpy.concatenate(rows), numpy.concatenate(columns))),
                                    shape=(kappa.size, kappa.size))
    return (upper + upper.T + scipy.sparse.diags(diagonal.ravel())).tocsr()


def jump(high, *shape):
    kappa = numpy.ones(shape)
    kappa[tuple(slice(-(-n // 4), -(-3 * n // 4)) for n in shape)] = high
    return poisson(*shape, kappa=kappa)


def disordered(n, width):
    """Anderson's model (1958) on a cube: neighbours coupled by -1, and a random energy in [-width/2, width/2]."""
    A = poisson(n, n + 1, n + 2)
    energies = width / 2 * random_vector(7, A.shape[0])
    return (A - scipy.sparse.diags(A.diagonal()) + scipy.sparse.diags(energies)).tocsr()


def scattered(n, a_row):
    """Entries in [-1, 1) at random places, about as many a row."""
    share = scipy.sparse.random(n, n, density=a_row / 2 / n, format="csr", random_state=numpy.random.default_rng(1),
                                data_rvs=numpy.random.default_rng(2).standard_normal)
    return (share + share.T).tocsr()


GENERATED = [
    ("Poisson 200 x 199", "smallest", lambda: poisson(200, 199)),
    ("Poisson 200 x 199", "largest", lambda: poisson(200, 199)),
    ("Poisson 48 x 47 x 46", "smallest", lambda: poisson(48, 47, 46)),
    ("Poisson 48 x 47 x 46", "both", lambda: poisson(48, 47, 46)),
    ("Poisson 32 x 31 x 30, jump 1e4", "largest", lambda: jump(1e4, 32, 31, 30)),
    ("Anderson 40 x 41 x 42", "smallest", lambda: disordered(40, 16)),
    ("random, 10 a row", "both", lambda: scattered(50000, 10)),
    ("plate", "largest", lambda: lanczos.read_matrix(
        os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "problems", "plate.mtx.gz"))),
]


def random_vector(seed, n):
    """random_uniform of src/base/random.h: the start vector of rhs = { type = "random"; seed = ...; }."""
    z = numpy.uint64(seed) + numpy.arange(1, n + 1, dtype=numpy.uint64) * numpy.uint64(0x9E3779B97F4A7C15)
    z = (z ^ z >> numpy.uint64(30)) * numpy.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ z >> numpy.uint64(27)) * numpy.uint64(0x94D049BB133111EB)
    return ((z ^ z >> numpy.uint64(31)) >> numpy.uint64(11)).astype(float) * 2.0**-52 - 1


def norm(A):
    return abs(A).sum(axis=1).max()


def largest_relative(residuals, theta, A):
    return (residuals / numpy.maximum(numpy.abs(theta), numpy.finfo(float).eps**(2 / 3) * norm(A))).max()


def arpack(A, which, options):
    """theta, the largest relative residual, products, median seconds, whether it converged."""
    products = 0

    def multiply(x):
        nonlocal products
        products += 1
        return A @ x

    def solve(operator):
        return eigsh(operator, k=options.count, which=WHICH[which], ncv=min(options.restart, A.shape[0]),
                     v0=random_vector(1, A.shape[0]), tol=options.tolerance, maxiter=options.most)

    try:
        theta, vectors = solve(LinearOperator(A.shape, matvec=multiply, dtype=float))
    except ArpackNoConvergence as error:
        return error.eigenvalues, float("nan"), products, float("nan"), False
    seconds = []
    for _ in range(options.repeats):
        start = time.perf_counter()
        solve(A)
        seconds.append(time.perf_counter() - start)
    residuals = numpy.linalg.norm(A @ vectors - vectors * theta, axis=0)
    return numpy.sort(theta), largest_relative(residuals, theta, A), products, statistics.median(seconds), True


def ours(A, path, which, options, directory):
    """The same of cgsolve, and the machine."""
    eigen = {"count": options.count // 2 if which == "both" else options.count, "which": which,
             "tolerance": options.tolerance, "restart": options.restart}
    kernel, machine = lanczos.lanczos(directory, {"type": "mtx", "path": path}, eigen, options.most, options.kernel,
                                      options.threads, options.repeats, options.set)
    run = kernel["runs"][0]
    theta = lanczos.numbers(run["eigenvalues"])
    residual = largest_relative(lanczos.numbers(run["eigen_residuals"]), theta, A)
    seconds = statistics.median(r["seconds"] for r in kernel["runs"]) + kernel["setup_seconds"]
    return (theta, residual, run["products"], seconds, run["reason"] == "converged"), machine


def compare(name, which, A, path, options, directory):
    """One row of the table, the two ratios (None where one has not converged), and the machine."""
    head = [name, f"{A.shape[0]}", which]
    try:
        mine, machine = ours(A, path, which, options, directory)
    except lanczos.Failed as error:
        return head + [str(error).splitlines()[-1].replace("|", "/")] + [""] * 8, None, None
    other = arpack(A, which, options)
    ratios = (mine[2] / other[2], mine[3] / other[3])
    apart = "-"
    if len(mine[0]) == len(other[0]):
        apart = f"{numpy.abs(mine[0] - other[0]).max() / norm(A):.1e}"
    both = mine[4] and other[4]
    return (head + [f"{mine[2]}{'' if mine[4] else '*'}", f"{other[2]}{'' if other[4] else '*'}", f"{ratios[0]:.2f}",
                    f"{mine[3]:.3g}", f"{other[3]:.3g}", f"{ratios[1]:.2f}", f"{mine[1]:.1e}", f"{other[1]:.1e}", apart],
            ratios if both else None, machine)


def problems(options):
    """name, which, matrix, of those generated and those named."""
    for name, which, make in GENERATED if not options.only_files else []:
        yield name, which, make()
    for text in options.matrices:
        path, _, which = text.rpartition(":")
        if which not in WHICH:
            sys.exit(f"{text}: must be FILE:smallest, FILE:largest or FILE:both")
        yield lanczos.name_of(path), which, lanczos.read_matrix(path)


def with_threads(threads):
    """Libraries of BLAS read how many threads they may use when they are loaded."""
    wanted = {name: str(threads) for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")}
    if any(os.environ.get(name) != value for name, value in wanted.items()):
        os.execve(sys.executable, [sys.executable] + sys.argv, {**os.environ, **wanted})


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("matrices", nargs="*", metavar="MATRIX:WHICH")
    parser.add_argument("--only-files", action="store_true", help="without the generated problems")
    parser.add_argument("--output", help="the page (standard output)")
    parser.add_argument("--work", help="a directory for matrices, configs and results (a temporary one)")
    parser.add_argument("--count", type=int, default=10, help="eigenvalues in all (10)")
    parser.add_argument("--tolerance", type=float, default=1e-10)
    parser.add_argument("--restart", type=int, default=60, help="the largest basis (60)")
    parser.add_argument("--most", type=int, default=200000, help="the most products, and restarts of ARPACK (200000)")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--kernel", default="cpu_sym_bitwise")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", help="passed to cgsolve")
    options = parser.parse_args()
    with_threads(options.threads)
    rows, ratios, machine = [], [], None
    with tempfile.TemporaryDirectory() as temporary:
        directory = options.work or temporary
        os.makedirs(directory, exist_ok=True)
        for number, (name, which, A) in enumerate(problems(options)):
            path = os.path.join(os.path.abspath(directory), f"{number}.mtx")
            scipy.io.mmwrite(path, A, symmetry="symmetric", precision=17)
            row, ratio, seen = compare(name, which, A, path, options, os.path.join(directory, str(number)))
            rows.append(row)
            ratios += [ratio] if ratio else []
            machine = machine or seen
            print(" ".join(row), file=sys.stderr)
    lanczos.page(options.output, "Lanczos beside ARPACK",
                 ABOUT.format(count=options.count, kernel=options.kernel, restart=options.restart,
                              tolerance=options.tolerance, repeats=options.repeats, threads=options.threads), machine,
                 ["problem", "n", "which", "products", "ARPACK's", "ratio", "seconds", "ARPACK's", "ratio", "residual",
                  "ARPACK's", "apart"], rows,
                 [f"{sum(r[0] <= 1.1 for r in ratios)} of {len(rows)} take at most 1.1 times ARPACK's products, "
                  f"{sum(r[1] <= 1 for r in ratios)} at most its time."])


if __name__ == "__main__":
    main()
