#!/usr/bin/env python3
"""Small systems on a GPU: us an iteration, by a graph of launches and by resident launches, as a table in Markdown.

    bench/latency.py [--rounds N] OUTPUT

wants `make CUDA=1`. A is Poisson3D n^3, b is random, x_0 = 0. A solve ends at ||r|| <= 1e-8 ||b|| or after 1000
iterations. A number is the median of N solves (15) by cuda_sym_bitwise, without set-up and the true residual, over the
iterations. Both ways have one history, or the table says so."""

import argparse
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
SIZES = [32, 48, 64, 80, 96, 100, 110, 128]
SOLVERS = [("cg", ""), ("cg, jacobi", 'preconditioner = { type = "jacobi"; };'), ("minres", 'method = "minres";')]
WAYS = ["never", "auto"]


def config(n, solver, way, rounds, directory):
    return f"""problem = {{ type = "poisson3d"; n = {n}; }};
rhs = {{ type = "random"; }};
solver = {{ tolerance = 1e-8; max_iterations = 1000; resident = "{way}"; {solver} }};
kernels = ( "cuda_sym_bitwise" );
repeats = {rounds};
output = {{ directory = "{directory}"; report = false; }};
"""


def solve(n, solver, way, rounds):
    """The kernel's entry in summary.json, and the machine."""
    with tempfile.TemporaryDirectory() as name:
        directory = pathlib.Path(name)
        path = directory / "config.cfg"
        path.write_text(config(n, solver, way, rounds, directory / "out"))
        subprocess.run([ROOT / "cgsolve", "--quiet", path], check=True)
        summary = json.loads((directory / "out" / "summary.json").read_text())
        return summary["kernels"][0], summary["machine"]


def cells(by_way):
    runs = [entry["runs"] for entry in by_way]
    us = [statistics.median(1e6 * run["seconds_per_iteration"] for run in of) for of in runs]
    resident = runs[1][0].get("resident_iterations", 0)
    told = f"{us[1]:.2f}" if resident > 0 else "as a graph"
    histories = {run["history_hash"] for of in runs for run in of}
    bits = "" if len(histories) == 1 else f" ({len(histories)} histories)"
    return f"{runs[0][0]['iterations']}{bits} | {us[0]:.2f} | {told}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("output", type=pathlib.Path)
    given = parser.parse_args()
    with given.output.open("w") as page:
        def tell(line):
            print(line, file=page, flush=True)
            print(line, flush=True)

        for at, (label, solver) in enumerate(SOLVERS):
            for n in SIZES:
                found = [solve(n, solver, way, given.rounds) for way in WAYS]
                if at == 0 and n == SIZES[0]:
                    machine = found[0][1]
                    tell(f"{machine['device']}; {machine['date'][:10]}, commit {machine['commit']}\n")
                    tell("| | n | iterations | graph, us | resident, us |")
                    tell("|---|--:|--:|--:|--:|")
                tell(f"| {label} | {n}^3 | {cells([entry for entry, _ in found])} |")


if __name__ == "__main__":
    sys.exit(main())
