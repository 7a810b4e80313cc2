"""The exception of eigsh, a subclass of SciPy's if SciPy is installed. The import of SciPy is slow, so it waits until
the exception is needed."""

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
    """Not all eigenvalues have converged. The converged ones are `eigenvalues` and the columns of `eigenvectors`."""

    def __init__(self, message: str, eigenvalues: np.ndarray, eigenvectors: np.ndarray) -> None:
        RuntimeError.__init__(self, message)
        self.eigenvalues = eigenvalues
        self.eigenvectors = eigenvectors

    def __reduce__(self) -> tuple[Any, ...]:
        return NoConvergence, (str(self), self.eigenvalues, self.eigenvectors)
