#include "problem/grid.h"

#include "base/threads.h"

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
    return product(n, GRID_ROWS_MADE_MOST);
}

struct filling {
    const struct grid *grid;
    grid_values *values;
    const void *options;
    struct csr *A;
};

/* The rows begin <= row < end: each sets where it ends. */
static void fill_rows(void *context, int64_t begin, int64_t end)
{
    const struct filling *filling = context;
    const struct csr *A = filling->A;
    int64_t place = grid_entries_before(filling->grid, begin), next;
    for (int64_t row = begin; row < end; row++, place = next) {
        next = A->offsets[row + 1] = grid_entries_before(filling->grid, row + 1);
        grid_fill(filling->grid, row, 0, A->columns + place);
        filling->values(filling->options, filling->grid, row, next - place, A->columns + place,
                        A->values + place);
    }
}

enum status grid_create(const struct grid *grid, grid_values *values, const void *options,
                        struct csr *A, struct error *error)
{
    int64_t rows = grid_rows(grid->n);
    enum status status = csr_create(A, CSR_SYMMETRIC, rows, grid_entries_before(grid, rows), error);
    if (status)
        return status;
    A->offsets[0] = 0;
    threads_each(threads_lent(), rows, fill_rows, &(struct filling){grid, values, options, A});
    return STATUS_OK;
}
