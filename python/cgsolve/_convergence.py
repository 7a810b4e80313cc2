"""The exception of eigsh, which is SciPy's as well where SciPy is installed. To import that takes longer than to import
this package: so it waits until the exception is asked for."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._library import Error

_theirs: Any
try:
    from scipy.sparse.linalg import ArpackNoConvergence as _theirs
except ImportError:
    _theirs = Error


class NoConvergence(*dict.fromkeys((Error, _theirs))):  # type: ignore[misc]
    """Not all eigenvalues have converged: what there is are `eigenvalues` and the columns of `eigenvectors`."""

    def __init__(self, message: str, eigenvalues: np.ndarray, eigenvectors: np.ndarray) -> None:
        RuntimeError.__init__(self, message)
        self.eigenvalues = eigenvalues
        self.eigenvectors = eigenvectors

    def __reduce__(self) -> tuple[Any, ...]:
        return NoConvergence, (str(self), self.eigenvalues, self.eigenvectors)
