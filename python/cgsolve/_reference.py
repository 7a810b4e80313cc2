"""Regression tests: residual histories in files, and comparisons with later solves."""

from __future__ import annotations

import csv
import math
import os
import re
from typing import Any, Union

import numpy as np

from ._library import number, version, whole
from ._matrix import vector
from ._solver import Result, Solver

Path = Union[str, "os.PathLike[str]"]
_COLUMNS = ("kernel", "run", "iteration", "residual", "residual_hex")


class Difference(AssertionError):
    """A history is not that of the reference."""


def _solved(solver: Solver, b: Any, x0: Any) -> tuple[dict[str, str], Result]:
    """The problem and its solve."""
    b = vector("b", b, solver.n)
    x0 = None if x0 is None else vector("x0", x0, solver.n)
    return solver.problem(b, x0), solver.solve(b, x0)


def write_reference(path: Path, solver: Solver, b: Any, x0: Any = None) -> Result:
    """Solve, and write the residual history as a reference: for check_reference, `cgsolve check` and the key
    `reference` of a config. b has one column."""
    problem, found = _solved(solver, b, x0)
    given, kernel = solver.given, solver.given["kernel"]
    name = kernel if isinstance(kernel, str) else (kernel or {}).get("name", "default")
    facts = {**problem, "method": given["method"], "kernel": name, "tolerance": f"{given['rtol']:.17g}",
             "version": version, "ended": found.reason}
    with open(path, "w", encoding="utf-8", newline="") as file:
        file.write("# A residual history of cgsolve, to compare others with.\n")
        file.writelines(f"# {fact}: {text}\n" for fact, text in facts.items())
        rows = csv.writer(file, lineterminator="\n")
        rows.writerow(_COLUMNS)
        rows.writerows((name, 1, k, f"{r:.17g}", float(r).hex()) for k, r in enumerate(found.history))
    return found


def _read(path: Path) -> tuple[dict[str, str], np.ndarray]:
    """The facts of the problem, and the history."""
    with open(path, encoding="utf-8", newline="") as file:
        lines = file.read().splitlines()
    facts = dict(found.groups() for line in lines if (found := re.fullmatch(r"# (\w+): (.*)", line)))
    rows = list(csv.DictReader(line for line in lines if not line.startswith("#")))
    try:
        history = np.array([float.fromhex(row["residual_hex"]) for row in rows])
        in_order = [int(row["iteration"]) for row in rows] == list(range(len(rows)))
    except (KeyError, TypeError, ValueError):
        in_order, history = False, np.empty(0)
    if not in_order or not len(rows) or not {"matrix", "rhs"} <= facts.keys():
        raise ValueError(f"{path} is no reference: the history of one run, and the hashes of its problem")
    return facts, history


def _distances(here: np.ndarray, there: np.ndarray, mode: str) -> np.ndarray:
    """Distances in doubles, or relative to the reference. NaN and inf are equal to themselves, and infinitely far from
    other values."""
    if mode == "relative":
        with np.errstate(divide="ignore", invalid="ignore"):
            far = np.abs(here - there) / np.abs(there)
    else:
        bits = [values.view(np.int64) for values in (here, there)]
        far = np.abs(bits[0] - bits[1]).astype(np.float64)
    far[~np.isfinite(here) | ~np.isfinite(there)] = math.inf
    far[(here == there) | np.isnan(here) & np.isnan(there)] = 0
    return far


def check_reference(path: Path, solver: Solver, b: Any, x0: Any = None, *, mode: str = "bitwise",
                    tolerance: float = 0.0, iterations: int = 0) -> Result:
    """Solve, and raise Difference, an AssertionError, if the residual history is not that of the reference.

    mode: "bitwise"; "ulps": at most `tolerance` doubles away; "relative": |r - r'| <= tolerance |r'| of the reference.
    iterations: the allowed difference of the counts; the common iterations are compared. ValueError: another problem.
    """
    tolerance, iterations = number("tolerance", tolerance), whole("iterations", iterations)
    if mode not in ("bitwise", "ulps", "relative"):
        raise ValueError(f'mode = {mode!r} must be "bitwise", "ulps" or "relative"')
    facts, there = _read(path)
    problem, found = _solved(solver, b, x0)
    for fact in ("matrix", "rhs", "start"):
        if problem.get(fact) != facts.get(fact):
            raise ValueError(f"{path} is the history of another problem: {fact} there has the hash {facts.get(fact)}, "
                             f"and here {problem.get(fact)}")
    common = min(len(found.history), len(there))
    far = _distances(found.history[:common], there[:common], mode)
    wrong = np.flatnonzero(far > (0 if mode == "bitwise" else tolerance))
    if wrong.size:
        k = int(wrong[0])
        raise Difference(f"iteration {k} differs from {path}: {float(found.history[k]).hex()} here, "
                         f"{float(there[k]).hex()} there; {wrong.size} of {common} residuals do not pass")
    if abs(len(found.history) - len(there)) > iterations:
        raise Difference(f"{len(found.history) - 1} iterations, in {path} {len(there) - 1}")
    return found
