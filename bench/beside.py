#!/usr/bin/env python3
"""Two builds of the program beside each other: what a change costs, and whether it changed a bit.

    bench/beside.py [--rounds N] BEFORE AFTER STUDY...

BEFORE and AFTER are programs, build/release/cgsolve of two trees. A STUDY is a config, with options and keys behind it
in one word: 'configs/poisson3d.cfg --set problem.n=64'. Each round runs every study by the one, the other, the other
and the one; paths in a config start from the tree of AFTER. Of each kernel the least of the medians of a run, in
milliseconds an iteration, and whether its histories are the same: "same" and "other" of promised bits, "-" where
nothing is promised.
"""
import argparse
import json
import os
import shlex
import subprocess
import sys
import tempfile


def median(values):
    values = sorted(values)
    middle = len(values) // 2
    return values[middle] if len(values) % 2 else (values[middle - 1] + values[middle]) / 2


def run(program, study, tree):
    """Of each kernel of a study: milliseconds an iteration, its histories, whether they are promised."""
    with tempfile.TemporaryDirectory() as directory:
        output = os.path.join(directory, "results")
        words = shlex.split(study)
        command = [program, "--quiet", "--output", output, *words]
        said = subprocess.run(command, cwd=tree, stderr=subprocess.PIPE, text=True)
        try:
            with open(os.path.join(output, "summary.json"), encoding="utf-8") as file:
                summary = json.load(file)
        except OSError:
            sys.exit(f"beside.py: {' '.join(command)}: {said.stderr.strip() or said.returncode}")
    return {
        kernel["name"]: (
            1e3 * median([one["seconds_per_iteration"] for one in kernel["runs"]]),
            {one["history_hash"] for one in kernel["runs"]},
            kernel["promise"] != "none",
        )
        for kernel in summary["kernels"]
    }


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("before")
    parser.add_argument("after")
    parser.add_argument("study", nargs="+")
    given = parser.parse_args()
    programs = [os.path.abspath(given.before), os.path.abspath(given.after)]
    tree = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    print("| study | kernel | before | after | after / before | bits |")
    print("|---|---|--:|--:|--:|---|", flush=True)
    others = 0
    for study in given.study:
        seen = [{}, {}]
        for place in [0, 1, 1, 0] * given.rounds:
            for name, (time, hashes, promised) in run(programs[place], study, tree).items():
                least, all_hashes, _ = seen[place].get(name, (time, set(), promised))
                seen[place][name] = (min(time, least), all_hashes | hashes, promised)
        for name, (after, hashes, promised) in seen[1].items():
            if name not in seen[0]:
                continue
            before, hashes_before, _ = seen[0][name]
            bits = "-" if not promised else "same" if hashes == hashes_before else "other"
            others += bits == "other"
            ratio = after / before if before > 0 else float("nan")
            print(f"| `{study}` | {name} | {before:.5g} | {after:.5g} | {ratio:.3f} | {bits} |",
                  flush=True)
    return 1 if others else 0


if __name__ == "__main__":
    sys.exit(main())
