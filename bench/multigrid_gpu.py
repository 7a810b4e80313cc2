#!/usr/bin/env python3
"""Multigrid on a GPU: set-up and solve of some systems, as a table in Markdown.

    bench/multigrid_gpu.py [--rounds N] [--only WORD,...] [--with SOLVER,...] [--largest] [--devices K,...] OUTPUT

wants `make CUDA=1`. b is random, x_0 = 0, and a solve ends when ||r|| <= 1e-8 ||b||, not preconditioned. Each solver
is set up N + 1 times in a process (N: 5): "first" loads the functions of the device too, "again" is what a program pays
for each matrix more, the median. Set-up includes making the kernel's form and, of Poisson3D, the rows of A; everything
else brings A's rows to the device. "solve" is the median of N solves, without the true residual, and "sum" is set-up
again + solve. --largest adds Poisson3D 1000^3, which takes some minutes and 110 GB on the device. --devices lets these
GPUs solve together, one rank each.

Where --only is given, or --with, the table has these systems, or solvers, alone."""

import argparse
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
SHEET = 'type = "fe_sheet"; n = [549, 549]; unknowns = 5; shift = 1e-3;'
CUBE = 'type = "fe_cube"; n = [81, 81, 82]; unknowns = 4; shift = 1e-3;'
UNSTRUCTURED = 'unknowns = 1; diagonals = "random"; numbering = "random"; reorder = "rcm"; shift = 1e-3;'
SYSTEMS = [
    ("Poisson3D 64^3", 'type = "poisson3d"; n = 64;'),
    ("Poisson3D 128^3", 'type = "poisson3d"; n = 128;'),
    ("Poisson3D 256^3", 'type = "poisson3d"; n = 256;'),
    ("256^3, jump 1e4", 'type = "poisson3d"; n = 256; jump = 1e4;'),
    ("256^3, jump 1e6", 'type = "poisson3d"; n = 256; jump = 1e6;'),
    ("255 x 257 x 129", 'type = "poisson3d"; n = [255, 257, 129];'),
    ("512 x 512 x 1", 'type = "poisson3d"; n = [512, 512, 1];'),
    ("256^3, weights 1, 1, 1e-3", 'type = "poisson3d"; n = 256; anisotropy = [1.0, 1.0, 1e-3];'),
    ("Poisson3D 512^3", 'type = "poisson3d"; n = 512;'),
    ("fe_sheet 549^2 of 5", SHEET),
    ("fe_cube 81 x 81 x 82 of 4", CUBE),
    ("elastic cantilever 68 x 68 x 70", 'type = "elasticity3d"; n = [68, 68, 70];'),
    ("elastic cube 30^3", 'type = "elasticity3d"; n = [30, 30, 30];'),
    ("elastic cube 30^3, jump 1e4", 'type = "elasticity3d"; n = [30, 30, 30]; jump = 1e4;'),
    ("elastic cube 30^3, ratio 0.45", 'type = "elasticity3d"; n = [30, 30, 30]; poisson_ratio = 0.45;'),
    ("elastic beam 8 x 8 x 96", 'type = "elasticity3d"; n = [8, 8, 96];'),
    ("elastic plate 40 x 40 x 4", 'type = "elasticity3d"; n = [40, 40, 4];'),
    ("unstructured sheet, RCM", f'type = "fe_sheet"; n = [1200, 1200]; {UNSTRUCTURED}'),
    ("unstructured box, RCM", f'type = "fe_cube"; n = [110, 110, 110]; {UNSTRUCTURED}'),
]
LARGEST = [("Poisson3D 1000^3", 'type = "poisson3d"; n = 1000;')]
SOLVERS = [
    ("none", 'type = "none";'),
    ("jacobi", 'type = "jacobi";'),
    ("multigrid", 'type = "multigrid";'),
    ("multigrid, float", 'type = "multigrid"; precision = "float";'),
]
# Only where --with names them. Without a name for the transfer it depends on what the problem knows.
OTHERS = [
    ("no legs", 'type = "multigrid"; legs = "never";'),
    ("no legs, float", 'type = "multigrid"; legs = "never"; precision = "float";'),
    ("constant", 'type = "multigrid"; transfer = "constant";'),
    ("smoothed", 'type = "multigrid"; transfer = "smoothed";'),
    ("smoothed, float", 'type = "multigrid"; transfer = "smoothed"; precision = "float";'),
]
# Those on which CG alone would take thousands of iterations.
HARD = "jump"


def config(problem, solver, rounds, directory):
    again = ", ".join(f'{{ name = "cuda_sym_bitwise"; label = "again {k}"; }}' for k in range(rounds))
    return f"""problem = {{ {problem} }};
rhs = {{ type = "random"; }};
solver = {{ tolerance = 1e-8; preconditioner = {{ {solver} }}; }};
kernels = ( {{ name = "cuda_sym_bitwise"; label = "first"; }}, {again} );
output = {{ directory = "{directory}"; report = false; }};
"""


def solve(problem, solver, rounds, devices):
    """summary.json of one process, or what went wrong."""
    with tempfile.TemporaryDirectory() as name:
        directory = pathlib.Path(name)
        path = directory / "config.cfg"
        path.write_text(config(problem, solver, rounds, directory / "out"))
        together = ["--devices", devices] if devices else []
        done = subprocess.run([ROOT / "cgsolve", *together, path], capture_output=True, text=True)
        summary = directory / "out" / "summary.json"
        if done.returncode > 1 or not summary.exists():
            lines = (done.stderr.strip() or done.stdout.strip() or "?").splitlines()
            return lines[-1]
        return json.loads(summary.read_text())


def row(label, summary):
    if isinstance(summary, str):
        return f"| {label} | {summary} | | | | | | |"
    first, *again = summary["kernels"]
    runs = [run for entry in again for run in entry["runs"]]
    setup = statistics.median(entry["setup_seconds"] for entry in again)
    seconds = statistics.median(run["seconds"] for run in runs)
    reasons = {run["reason"] for run in runs}
    counts = sorted({run["iterations"] for run in runs})
    each = statistics.median(run["seconds_per_iteration"] for run in runs)
    numbers = [first["setup_seconds"], setup, seconds, setup + seconds, each]
    cells = [f"{1e3 * number:.3g}" if number < 1 else f"{1e3 * number:.0f}" for number in numbers]
    histories = {run["history_hash"] for entry in summary["kernels"] for run in entry["runs"]}
    told = "" if reasons == {"converged"} else " " + ", ".join(sorted(reasons))
    bits = "" if len(histories) == 1 else f" ({len(histories)} histories)"
    return (f"| {label} | {', '.join(map(str, counts))}{told}{bits} | {' | '.join(cells)} | "
            f"{again[0]['memory_bytes'] / 1e9:.2f} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--only", default="", help="systems with one of these words in the name")
    parser.add_argument("--with", default=",".join(label.replace(", ", " ") for label, _ in SOLVERS), dest="solvers",
                        help="none, jacobi, multigrid, multigrid float, no legs, no legs float, constant, smoothed, "
                             "smoothed float")
    parser.add_argument("--largest", action="store_true")
    parser.add_argument("--devices", help="as of cgsolve")
    parser.add_argument("output", type=pathlib.Path)
    given = parser.parse_args()
    machine = None
    with given.output.open("w") as page:
        def tell(line):
            print(line, file=page, flush=True)
            print(line, flush=True)

        for name, problem in SYSTEMS + (LARGEST if given.largest else []):
            if not any(word in name for word in given.only.split(",")):
                continue
            named = False
            for label, solver in SOLVERS + OTHERS:
                if label.replace(", ", " ") not in given.solvers.split(","):
                    continue
                if (HARD in name and label == "none") or ("1000" in name and label == "jacobi"):
                    continue
                summary = solve(problem, solver, 1 if "1000" in name else given.rounds, given.devices)
                if machine is None and not isinstance(summary, str):
                    machine = summary["machine"]
                    together = f", devices {given.devices}" if given.devices else ""
                    tell(f"{machine['device']}{together}; {machine['date'][:10]}, commit {machine['commit']}\n")
                    tell("| | iterations | set-up ms first | again | solve ms | sum ms | ms an iteration | GB |")
                    tell("|---|--:|--:|--:|--:|--:|--:|--:|")
                if not named:
                    named = True
                    size = "" if isinstance(summary, str) else f", n = {summary['problem']['n']}"
                    tell(f"| **{name}**{size} | | | | | | | |")
                tell(row(label, summary))


if __name__ == "__main__":
    sys.exit(main())
