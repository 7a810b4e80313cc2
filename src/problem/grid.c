#include "problem/grid.h"

const char grid_too_large[] = "the product of the sizes passes 2147483647 rows";

static int64_t product(const int64_t n[3], int64_t most)
{
    int64_t rows = 1;
    for (int axis = 0; axis < 3; axis++) {
        if (n[axis] < 1 || n[axis] > most / rows)
            return -1;
        rows *= n[axis];
    }
    return rows;
}

int64_t grid_rows(const int64_t n[3])
{
    return product(n, INT32_MAX);
}

int64_t grid_rows_made(const int64_t n[3])
{
    return product(n, INT64_C(1) << 40);
}

enum status grid_create(const struct grid *grid, struct csr *A, struct error *error)
{
    int64_t rows = grid_rows(grid->n);
    enum status status = csr_create(A, CSR_SYMMETRIC, rows, grid_entries_before(grid, rows), error);
    if (status)
        return status;
#pragma omp parallel for schedule(static)
    for (int64_t row = 0; row <= rows; row++) {
        A->offsets[row] = grid_entries_before(grid, row);
        if (row < rows)
            grid_fill(grid, row, 0, A->columns + A->offsets[row]);
    }
    return STATUS_OK;
}
