"""x = A^-1 b with derivatives for torch.

With g = dL/dx the derivatives are those of one more solve with A, which is symmetric,

    A y = g,    dL/db = y,    dL/da_ij = -(y_i x_j + y_j x_i) / 2

on the pattern of A: of several right-hand sides their sum. Both solves, and all else here, have the same bits on every
run. The backward pass consists of these operations, so it has derivatives itself, of any order.
"""

from __future__ import annotations

from typing import Any, Optional

import torch

from ._library import Error
from ._solver import Solver

__all__ = ["LinearSolver", "solve"]


def _entries(A: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Rows, columns and values; these with their derivatives by A."""
    if A.layout == torch.strided:
        rows, columns = torch.ones_like(A, dtype=torch.bool).nonzero(as_tuple=True)
        return rows, columns, A.reshape(-1)
    if A.layout == torch.sparse_coo:
        A = A.coalesce()
        rows, columns = A.indices()
        return rows, columns, A.values()
    if A.layout not in (torch.sparse_csr, torch.sparse_csc):
        raise ValueError(f"A has the layout {A.layout}: it must be dense, or sparse by coordinates, rows or columns")
    by_rows = A.layout == torch.sparse_csr
    offsets, inner = (A.crow_indices(), A.col_indices()) if by_rows else (A.ccol_indices(), A.row_indices())
    outer = torch.repeat_interleave(torch.arange(len(offsets) - 1, device=offsets.device), offsets.diff())
    return (outer, inner, A.values()) if by_rows else (inner, outer, A.values())


class LinearSolver:
    """x = solver(b) for many b, differentiable by b and by the tensor A: the set-up is done once. A is dense, or
    sparse by coordinates (COO), rows (CSR) or columns (CSC). With uplo = "U" or "L" only that triangle of A is read,
    and the derivatives by the other triangle are 0. The other arguments are those of cgsolve.Solver. A solve that does
    not converge is an Error, because its derivatives would be wrong. For new values of A, make a new solver."""

    def __init__(self, A: torch.Tensor, *, rtol: float = 1e-8, uplo: Optional[str] = None, **options: Any) -> None:
        rows, columns, self._values = _entries(A)
        self._rows, self._columns = rows, columns
        self._solver = Solver(A.detach(), rtol=rtol, uplo=uplo, **options)
        if uplo is None:
            self._share = torch.full_like(self._values, 0.5, dtype=torch.float64)
        else:
            other = rows > columns if uplo == "U" else rows < columns
            self._share = torch.where(rows == columns, 0.5, torch.where(other, 0.0, 1.0)).double()

    def __call__(self, b: torch.Tensor) -> torch.Tensor:
        """b: (n,), or (n, K) for K right-hand sides. x is of the shape, the type and the device of b."""
        x: torch.Tensor = _Solve.apply(self._values, b.double(), self)
        return x.to(b.dtype)

    def find(self, b: torch.Tensor) -> torch.Tensor:
        """x, without derivatives."""
        found = self._solver.solve(b)
        if not torch.as_tensor(found.converged).all():
            raise Error(f"the solve has not converged: {found}")
        return torch.as_tensor(found.x, dtype=torch.float64, device=b.device)

    def by_values(self, y: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
        """dL/da_ij of the entries. An index, whose derivative is a sum in a fixed order on a GPU too: index_select has
        none."""
        products = y[self._rows] * x[self._columns] + y[self._columns] * x[self._rows]
        return -self._share * (products if x.ndim == 1 else products.sum(-1))


class _Solve(torch.autograd.Function):
    """x of the values of A and b, by a LinearSolver."""

    @staticmethod
    def forward(ctx: Any, values: torch.Tensor, b: torch.Tensor, solver: LinearSolver) -> torch.Tensor:
        x = solver.find(b.detach())
        ctx.solver = solver
        ctx.save_for_backward(values, x)
        return x

    @staticmethod
    def backward(ctx: Any, g: torch.Tensor) -> tuple[Optional[torch.Tensor], torch.Tensor, None]:  # type: ignore
        values, x = ctx.saved_tensors
        y: torch.Tensor = _Solve.apply(values, g, ctx.solver)
        of_values = ctx.solver.by_values(y, x).to(values.dtype) if ctx.needs_input_grad[0] else None
        return of_values, y, None


def solve(A: torch.Tensor, b: torch.Tensor, **options: Any) -> torch.Tensor:
    """LinearSolver(A, **options)(b)."""
    return LinearSolver(A, **options)(b)
