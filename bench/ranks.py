#!/usr/bin/env python3
"""Ranks beside threads, as a table in Markdown: milliseconds an iteration of conjugate gradients.

    bench/ranks.py [--count 2] [--rounds N] OUTPUT

wants `make` with MPI. Each system is solved in turns, N times (5), by one process of so many threads and by mpirun with
so many processes of one thread each; both solve by cpu_sym_bitwise for 100 iterations, and have to have one history.
OUTPUT.md has the medians."""

import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
SYSTEMS = [
    ("Poisson3D 128^3", 'type = "poisson3d"; n = 128;'),
    ("fe_cube 41^3 of 4", 'type = "fe_cube"; n = [41, 41, 41]; unknowns = 4; shift = 1e-3;'),
    ("fe_sheet 235^2 of 5", 'type = "fe_sheet"; n = [235, 235]; unknowns = 5; shift = 1e-3;'),
    ("unstructured box 60^3, RCM", 'type = "fe_cube"; n = [60, 60, 60]; unknowns = 1; diagonals = "random"; '
     'numbering = "random"; reorder = "rcm"; shift = 1e-3;'),
]


def solve(config, output, start):
    done = subprocess.run([*start, str(config)], capture_output=True, text=True)
    if done.returncode > 1:  # 1: not converged
        sys.exit(done.stderr)
    run = json.loads((output / "summary.json").read_text())["kernels"][0]["runs"][0]
    return 1e3 * run["seconds"] / run["iterations"], run["history_hash"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("output", type=pathlib.Path)
    given = parser.parse_args()
    program = [str(ROOT / "cgsolve"), "--quiet", "--threads"]
    ways = [[*program, str(given.count)], ["mpirun", "-n", str(given.count), *program, "1"]]
    os.environ["OMPI_MCA_rmaps_base_oversubscribe"] = "1"
    with given.output.with_suffix(".md").open("w") as page, tempfile.TemporaryDirectory() as name:
        def tell(text):
            print(text, file=page, flush=True)
            print(text, flush=True)

        tell(f"| | {given.count} threads | {given.count} ranks | ranks over threads |\n|---|--:|--:|--:|")
        config, output = pathlib.Path(name) / "config.cfg", pathlib.Path(name) / "out"
        for system, problem in SYSTEMS:
            config.write_text(f'problem = {{ {problem} }};\nkernels = ( "cpu_sym_bitwise" );\n'
                              f'solver = {{ max_iterations = 100; tolerance = 1e-14; }};\n'
                              f'output = {{ directory = "{output}"; }};\n')
            times, hashes = [[], []], set()
            for _ in range(given.rounds):
                for way, of_way in zip(ways, times):
                    milliseconds, its = solve(config, output, way)
                    of_way.append(milliseconds)
                    hashes.add(its)
            if len(hashes) > 1:
                sys.exit(f"{system}: {len(hashes)} histories")
            threads, ranks = map(statistics.median, times)
            tell(f"| {system} | {threads:.3g} | {ranks:.3g} | {ranks / threads:.2f} |")


if __name__ == "__main__":
    main()
