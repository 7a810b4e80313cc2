/* The blocks of spmv/sym_order.h, and its order of additions followed here as a gather over full
 * rows, against the kernel that scatters from the upper triangle. */
#include "support.h"

#include "base/threads.h"
#include "cgsolve/kernel.h"
#include "matrices.h"
#include "problem/poisson3d.h"
#include "spmv/sym_order.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const int thread_counts[] = {1, 2, 3, 7};
enum { THREAD_COUNTS = sizeof thread_counts / sizeof *thread_counts };

struct blocks {
    int64_t *first_rows, count;
};

static struct blocks blocks_of(const struct csr *A, int64_t entries)
{
    struct error error;
    struct blocks blocks;
    expect_ok(sym_blocks(A, entries, &blocks.first_rows, &blocks.count, &error), &error);
    return blocks;
}

/* They cover all rows without a gap; each but the last reaches `entries`, and did not before its
 * last row. */
static void expect_blocks(const struct csr *A, int64_t given, int64_t entries)
{
    struct blocks blocks = blocks_of(A, given);
    ck_assert_int_ge(blocks.count, 1);
    ck_assert_int_eq(blocks.first_rows[0], 0);
    ck_assert_int_eq(blocks.first_rows[blocks.count], A->n);
    for (int64_t b = 0; b < blocks.count; b++) {
        int64_t begin = blocks.first_rows[b], end = blocks.first_rows[b + 1];
        ck_assert_int_lt(begin, end);
        if (end < A->n)
            ck_assert_int_ge(A->offsets[end] - A->offsets[begin], entries);
        if (end > begin + 1)
            ck_assert_int_lt(A->offsets[end - 1] - A->offsets[begin], entries);
    }
    threads_use(7);
    struct blocks again = blocks_of(A, given);
    threads_use(1);
    ck_assert_int_eq(again.count, blocks.count);
    ck_assert_mem_eq(again.first_rows, blocks.first_rows,
                     (size_t)(blocks.count + 1) * sizeof *blocks.first_rows);
    memory_free(again.first_rows);
    memory_free(blocks.first_rows);
}

/* Only the offsets decide, so a large matrix needs no entries here. */
static struct csr rows_of(int64_t n, int64_t length, int64_t *offsets)
{
    for (int64_t i = 0; i <= n; i++)
        offsets[i] = i * length;
    return (struct csr){.kind = CSR_SYMMETRIC, .n = n, .nnz = n * length, .offsets = offsets};
}

START_TEST(blocks_cover_the_rows)
{
    enum { N = 1000 };
    static const int64_t tries[] = {1, 2, 36, 37, 38, 1000, 36999, 37000, 37001, INT64_MAX};
    int64_t offsets[N + 1];
    struct csr A = rows_of(N, 37, offsets);
    for (size_t k = 0; k < sizeof tries / sizeof *tries; k++)
        expect_blocks(&A, tries[k], tries[k]);
    uint64_t state = test_seed();
    for (int m = 0; m < test_matrices_count; m++) {
        test_matrix_build(&test_matrices[m], CSR_SYMMETRIC, &state, &A);
        for (size_t k = 0; k < sizeof tries / sizeof *tries; k++)
            expect_blocks(&A, tries[k], tries[k]);
        csr_free(&A);
    }
}
END_TEST

START_TEST(the_default_follows_the_entries)
{
    enum { N = 1000 };
    int64_t offsets[N + 1];
    static const struct {
        int64_t length, entries, count;
    } sizes[] = {
        {100, 4096, 25},         /* 1e5 / 64 is below the smallest: 41 rows a block */
        {640, 10000, 63},        /* 640e3 / 64: 16 rows a block */
        {1000000, 1 << 18, 1000} /* 1e9 / 64 is above the largest */
    };
    for (int k = 0; k < 3; k++) {
        struct csr A = rows_of(N, sizes[k].length, offsets);
        expect_blocks(&A, 0, sizes[k].entries);
        struct blocks blocks = blocks_of(&A, 0);
        ck_assert_int_eq(blocks.count, sizes[k].count);
        memory_free(blocks.first_rows);
    }
}
END_TEST

START_TEST(one_row_and_one_huge_row)
{
    int64_t one[] = {0, 1}, huge[] = {0, 1, 2, 1000000, 1000001, 1000002};
    struct csr A = {.kind = CSR_SYMMETRIC, .n = 1, .nnz = 1, .offsets = one};
    expect_blocks(&A, 0, 4096);
    expect_blocks(&A, 1, 1);
    A = (struct csr){.kind = CSR_SYMMETRIC, .n = 5, .nnz = 1000002, .offsets = huge};
    struct blocks blocks = blocks_of(&A, 100);
    static const int64_t wanted[] = {0, 3, 5};
    ck_assert_int_eq(blocks.count, 2);
    ck_assert_mem_eq(blocks.first_rows, wanted, sizeof wanted);
    memory_free(blocks.first_rows);
}
END_TEST

/* y_j of the order: the near chain, then each far one. */
static double gather_row(const struct csr *full, int64_t j, const struct blocks *blocks,
                         const int64_t *block_of, const double *x)
{
    int64_t near_begin = blocks->first_rows[block_of[j]];
    double near = 0;
    for (int64_t k = full->offsets[j]; k < full->offsets[j + 1]; k++)
        if (full->columns[k] >= near_begin)
            near = fma(full->values[k], x[full->columns[k]], near);
    double y = near;
    for (int64_t c = 0; c < block_of[j]; c++) {
        double far = 0;
        bool any = false;
        for (int64_t k = full->offsets[j]; k < full->offsets[j + 1]; k++) {
            if (block_of[full->columns[k]] != c)
                continue;
            far = fma(full->values[k], x[full->columns[k]], far);
            any = true;
        }
        if (any)
            y = y + far;
    }
    return y;
}

static void gather(const struct csr *full, const struct blocks *blocks, const double *x, double *y)
{
    struct error error;
    int64_t *block_of = memory_array(full->n, sizeof *block_of, "the blocks", &error);
    ck_assert_ptr_nonnull(block_of);
    for (int64_t b = 0; b < blocks->count; b++)
        for (int64_t j = blocks->first_rows[b]; j < blocks->first_rows[b + 1]; j++)
            block_of[j] = b;
    for (int64_t j = 0; j < full->n; j++)
        y[j] = gather_row(full, j, blocks, block_of, x);
    memory_free(block_of);
}

/* Other sizes, zeros of both signs: whatever another order or another start would change. */
static void fill_x(double *x, int64_t n, uint64_t *state)
{
    for (int64_t i = 0; i < n; i++)
        x[i] = i % 9 == 4 ? -0.0 : ldexp(2 * test_random(state) - 1, (int)(i % 31) - 15);
}

static void compare(const struct csr *A, int64_t block, const char *name, uint64_t *state)
{
    struct error error;
    struct csr full;
    struct space *space;
    expect_ok(space_cpu_create(REDUCTIONS_REPRODUCIBLE, &space, &error), &error);
    expect_ok(csr_expand(A, &full, &error), &error);
    struct blocks blocks = blocks_of(A, block);
    double *x = memory_array(3 * A->n, sizeof *x, "x, y and the reference", &error);
    ck_assert_ptr_nonnull(x);
    double *y = x + A->n, *wanted = y + A->n;
    fill_x(x, A->n, state);
    gather(&full, &blocks, x, wanted);
    for (int t = 0; t < THREAD_COUNTS; t++) {
        threads_use(thread_counts[t]);
        struct spmv spmv;
        struct kernel_options options = {{SYM_FORM_GENERAL, block}};
        expect_ok(spmv_create(kernel_find("cpu_sym_bitwise"), A, &options, space, &spmv, &error),
                  &error);
        for (int64_t i = 0; i < A->n; i++)
            y[i] = NAN;
        expect_ok(spmv_apply(&spmv, x, y, &error), &error);
        for (int64_t i = 0; i < A->n; i++)
            if (memcmp(&y[i], &wanted[i], sizeof *y) != 0)
                ck_abort_msg("%s, block = %d, %d threads: row %d is %a instead of %a", name,
                             (int)block, thread_counts[t], (int)i, y[i], wanted[i]);
        spmv_destroy(&spmv);
    }
    memory_free(x);
    memory_free(blocks.first_rows);
    csr_free(&full);
    space->operations->destroy(space);
}

START_TEST(the_kernel_follows_the_order)
{
    static const int64_t tries[] = {0, 1, 37, 1000};
    uint64_t state = test_seed();
    for (int m = 0; m < test_matrices_count; m++) {
        for (enum csr_kind kind = CSR_SYMMETRIC; kind <= CSR_SKEW; kind *= 2) {
            struct csr A;
            test_matrix_build(&test_matrices[m], kind, &state, &A);
            for (int k = 0; k < 4; k++)
                if (tries[k] != 1 || A.n <= 150) /* the gather is quadratic in the blocks */
                    compare(&A, tries[k], test_matrices[m].name, &state);
            csr_free(&A);
        }
    }
}
END_TEST

/* Large enough for the default to cut it into many blocks. */
START_TEST(a_grid_follows_the_order)
{
    struct error error;
    uint64_t state = test_seed();
    struct poisson3d poisson = {{45, 44, 43}, {1, 0.3, 3}, 10};
    struct csr A;
    expect_ok(poisson3d_create(&poisson, &A, &error), &error);
    struct blocks blocks = blocks_of(&A, 0);
    ck_assert_int_gt(blocks.count, 50);
    memory_free(blocks.first_rows);
    compare(&A, 0, "the grid", &state);
    csr_free(&A);
}
END_TEST

static enum status attempt(void *context, struct error *error)
{
    struct blocks blocks;
    enum status status = sym_blocks(context, 0, &blocks.first_rows, &blocks.count, error);
    memory_free(blocks.first_rows);
    return status;
}

START_TEST(every_failed_allocation_is_survived)
{
    int64_t offsets[] = {0, 1, 2};
    struct csr A = {.kind = CSR_SYMMETRIC, .n = 2, .nnz = 2, .offsets = offsets};
    walk_allocation_failures(attempt, &A);
}
END_TEST

/* Whether a matrix is kept by its diagonals. */
static bool takes_diagonals(const struct csr *A)
{
    struct error error;
    enum sym_form form = SYM_FORM_AUTO;
    expect_ok(sym_form_choose(A, &form, &error), &error);
    ck_assert(form == SYM_FORM_DIAGONALS || form == SYM_FORM_GENERAL);
    return form == SYM_FORM_DIAGONALS;
}

/* n rows with entries at the distances 0 to count - 1, as far as the matrix goes. */
static struct csr band(int64_t n, int64_t count)
{
    struct error error;
    struct csr A;
    expect_ok(csr_create(&A, CSR_SYMMETRIC, n, count * n - count * (count - 1) / 2, &error),
              &error);
    for (int64_t i = 0, k = 0; i < n; i++) {
        A.offsets[i] = k;
        for (int64_t j = i; j < n && j < i + count; j++, k++) {
            A.columns[k] = (int32_t)j;
            A.values[k] = 1;
        }
    }
    A.offsets[n] = A.nnz;
    return A;
}

START_TEST(the_form_follows_from_the_matrix)
{
    static const struct {
        int64_t n, count;
        bool diagonals;
    } bands[] = {{1, 1, true},
                 {1000, 1, true},
                 {1000, SYM_DIAGONALS_MAX, true},
                 {1000, SYM_DIAGONALS_MAX + 1, false}, /* too many */
                 {5, 3, true},                         /* 12 of 15 values are there: 4/5 */
                 {12, 6, false}};                      /* 57 of 72 */
    for (size_t k = 0; k < sizeof bands / sizeof *bands; k++) {
        struct csr A = band(bands[k].n, bands[k].count);
        ck_assert_int_eq(takes_diagonals(&A), bands[k].diagonals);
        csr_free(&A);
    }
    uint64_t state = test_seed();
    for (int m = 0; m < test_matrices_count; m++) {
        struct csr A;
        test_matrix_build(&test_matrices[m], CSR_SKEW, &state, &A);
        const char *name = test_matrices[m].name;
        if (strstr(name, "Laplacian") || !strcmp(name, "tridiagonal"))
            ck_assert_msg(takes_diagonals(&A), "%s", name);
        if (!strcmp(name, "random") || strstr(name, "dense "))
            ck_assert_msg(!takes_diagonals(&A), "%s", name);
        csr_free(&A);
    }
}
END_TEST

/* By diagonals every matrix, suited or not, gives the chains of csr_multiply. */
START_TEST(diagonals_follow_the_order)
{
    struct error error;
    struct space *space;
    struct kernel_options options = {{SYM_FORM_DIAGONALS}};
    uint64_t state = test_seed();
    expect_ok(space_cpu_create(REDUCTIONS_REPRODUCIBLE, &space, &error), &error);
    for (int m = 0; m < test_matrices_count; m++)
        for (enum csr_kind kind = CSR_SYMMETRIC; kind <= CSR_SKEW; kind++) {
            struct csr A;
            test_matrix_build(&test_matrices[m], kind, &state, &A);
            double *x = memory_array(3 * A.n, sizeof *x, "x, y and the reference", &error);
            ck_assert_ptr_nonnull(x);
            double *y = x + A.n, *wanted = y + A.n;
            fill_x(x, A.n, &state);
            csr_multiply(&A, x, wanted);
            for (int t = 0; t < THREAD_COUNTS; t++) {
                threads_use(thread_counts[t]);
                struct spmv spmv;
                expect_ok(
                    spmv_create(kernel_find("cpu_sym_bitwise"), &A, &options, space, &spmv, &error),
                    &error);
                for (int64_t i = 0; i < A.n; i++)
                    y[i] = NAN;
                expect_ok(spmv_apply(&spmv, x, y, &error), &error);
                for (int64_t i = 0; i < A.n; i++)
                    if (y[i] != wanted[i])
                        ck_abort_msg("%s, %d threads: row %d is %a instead of %a",
                                     test_matrices[m].name, thread_counts[t], (int)i, y[i],
                                     wanted[i]);
                spmv_destroy(&spmv);
            }
            memory_free(x);
            csr_free(&A);
        }
    space->operations->destroy(space);
}
END_TEST

Suite *suite(void)
{
    const TTest *tests[] = {blocks_cover_the_rows,
                            the_default_follows_the_entries,
                            one_row_and_one_huge_row,
                            the_kernel_follows_the_order,
                            a_grid_follows_the_order,
                            every_failed_allocation_is_survived,
                            the_form_follows_from_the_matrix,
                            diagonals_follow_the_order,
                            NULL};
    return suite_of("spmv/sym_order", tests);
}
