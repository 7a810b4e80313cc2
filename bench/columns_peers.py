#!/usr/bin/env python3
"""Products Y = A X with several vectors at once beside PETSc's and SciPy's on a CPU, as a table in Markdown.

    bench/columns_peers.py [--rounds N] [--threads N] [--columns K]

wants `make` and `make bench-programs`, and takes the peers that this Python finds. On Debian 12:

    apt-get install python3-petsc4py python3-scipy openmpi-bin libopenblas0-pthread
    /usr/bin/python3 bench/columns_peers.py

A is that of cgsolve, which bench/write_system.c writes for the others; X is random. Everybody makes its matrix, and one
product that is not counted, and then products for a second; in each of N rounds (5) everybody has a turn, a process of
its own, and the table has the median of the medians. cgsolve has --threads threads (2), PETSc as many ranks, SciPy one
thread, because it has no more. PETSc's X and Y are dense matrices, column by column, which is what it has; SciPy's are
arrays row by row, as cgsolve's are. The difference from SciPy's product is looked at.

fe_sheet  235 x 235 nodes of 5 unknowns     fe_cube  41^3 nodes of 4 unknowns"""

import argparse
import csv
import importlib.util
import json
import math
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

from multigrid_peers import read_system

ROOT = pathlib.Path(__file__).resolve().parent.parent
SECONDS = 1.0
SYSTEMS = [
    ("fe_sheet 235^2 of 5", 'type = "fe_sheet"; n = [235, 235]; unknowns = 5; shift = 1e-3;', 5),
    ("fe_cube 41^3 of 4", 'type = "fe_cube"; n = 41; unknowns = 4; shift = 1e-3;', 4),
]
PRODUCTS = [("cgsolve, cpu_sym_bitwise", "cgsolve", "cpu_sym_bitwise"), ("cgsolve, cpu_csr", "cgsolve", "cpu_csr"),
            ("PETSc, AIJ", "petsc4py", "aij"), ("PETSc, BAIJ", "petsc4py", "baij"),
            ("PETSc, SBAIJ", "petsc4py", "sbaij"), ("SciPy, CSR", "scipy", "csr"), ("SciPy, BSR", "scipy", "bsr")]


# ---- the peers, each in a process of its own: the last line of its output is a result in JSON


def random_columns(n, columns):
    import numpy
    return numpy.random.default_rng(1).uniform(-1, 1, (n, columns))


def timed(product, wait=lambda: None):
    """The median of the products of a second, by the clock of this process."""
    product()
    seconds, begin = [], time.perf_counter()
    while time.perf_counter() - begin < SECONDS or len(seconds) < 3:
        wait()
        start = time.perf_counter()
        product()
        wait()
        seconds.append(time.perf_counter() - start)
        if len(seconds) >= 200:
            break
    return statistics.median(seconds)


def matrix_of(path):
    import numpy
    import scipy.sparse
    n, offsets, columns, values, _ = read_system(path)
    return scipy.sparse.csr_matrix((values, columns, offsets.astype(numpy.int32)), shape=(n, n))


def scipy(path, block, kind, columns):
    A = matrix_of(path)
    X = random_columns(A.shape[0], columns)
    if kind == "bsr":
        A = A.tobsr((block, block))
    return {"seconds": timed(lambda: A @ X)}


def petsc4py(path, block, kind, columns):
    import numpy
    import petsc4py
    petsc4py.init([])
    from petsc4py import PETSc
    world = PETSc.COMM_WORLD
    n, offsets, places, values, _ = read_system(path)
    nodes, ranks, rank = n // block, world.size, world.rank
    begin, end = (block * (nodes * r // ranks) for r in (rank, rank + 1))
    first, last = offsets[begin], offsets[end]
    A = PETSc.Mat().createAIJ(((end - begin, n), (end - begin, n)), bsize=block, comm=world, csr=(
        (offsets[begin:end + 1] - first).astype(PETSc.IntType), places[first:last], values[first:last]))
    if kind != "aij":
        A.setOption(PETSc.Mat.Option.SYMMETRIC, True)
        A = A.convert(kind)
    X = PETSc.Mat().createDense(((end - begin, n), (None, columns)), comm=world)
    X.setUp()
    X.getDenseArray()[:] = random_columns(n, columns)[begin:end]
    X.assemble()
    Y = A.matMult(X)
    seconds = timed(lambda: A.matMult(X, Y), world.barrier)
    wanted = matrix_of(path)[begin:end] @ random_columns(n, columns)
    off = numpy.abs(Y.getDenseArray() - wanted).max() / numpy.abs(wanted).max()
    if off > 1e-12:
        return {"wrong": f"off by {off:.1e}"}
    return {"seconds": seconds} if rank == 0 else None


# ---- the contest


def call(command, threads):
    environment = dict(os.environ, OMP_NUM_THREADS=str(threads), OPENBLAS_NUM_THREADS="1",
                       OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
    return subprocess.run(command, env=environment, capture_output=True, text=True)


def ours(config, kernel, given, directory):
    table = directory / "bench.csv"
    table.unlink(missing_ok=True)
    call([ROOT / "cgsolve", "bench", "--quiet", "--operation", "spmm", "--columns", str(given.columns), "--rounds", "3",
          "--threads", str(given.threads), "--set", f"bench.seconds={SECONDS / 3}", "--kernels", kernel,
          "--output", table, config], given.threads)
    with table.open() as lines:
        row = next(csv.DictReader(lines))
    return {"seconds": float(row["median_seconds"])} if row["status"] == "pass" else {"wrong": row["status"]}


def theirs(system, block, who, kind, given):
    threads = given.threads if who == "petsc4py" else 1
    command = [sys.executable, __file__, "--worker", who, str(system), str(block), kind, str(given.columns)]
    if who == "petsc4py":
        command = ["mpirun", "--host", f"localhost:{threads}", "-n", str(threads), "--bind-to", "none", *command]
    done = call(command, 1)
    try:
        return json.loads(done.stdout.strip().split("\n")[-1])
    except ValueError:
        said = [line.strip() for line in done.stderr.split("\n") if "rror" in line or "upport" in line]
        return {"wrong": said[0] if said else f"exit status {done.returncode}"}


def contest(name, problem, block, products, given, directory):
    config, system = directory / "problem.cfg", directory / "system"
    config.write_text(f"problem = {{ {problem} }};\nrhs = {{ type = \"ones\"; }};\nkernels = ( \"cpu_csr\" );\n")
    subprocess.run([ROOT / "build/release/bench/write_system", config, system], check=True)
    seconds, wrong = {label: [] for label, _, _ in products}, {}
    for _ in range(given.rounds):
        for label, who, kind in products:
            if label in wrong:
                continue
            found = ours(config, kind, given, directory) if who == "cgsolve" else theirs(system, block, who, kind, given)
            if "wrong" in found:
                wrong[label] = found["wrong"]
            else:
                seconds[label].append(found["seconds"])
    system.unlink()
    print(f"| **{name}** | | |")
    own = statistics.median(seconds[products[0][0]] or [math.nan])
    for label, _, _ in products:
        if label in wrong:
            print(f"| {label} | {wrong[label]} | |")
        else:
            median = statistics.median(seconds[label])
            print(f"| {label} | {1e3 * median:.3g} | {median / own:.2f} |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--columns", type=int, default=8)
    given = parser.parse_args()
    missing = [who for who in ("petsc4py", "scipy") if not importlib.util.find_spec(who)]
    if not shutil.which("mpirun") and "petsc4py" not in missing:
        missing.append("petsc4py")
    print(f"K = {given.columns}; {given.threads} threads of cgsolve and ranks of PETSc.")
    for who in missing:
        print(f"Without {who}: it is not installed.")
    print("\n| | ms a product | times ours |\n|---|--:|--:|")
    products = [product for product in PRODUCTS if product[1] not in missing]
    with tempfile.TemporaryDirectory() as name:
        for title, problem, block in SYSTEMS:
            contest(title, problem, block, products, given, pathlib.Path(name))


if __name__ == "__main__":
    if sys.argv[1:2] == ["--worker"]:
        made = {"petsc4py": petsc4py, "scipy": scipy}[sys.argv[2]](sys.argv[3], int(sys.argv[4]), sys.argv[5],
                                                                   int(sys.argv[6]))
        if made:
            print(json.dumps(made))
    else:
        main()
