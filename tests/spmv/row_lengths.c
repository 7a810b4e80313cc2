#include "spmv/row_lengths.h"

#include "csr_check.h"
#include "support.h"

static int64_t none(int64_t i, uint64_t *state)
{
    (void)i, (void)state;
    return 0;
}

static int64_t one(int64_t i, uint64_t *state)
{
    (void)i, (void)state;
    return 1;
}

/* With its end a row has 128 items, so that any share of a multiple of that ends with a row. */
static int64_t in_step(int64_t i, uint64_t *state)
{
    (void)i, (void)state;
    return 127;
}

/* The ends of rows stand at every place of a share. */
static int64_t out_of_step(int64_t i, uint64_t *state)
{
    (void)i, (void)state;
    return 126;
}

static int64_t seldom(int64_t i, uint64_t *state)
{
    (void)state;
    return i % 5000 == 4999 ? 3 : 0;
}

static int64_t at_random(int64_t i, uint64_t *state)
{
    (void)i;
    return test_random_below(state, 40);
}

/* Runs of empty rows between rows of any length up to some shares. */
static int64_t in_runs(int64_t i, uint64_t *state)
{
    return i / 50 % 2 ? 0 : test_random_below(state, i % 50 == 0 ? 20000 : 9);
}

static int64_t falling(int64_t i, uint64_t *state)
{
    (void)state;
    return 50000 / (i + 1);
}

static int64_t some_shares(int64_t i, uint64_t *state)
{
    (void)i;
    return 2000 + test_random_below(state, 400);
}

static int64_t dense_in_the_middle(int64_t i, uint64_t *state)
{
    return i == 1500 ? 300000 : test_random_below(state, 4);
}

static int64_t dense_first(int64_t i, uint64_t *state)
{
    return i == 0 ? 60000 : test_random_below(state, 4);
}

static int64_t dense_last(int64_t i, uint64_t *state)
{
    return i == 899 ? 60000 : test_random_below(state, 4);
}

const struct row_lengths row_lengths[] = {
    {"one place, empty", 1, 1, none},
    {"one entry", 1, 1, one},
    {"one full row", 1, 60000, dense_first},
    {"rows of 127", 300, 300, in_step},
    {"rows of 126", 300, 300, out_of_step},
    {"rows of one entry", 9000, 70, one},
    {"20000 empty rows", 20000, 10, none},
    {"20003 rows, nearly all empty", 20003, 10, seldom},
    {"random lengths", 4000, 3000, at_random},
    {"runs of empty rows between long ones", 1000, 20000, in_runs},
    {"lengths that fall as 1 / i", 3000, 50000, falling},
    {"rows of some shares", 60, 3000, some_shares},
    {"a full row among short ones", 3000, 300000, dense_in_the_middle},
    {"a full row before short ones", 900, 60000, dense_first},
    {"a full row behind short ones", 900, 60000, dense_last},
};

const int row_lengths_count = sizeof row_lengths / sizeof *row_lengths;

void row_lengths_build(const struct row_lengths *lengths, uint64_t *state, struct csr *A)
{
    struct error error;
    int64_t n = lengths->n, width = lengths->width, nnz = 0, k = 0;
    int64_t *length = memory_array(n, sizeof *length, "the lengths of rows", &error);
    ck_assert_ptr_nonnull(length);
    for (int64_t i = 0; i < n; i++)
        nnz += length[i] = lengths->of(i, state);
    expect_ok(csr_create(A, CSR_GENERAL, n, nnz, &error), &error);
    A->width = width;
    A->offsets[0] = 0;
    for (int64_t i = 0; i < n; i++) {
        for (int64_t e = 0; e < length[i]; e++, k++) {
            int64_t from = e * width / length[i], behind = (e + 1) * width / length[i];
            A->columns[k] = (int32_t)(from + test_random_below(state, behind - from));
            A->values[k] = (i % 7 == 3    ? 1e-9
                            : i % 11 == 5 ? 1e9
                                          : 1) *
                           (2 * test_random(state) - 1);
        }
        A->offsets[i + 1] = k;
    }
    memory_free(length);
    expect_ok(csr_check(A, &error), &error);
}
