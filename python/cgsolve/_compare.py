"""How far the runs of several kernels differ."""

from __future__ import annotations

import html
import math
from array import array
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple, Optional, Union, overload

import numpy as np

from ._library import Options, call, ffi, lib, text, whole
from ._matrix import Data, finite, is_operator, place, values_of, vector
from ._near_null import NearNull
from ._solver import Component, Handles, doubles, limit, named, stopping

# As in configs/quickstart.cfg; on a GPU the kernels of that.
_STORY: tuple[dict[str, str], ...] = (
    {"name": "cpu_sym_atomic", "label": "atomics"},
    {"name": "cpu_sym_compensated", "label": "compensated"},
    {"name": "cpu_sym_compensated", "label": "compensated all", "compensate": "all"},
    {"name": "cpu_sym_bitwise", "label": "bitwise"})
_GUARANTEES = {lib.CGS_NO_GUARANTEE: "none", lib.CGS_USUAL_BITS: "accurate", lib.CGS_EQUAL_IN_RUN: "run",
               lib.CGS_EQUAL_BITS: "bitwise"}


# The colours of the report's page (src/program/report/plot.c): equal for kernels of one kind.
_COLOURS = ("#d55e00", "#cc79a7", "#0072b2", "#009e73", "currentColor", "#e69f00", "#56b4e9")
_COLOUR_OF = {"cpu_sym_atomic": 0, "cuda_sym_atomic": 0, "cpu_sym_compensated": 1, "cuda_sym_compensated": 1,
              "cpu_sym_bitwise": 2, "cuda_sym_bitwise": 2, "cpu_sym_exact": 3, "cuda_sym_exact": 3, "cpu_csr": 4,
              "cusparse_full": 4, "cuda_csr_scalar": 4, "cpu_merge": 5, "cuda_merge": 5, "cuda_csr_subwarp": 5,
              "cpu_sym": 6, "cusparse_half": 6, "cuda_csr_vector": 6, "cuda_segscan": 1, "cuda_rode": 3}
_DASHES = ("none", "8 4", "2 3", "8 3 2 3", "8 3 2 3 2 3")  # of several labels of one colour


def _colour_of(kernel: str) -> str:
    letters = 0  # of other kernels
    for letter in kernel.encode():
        letters = (31 * letters + letter) % 2**32
    return _COLOURS[_COLOUR_OF.get(kernel, letters % len(_COLOURS))]


def _strokes(kernels: Iterable[str]) -> list[str]:
    """How the lines of each are drawn."""
    colours = list(map(_colour_of, kernels))
    return [f'stroke="{colour}" stroke-dasharray="{_DASHES[colours[:k].count(colour) % len(_DASHES)]}"'
            for k, colour in enumerate(colours)]


class Row(NamedTuple):
    """Results over all runs of one kernel."""

    label: str
    kernel: str
    guarantee: str  # of the bits: "none", "accurate", "run" or "bitwise"
    promise_is_broken: bool
    runs: int
    converged: int
    iterations_min: int
    iterations_median: float
    iterations_max: int
    histories: int  # the number of different ones, by their bits
    solutions: int
    first_divergence: int  # the first iteration at which two runs differ; -1: none
    spread: float  # the largest ||x - x'||_inf / ||x||_inf of two runs
    setup_seconds: float
    iteration_seconds: float  # the median over the runs

    def texts(self) -> list[str]:
        """As _HEADS has them."""
        broken = " BROKEN" if self.promise_is_broken else ""
        some = "-" if self.first_divergence < 0 else str(self.first_divergence)
        return [self.label, self.guarantee + broken, f"{self.converged}/{self.runs}",
                f"{self.iterations_min} / {self.iterations_median:g} / {self.iterations_max}", str(self.histories),
                str(self.solutions), some, f"{self.spread:.1e}", f"{1e3 * self.iteration_seconds:.3g}"]


_HEADS = ("kernel", "guarantee", "converged", "iterations: min / median / max", "histories", "solutions", "first diff.",
          "solution spread", "ms / iteration")


class Comparison(Sequence[Row]):
    """One row for each kernel, for pandas.DataFrame.

    histories: the residual norms of each run, a list of arrays by the kernel's label."""

    def __init__(self, rows: Iterable[Row], histories: Mapping[str, list[np.ndarray]]) -> None:
        self._rows, self.histories = tuple(rows), dict(histories)

    @overload
    def __getitem__(self, k: int) -> Row: ...
    @overload
    def __getitem__(self, k: slice) -> tuple[Row, ...]: ...
    def __getitem__(self, k: Union[int, slice]) -> Union[Row, tuple[Row, ...]]:
        return self._rows[k]

    def __len__(self) -> int:
        return len(self._rows)

    def __repr__(self) -> str:
        lines = [_HEADS, *(row.texts() for row in self)]
        widths = [max(map(len, column)) for column in zip(*lines)]
        return "\n".join("  ".join(map(str.ljust, line, widths)).rstrip() for line in lines)

    def _repr_html_(self) -> str:
        def line(tag: str, texts: Iterable[str]) -> str:
            return "<tr>" + "".join(f"<{tag}>{html.escape(text)}</{tag}>" for text in texts) + "</tr>"

        table = line("th", _HEADS) + "".join(line("td", row.texts()) for row in self)
        kernels = {row.label: row.kernel for row in self}
        return f"<table>{table}</table>{picture(self.histories, kernels)}"


Curve = tuple[str, np.ndarray]  # how it is drawn, and its values from iteration 0 on


def _differences(runs: list[np.ndarray]) -> np.ndarray:
    """(largest - least) / least of the residuals of the runs in each iteration that all of them have."""
    rows = np.array([run[:min(map(len, runs))] for run in runs])
    least = rows.min(axis=0)
    with np.errstate(all="ignore"):
        relative: np.ndarray = (rows.max(axis=0) - least) / least
    return relative


def _panel(title: str, curves: list[Curve], last: int, top: int) -> list[str]:
    """log10 of the curves over the iterations 0 to last, 200 high, where it is defined."""
    left, width, height = 60, 500, 200
    logs = [np.log10(values, out=np.full(len(values), math.nan), where=values > 0) for _, values in curves]
    finite = [float(log) for curve in logs for log in curve if math.isfinite(log)] or [0.0]
    low = math.floor(min(finite))
    high = max(math.ceil(max(finite)), low + 1)
    drawn = [f'<text x="{left}" y="{top - 8}" fill="#888">{title}</text>'
             f'<path d="M{left} {top}v{height}h{width}" fill="none" stroke="#888"/>']
    for log in range(low, high + 1, max((high - low) // 5, 1)):
        y = top + height * (high - log) / (high - low)
        drawn.append(f'<text x="{left - 6}" y="{y + 4:.1f}" text-anchor="end" fill="#888">1e{log}</text>')
    step = _step(last)
    for k in range(0, last + 1, step):
        drawn.append(f'<text x="{left + width * k / last:.1f}" y="{top + height + 16}" text-anchor="middle" '
                     f'fill="#888">{k}</text>')
    for (stroke, _), log in zip(curves, logs):
        shown = np.unique(np.linspace(0, len(log) - 1, 600).astype(int))
        points = " ".join(f"{left + width * k / last:.1f},{top + height * (high - log[k]) / (high - low):.1f}"
                          for k in shown[np.isfinite(log[shown])])
        drawn.append(f'<polyline points="{points}" fill="none" {stroke}/>')
    return drawn


def _step(last: int) -> int:
    """Between at most seven ticks: 1, 2 or 5 times a power of ten."""
    power = 10 ** (len(str(last)) - 1)
    steps = [max(factor * power // 10, 1) for factor in (1, 2, 5, 10, 20)]
    return next(step for step in steps if last // step < 7)


def picture(histories: Mapping[str, list[np.ndarray]], kernels: Mapping[str, str]) -> str:
    """An SVG: the residuals of the runs, in the colour of their kernel, which `kernels` has by the label; and below the
    spread of the runs of each kernel."""
    last = max((len(run) - 1 for runs in histories.values() for run in runs), default=1) or 1
    different = [list({run.tobytes(): run for run in runs}.values()) for runs in histories.values()]
    strokes = _strokes(kernels.get(label, label) for label in histories)
    residuals = [(stroke, run) for stroke, runs in zip(strokes, different) for run in runs]
    differences = [(stroke, _differences(runs)) for stroke, runs in zip(strokes, different) if len(runs) > 1]
    drawn = ['<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 760 540" width="760" font-size="12" '
             'font-family="sans-serif">']
    drawn += _panel("residual norm", residuals, last, 24)
    drawn += _panel("relative difference of the residual norm between runs", differences, last, 294)
    drawn.append('<text x="310" y="530" text-anchor="middle" fill="#888">iteration</text>')
    for k, (label, runs) in enumerate(histories.items()):
        equal = ": equal runs" if len(runs) > len(different[k]) == 1 else ""
        drawn.append(f'<path d="M570 {34 + 18 * k}h30" {strokes[k]}/><text x="608" y="{38 + 18 * k}" fill="#888">'
                     f"{html.escape(label)}{equal}</text>")
    return "".join(drawn) + "</svg>"


class _Study(Handles):
    """A study, and the histories of its runs by the kernel's label."""

    def __init__(self) -> None:
        super().__init__()
        self.histories: dict[str, list[array[float]]] = {}

    def see(self, _user: Any, label: Any, run: int, _iteration: int, residual: float) -> int:
        runs = self.histories.setdefault(ffi.string(label).decode(), [])
        if len(runs) < run:
            runs.append(array("d"))
        runs[-1].append(residual)
        return self.given_up

    def run_kernels(self, data: Data, of_solver: Options, of_kernels: list[tuple[bytes, Options]],
                    vectors: Sequence[Optional[np.ndarray]], repeats: int, threads: Optional[int],
                    gpu: Optional[int], nearly: NearNull) -> list[Row]:
        matrix = self.matrix(self.context(threads, gpu), data)
        nearly.give(matrix)
        study = self.create("study", matrix, of_solver.list)
        for label, options in of_kernels:
            call(lib.cgs_study_add, study, label or ffi.NULL, options.list)
        call(lib.cgs_study_run, study, *map(doubles, vectors), repeats, ffi.callback("cgs_study_monitor", self.see),
             ffi.NULL)
        return [self._row(study, k, of_kernels[k][1]) for k in range(lib.cgs_study_kernels(study))]

    @staticmethod
    def _row(study: Any, k: int, options: Options) -> Row:
        found = ffi.new("struct cgs_study_kernel *", {"size": ffi.sizeof("struct cgs_study_kernel")})
        call(lib.cgs_study_get, study, k, found)
        values = {name: getattr(found, name) for name in Row._fields if name != "kernel"}
        return Row(**{**values, "label": ffi.string(found.label).decode(), "kernel": str(options.given["kernel"]),
                      "guarantee": _GUARANTEES[found.guarantee], "promise_is_broken": bool(found.promise_is_broken)})


def _options_of(kernel: Component, reductions: Optional[str]) -> tuple[bytes, Options]:
    """The label, empty if there is none, and the options of cgs_study_add."""
    own = dict(kernel) if isinstance(kernel, Mapping) else {"name": kernel}
    label, sums = str(own.pop("label", "")), own.pop("reductions", reductions)
    return text(label), Options({**named("kernel", own, "name"), **({"reductions": sums} if sums else {})})


def compare(A: Any, b: Any, kernels: Optional[Iterable[Component]] = None, repeats: int = 8, *, x0: Any = None,
            method: str = "cg", rtol: float = 1e-5, maxiter: Optional[int] = None,
            preconditioner: Optional[Component] = None, reductions: Optional[str] = None,
            threads: Optional[int] = None, device: Optional[str] = None, uplo: Optional[str] = None,
            asymmetry: Optional[float] = None, near_null: Any = None, coordinates: Any = None) -> Comparison:
    """Solve A x = b `repeats` times with each of several kernels, and measure how far the runs differ.

    A: a matrix, as in class Solver, which documents the other keywords.
    kernels: names, or mappings with "name", the kernel's own options, and if you like "label" and "reductions"; None:
    those of the program's quickstart.
    """
    gpu = place(device, A=values_of(A), b=b)
    repeats = whole("repeats", repeats)
    if isinstance(kernels, (str, Mapping)) or not (kernels is None or isinstance(kernels, Iterable)):
        raise ValueError(f"kernels = {kernels!r} must be a list")
    if kernels is None:
        kernels = [{**kernel, "name": kernel["name"].replace("cpu", "cpu" if gpu is None else "cuda")}
                   for kernel in _STORY]
    of_kernels = [_options_of(kernel, reductions) for kernel in kernels]
    if is_operator(A):
        raise ValueError("A is known by its products alone: compare needs a matrix")
    data = Data(A, 0.0, uplo, asymmetry)
    n = data.data.n
    of_solver = Options({**stopping(method, rtol, 0), "max_iterations": limit(method, maxiter, n),
                         **named("preconditioner", preconditioner, "type")})
    vectors = finite("b", vector("b", b, n)), None if x0 is None else finite("x0", vector("x0", x0, n))
    nearly = NearNull(A, n, near_null, coordinates, gpu, preconditioner)
    study = _Study()
    rows = study.in_thread(
        lambda: study.run_kernels(data, of_solver, of_kernels, vectors, repeats, threads, gpu, nearly))
    return Comparison(rows, {label: [np.array(run) for run in runs] for label, runs in study.histories.items()})
