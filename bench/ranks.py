#!/usr/bin/env python3
"""Ranks beside one process, as a table in Markdown: milliseconds an iteration of conjugate gradients.

    bench/ranks.py [--gpus] [--count N...] [--rounds N] [--petsc PROGRAM] OUTPUT

wants `make` with MPI. Each system is solved in turns, N times (5), and has to have one history. For 100 iterations by
cpu_sym_bitwise: for each count (2), by one process of so many threads, and by mpirun with so many processes of one
thread each. Or with --gpus for 400 iterations by cuda_sym_bitwise: by one GPU, and by each count of them. OUTPUT.md has
the medians.

PROGRAM is bench/peers/petsc in the build's directory (`make bench-peers`): in the same turns KSPCG of PETSc solves the
Poisson3D systems without a preconditioner and a jump, with a rank for each thread or GPU, and has to end with our
residual. PETSC_OPTIONS='-use_gpu_aware_mpi 0' is for an MPI that takes no pointers of a GPU."""

import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent


def with_multigrid(n):
    return f"Poisson3D {n}^3, multigrid", f'type = "poisson3d"; n = {n};', 'preconditioner = { type = "multigrid"; };'


SYSTEMS = [
    ("Poisson3D 128^3", 'type = "poisson3d"; n = 128;'),
    ("fe_cube 41^3 of 4", 'type = "fe_cube"; n = [41, 41, 41]; unknowns = 4; shift = 1e-3;'),
    ("fe_sheet 235^2 of 5", 'type = "fe_sheet"; n = [235, 235]; unknowns = 5; shift = 1e-3;'),
    ("unstructured box 60^3, RCM", 'type = "fe_cube"; n = [60, 60, 60]; unknowns = 1; diagonals = "random"; '
     'numbering = "random"; reorder = "rcm"; shift = 1e-3;'),
    with_multigrid(128),
]
ON_GPUS = [(f"Poisson3D {n}^3", f'type = "poisson3d"; n = {n};') for n in (64, 128, 256, 512)] + [
    ("Poisson3D 256^3, jump", 'type = "poisson3d"; n = 256; jump = 1e4;'),
    ("fe_cube 81 x 81 x 82 of 4", 'type = "fe_cube"; n = [81, 81, 82]; unknowns = 4; shift = 1e-3;'),
    ("unstructured box 110^3, RCM", 'type = "fe_cube"; n = [110, 110, 110]; unknowns = 1; diagonals = "random"; '
     'numbering = "random"; reorder = "rcm"; shift = 1e-3;'),
    *(with_multigrid(n) for n in (128, 256, 512)),
]


def solve(config, output, start):
    summary = output / "summary.json"
    summary.unlink(missing_ok=True)
    done = subprocess.run([*start, str(config)], capture_output=True, text=True)
    if done.returncode > 1 or not summary.exists():  # 1: not converged; mpirun ends so too where it does not start
        sys.exit(done.stderr)
    read = json.loads(summary.read_text())
    run = read["kernels"][0]["runs"][0] | {"rhs_norm": read["problem"]["rhs_norm"]}
    return 1e3 * run["seconds"] / run["iterations"], run


class Petsc:
    """A process that is set up once, and does a solve when it is asked to (bench/support/contest.h)."""

    def __init__(self, program, config, ranks, gpus):
        threads = str(max(1, (os.cpu_count() or 1) // ranks))
        self.process = subprocess.Popen(
            ["mpirun", "-n", str(ranks), "--bind-to", "none", program, "solve", threads,
             "aijcusparse" if gpus else "aij", "1", 'kernels=("cpu_csr")', str(config)],
            env={**os.environ, "OPENBLAS_NUM_THREADS": "1"}, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.answer("ready")

    def answer(self, word):
        for line in self.process.stdout:
            if line.startswith(f"contest {word} "):
                return line.split()[2:]
            if line.startswith("contest failed "):
                sys.exit(line)
        sys.exit("PETSc ended without a word")

    def solve(self, ours):
        """Milliseconds an iteration. Rounding makes residuals of its own where they are small."""
        self.process.stdin.write("\n")
        self.process.stdin.flush()
        seconds, (residual, iterations) = self.answer("seconds"), self.answer("residual")
        if not abs(float(residual) - ours["residual"]) <= 1e-3 * max(ours["residual"], 1e-6 * ours["rhs_norm"]):
            sys.exit(f"PETSc has residual {residual} after {iterations} iterations, and we have {ours['residual']}")
        return 1e3 * float(seconds[0])

    def end(self):
        self.process.communicate()


def ways(given):
    """What each way to solve is called, and how it starts."""
    program, threads = [str(ROOT / "cgsolve"), "--quiet"], str(max(1, (os.cpu_count() or 1) // max(given.count)))
    if given.gpus:
        return {"1 GPU": program} | {
            f"{k} GPUs": ["mpirun", "-n", str(k), "--bind-to", "none", *program, "--threads", threads]
            for k in given.count}
    return {f"{k} {what}": start for k in given.count for what, start in (
        ("threads", [*program, "--threads", str(k)]),
        ("ranks", ["mpirun", "-n", str(k), *program, "--threads", "1"]))}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--gpus", action="store_true")
    parser.add_argument("--count", type=int, nargs="+", default=[2])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--petsc", metavar="PROGRAM")
    parser.add_argument("output", type=pathlib.Path)
    given = parser.parse_args()
    starts = ways(given)
    # each way with more than one rank over the way that it is held against
    ratios = [(w, next(iter(starts)) if given.gpus else w.replace("ranks", "threads"))
              for w in starts if w.endswith("ranks") or (given.gpus and w != "1 GPU")]
    systems, kernel, iterations = (ON_GPUS, "cuda_sym_bitwise", 400) if given.gpus else (
        SYSTEMS, "cpu_sym_bitwise", 100)
    petsc = {f"PETSc, {k} {'GPU' if given.gpus else 'rank'}{'s' * (k > 1)}": k
             for k in [1] * given.gpus + given.count if given.petsc}
    os.environ["OMPI_MCA_rmaps_base_oversubscribe"] = "1"
    with given.output.with_suffix(".md").open("w") as page, tempfile.TemporaryDirectory() as name:
        def tell(*cells):
            text = f"| {' | '.join(cells)} |"
            print(text, file=page, flush=True)
            print(text, flush=True)

        tell("", *starts, *(f"{a} over {b}" for a, b in ratios), *petsc)
        tell("---", *["--:"] * (len(starts) + len(ratios) + len(petsc)))
        config, output = pathlib.Path(name) / "config.cfg", pathlib.Path(name) / "out"
        for system, problem, *solver in systems:
            config.write_text(f'problem = {{ {problem} }};\nkernels = ( "{kernel}" );\n'
                              f'solver = {{ max_iterations = {iterations}; tolerance = 1e-300; {"".join(solver)} }};\n'
                              f'output = {{ directory = "{output}"; }};\n')
            times, hashes = {way: [] for way in starts}, set()
            compared = '"poisson3d"' in problem and "jump" not in problem and not solver
            peers = {way: Petsc(given.petsc, config, k, given.gpus) for way, k in petsc.items() if compared}
            peer_times = {way: [] for way in peers}
            for _ in range(given.rounds):
                for way, start in starts.items():
                    milliseconds, run = solve(config, output, start)
                    times[way].append(milliseconds)
                    hashes.add(run["history_hash"])
                for way, peer in peers.items():
                    peer_times[way].append(peer.solve(run))
            for peer in peers.values():
                peer.end()
            if len(hashes) > 1:
                sys.exit(f"{system}: {len(hashes)} histories")
            median = {way: statistics.median(of_way) for way, of_way in times.items()}
            tell(system, *(f"{time:.3g}" for time in median.values()),
                 *(f"{median[a] / median[b]:.2f}" for a, b in ratios),
                 *(f"{statistics.median(peer_times[way]):.3g}" if compared else "" for way in petsc))


if __name__ == "__main__":
    main()
