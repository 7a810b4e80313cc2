#!/usr/bin/env python3
"""Ranks beside one process, as a table in Markdown: milliseconds an iteration of conjugate gradients.

    bench/ranks.py [--gpus] [--count 2] [--rounds N] OUTPUT

wants `make` with MPI. Each system is solved in turns, N times (5), and has to have one history: by one process of so
many threads and by mpirun with so many processes of one thread each, for 100 iterations by cpu_sym_bitwise; or with
--gpus by one GPU and by so many, for 400 iterations by cuda_sym_bitwise. OUTPUT.md has the medians."""

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
    run = json.loads(summary.read_text())["kernels"][0]["runs"][0]
    return 1e3 * run["seconds"] / run["iterations"], run["history_hash"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--gpus", action="store_true")
    parser.add_argument("--count", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("output", type=pathlib.Path)
    given = parser.parse_args()
    program, mpirun = [str(ROOT / "cgsolve"), "--quiet"], ["mpirun", "-n", str(given.count)]
    ways = [[*program, "--threads", str(given.count)], [*mpirun, *program, "--threads", "1"]]
    systems, kernel, names = SYSTEMS, "cpu_sym_bitwise", (f"{given.count} threads", f"{given.count} ranks")
    iterations = 400 if given.gpus else 100
    if given.gpus:
        threads = str(max(1, (os.cpu_count() or 1) // given.count))
        ways = [program, [*mpirun, "--bind-to", "none", *program, "--threads", threads]]
        systems, kernel, names = ON_GPUS, "cuda_sym_bitwise", ("1 GPU", f"{given.count} GPUs")
    os.environ["OMPI_MCA_rmaps_base_oversubscribe"] = "1"
    with given.output.with_suffix(".md").open("w") as page, tempfile.TemporaryDirectory() as name:
        def tell(text):
            print(text, file=page, flush=True)
            print(text, flush=True)

        tell(f"| | {names[0]} | {names[1]} | {names[1]} over {names[0]} |\n|---|--:|--:|--:|")
        config, output = pathlib.Path(name) / "config.cfg", pathlib.Path(name) / "out"
        for system, problem, *solver in systems:
            config.write_text(f'problem = {{ {problem} }};\nkernels = ( "{kernel}" );\n'
                              f'solver = {{ max_iterations = {iterations}; tolerance = 1e-300; {"".join(solver)} }};\n'
                              f'output = {{ directory = "{output}"; }};\n')
            times, hashes = [[], []], set()
            for _ in range(given.rounds):
                for way, of_way in zip(ways, times):
                    milliseconds, its = solve(config, output, way)
                    of_way.append(milliseconds)
                    hashes.add(its)
            if len(hashes) > 1:
                sys.exit(f"{system}: {len(hashes)} histories")
            one, several = map(statistics.median, times)
            tell(f"| {system} | {one:.3g} | {several:.3g} | {several / one:.2f} |")


if __name__ == "__main__":
    main()
