"""What A nearly sends to 0, for a preconditioner by name."""

from __future__ import annotations

from typing import Any, Optional

import numpy as np

from . import _gpu
from ._library import call, lib
from ._matrix import columns, finite, is_operator, real, strided


def _coordinates(values: Any, n: int) -> np.ndarray:
    """Finite doubles, (nodes, 2) or (nodes, 3), of the nodes of n rows."""
    values = real("coordinates", values)
    if values.ndim != 2 or values.shape[1] not in (2, 3) or values.size != n:
        wanted = " or ".join(f"({n // d}, {d})" for d in (2, 3) if n % d == 0)
        raise ValueError(f"coordinates has the shape {values.shape}: A has {n} rows, so it must be "
                         f"{wanted or 'of nodes with 2 or 3 rows each, which these are not'}")
    return finite("coordinates", np.ascontiguousarray(values, dtype=np.float64), 2)


def _block(A: Any) -> int:
    """The unknowns of a node, as a BSR matrix says; 0: it is not known."""
    rows, columns_ = getattr(A, "blocksize", (0, 0)) if getattr(A, "format", None) == "bsr" else (0, 0)
    return int(rows) if rows == columns_ else 0


class NearNull:
    """near_null (n, K), or coordinates (nodes, 2) or (nodes, 3), either of which may be None, for the library."""

    def __init__(self, A: Any, n: int, near_null: Any, coordinates: Any, gpu: Optional[int],
                 preconditioner: Any) -> None:
        self._array: Any = None
        given = {"near_null": near_null, "coordinates": coordinates}
        names = [name for name, values in given.items() if values is not None]
        if not names:
            return
        name, values = names[0], given[names[0]]
        if len(names) > 1:
            raise ValueError("near_null and coordinates exclude each other: rigid body modes are made of coordinates")
        if is_operator(A):
            raise ValueError(f"{name} is for matrices: A is known by its products alone")
        if preconditioner is None:
            raise ValueError(f'{name} is for a preconditioner, as preconditioner="multigrid" is')
        view = None if gpu is None else _gpu.view(values, gpu, 2)
        on_gpu = view is not None and view.array.type == lib.CGS_DOUBLE
        of_nodes = coordinates is not None
        self._values = view if on_gpu else _coordinates(values, n) if of_nodes else columns(name, values, n)
        self._array = view.array if view is not None and on_gpu else strided(self._values)
        self._of_nodes, self._block = of_nodes, _block(A)

    def give(self, matrix: Any) -> None:
        """To a matrix of the library, before it is used."""
        if self._array is None:
            return
        if self._of_nodes:
            call(lib.cgs_matrix_coordinates, matrix, self._array)
        else:
            call(lib.cgs_matrix_near_null, matrix, self._array, self._block)
