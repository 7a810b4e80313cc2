#!/usr/bin/env python3
"""Multigrid beside PETSc's and PyAMG's: set-up and solve of one system by each, in turns, on a CPU.

    bench/multigrid_peers.py [--rounds N] [--side N] [--seconds N] [--threads N] [--only WORD] [DIRECTORY]

wants `make` and `make bench-programs`, and takes the peers that this Python finds. On Debian 12:

    apt-get install python3-petsc4py openmpi-bin libopenblas0-pthread python3-venv
    /usr/bin/python3 -m venv --system-site-packages VENV
    VENV/bin/pip install 'numpy<2' pyamg
    VENV/bin/python bench/multigrid_peers.py DIRECTORY

(Debian's petsc4py is compiled for NumPy 1.) Everybody begins at x = 0, solves for the same random b, and ends when
||r|| <= 1e-8 ||b||, not preconditioned, or after 20 n iterations. A is that of cgsolve, which bench/write_system.c
writes for the others. A run is a process of its own, ended after --seconds. Each solver has a run in each round, until
one does not converge; the run with the least sum of both times is shown. Set-up begins with an assembled matrix:
PETSc's KSPSetUp, PyAMG's constructor, cgsolve's setup_seconds, in which it also makes its own form of the matrix.
cgsolve has --threads threads, PETSc as many ranks, PyAMG one thread. PETSc and PyAMG's smoothed aggregation are told
the unknowns of a node; cgsolve finds them.

poisson3d  --side^3, and the same with a jump of 1e4
fe_sheet, fe_cube   41^3 nodes of 4 unknowns for a --side of 128, and a sheet of about as many rows
cantilever  an elastic body of 41 x 41 x 42 bricks; its rigid body modes are PETSc's near-null space and PyAMG's B
DIRECTORY  NAME.mtx.gz of the names in REAL, those that are there"""

import argparse
import importlib.metadata
import importlib.util
import json
import math
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time
import warnings

TOLERANCE = 1e-8
GAP = 1.1  # times the tolerance: a true residual above it is a gap, as cgsolve has it
REAL = ["Trefethen_20000", "lap3d_40_neg", "bcsstk18", "bodyy4", "bcsstm25"]

ROOT = pathlib.Path(__file__).resolve().parent.parent

PMIS = "-pc_type hypre -pc_hypre_boomeramg_coarsen_type PMIS -pc_hypre_boomeramg_agg_nl 1 " \
       "-pc_hypre_boomeramg_interp_type ext+i -pc_hypre_boomeramg_P_max 4"
NODAL = "-pc_type hypre -pc_hypre_boomeramg_nodal_coarsen 6 -pc_hypre_boomeramg_vec_interp_variant 3"
SOLVERS = [  # what the table calls it, who, and its options; the first is what the others are held against
    ("cgsolve, auto", "cgsolve", "auto"),
    ("cgsolve, multigrid", "cgsolve", "multigrid"),
    ("cgsolve, multigrid, smoothed", "cgsolve", 'multigrid"; transfer = "smoothed'),
    ("cgsolve, FSAI", "cgsolve", "fsai"),
    ("cgsolve, Jacobi", "cgsolve", "jacobi"),
    ("cgsolve, CG alone", "cgsolve", "none"),
    ("PETSc, CG alone", "petsc4py", "-pc_type none"),
    ("PETSc, GAMG", "petsc4py", "-pc_type gamg"),
    ("PETSc, GAMG, not smoothed", "petsc4py", "-pc_type gamg -pc_gamg_agg_nsmooths 0"),
    ("hypre, BoomerAMG", "petsc4py", "-pc_type hypre"),
    ("hypre, BoomerAMG by nodes", "petsc4py", NODAL),
    ("hypre, BoomerAMG, PMIS, 1 aggressive level", "petsc4py", PMIS),
    ("PyAMG, smoothed aggregation", "pyamg", "smoothed_aggregation_solver"),
    ("PyAMG, Ruge-Stueben", "pyamg", "ruge_stuben_solver"),
]


# ---- the peers, each in a process of its own: the last line of its output is a result in JSON


def read_system(path):
    import numpy
    n, entries, modes = (int(size) for size in numpy.fromfile(path, numpy.int64, 3))
    place, arrays = 24, []
    for kind, count in (numpy.int64, n + 1), (numpy.int32, entries), (numpy.float64, entries), (numpy.float64, n):
        arrays.append(numpy.memmap(path, kind, "r", place, count))
        place += arrays[-1].nbytes
    return n, *arrays, numpy.fromfile(path, numpy.float64, n * modes, offset=place).reshape(n, modes)


def petsc4py(path, block, options):
    import petsc4py
    petsc4py.init(options.split())
    from petsc4py import PETSc
    world = PETSc.COMM_WORLD
    import numpy
    n, offsets, columns, values, right, modes = read_system(path)
    nodes, ranks, rank = n // block, world.size, world.rank
    begin, end = (block * (nodes * r // ranks) for r in (rank, rank + 1))
    first, last = offsets[begin], offsets[end]
    A = PETSc.Mat().createAIJ(((end - begin, n), (end - begin, n)), bsize=block, comm=world, csr=(
        (offsets[begin:end + 1] - first).astype(PETSc.IntType), columns[first:last], values[first:last]))
    A.setOption(PETSc.Mat.Option.SPD, True)
    x, b = A.createVecs()
    b.setArray(right[begin:end])
    if modes.size:
        vectors = [A.createVecRight() for _ in range(modes.shape[1])]
        for vector, mode in zip(vectors, numpy.linalg.qr(modes)[0].T):
            vector.setArray(mode[begin:end])
        A.setNearNullSpace(PETSc.NullSpace().create(vectors=vectors, comm=world))
    ksp = PETSc.KSP().create(world)
    ksp.setOperators(A)
    ksp.setType("cg")
    ksp.setNormType(PETSc.KSP.NormType.UNPRECONDITIONED)
    ksp.setTolerances(rtol=TOLERANCE, atol=0, divtol=1e100, max_it=20 * n)
    ksp.setFromOptions()
    world.barrier()
    start = time.perf_counter()
    ksp.setUp()
    ksp.setUpOnBlocks()
    world.barrier()
    ready = time.perf_counter()
    ksp.solve(b, x)
    world.barrier()
    done = time.perf_counter()
    words = {value: name for name, value in vars(PETSc.KSP.ConvergedReason).items() if isinstance(value, int)}
    residual = (b - A * x).norm() / b.norm()
    if rank == 0:
        reason = ksp.getConvergedReason()
        return {"setup": ready - start, "solve": done - ready, "iterations": ksp.getIterationNumber(),
                "residual": residual, "reason": "" if reason > 0 else words[reason].lower().replace("_", " ")}
    return None


def pyamg(path, block, maker):
    import numpy
    import pyamg
    import scipy.sparse
    n, offsets, columns, values, b, modes = read_system(path)
    A = scipy.sparse.csr_matrix((values, columns, offsets.astype(numpy.int32)), shape=(n, n))
    told = {}
    if block > 1 and maker.startswith("smoothed"):
        A = A.tobsr((block, block))
        told = {"B": modes} if modes.size else {}
    history = []
    warnings.simplefilter("ignore")
    start = time.perf_counter()
    hierarchy = getattr(pyamg, maker)(A, **told)
    ready = time.perf_counter()
    x, info = hierarchy.solve(b, accel="cg", tol=TOLERANCE, maxiter=20 * n, residuals=history, return_info=True)
    done = time.perf_counter()
    return {"setup": ready - start, "solve": done - ready, "iterations": len(history) - 1,
            "residual": float(numpy.linalg.norm(b - A @ x) / numpy.linalg.norm(b)),
            "reason": "" if info == 0 else "indefinite" if info < 0 else "iteration limit"}


# ---- the contest


class Failed(Exception):
    """A run without a result; the text says why."""


def call(command, seconds, threads=1):
    """The standard output. `timeout` ends the process and, by mpirun, its ranks."""
    environment = dict(os.environ, OMP_NUM_THREADS=str(threads), OPENBLAS_NUM_THREADS="1",
                       OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
    done = subprocess.run(["timeout", "--kill-after=5", str(seconds), *command], env=environment,
                          capture_output=True, text=True)
    if done.returncode in (124, 137):
        raise Failed(f"more than {seconds} s")
    return done


def ours(config, preconditioner, options, directory):
    done = call([ROOT / "cgsolve", "--quiet", "--output", directory / "results", "--threads", str(options.threads),
                 "--set", f'solver.preconditioner={{type="{preconditioner}";}}', config], options.seconds, options.threads)
    try:
        summary = json.loads((directory / "results" / "summary.json").read_text())
    except OSError:
        raise Failed(done.stderr.strip().split("\n")[-1].removeprefix("cgsolve: ")) from None
    shutil.rmtree(directory / "results")
    kernel = summary["kernels"][0]
    run = kernel["runs"][0]
    return {"setup": kernel["setup_seconds"], "solve": run["seconds"], "iterations": run["iterations"],
            "residual": run["true_residual"] / summary["problem"]["rhs_norm"],
            "reason": "" if run["reason"] == "converged" else run["reason"]}


def theirs(system, block, who, words, options):
    command = [sys.executable, __file__, "--worker", who, str(system), str(block), words]
    if who == "petsc4py":
        ranks = str(options.threads)
        command = ["mpirun", "--host", f"localhost:{ranks}", "-n", ranks, "--bind-to", "none", *command]
    done = call(command, options.seconds)
    try:
        return json.loads(done.stdout.strip().split("\n")[-1])
    except ValueError:
        said = [line for line in done.stderr.split("\n") if "rror" in line]
        raise Failed(said[-1].strip() if said else f"exit status {done.returncode}") from None


def least(runs):
    """Of runs and failures the run with the least sum; else the last failure."""
    good = [run for run in runs if not isinstance(run, Failed)]
    return min(good, key=lambda run: run["setup"] + run["solve"]) if good else runs[-1]


def contest(name, problem, block, solvers, options, directory):
    config, system = directory / "problem.cfg", directory / "system"
    config.write_text(f"problem = {{ {problem} }};\nrhs = {{ type = \"random\"; }};\n"
                      f"kernels = ( \"cpu_sym_bitwise\" );\n"
                      f"solver = {{ tolerance = {TOLERANCE}; preconditioner = {{ type = \"multigrid\"; }}; }};\n")
    written = subprocess.run([ROOT / "build/release/bench/write_system", config, system], check=True)
    with open(system, "rb") as file:
        n, entries, modes = (int.from_bytes(file.read(8), sys.byteorder) for _ in range(3))
    config.write_text(config.read_text().replace("solver = {", f"solver = {{ max_iterations = {20 * n};"))
    solvers = [solver for solver in solvers if block > 1 or solver[2] != NODAL]
    runs = {label: [] for label, _, _ in solvers}
    for _ in range(options.rounds):
        for label, who, words in solvers:
            if runs[label] and (isinstance(runs[label][-1], Failed) or runs[label][-1]["reason"]):
                continue
            try:
                runs[label].append(ours(config, words, options, directory) if who == "cgsolve" else
                                   theirs(system, block, who, words, options))
            except Failed as failure:
                runs[label].append(failure)
    system.unlink()
    print(f"| **{name}**, n = {n}, {entries} entries | | | | | | |")
    own = None
    for label, _, _ in solvers:
        run = least(runs[label])
        if isinstance(run, Failed):
            print(f"| {label} | {run} | | | | | |", flush=True)
            continue
        total = run["setup"] + run["solve"]
        reason = run["reason"] or ("residual gap" if not run["residual"] <= GAP * TOLERANCE else "")
        if label == SOLVERS[0][0] and not reason:
            own = total
        times = f"{total / own:.2f}" if own and not reason else ""
        print(f"| {label} | {run['iterations']}{': ' + reason if reason else ''} | {run['setup']:.3f} | "
              f"{run['solve']:.3f} | {total:.3f} | {times} | {run['residual']:.1e} |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--side", type=int, default=128)
    parser.add_argument("--seconds", type=int, default=600)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--only", default="", help="problems with this word in their names")
    parser.add_argument("directory", nargs="?", type=pathlib.Path, help="of the files in REAL")
    options = parser.parse_args()
    missing = [who for who in ("petsc4py", "pyamg") if not importlib.util.find_spec(who)]
    if not shutil.which("mpirun") and "petsc4py" not in missing:
        missing.append("petsc4py")
    solvers = [solver for solver in SOLVERS if solver[1] not in missing]
    cube = max(2, round(options.side * 41 / 128))
    sheet = round(math.sqrt(cube**3 * 4 / 5))
    poisson = f'type = "poisson3d"; n = {options.side};'
    problems = [
        (f"poisson3d {options.side}^3", poisson, 1),
        (f"poisson3d {options.side}^3, jump 1e4", poisson + " jump = 1e4;", 1),
        (f"fe_sheet {sheet}^2 of 5", f'type = "fe_sheet"; n = [{sheet}, {sheet}]; unknowns = 5; shift = 1e-3;', 5),
        (f"fe_cube {cube}^3 of 4", f'type = "fe_cube"; n = [{cube}, {cube}, {cube}]; unknowns = 4; shift = 1e-3;', 4),
        (f"cantilever {cube} x {cube} x {cube + 1}", f'type = "elasticity3d"; n = [{cube}, {cube}, {cube + 1}];', 3),
    ]
    for name in REAL if options.directory else []:
        path = options.directory / f"{name}.mtx.gz"
        if path.exists():
            problems.append((name, f"type = \"mtx\"; path = {json.dumps(str(path.resolve()))};", 1))
        else:
            print(f"without {path}", file=sys.stderr)
    peers = ", ".join(f"without {who}" if who in missing else f"{who} {importlib.metadata.version(who)}"
                      for who in ("petsc4py", "pyamg"))
    print(f"{options.threads} threads or ranks, {options.rounds} rounds, {options.seconds} s at most for a run; "
          f"{peers}.\n")
    print("| | iterations | set-up s | solve s | sum s | times ours | residual |\n|---|--:|--:|--:|--:|--:|--:|")
    with tempfile.TemporaryDirectory() as directory:
        for name, problem, block in problems:
            if options.only in name:
                contest(name, problem, block, solvers, options, pathlib.Path(directory))


if __name__ == "__main__":
    if sys.argv[1:2] == ["--worker"]:
        found = {"petsc4py": petsc4py, "pyamg": pyamg}[sys.argv[2]](sys.argv[3], int(sys.argv[4]), sys.argv[5])
        if found:
            print(json.dumps(found))
    else:
        main()
