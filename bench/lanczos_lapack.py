#!/usr/bin/env python3
"""The eigenvalues of real matrices by cgsolve's Lanczos method against all of them by LAPACK:

    bench/lanczos_lapack.py [OPTION...] MATRIX.mtx[.gz]...

Every matrix is taken whole and dense by LAPACK (dsyevd), so n is at most a few thousand. Wants NumPy and SciPy
(pip install numpy scipy), and the ./cgsolve that `make` builds.
"""

import argparse
import os
import sys
import tempfile

import numpy

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "support"))
import lanczos  # noqa: E402

GOAL = 1e-8  # of ||A||

ABOUT = """\
The {count} smallest and the {count} largest eigenvalues of A by `cgsolve` (method = "lanczos", a random start vector, restart
{restart}, tolerance {tolerance:g}, at most {most} products) against all eigenvalues lambda by LAPACK. *Error*: the largest
distance of a computed theta to the nearest lambda, in units of ||A|| = max |lambda|. *Found*: how many of the {count} + {count}
have a theta of their own within {goal:g} ||A||; *distinct*, the same where lambda that agree to {goal:g} ||A|| count
once: a method with one vector need not find the copies of a multiple eigenvalue. *Ghosts*: theta beyond the copies
that A has."""


def matched(sought, among, distance):
    """How many of `sought` get a partner of their own in `among` (both ascending) within the distance: the most possible."""
    count = k = 0
    for value in sought:
        while k < len(among) and among[k] < value - distance:
            k += 1
        if k < len(among) and among[k] <= value + distance:
            count += 1
            k += 1
    return count


def distinct(values, distance):
    """The first of each run of ascending values that are no further apart from it."""
    kept = []
    for value in values:
        if not kept or value > kept[-1] + distance:
            kept.append(value)
    return kept


def compare(theta, everything, count):
    """The columns of one matrix, and whether it reaches the goal."""
    norm = max(abs(everything[0]), abs(everything[-1]))
    theta = numpy.sort(theta[numpy.isfinite(theta)])
    if norm == 0 or len(theta) == 0:
        return ["-"] * 4, False
    wanted = numpy.concatenate([everything[:count], everything[-count:]])
    near = numpy.abs(theta[:, None] - everything[None, :]).min(axis=1)
    error, close = near.max() / norm, GOAL * norm
    single = distinct(wanted, close)
    seen = sum(bool(numpy.abs(theta - value).min() <= close) for value in single)
    return [f"{error:.1e}", f"{matched(wanted, theta, close)}", f"{seen} of {len(single)}",
            f"{len(theta) - matched(theta, everything, close)}"], error <= GOAL


def all_eigenvalues(path, name, directory):
    """By LAPACK, kept in the directory for the next call."""
    kept = os.path.join(directory, name + ".npy")
    if os.path.exists(kept) and os.path.getmtime(kept) > os.path.getmtime(path):
        return numpy.load(kept)
    values = numpy.linalg.eigvalsh(lanczos.read_matrix(path).toarray())
    numpy.save(kept, values)
    return values


def line(path, options, directory):
    """One row of the table, whether it reaches the goal, and the machine."""
    name = lanczos.name_of(path)
    try:
        everything = all_eigenvalues(path, name, directory)
        n = len(everything)
        count = min(options.count, n // 2)
        eigen = {"count": count, "which": "both", "tolerance": options.tolerance, "restart": min(options.restart, n)}
        kernel, machine = lanczos.lanczos(os.path.join(directory, name), {"type": "mtx", "path": os.path.abspath(path)},
                                          eigen, options.most, options.kernel, options.threads, sets=options.set)
    except (lanczos.Failed, OSError, ValueError) as error:
        return [name, str(error).splitlines()[-1].replace("|", "/")] + [""] * 7, False, None
    run = kernel["runs"][0]
    columns, good = compare(lanczos.numbers(run["eigenvalues"]), everything, count)
    return [name, f"{n}", run["reason"], f"{run['products']}", f"{run['seconds']:.3g}"] + columns, good, machine


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("matrices", nargs="+", metavar="MATRIX")
    parser.add_argument("--output", help="the page (standard output)")
    parser.add_argument("--work", help="a directory for configs, results and LAPACK's values (a temporary one)")
    parser.add_argument("--count", type=int, default=10, help="eigenvalues from each end (10)")
    parser.add_argument("--tolerance", type=float, default=1e-10)
    parser.add_argument("--restart", type=int, default=200, help="the largest basis (200)")
    parser.add_argument("--most", type=int, default=50000, help="the most products (50000)")
    parser.add_argument("--kernel", default="cpu_sym_bitwise")
    parser.add_argument("--threads", type=int, default=0, help="0, the default: all")
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", help="passed to cgsolve")
    options = parser.parse_args()
    rows, reached, machine = [], 0, None
    with tempfile.TemporaryDirectory() as temporary:
        directory = options.work or temporary
        os.makedirs(directory, exist_ok=True)
        for path in options.matrices:
            row, good, seen = line(path, options, directory)
            rows.append(row)
            reached += good
            machine = machine or seen
            print(" ".join(row), file=sys.stderr)
    rows.sort(key=lambda row: int(row[1]) if row[1].isdigit() else 0)
    lanczos.page(options.output, "Eigenvalues against LAPACK",
                 ABOUT.format(count=options.count, restart=options.restart, tolerance=options.tolerance, most=options.most,
                              goal=GOAL), machine,
                 ["matrix", "n", "reason", "products", "seconds", "error", "found", "distinct", "ghosts"], rows,
                 [f"An error of at most {GOAL:g} ||A||: {reached} of {len(rows)} matrices."])
    return 0 if reached == len(rows) else 1


if __name__ == "__main__":
    sys.exit(main())
