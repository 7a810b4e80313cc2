#include "problem/pattern.h"

#include "base/memory.h"
#include "base/random.h"
#include "base/threads.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>

enum { ROWS = 1024 }; /* of a thread at a time */

struct making {
    const struct pattern_options *options;
    pattern_row *row_of;
    const void *generator;
    struct csr *A;
    int32_t *lengths;         /* [n] of the rows, */
    _Atomic int64_t nnz;      /* and their sum */
    int64_t *words;           /* [n], zeroed before */
    struct random_order hand; /* the order in which rows get columns */
};

/* Lengths become offsets: offsets[row + 1] holds the length of a row. */
static void add_up(struct csr *A)
{
    A->offsets[0] = 0;
    for (int64_t row = 0; row < A->n; row++)
        A->offsets[row + 1] += A->offsets[row];
}

static void count_rows(void *context, int64_t begin, int64_t end)
{
    struct making *making = context;
    bool symmetric = making->options->kind == PATTERN_SYMMETRIC;
    int64_t nnz = 0;
    for (int64_t row = begin; row < end; row++) {
        making->lengths[row] = (int32_t)(symmetric + making->row_of(making->generator, row, NULL));
        nnz += making->lengths[row];
    }
    making->nnz += nnz;
}

static void copy_lengths(void *context, int64_t begin, int64_t end)
{
    const struct making *making = context;
    for (int64_t row = begin; row < end; row++)
        making->A->offsets[row + 1] = making->lengths[row];
}

/* A with its offsets. */
static enum status count(struct making *making, int64_t n, struct error *error)
{
    bool symmetric = making->options->kind == PATTERN_SYMMETRIC;
    making->lengths = memory_array(n, sizeof *making->lengths, "the lengths of the rows", error);
    if (!making->lengths)
        return STATUS_MEMORY;
    threads_each(threads_lent(), n, count_rows, making);
    enum status status =
        csr_create(making->A, symmetric ? CSR_SYMMETRIC : CSR_GENERAL, n, making->nnz, error);
    if (!status) {
        threads_each(threads_lent(), n, copy_lengths, making);
        add_up(making->A);
    }
    memory_free(making->lengths);
    return status;
}

static uint64_t row_stream(const struct pattern_options *options, int64_t row)
{
    return splitmix64((uint64_t)options->seed, 2 * (uint64_t)row + 1);
}

static void fill_general_values(void *context, int64_t begin, int64_t end)
{
    const struct making *making = context;
    const struct csr *A = making->A;
    for (int64_t row = begin; row < end; row++) {
        uint64_t stream = row_stream(making->options, row);
        for (int64_t k = A->offsets[row]; k < A->offsets[row + 1]; k++)
            A->values[k] = random_uniform(stream, (uint64_t)A->columns[k]);
    }
}

static void fill_general(void *context, int64_t begin, int64_t end)
{
    const struct making *making = context;
    const struct csr *A = making->A;
    for (int64_t row = begin; row < end; row++)
        making->row_of(making->generator, row, A->columns + A->offsets[row]);
    if (making->options->rows == PATTERN_DRAWN)
        fill_general_values(context, begin, end);
}

/* Columns and values off the diagonal; words[i] = the sum of the m of the full row i. */
static void fill_symmetric(void *context, int64_t first, int64_t last)
{
    const struct making *making = context;
    const struct csr *A = making->A;
    for (int64_t row = first; row < last; row++) {
        uint64_t stream = row_stream(making->options, row);
        int64_t begin = A->offsets[row], own = 0;
        A->columns[begin] = (int32_t)row;
        making->row_of(making->generator, row, A->columns + begin + 1);
        for (int64_t k = begin + 1; k < A->offsets[row + 1]; k++) {
            int32_t column = A->columns[k];
            int64_t m = 1 + (int64_t)(splitmix64(stream, (uint64_t)column) & 0xffffff);
            A->values[k] = -0x1p-24 * (double)m;
            own += m;
            __atomic_fetch_add(&making->words[column], m, __ATOMIC_RELAXED);
        }
        __atomic_fetch_add(&making->words[row], own, __ATOMIC_RELAXED);
    }
}

static void fill_diagonal(void *context, int64_t begin, int64_t end)
{
    const struct making *making = context;
    const struct csr *A = making->A;
    for (int64_t row = begin; row < end; row++)
        A->values[A->offsets[row]] = making->options->shift + 0x1p-24 * (double)making->words[row];
}

static void count_entries(void *context, int64_t begin, int64_t end)
{
    const struct making *making = context;
    for (int64_t k = begin; k < end; k++)
        __atomic_fetch_add(&making->words[making->A->columns[k]], 1, __ATOMIC_RELAXED);
}

/* words[j] = how many entries lie in the columns before j. */
static void count_columns(struct making *making)
{
    threads_each(threads_lent(), making->A->nnz, count_entries, making);
    int64_t before = 0;
    for (int64_t j = 0; j < making->A->n; j++) {
        int64_t own = making->words[j];
        making->words[j] = before;
        before += own;
    }
}

/* Hands that are filled together: each gets its t-th column in turn. So a walk finds the columns,
 * and the rows stay in the cache until they are full. */
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
static void deal_to(const struct making *making, int64_t begin, int64_t end)
{
    struct csr *A = making->A;
    const int64_t *next = making->words;
    int64_t n = A->n, places[HANDS];
    for (int64_t hand = begin; hand < end; hand++)
        places[hand - begin] = A->offsets[random_order_at(&making->hand, hand)];
    for (int64_t from = begin; from < A->nnz; from += n) {
        int64_t j = column_of(next, n, from);
        for (int64_t k = from; k < from + (end - begin) && k < A->nnz; k++) {
            while (j + 1 < n && next[j + 1] <= k)
                j++;
            A->columns[places[k - from]++] = (int32_t)j;
        }
    }
}

static void deal_to_all(void *context, int64_t begin, int64_t end)
{
    for (int64_t hand = begin; hand < end; hand += HANDS)
        deal_to(context, hand, hand + HANDS < end ? hand + HANDS : end);
}

static void set_equal_lengths(void *context, int64_t begin, int64_t end)
{
    const struct making *making = context;
    const struct csr *A = making->A;
    for (int64_t row = begin; row < end; row++)
        A->offsets[row + 1] = A->nnz / A->n + (random_order_of(&making->hand, row) < A->nnz % A->n);
}

/* Deals the columns of A anew, in place: only their counts are needed. */
static void deal(struct making *making)
{
    int64_t n = making->A->n;
    making->hand = random_order_make(splitmix64((uint64_t)making->options->seed, 0), n);
    count_columns(making);
    threads_each(threads_lent(), n, set_equal_lengths, making);
    add_up(making->A);
    threads_take(threads_lent(), n, HANDS, deal_to_all, making);
    threads_take(threads_lent(), n, ROWS, fill_general_values, making);
}

enum status pattern_create(const struct pattern_options *options, int64_t n, pattern_row *row,
                           const void *generator, struct csr *A, struct error *error)
{
    struct making making = {.options = options, .row_of = row, .generator = generator, .A = A};
    enum status status = count(&making, n, error);
    if (status)
        return status;
    if (options->kind == PATTERN_GENERAL)
        threads_take(threads_lent(), n, ROWS, fill_general, &making);
    if (options->kind == PATTERN_GENERAL && options->rows == PATTERN_DRAWN)
        return STATUS_OK;
    making.words = memory_zeros(n, sizeof *making.words, "a word for each row", error);
    if (!making.words) {
        csr_free(A);
        return STATUS_MEMORY;
    }
    if (options->kind == PATTERN_GENERAL) {
        deal(&making);
    } else {
        threads_take(threads_lent(), n, ROWS, fill_symmetric, &making);
        threads_each(threads_lent(), n, fill_diagonal, &making);
    }
    memory_free(making.words);
    return STATUS_OK;
}

/* ---- what the problems share ----------------------------------------------------------------- */

static const char *const kinds[] = {
    [PATTERN_SYMMETRIC] = "symmetric", [PATTERN_GENERAL] = "general", NULL};
static const char *const rows[] = {[PATTERN_DRAWN] = "drawn", [PATTERN_EQUAL] = "equal", NULL};

const struct parameter pattern_parameters_symmetric[] = {
    {"shift",
     "the diagonal of a symmetric matrix less the rest of its row: the smallest eigenvalue", "1",
     TAKES_REAL(struct pattern_options, shift, 1e-10, 1e100)},
    {"seed", "seed of the values, and of all else that is random", "1",
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
    return "\"equal\" is only for problem.kind = \"general\"";
}

void pattern_describe(const struct pattern_options *options, FILE *stream)
{
    if (options->kind == PATTERN_SYMMETRIC)
        fprintf(stream, ", shift %.6g", options->shift);
    else
        fprintf(stream, ", general%s", options->rows == PATTERN_EQUAL ? ", rows made equal" : "");
    fprintf(stream, ", seed %" PRId64, options->seed);
}

/* ---- a random numbering ---------------------------------------------------------------------- */

struct random_order random_order_make(uint64_t seed, int64_t n)
{
    int bits = 2;
    while (INT64_C(1) << bits < n)
        bits++;
    return (struct random_order){seed, n, bits / 2, bits - bits / 2};
}

/* The change of one half in round `round`, from the other half. */
static uint64_t mix(const struct random_order *order, uint64_t other, uint64_t round, int bits)
{
    return splitmix64(order->seed, 4 * other + round) & ((UINT64_C(1) << bits) - 1);
}

/* One pass through the four rounds, in their order or backwards. */
static uint64_t permuted(const struct random_order *order, uint64_t x, bool back)
{
    uint64_t l = x >> order->low, r = x & ((UINT64_C(1) << order->low) - 1);
    for (uint64_t k = 0; k < 4; k++) {
        uint64_t round = back ? 3 - k : k;
        if (round % 2 == 0)
            r ^= mix(order, l, round, order->low);
        else
            l ^= mix(order, r, round, order->high);
    }
    return l << order->low | r;
}

int64_t random_order_at(const struct random_order *order, int64_t place)
{
    uint64_t x = (uint64_t)place;
    do
        x = permuted(order, x, false);
    while (x >= (uint64_t)order->n);
    return (int64_t)x;
}

int64_t random_order_of(const struct random_order *order, int64_t number)
{
    uint64_t x = (uint64_t)number;
    do
        x = permuted(order, x, true);
    while (x >= (uint64_t)order->n);
    return (int64_t)x;
}
