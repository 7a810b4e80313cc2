#include "problem/pattern.h"

#include "base/memory.h"
#include "base/random.h"
#include "problem/random_order.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>

/* Lengths become offsets: offsets[row + 1] holds the length of a row. */
static void add_up(struct csr *A)
{
    A->offsets[0] = 0;
    for (int64_t row = 0; row < A->n; row++)
        A->offsets[row + 1] += A->offsets[row];
}

/* A with its offsets. */
static enum status count(const struct pattern_options *options, int64_t n, pattern_row *row_of,
                         const void *generator, struct csr *A, struct error *error)
{
    bool symmetric = options->kind == PATTERN_SYMMETRIC;
    int32_t *lengths = memory_array(n, sizeof *lengths, "the lengths of the rows", error);
    if (!lengths)
        return STATUS_MEMORY;
    int64_t nnz = 0;
#pragma omp parallel for schedule(static) reduction(+ : nnz)
    for (int64_t row = 0; row < n; row++) {
        lengths[row] = (int32_t)(symmetric + row_of(generator, row, NULL));
        nnz += lengths[row];
    }
    enum status status = csr_create(A, symmetric ? CSR_SYMMETRIC : CSR_GENERAL, n, nnz, error);
    if (!status) {
#pragma omp parallel for schedule(static)
        for (int64_t row = 0; row < n; row++)
            A->offsets[row + 1] = lengths[row];
        add_up(A);
    }
    memory_free(lengths);
    return status;
}

static uint64_t row_stream(const struct pattern_options *options, int64_t row)
{
    return splitmix64((uint64_t)options->seed, 2 * (uint64_t)row + 1);
}

static void fill_general_values(const struct pattern_options *options, struct csr *A)
{
#pragma omp parallel for schedule(dynamic, 1024)
    for (int64_t row = 0; row < A->n; row++) {
        uint64_t stream = row_stream(options, row);
        for (int64_t k = A->offsets[row]; k < A->offsets[row + 1]; k++)
            A->values[k] = random_uniform(stream, (uint64_t)A->columns[k]);
    }
}

static void fill_general(const struct pattern_options *options, pattern_row *row_of,
                         const void *generator, struct csr *A)
{
#pragma omp parallel for schedule(dynamic, 1024)
    for (int64_t row = 0; row < A->n; row++)
        row_of(generator, row, A->columns + A->offsets[row]);
    if (options->rows == PATTERN_DRAWN)
        fill_general_values(options, A);
}

/* Columns and values off the diagonal; sums[i] = the sum of the m of the full row i, sums[n] zeroed
 * before. */
static void fill_symmetric(const struct pattern_options *options, pattern_row *row_of,
                           const void *generator, struct csr *A, int64_t *sums)
{
#pragma omp parallel for schedule(dynamic, 1024)
    for (int64_t row = 0; row < A->n; row++) {
        uint64_t stream = row_stream(options, row);
        int64_t begin = A->offsets[row], own = 0;
        A->columns[begin] = (int32_t)row;
        row_of(generator, row, A->columns + begin + 1);
        for (int64_t k = begin + 1; k < A->offsets[row + 1]; k++) {
            int32_t column = A->columns[k];
            int64_t m = 1 + (int64_t)(splitmix64(stream, (uint64_t)column) & 0xffffff);
            A->values[k] = -0x1p-24 * (double)m;
            own += m;
#pragma omp atomic
            sums[column] += m;
        }
#pragma omp atomic
        sums[row] += own;
    }
#pragma omp parallel for schedule(static)
    for (int64_t row = 0; row < A->n; row++)
        A->values[A->offsets[row]] = options->shift + 0x1p-24 * (double)sums[row];
}

/* next[j] = how many entries lie in the columns before j. */
static void count_columns(const struct csr *A, int64_t *next)
{
#pragma omp parallel for schedule(static)
    for (int64_t k = 0; k < A->nnz; k++) {
#pragma omp atomic
        next[A->columns[k]]++;
    }
    int64_t before = 0;
    for (int64_t j = 0; j < A->n; j++) {
        int64_t own = next[j];
        next[j] = before;
        before += own;
    }
}

/* Hands that are filled together: each gets its t-th column in turn, so that columns are found by
 * walking, and the rows stay in the cache until they are full. */
enum { HANDS = 1024 };

/* The column of entry k of all columns in ascending order: the last j with next[j] <= k. */
static int64_t column_of(const int64_t *next, int64_t n, int64_t k)
{
    int64_t low = 0, high = n;
    while (high - low > 1) {
        int64_t middle = low + (high - low) / 2;
        if (next[middle] <= k)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* Deal to the hands begin ... end - 1. */
static void deal_to(const struct random_order *order, const int64_t *next, int64_t begin,
                    int64_t end, struct csr *A)
{
    int64_t n = A->n, places[HANDS];
    for (int64_t hand = begin; hand < end; hand++)
        places[hand - begin] = A->offsets[random_order_at(order, hand)];
    for (int64_t from = begin; from < A->nnz; from += n) {
        int64_t j = column_of(next, n, from);
        for (int64_t k = from; k < from + (end - begin) && k < A->nnz; k++) {
            while (j + 1 < n && next[j + 1] <= k)
                j++;
            A->columns[places[k - from]++] = (int32_t)j;
        }
    }
}

/* The columns of A dealt out anew, in place: once they are counted, the old ones are not needed. */
static void deal(const struct pattern_options *options, struct csr *A, int64_t *next)
{
    int64_t n = A->n, nnz = A->nnz;
    struct random_order order = random_order_make(splitmix64((uint64_t)options->seed, 0), n);
    count_columns(A, next);
#pragma omp parallel for schedule(static)
    for (int64_t row = 0; row < n; row++)
        A->offsets[row + 1] = nnz / n + (random_order_of(&order, row) < nnz % n);
    add_up(A);
#pragma omp parallel for schedule(dynamic, 1)
    for (int64_t hand = 0; hand < n; hand += HANDS)
        deal_to(&order, next, hand, hand + HANDS < n ? hand + HANDS : n, A);
    fill_general_values(options, A);
}

enum status pattern_create(const struct pattern_options *options, int64_t n, pattern_row *row,
                           const void *generator, struct csr *A, struct error *error)
{
    enum status status = count(options, n, row, generator, A, error);
    if (status)
        return status;
    if (options->kind == PATTERN_GENERAL)
        fill_general(options, row, generator, A);
    if (options->kind == PATTERN_GENERAL && options->rows == PATTERN_DRAWN)
        return STATUS_OK;
    int64_t *word = memory_zeros(n, sizeof *word, "a word for each row", error);
    if (!word) {
        csr_free(A);
        return STATUS_MEMORY;
    }
    if (options->kind == PATTERN_GENERAL)
        deal(options, A, word);
    else
        fill_symmetric(options, row, generator, A, word);
    memory_free(word);
    return STATUS_OK;
}

/* ---- what the problems share ----------------------------------------------------------------- */

static const char *const kinds[] = {
    [PATTERN_SYMMETRIC] = "symmetric", [PATTERN_GENERAL] = "general", NULL};
static const char *const rows[] = {[PATTERN_DRAWN] = "drawn", [PATTERN_EQUAL] = "equal", NULL};

const struct parameter pattern_parameters_symmetric[] = {
    {"shift",
     "by how much the diagonal of a symmetric one outweighs its row: the smallest eigenvalue", "1",
     TAKES_REAL(struct pattern_options, shift, 1e-10, 1e100)},
    {"seed", "of the values, and of what else is random", "1",
     TAKES_INTEGER(struct pattern_options, seed, 0, INT64_MAX)},
    {0}};

const struct parameter pattern_parameters[] = {
    {"kind", "symmetric positive definite; general, for products alone: no solver takes it",
     "symmetric", TAKES_CHOICE(struct pattern_options, kind, kinds)},
    {"rows",
     "the rows of a general matrix: as they were drawn; the same columns dealt out to rows of "
     "equal length",
     "drawn", TAKES_CHOICE(struct pattern_options, rows, rows)},
    PARAMETERS_OF(struct pattern_options, kind, pattern_parameters_symmetric),
    {0}};

const char *pattern_check(const struct pattern_options *options, const char **parameter)
{
    if (options->kind == PATTERN_GENERAL || options->rows == PATTERN_DRAWN)
        return NULL;
    *parameter = "rows";
    return "rows can be made equal only with problem.kind = \"general\"";
}

void pattern_describe(const struct pattern_options *options, FILE *stream)
{
    if (options->kind == PATTERN_SYMMETRIC)
        fprintf(stream, ", shift %.6g", options->shift);
    else
        fprintf(stream, ", general%s", options->rows == PATTERN_EQUAL ? ", rows made equal" : "");
    fprintf(stream, ", seed %" PRId64, options->seed);
}
