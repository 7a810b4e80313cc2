#include "spmv/upper/sym_blocks.h"

#include "base/memory.h"
#include "spmv/upper/sym_blocks_row.h"

#include <inttypes.h>
#include <string.h>

int64_t sym_blocks_bytes(const struct csr *A, int k)
{
    int64_t count = 0, rows = A->n / k;
#pragma omp parallel for schedule(static) reduction(+ : count)
    for (int64_t row = 0; row < rows; row++)
        count += sym_blocks_count(A, k, row);
    return sym_blocks_of_count(count, rows, k);
}

int sym_blocks_best(const struct csr *A, int64_t *bytes)
{
    int best = 0;
    *bytes = INT64_MAX;
    for (int k = SYM_BLOCK_MIN; k <= SYM_BLOCK_MAX; k++) {
        if (A->n % k != 0)
            continue;
        int64_t with_k = sym_blocks_bytes(A, k);
        if (with_k < *bytes) {
            *bytes = with_k;
            best = k;
        }
    }
    return best;
}

int sym_blocks_find(const struct csr *A)
{
    int64_t bytes;
    int best = sym_blocks_best(A, &bytes);
    return bytes < SYM_BLOCKS_ENTRY * A->nnz ? best : 0;
}

static void fill_row(const struct csr *A, int64_t row, struct sym_blocks *blocks)
{
    int k = blocks->k;
    double *diagonal = blocks->diagonals + row * sym_blocks_triangle(k);
    for (int u = 0; u < k; u++) {
        memset(diagonal, 0, (size_t)(k - u) * sizeof *diagonal);
        for (int64_t p = A->offsets[row * k + u];
             p < A->offsets[row * k + u + 1] && A->columns[p] < (row + 1) * k; p++)
            diagonal[A->columns[p] - (row * k + u)] = A->values[p];
        diagonal += k - u;
    }
    struct sym_blocks_cursor cursor = sym_blocks_open(A, k, row);
    for (int64_t p = blocks->offsets[row]; p < blocks->offsets[row + 1]; p++) {
        double *block = blocks->values + p * k * k;
        int64_t column = sym_blocks_next(&cursor);
        memset(block, 0, (size_t)(k * k) * sizeof *block);
        sym_blocks_take(&cursor, column, block);
        blocks->columns[p] = (int32_t)column;
    }
}

/* offsets[row + 1] holds the number of row's items; from here on where they end. */
static void add_up(int64_t *offsets, int64_t rows)
{
    offsets[0] = 0;
    for (int64_t row = 0; row < rows; row++)
        offsets[row + 1] += offsets[row];
}

static enum status create_arrays(const struct csr *A, struct sym_blocks *blocks,
                                 struct error *error)
{
    static const char *const what = "the matrix by blocks";
    int64_t rows = blocks->rows;
    int k = blocks->k, triangle = sym_blocks_triangle(k);
    blocks->offsets = memory_array(rows + 1, sizeof *blocks->offsets, what, error);
    if (!blocks->offsets)
        return STATUS_MEMORY;
#pragma omp parallel for schedule(static)
    for (int64_t row = 0; row < rows; row++)
        blocks->offsets[row + 1] = sym_blocks_count(A, k, row);
    add_up(blocks->offsets, rows);
    int64_t count = blocks->offsets[rows];
    enum status status =
        memory_fits((double)count * (8 * k * k + 4) + 8.0 * triangle * (double)rows, what, error);
    if (status)
        return status;
    blocks->columns = memory_array(count, sizeof *blocks->columns, what, error);
    blocks->values = memory_array(count * k * k, sizeof *blocks->values, what, error);
    blocks->diagonals = memory_array(rows * triangle, sizeof *blocks->diagonals, what, error);
    return blocks->columns && blocks->values && blocks->diagonals ? STATUS_OK : STATUS_MEMORY;
}

enum status sym_blocks_create(const struct csr *A, int k, struct sym_blocks *blocks,
                              struct error *error)
{
    *blocks = (struct sym_blocks){0};
    if (A->n % k != 0)
        return error_set(error, STATUS_CONFIG, "n = %" PRId64 " is no multiple of %d", A->n, k);
    blocks->n = A->n;
    blocks->sign = A->kind == CSR_SKEW ? -1 : 1;
    blocks->k = k;
    blocks->rows = A->n / k;
    enum status status = create_arrays(A, blocks, error);
    if (status) {
        sym_blocks_free(blocks);
        return status;
    }
#pragma omp parallel for schedule(static)
    for (int64_t row = 0; row < blocks->rows; row++)
        fill_row(A, row, blocks);
    return STATUS_OK;
}

void sym_blocks_free(struct sym_blocks *blocks)
{
    memory_free(blocks->offsets);
    memory_free(blocks->columns);
    memory_free(blocks->values);
    memory_free(blocks->diagonals);
    *blocks = (struct sym_blocks){0};
}
