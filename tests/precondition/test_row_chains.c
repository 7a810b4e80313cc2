/* Products with rows as they are, and transposed rows: entry by entry. */
#include "support.h"

#include "matrices.h"
#include "precondition/row_chains.h"
#include "precondition/transposed_rows.h"
#include "space/space.h"
#include "spaces.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { MOST = 2000, COLUMNS = 4 };

static const enum reductions all_reductions[] = {REDUCTIONS_REPRODUCIBLE, REDUCTIONS_COMPENSATED,
                                                 REDUCTIONS_EXACT};

static void fill(int64_t count, uint64_t *state, double *v)
{
    ck_assert_int_le(count, MOST * COLUMNS);
    for (int64_t i = 0; i < count; i++)
        v[i] = state ? 2 * test_random(state) - 1 : NAN;
}

/* Column c of `columns`. */
static double chain(const struct csr *R, bool singles, int64_t i, const double *x, int columns,
                    int c)
{
    double s = 0;
    for (int64_t k = R->offsets[i]; k < R->offsets[i + 1]; k++)
        s = fma(singles ? (double)(float)R->values[k] : R->values[k],
                x[R->columns[k] * columns + c], s);
    return s;
}

static void copy_rows(const struct csr *R, struct csr *copy)
{
    struct error error;
    expect_ok(csr_create(copy, R->kind, R->n, R->nnz, &error), &error);
    copy->width = R->width;
    memcpy(copy->offsets, R->offsets, (size_t)(R->n + 1) * sizeof *R->offsets);
    memcpy(copy->columns, R->columns, (size_t)R->nnz * sizeof *R->columns);
    memcpy(copy->values, R->values, (size_t)R->nnz * sizeof *R->values);
}

static void compare(struct space *space, const struct csr *R, bool singles, uint64_t *state)
{
    static double x[MOST * COLUMNS], y[MOST * COLUMNS], v[MOST];
    struct error error;
    struct csr copy;
    struct row_chains rows;
    int64_t wrong;
    double dot = NAN, wanted;
    copy_rows(R, &copy);
    expect_ok(row_chains_take(space, &copy, singles, &rows, &wrong, &error), &error);
    ck_assert(!copy.offsets && (rows.singles != NULL) == singles);
    fill(R->width * COLUMNS, state, x);
    fill(R->n, state, v);
    fill(R->n, NULL, y);
    struct row_chains_work work = {.rows = rows, .x = x, .y = y, .v = v, .dot = &dot};
    expect_ok(space_run(space, &pass_row_chains, R->n, &work, &error), &error);
    for (int64_t i = 0; i < R->n; i++)
        ck_assert(y[i] == chain(R, singles, i, x, 1, 0));
    expect_ok(space_dot(space, R->n, v, y, &wanted, &error), &error);
    ck_assert(dot == wanted);
    fill(R->n * COLUMNS, NULL, y);
    work = (struct row_chains_work){.rows = rows, .x = x, .y = y, .shift = 2};
    expect_ok(space_run(space, &pass_row_chains_columns, R->n * COLUMNS, &work, &error), &error);
    for (int64_t e = 0; e < R->n * COLUMNS; e++)
        ck_assert(y[e] == chain(R, singles, e / COLUMNS, x, COLUMNS, (int)(e % COLUMNS)));
    static float x_singles[MOST], y_singles[MOST];
    for (int64_t j = 0; j < R->width; j++)
        x[j] = x_singles[j] = (float)x[j];
    for (int64_t i = 0; i < R->n; i++)
        y_singles[i] = NAN;
    struct row_chains_singles of_singles = {rows, x_singles, y_singles, 0};
    expect_ok(space_run(space, &pass_row_chains_singles, R->n, &of_singles, &error), &error);
    for (int64_t i = 0; i < R->n; i++)
        ck_assert(y_singles[i] == (float)chain(R, singles, i, x, 1, 0));
    row_chains_free(space, &rows);
}

START_TEST(a_row_is_one_chain)
{
    static const int threads[] = {1, 2, 3, 7};
    uint64_t state = test_seed();
    for (int s = 0; s < 3; s++) {
        struct space *space = test_space(SPACE_CPU, all_reductions[s], 1);
        for (int t = 0; t < test_rectangles_count; t++) {
            struct csr R;
            test_rectangle_build(&test_rectangles[t], &state, &R);
            if (R.n <= MOST && R.width <= MOST)
                for (int singles = 0; singles < 2; singles++) {
                    test_space_threads(&space, threads[(s + t) % 4]);
                    compare(space, &R, singles, &state);
                }
            csr_free(&R);
        }
        space->operations->destroy(space);
    }
    ck_assert_int_eq(memory_live(), 0);
}
END_TEST

START_TEST(transposed_rows_have_all_entries)
{
    struct error error;
    uint64_t state = test_seed();
    for (int t = 0; t < test_rectangles_count; t++) {
        struct csr R, transposed;
        test_rectangle_build(&test_rectangles[t], &state, &R);
        expect_ok(transposed_rows(&R, &transposed, &error), &error);
        ck_assert_int_eq(transposed.n, R.width);
        ck_assert_int_eq(transposed.width, R.n);
        ck_assert_int_eq(transposed.nnz, R.nnz);
        ck_assert_int_eq(transposed.offsets[0], 0);
        ck_assert_int_eq(transposed.offsets[R.width], R.nnz);
        for (int64_t j = 0; j < R.width; j++)
            for (int64_t k = transposed.offsets[j]; k < transposed.offsets[j + 1]; k++) {
                int64_t i = transposed.columns[k], place = csr_find_entry(&R, i, j);
                ck_assert(k == transposed.offsets[j] || i > transposed.columns[k - 1]);
                ck_assert(place >= 0 && R.values[place] == transposed.values[k]);
            }
        csr_free(&transposed);
        csr_free(&R);
    }
    ck_assert_int_eq(memory_live(), 0);
}
END_TEST

/* A value above the range of singles in any place, or a diagonal entry below it; other small ones
 * become 0. */
START_TEST(what_singles_cannot_hold_is_told)
{
    static const double last[] = {1, 2 * (double)FLT_MAX, (double)FLT_MIN / 2, 1};
    static const double off[] = {1e-60, 1, 1, -1e39};
    static const int64_t wanted[] = {3, 2, 2, 0};
    struct space *space = test_space(SPACE_CPU, REDUCTIONS_REPRODUCIBLE, 2);
    for (int t = 0; t < 4; t++) {
        const double upper[] = {1, off[t], 0, 1, 0, last[t]};
        struct error error;
        struct csr A, R;
        struct row_chains rows;
        int64_t wrong;
        test_matrix_from_dense(3, upper, CSR_SYMMETRIC, &A);
        expect_ok(csr_expand(&A, &R, &error), &error);
        expect_ok(row_chains_take(space, &R, true, &rows, &wrong, &error), &error);
        ck_assert_int_eq(wrong, wanted[t]);
        row_chains_free(space, &rows);
        csr_free(&A);
    }
    space->operations->destroy(space);
}
END_TEST

static enum status transpose_once(void *context, struct error *error)
{
    struct csr transposed;
    enum status status = transposed_rows(context, &transposed, error);
    ck_assert(!status || !transposed.offsets);
    csr_free(&transposed);
    return status;
}

START_TEST(a_failed_allocation_is_told)
{
    uint64_t state = test_seed();
    struct csr R;
    test_rectangle_build(&test_rectangles[0], &state, &R);
    walk_allocation_failures(transpose_once, &R);
    csr_free(&R);
    ck_assert_int_eq(memory_live(), 0);
}
END_TEST

Suite *suite(void)
{
    const TTest *tests[] = {a_row_is_one_chain, transposed_rows_have_all_entries,
                            what_singles_cannot_hold_is_told, a_failed_allocation_is_told, NULL};
    return suite_of("precondition/row_chains", tests);
}
