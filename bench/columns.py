#!/usr/bin/env python3
"""Products Y = A X with several vectors at once on a GPU, or sampled products, as tables in Markdown.

    bench/columns.py [--rounds N] [--columns 1,8,32] [--only WORD,...] [--precision double|float] OUTPUT
    bench/columns.py --operation sddmm [--rounds N] [--columns 32,128] [--only WORD,...] OUTPUT

wants `make CUDA=1`. All multiply in turns by `cgsolve bench`, one call a system, N rounds (11), and OUTPUT.md has the
medians, OUTPUT.csv all that the bench tells. "column-major" has X and Y turned over within the time. "floor" is what
ours must move, at the speed of a copy on the same device: the form of cuda_sym_bitwise, or the pattern and its values,
once and X and Y once. The last column is cuSPARSE's time over ours: of its fastest product, by its CSR algorithms or by
blocks, over that of cuda_sym_bitwise; of its sampled products over cuda_sddmm, where above 1 ours are faster. Where
--only is given the table has these systems alone; where --file FILE.mtx is, once or several times, those of the
files."""

import argparse
import csv
import pathlib
import statistics
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
UNSTRUCTURED = 'unknowns = 1; diagonals = "random"; numbering = "random"; reorder = "rcm"; shift = 1e-3;'
TWELVE = ("protein spheres cantilever wind_tunnel harbor qcd ship economics epidemiology accelerator circuit "
          "webbase").split()
SYSTEMS = [
    ("fe_cube 81 x 81 x 82 of 4", 'type = "fe_cube"; n = [81, 81, 82]; unknowns = 4; shift = 1e-3;'),
    ("fe_sheet 549^2 of 5", 'type = "fe_sheet"; n = [549, 549]; unknowns = 5; shift = 1e-3;'),
    ("unstructured box, RCM", f'type = "fe_cube"; n = [110, 110, 110]; {UNSTRUCTURED}'),
    ("unstructured sheet, RCM", f'type = "fe_sheet"; n = [1200, 1200]; {UNSTRUCTURED}'),
    ("Poisson3D 256^3", 'type = "poisson3d"; n = 256;'),
] + [(name, f'type = "stand_in"; name = "{name}"; scale = 1;') for name in TWELVE]
KERNELS = [(name, f'name = "{name}";') for name in ("cuda_sym_bitwise", "cuda_rode")] + \
          [("cuda_rode pipeline", 'name = "cuda_rode"; pipeline = "on";'), ("cuda_merge", 'name = "cuda_merge";')] + \
          [(f"cusparse alg{a}", f'name = "cusparse_full"; columns_algorithm = {a};') for a in (1, 2, 3)] + \
          [("cusparse alg1 column-major", 'name = "cusparse_full"; columns_order = "column"; columns_algorithm = 1;'),
           ("cusparse bsr", 'name = "cusparse_bsr";')]
# What is measured, ours first; the numbers of columns; the head of the last column.
OPERATIONS = {
    "spmm": ([label for label, _ in KERNELS], "1,8,32", "cuSPARSE's best over ours"),
    "sddmm": (["cuda_sddmm", "cusparse_sddmm"], "32,128", "cuSPARSE's over ours"),
}


def kernels_with(given):
    if given.operation == "sddmm":  # a kernel of a GPU asks for both
        return '"cuda_csr_scalar"'
    more = "" if given.precision == "double" else f'precision = "{given.precision}";'
    return ", ".join(f'{{ {options} {more} label = "{label}"; }}' for label, options in KERNELS
                     if not more or not label.startswith("cusparse"))  # which has no product of the two


def measure(problem, given, path):
    with tempfile.TemporaryDirectory() as name:
        config = pathlib.Path(name) / "config.cfg"
        config.write_text(f'problem = {{ {problem} }};\nkernels = ( {kernels_with(given)} );\n'
                          f'output = {{ directory = "{name}"; }};\n')
        done = subprocess.run([ROOT / "cgsolve", "bench", "--quiet", "--operation", given.operation, "--columns",
                               given.columns, "--rounds", str(given.rounds), "--output", path, config],
                              capture_output=True, text=True)
    if done.returncode > 1:
        return [(done.stderr or done.stdout).strip().splitlines()[-1]], []
    told = [] if done.returncode == 0 else ["a product is wrong"]
    with path.open() as lines:
        return told, list(csv.DictReader(lines))


def kernel_of(row):
    return row["kernel"].rsplit(" columns=", 1)[0]


def milliseconds(row):
    if row is None or row["status"] != "pass":
        return "-" if row is None or row["status"] == "skipped" else row["status"].upper()
    return f'{1e3 * float(row["median_seconds"]):.3g}'


def line(columns, rows, names):
    """One number of columns: the floor, each kernel's time, and ours beside the best of cuSPARSE."""
    at = {kernel_of(row): row for row in rows if int(row["columns_of_x"]) == columns}
    ours = at[names[0]]
    if ours["status"] == "skipped":
        return f'| K = {columns} | {ours["reason"]} |{" |" * (len(names) + 1)}', None
    good = [float(row["median_seconds"]) for name, row in at.items()
            if name.startswith("cusparse") and row["status"] == "pass"]
    seconds = float(ours["median_seconds"])
    copy = float(ours["bytes_per_second"]) / float(ours["of_copy"])
    floor = float(ours["bytes_per_second"]) * seconds / copy
    beside = f"{min(good) / seconds:.2f}" if good and ours["status"] == "pass" else ""
    cells = [f"{1e3 * floor:.3g}", *(milliseconds(at.get(name)) for name in names), beside]
    return f'| K = {columns} | {" | ".join(cells)} |', beside


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=11)
    parser.add_argument("--operation", default="spmm", choices=OPERATIONS)
    parser.add_argument("--columns")
    parser.add_argument("--only", default="", help="systems with one of these words in the name")
    parser.add_argument("--file", type=pathlib.Path, action="append", help="a Matrix Market file")
    parser.add_argument("--precision", default="double", choices=["double", "float"])
    parser.add_argument("output", type=pathlib.Path)
    given = parser.parse_args()
    names, columns_of_it, last = OPERATIONS[given.operation]
    given.columns = given.columns or columns_of_it
    if given.operation == "sddmm" and given.precision != "double":
        parser.error("sampled products are in double precision alone")
    page, table = given.output.with_suffix(".md"), given.output.with_suffix(".csv")
    table.unlink(missing_ok=True)
    seen, products = 0, {}
    with page.open("w") as into:
        def tell(text):
            print(text, file=into, flush=True)
            print(text, flush=True)

        of = ", sampled where the upper triangle has entries" if given.operation == "sddmm" else ""
        tell(f"Milliseconds a product{of}, {given.precision} precision.\n")
        tell(f'| | floor | {" | ".join(names)} | {last} |')
        tell("|---" + "|--:" * (len(names) + 2) + "|")
        files = [(path.name, f'type = "mtx"; path = "{path.resolve()}";') for path in given.file or []]
        for name, problem in files or SYSTEMS:
            if not any(word in name for word in given.only.split(",")):
                continue
            told, rows = measure(problem, given, table)
            new = rows[seen:]
            seen = len(rows) or seen
            size = f', n = {new[0]["rows"]}, {new[0]["entries"]} entries' if new else ""
            tell(f'| **{name}**{size}{"".join(": " + text for text in told)} |{" |" * (len(names) + 2)}')
            for columns in map(int, given.columns.split(",")):
                if not new:
                    continue
                text, beside = line(columns, new, names)
                tell(text)
                if beside and name in TWELVE:
                    products.setdefault(columns, []).append(float(beside))
        for columns, factors in products.items():
            mean = statistics.geometric_mean(factors)
            tell(f"\nK = {columns}, geometric mean over {len(factors)} stand-ins: {mean:.2f}")


if __name__ == "__main__":
    main()
