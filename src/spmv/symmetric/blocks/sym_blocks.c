#include "spmv/symmetric/blocks/sym_blocks.h"

#include "base/memory.h"
#include "base/threads.h"
#include "spmv/symmetric/blocks/sym_blocks_row.h"

#include <inttypes.h>
#include <string.h>

/* Whether the rows of a block row have the same columns but for those left of their diagonals, and
 * these are whole blocks: then the first row tells how many. */
static bool is_full(const struct csr *A, int k, int64_t row)
{
    const int64_t *offsets = A->offsets + row * k;
    const int32_t *columns = A->columns + offsets[0];
    int64_t length = offsets[1] - offsets[0];
    bool full = length % k == 0;
    for (int u = 1; u < k && full; u++)
        full = offsets[u + 1] - offsets[u] == length - u &&
               memcmp(A->columns + offsets[u], columns + u,
                      (size_t)(length - u) * sizeof *columns) == 0;
    for (int64_t p = 0; p < length && full; p += k)
        full = columns[p] % k == 0 && columns[p + k - 1] == columns[p] + k - 1;
    return full;
}

/* Blocks of a row right of the diagonal. */
static int64_t count_row(const struct csr *A, int k, int64_t row)
{
    return is_full(A, k, row) ? (A->offsets[row * k + 1] - A->offsets[row * k]) / k - 1
                              : sym_blocks_count(A, k, row);
}

static int64_t bytes_of(int64_t n, int k, int64_t count)
{
    return count * (8 * k * k + 4) + n / k * 8 * sym_blocks_triangle(k);
}

struct counting {
    const struct csr *A;
    int k;
    int64_t first, count; /* rows from `first` on, and their blocks right of the diagonal */
};

static void count_rows(void *context, int64_t row, int64_t end)
{
    struct counting *counting = context;
    int64_t count = 0;
    for (; row < end; row++)
        count += count_row(counting->A, counting->k, counting->first + row);
    __atomic_fetch_add(&counting->count, count, __ATOMIC_RELAXED);
}

/* Blocks right of the diagonal; or, where they make `limit` bytes or more, a number that does. */
static int64_t count_blocks(const struct csr *A, int k, int64_t limit)
{
    enum { STEPS = 16 };
    struct counting counting = {.A = A, .k = k};
    int64_t rows = A->n / k;
    for (int step = 0; step < STEPS && bytes_of(A->n, k, counting.count) < limit; step++) {
        counting.first = rows * step / STEPS;
        threads_each(threads_lent(), rows * (step + 1) / STEPS - counting.first, count_rows,
                     &counting);
    }
    return counting.count;
}

int sym_blocks_best_of(int64_t n, const int64_t *counts, int64_t *bytes)
{
    int best = 0;
    *bytes = INT64_MAX;
    for (int k = SYM_BLOCK_MIN; k <= SYM_BLOCK_MAX; k++) {
        if (n % k != 0)
            continue;
        int64_t with_k = bytes_of(n, k, counts[k]);
        if (with_k < *bytes) {
            *bytes = with_k;
            best = k;
        }
    }
    return best;
}

/* The best one, if it takes less than `limit`. */
static int best_below(const struct csr *A, int64_t limit, int64_t *bytes)
{
    int64_t counts[SYM_BLOCK_MAX + 1] = {0};
    for (int k = SYM_BLOCK_MIN; k <= SYM_BLOCK_MAX; k++)
        if (A->n % k == 0)
            counts[k] = count_blocks(A, k, limit);
    return sym_blocks_best_of(A->n, counts, bytes);
}

int sym_blocks_best(const struct csr *A, int64_t *bytes)
{
    return best_below(A, INT64_MAX, bytes);
}

enum { BYTES_ALONE = 10 }; /* of an entry by itself: its value and its index */

bool sym_blocks_save(int64_t bytes, int64_t nnz)
{
    return bytes < BYTES_ALONE * nnz;
}

int sym_blocks_find(const struct csr *A)
{
    int64_t bytes;
    int best = best_below(A, BYTES_ALONE * A->nnz, &bytes);
    return sym_blocks_save(bytes, A->nnz) ? best : 0;
}

bool sym_blocks_likely(const struct csr *A)
{
    enum { SAMPLES = 256 };
    for (int k = SYM_BLOCK_MIN; k <= SYM_BLOCK_MAX; k++) {
        int64_t rows = A->n / k, samples = rows < SAMPLES ? rows : SAMPLES, count = 0, nnz = 0;
        if (A->n % k != 0)
            continue;
        for (int64_t s = 0; s < samples; s++) {
            int64_t row = rows * s / samples;
            count += sym_blocks_count(A, k, row);
            nnz += A->offsets[(row + 1) * k] - A->offsets[row * k];
        }
        if (sym_blocks_save(bytes_of(samples * k, k, count), nnz))
            return true;
    }
    return false;
}

struct making {
    const struct csr *A;
    struct sym_blocks *blocks;
};

static void fill_row(const struct csr *A, int64_t row, struct sym_blocks *blocks)
{
    int k = blocks->k;
    double *to = blocks->diagonals + row * sym_blocks_triangle(k);
    struct sym_blocks_cursor cursor = sym_blocks_open(A, k, row);
    for (int u = 0; u < k; u++)
        for (int c = u; c < k; c++)
            *to++ = sym_blocks_take(A, u, row * k + c, &cursor);
    to = blocks->values + blocks->offsets[row] * k * k;
    for (int64_t p = blocks->offsets[row]; p < blocks->offsets[row + 1]; p++) {
        int64_t column = sym_blocks_next(A, k, &cursor);
        blocks->columns[p] = (int32_t)column;
        for (int u = 0; u < k; u++)
            for (int c = 0; c < k; c++)
                *to++ = sym_blocks_take(A, u, column * k + c, &cursor);
    }
}

static void fill_rows(void *context, int64_t row, int64_t end)
{
    const struct making *making = context;
    for (; row < end; row++)
        fill_row(making->A, row, making->blocks);
}

static void take_counts(void *context, int64_t row, int64_t end)
{
    const struct making *making = context;
    for (; row < end; row++)
        making->blocks->offsets[row + 1] = count_row(making->A, making->blocks->k, row);
}

/* offsets[row + 1] holds the number of row's items; from here on where they end. */
static void add_up(int64_t *offsets, int64_t rows)
{
    offsets[0] = 0;
    for (int64_t row = 0; row < rows; row++)
        offsets[row + 1] += offsets[row];
}

static enum status create_arrays(struct making *making, struct error *error)
{
    static const char *const what = "the matrix by blocks";
    struct sym_blocks *blocks = making->blocks;
    int64_t rows = blocks->rows;
    int k = blocks->k, triangle = sym_blocks_triangle(k);
    blocks->offsets = memory_array(rows + 1, sizeof *blocks->offsets, what, error);
    if (!blocks->offsets)
        return STATUS_MEMORY;
    threads_each(threads_lent(), rows, take_counts, making);
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
    struct making making = {A, blocks};
    enum status status = create_arrays(&making, error);
    if (status)
        sym_blocks_free(blocks);
    else
        threads_each(threads_lent(), blocks->rows, fill_rows, &making);
    return status;
}

void sym_blocks_free(struct sym_blocks *blocks)
{
    memory_free(blocks->offsets);
    memory_free(blocks->columns);
    memory_free(blocks->values);
    memory_free(blocks->diagonals);
    *blocks = (struct sym_blocks){0};
}
