"""A plugin for pytest: tests of SciPy, and of what uses it, with cgsolve's cg, minres and eigsh in the place of
SciPy's. For each case that calls one of them with a real A, and is not skipped, a line "passed CASE" or "failed CASE"
goes to the file CASES. With THEIRS in the environment the functions are SciPy's."""

import functools
import importlib
import os

import numpy as np
import pytest
import scipy.sparse.linalg as linalg
from scipy._lib import _array_api
from scipy.sparse.linalg import _isolve

import cgsolve

_CAPABILITIES = getattr(_array_api, "xp_capabilities_table", {})  # where tests of SciPy from 1.18 on find a solver
_called = []


def _noticed(ours):
    theirs = getattr(linalg, ours.__name__)
    function = theirs if "THEIRS" in os.environ else functools.partial(ours, threads=1)  # the systems are small

    @functools.wraps(ours)
    def call(A, *arguments, **options):
        if np.dtype(getattr(A, "dtype", None) or float).kind != "c":
            _called.append(ours)
        return function(A, *arguments, **options)

    if theirs in _CAPABILITIES:
        _CAPABILITIES[call] = _CAPABILITIES[theirs]
    return call


_arpack = importlib.import_module("scipy.sparse.linalg._eigen.arpack")  # an attribute of this name is another module
linalg.cg, linalg.minres, linalg.eigsh = map(_noticed, (cgsolve.cg, cgsolve.minres, cgsolve.eigsh))
_isolve.cg, _isolve.minres, _arpack.eigsh = linalg.cg, linalg.minres, linalg.eigsh
_SOLVERS = [_isolve.cg, _isolve.minres]


def pytest_collection_modifyitems(config, items):
    """Without the cases of SciPy's other solvers."""
    foreign = []
    for item in items:
        if not getattr(item.module, "__name__", "").startswith("scipy."):
            continue
        parameters = item.callspec.params if hasattr(item, "callspec") else {}
        solver = getattr(parameters.get("case"), "solver", parameters.get("solver", _isolve.cg))
        if solver not in _SOLVERS:
            foreign.append(item)
        if hasattr(item.module, "_SOLVERS"):
            item.module._SOLVERS[:] = _SOLVERS
    config.hook.pytest_deselected(items=foreign)
    items[:] = [item for item in items if item not in foreign]


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_call(item):
    _called.clear()
    outcome = yield
    kind = outcome.excinfo[0] if outcome.excinfo else None
    if _called and kind is not pytest.skip.Exception:
        with open(os.environ["CASES"], "a", encoding="utf-8") as cases:
            cases.write(f"{'failed' if kind else 'passed'} {item.name}\n")
