"""Conjugate gradients, MINRES and Lanczos whose results can be repeated to the last bit."""

from ._library import Error, version as __version__
from ._scipy import NoConvergence, cg, eigsh, minres
from ._solver import Result, Solver

__all__ = ["Error", "NoConvergence", "Result", "Solver", "__version__", "cg", "eigsh", "minres"]
