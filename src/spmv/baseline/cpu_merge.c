/* y = A x from full rows along the merge path (spmv/baseline/merge_path.h): every share of the work
 * has the same number of rows' ends and entries together, so that neither a full row nor a thousand
 * empty ones hold anybody up.
 *
 * Merrill and Garland (SC 2016, section IV.A) give each thread one share: what is cut, and so the
 * order of additions, then follows from the number of threads, and the bits are equal for one
 * number of them only. Here a share is MERGE_SHARE items, whoever takes it, and a thread takes
 * neighbouring ones:
 *
 *     of a row, or of the part of it that lies in a share, fewer than MERGE_LONG entries make one
 *     chain from 0,  s_0 = fma(a_ij, x_j, s_0);  more make two,  s_0  over the first, third, ...
 *     s_1  over the second, ...  A row in one share is  y_i = s_0, or s_0 + s_1;  of a row that is
 *     cut, every part is such a sum, and  y_i = ((part_1 + part_2) + part_3) + ...  in double, and
 *     rounded once where sums are single
 *
 * so the bits follow from the matrix alone, for any number of threads. Two chains, because one
 * waits for its additions in long rows; in short ones a second is only one more branch.
 *
 * The parts are added by one thread in the end: a share leaves one, and adding it is a few
 * instructions for some thousands of the share. It moves 12 bytes an entry of the full matrix (8
 * where the values are single), 8 a row's offset, x and y once. */
#include "spmv/kernel.h"

#include "base/memory.h"
#include "base/threads.h"
#include "matrix/multiply.h"
#include "spmv/baseline/merge_path.h"
#include "spmv/lanes.h"
#include "spmv/single.h"

/* Items of a share. Small enough that a matrix of a million entries makes shares for some dozens of
 * threads, large enough that its search, its part and its call cost a percent. */
enum { MERGE_SHARE = 4096 };

/* Entries from which a row, or its part in a share, makes two chains. */
enum { MERGE_LONG = 16 };

/* What a share holds of the row in which it ends, for each vector; row = n in the last one. */
struct part {
    int64_t row;
    double sums[COLUMNS_AT_ONCE];
};

struct merge {
    struct threads *threads;
    struct csr full;    /* without its values where they are single */
    const void *values; /* double or float [nnz] */
    float *singles;     /* or NULL */
    int64_t shares;
    struct part *parts; /* [shares] */
    enum precision precision;
};

/* A product; the vectors are doubles, or singles, or multivectors. */
struct product {
    const struct merge *merge;
    const void *x;
    void *y;
    int64_t stride;
};

static int64_t end_of_share(const struct merge *merge, int64_t share)
{
    int64_t items = merge->full.n + merge->full.nnz, end = (share + 1) * MERGE_SHARE;
    return end < items ? end : items;
}

static int64_t rows_before(const struct merge *merge, int64_t diagonal)
{
    return merge_rows_before(merge->full.offsets, merge->full.n, merge->full.nnz, diagonal);
}

#define NAME(function) function##_double
#define VALUE double
#define SUM double
#define VECTOR double
#include "spmv/baseline/cpu_merge_share.h"

#define NAME(function) function##_float
#define VALUE float
#define SUM float
#define VECTOR double
#include "spmv/baseline/cpu_merge_share.h"

#define NAME(function) function##_float_vectors
#define VALUE float
#define SUM float
#define VECTOR float
#include "spmv/baseline/cpu_merge_share.h"

#define NAME(function) function##_float_double
#define VALUE float
#define SUM double
#define VECTOR double
#include "spmv/baseline/cpu_merge_share.h"

extern const struct kernel kernel_cpu_merge;

static const struct parameter parameters[] = {KERNEL_PRECISION(0), {0}};

static void destroy(void *state)
{
    struct merge *merge = state;
    if (!merge)
        return;
    csr_free(&merge->full);
    memory_free(merge->singles);
    memory_free(merge->parts);
    memory_free(merge);
}

/* The values in single precision, and the others given back. */
static enum status keep_singles(struct merge *merge, struct error *error)
{
    enum status status = single_values(&merge->full, &merge->singles, error);
    if (status)
        return status;
    memory_free(merge->full.values);
    merge->full.values = NULL;
    merge->values = merge->singles;
    return STATUS_OK;
}

static void apply_one(const struct merge *merge, const double *x, double *y)
{
    switch (merge->precision) {
    case PRECISION_DOUBLE:
        multiply_double(merge, x, y);
        break;
    case PRECISION_FLOAT:
        multiply_float(merge, x, y);
        break;
    case PRECISION_FLOAT_DOUBLE:
        multiply_float_double(merge, x, y);
        break;
    }
}

#define LOOPS "spmv/baseline/cpu_merge_columns.h"
#include "spmv/lanes_loops.h"

static void apply_columns(const struct merge *merge, const struct operands *operands)
{
    const bool single_sums = merge->precision == PRECISION_FLOAT;
    const int64_t stride = operands->columns;
    threads_each(merge->threads, merge->shares,
                 LANES_CHOOSE(columns, single_sums, operands->singles, stride),
                 &(struct product){merge, operands->x, operands->y, stride});
    if (operands->singles)
        join_float_vectors(merge, stride, operands->y);
    else if (single_sums)
        join_float(merge, stride, operands->y);
    else
        join_double(merge, stride, operands->y);
}

static enum status apply(void *state, const struct operands *operands, struct error *error)
{
    (void)error;
    if (operands->columns > 1)
        apply_columns(state, operands);
    else if (operands->singles)
        multiply_float_vectors(state, operands->x, operands->y);
    else
        apply_one(state, operands->x, operands->y);
    return STATUS_OK;
}

static const struct operator_table table = {.apply = apply, .destroy = destroy};

static int64_t matrix_bytes(const struct merge *merge)
{
    return merge->precision == PRECISION_DOUBLE ? csr_bytes(&merge->full)
                                                : single_bytes(&merge->full);
}

static int64_t setup_bytes(const struct csr *A, const struct kernel_options *options)
{
    return single_bytes_full(A, kernel_precision(&kernel_cpu_merge, options) != PRECISION_DOUBLE);
}

static enum status setup(const struct csr *A, const struct kernel_options *options,
                         struct linear_operator *made, struct error *error)
{
    struct merge *merge = made->state = memory_zeros(1, sizeof *merge, "the kernel's state", error);
    if (!merge)
        return STATUS_MEMORY;
    merge->threads = made->space->threads;
    merge->precision = kernel_precision(&kernel_cpu_merge, options);
    made->table = &table;
    made->can = precision_can_columns(merge->precision == PRECISION_FLOAT);
    enum status status = csr_expand(A, &merge->full, error);
    merge->values = merge->full.values;
    if (!status && merge->precision != PRECISION_DOUBLE)
        status = keep_singles(merge, error);
    if (status)
        return status;
    merge->shares = (merge->full.n + merge->full.nnz + MERGE_SHARE - 1) / MERGE_SHARE;
    merge->parts = memory_array(merge->shares, sizeof *merge->parts, "the shares", error);
    made->memory_bytes = (int64_t)sizeof *merge + matrix_bytes(merge) +
                         merge->shares * (int64_t)sizeof *merge->parts;
    made->bytes_per_apply = matrix_bytes(merge) + (A->width + A->n) * (int64_t)sizeof(double);
    return merge->parts ? STATUS_OK : STATUS_MEMORY;
}

const struct kernel kernel_cpu_merge = {
    .component = KERNEL_COMPONENT(
        "cpu_merge", "full rows, equal shares of rows' ends and entries together (merge path)",
        parameters),
    .space = SPACE_CPU,
    .storage = STORAGE_FULL,
    .kinds = CSR_SYMMETRIC | CSR_SKEW | CSR_GENERAL,
    .guarantee = GUARANTEE_BITWISE,
    .sums_by_matrix = true,
    .setup_bytes = setup_bytes,
    .setup = setup,
};
