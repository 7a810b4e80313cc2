"""Conjugate gradients, MINRES and Lanczos whose results can be repeated to the last bit."""

from ._compare import Comparison, Row, compare
from ._library import Error, version as __version__
from ._scipy import IncompleteWarning, NoConvergence, cg, eigsh, minres
from ._solver import Result, Solver

__all__ = ["Comparison", "Error", "IncompleteWarning", "NoConvergence", "Result", "Row", "Solver", "__version__", "cg",
           "compare", "eigsh", "minres"]
