"""Conjugate gradients, MINRES and Lanczos whose results can be repeated to the last bit."""

from typing import TYPE_CHECKING, Any

from ._compare import Comparison, Row, compare
from ._eigsh import IncompleteWarning, eigsh
from ._library import Error, empty_cache, load, version as __version__
from ._reference import Difference, check_reference, write_reference
from ._scipy import cg, minres
from ._solver import Result, Solver

if TYPE_CHECKING:
    from ._convergence import NoConvergence

__all__ = ["Comparison", "Difference", "Error", "IncompleteWarning", "NoConvergence", "Result", "Row", "Solver",
           "__version__", "cg", "check_reference", "compare", "eigsh", "empty_cache", "load", "minres",
           "write_reference"]


def __getattr__(name: str) -> Any:
    if name != "NoConvergence":
        raise AttributeError(f"module 'cgsolve' has no attribute {name!r}")
    from ._convergence import NoConvergence  # pylint: disable=import-outside-toplevel
    return NoConvergence
