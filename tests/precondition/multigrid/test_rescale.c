/* The matrix of a level: couplings and sums of rows against the formulas of the header. */
#include "csr_check.h"
#include "support.h"

#include "matrices.h"
#include "precondition/multigrid/coarsening.h"
#include "precondition/multigrid/setup/rescale.h"

#include <math.h>
#include <string.h>

static const long double U = 0x1.01p-53L;

/* A copy of A. The caller frees it. */
static void copy(const struct csr *A, struct csr *made)
{
    struct error error;
    expect_ok(csr_create(made, A->kind, A->n, A->nnz, &error), &error);
    memcpy(made->offsets, A->offsets, (size_t)(A->n + 1) * sizeof *A->offsets);
    memcpy(made->columns, A->columns, (size_t)A->nnz * sizeof *A->columns);
    memcpy(made->values, A->values, (size_t)A->nnz * sizeof *A->values);
}

/* The centre of cell `at` of n, which are 2^halvings wide, but for the last one. */
static long double centre(const struct cells *cells, int axis, int halvings, int64_t n, int64_t at)
{
    int64_t begin = at << halvings, end = at + 1 < n ? (at + 1) << halvings : cells->first[axis];
    return (long double)(begin + end) / 2;
}

/* From aggregate `at` along the axis to the next one: the distance of their centres over that of
 * the cells beside their face. */
static long double stretch(const struct cells *cells, int axis, int64_t at)
{
    if (cells->n[axis] == cells->before[axis])
        return 1;
    int now = cells->halvings[axis];
    int64_t n = cells->n[axis], before = cells->before[axis], beside = 2 * at + 1;
    return (centre(cells, axis, now, n, at + 1) - centre(cells, axis, now, n, at)) /
           (centre(cells, axis, now - 1, before, beside + 1) -
            centre(cells, axis, now - 1, before, beside));
}

/* What distances say of f_IJ; `correction` is what a coupling along an evenly halved axis is
 * divided by. */
static long double factor(const struct rescaling *by, int64_t I, int64_t J)
{
    const struct cells *cells = by->cells;
    long double most = 1;
    if (cells->n[0] == 0)
        return (long double)by->correction;
    for (int axis = 0; axis < 3; axis++) {
        int64_t i = I % cells->n[axis], j = J % cells->n[axis];
        if (i != j)
            most = fmaxl(most, stretch(cells, axis, i < j ? i : j));
        I /= cells->n[axis];
        J /= cells->n[axis];
    }
    long double c = (long double)by->correction, f = 1 + (c - 1) * (most - 1);
    return c < 1 ? fmaxl(f, c) : f;
}

/* g: there are cells so far apart, or 1. */
static long double greatest(const struct rescaling *by)
{
    const struct cells *cells = by->cells;
    long double most = 1, c = (long double)by->correction;
    if (cells->n[0] == 0 || by->block > 1)
        return fmaxl(1, c);
    for (int axis = 0; axis < 3; axis++)
        for (int64_t at = 0; at + 1 < cells->n[axis]; at++)
            most = fmaxl(most, 1 + (c - 1) * (stretch(cells, axis, at) - 1));
    return fmaxl(most, c);
}

/* S of every row, and the sizes of the rows; the least S, or 0, and how far rounding may have it
 * off. */
struct sums {
    long double *sum, *size, least, off;
};

static struct sums sums_of(const struct csr *full, int64_t block)
{
    struct error error;
    struct sums of = {.least = INFINITY};
    of.sum = memory_zeros(2 * full->n, sizeof *of.sum, "sums", &error);
    ck_assert_ptr_nonnull(of.sum);
    of.size = of.sum + full->n;
    for (int64_t i = 0; i < full->n; i++) {
        long double other[8] = {0};
        for (int64_t k = full->offsets[i]; k < full->offsets[i + 1]; k++) {
            other[full->columns[k] % block] += (long double)full->values[k];
            of.size[i] += fabsl((long double)full->values[k]);
        }
        for (int64_t c = 0; c < block; c++)
            of.sum[i] += c == i % block ? other[c] : -fabsl(other[c]);
        long double length = (long double)(full->offsets[i + 1] - full->offsets[i]);
        of.off = fmaxl(of.off, length * U * of.size[i]);
        of.least = fminl(of.least, of.sum[i]);
    }
    of.least = fmaxl(of.least, 0);
    return of;
}

static long double kept(const struct rescaling *by, const struct sums *of, int64_t i)
{
    long double of_sum = fmaxl((long double)by->of_sum, 1 / (long double)by->correction);
    return of->sum[i] > 0 ? of->least + of_sum * (of->sum[i] - of->least)
                          : of->sum[i] / greatest(by);
}

/* f has at most five roundings and a coupling one more. No entry grows, and no sum of a row: so the
 * errors of two chains of L terms and those of L couplings are below (2 L + 24) u times the size of
 * the row before, and that of the least sum comes to it. */
static void expect_rescaled(const struct rescaling *by, const struct csr *before,
                            const struct csr *after)
{
    struct error error;
    struct csr old, new;
    expect_ok(csr_check(after, &error), &error);
    expect_ok(csr_expand(before, &old, &error), &error);
    expect_ok(csr_expand(after, &new, &error), &error);
    ck_assert_int_eq(new.nnz, old.nnz);
    ck_assert_mem_eq(new.columns, old.columns, (size_t)old.nnz * sizeof *old.columns);
    struct sums of = sums_of(&old, 1);
    for (int64_t i = 0; i < old.n; i++) {
        long double made = 0;
        for (int64_t k = old.offsets[i]; k < old.offsets[i + 1]; k++) {
            int64_t j = old.columns[k];
            long double value = (long double)old.values[k];
            long double wanted = value / (value > 0 ? greatest(by) : factor(by, i, j));
            ck_assert_msg(
                j == i || fabsl((long double)new.values[k] - wanted) <= 8 * U * fabsl(wanted),
                "(%d, %d) is %.17g instead of %.17Lg", (int)i, (int)j, new.values[k], wanted);
            made += (long double)new.values[k];
        }
        long double length = (long double)(old.offsets[i + 1] - old.offsets[i]),
                    wanted = kept(by, &of, i);
        ck_assert_msg(fabsl(made - wanted) <= (2 * length + 24) * U * of.size[i] + of.off,
                      "row %d has the sum %.17Lg instead of %.17Lg", (int)i, made, wanted);
    }
    memory_free(of.sum);
    csr_free(&old);
    csr_free(&new);
}

/* By any number of threads, in place. */
static void try_rescale(const struct rescaling *by, struct csr *A)
{
    struct error error;
    struct csr before;
    uint64_t hash = 0;
    copy(A, &before);
    for (int t = 0; t < TEAMS; t++) {
        memcpy(A->values, before.values, (size_t)A->nnz * sizeof *A->values);
        test_threads(teams[t]);
        expect_ok(rescale(by, A, &error), &error);
        if (t == 0)
            hash = csr_hash(A);
        ck_assert(csr_hash(A) == hash);
    }
    expect_rescaled(by, &before, A);
    csr_free(&before);
}

/* A sum of a row may be anything, of either sign. */
START_TEST(one_factor_where_there_is_no_grid)
{
    static const double corrections[] = {1, 1.5, 1.8, 2};
    static const struct cells none = {0};
    uint64_t state = test_seed();
    for (int t = 0; t < test_matrices_count; t++)
        for (int k = 0; k < 4; k++) {
            struct rescaling by = {corrections[k], 1 - test_random(&state) / 2, 1, &none, NULL};
            struct csr A;
            (k % 2 ? test_matrix_build_positive(&test_matrices[t], &state, &A)
                   : test_matrix_build(&test_matrices[t], CSR_SYMMETRIC, &state, &A));
            try_rescale(&by, &A);
            csr_free(&A);
        }
}
END_TEST

/* The couplings of 27 cells, along axes that chance chooses, from level to level. */
static void descend(struct cells cells, struct csr *A, double correction, double of_sum,
                    uint64_t *state)
{
    while (A->n > 8) {
        struct error error;
        struct aggregates made;
        struct csr coarse;
        bool halved[3];
        for (int axis = 0; axis < 3; axis++)
            halved[axis] = cells.n[axis] > 1 && test_random_below(state, 3) > 0;
        expect_ok(cells_aggregate(&cells, halved, NULL, &made, &error), &error);
        expect_ok(coarse_matrix(A, &made, &coarse, &error), &error);
        struct rescaling by = {correction, of_sum, 1, &cells, NULL};
        try_rescale(&by, &coarse);
        aggregates_free(&made);
        csr_free(A);
        *A = coarse;
    }
    csr_free(A);
}

START_TEST(distances_on_a_grid)
{
    static const int64_t sizes[][3] = {{8, 8, 8},  {9, 7, 5},  {11, 13, 3},
                                       {17, 1, 1}, {33, 6, 1}, {5, 3, 19}};
    uint64_t state = test_seed();
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
        for (int k = 0; k < 4; k++) {
            struct csr A;
            make_brick(sizes[s][0], sizes[s][1], sizes[s][2], 1, &A);
            struct cells cells = grid_of(&A, 1);
            ck_assert_int_eq(cells.n[0], sizes[s][0]);
            for (int64_t e = 0; e < A.nnz; e++)
                A.values[e] = (A.values[e] > 0 ? 3 * test_random(&state) : -1) * A.values[e];
            descend(cells, &A, k % 2 ? 2 : 1 + test_random(&state), k < 2 ? 0.625 : 1, &state);
        }
    ck_assert_int_eq(memory_live(), 0);
}
END_TEST

/* The centres of two pairs are 2 apart, those of the cells beside their face 1; those of a pair and
 * of a last cell by itself are 1.5 apart. */
START_TEST(factors_by_hand)
{
    static const double wanted[] = {-1 / 2.0, -1 / 1.5};
    struct error error;
    struct csr A, coarse;
    struct aggregates made;
    const bool halved[3] = {true, false, false};
    make_poisson(5, 2, 1, &A);
    struct cells cells = grid_of(&A, 1);
    expect_ok(cells_aggregate(&cells, halved, NULL, &made, &error), &error);
    expect_ok(coarse_matrix(&A, &made, &coarse, &error), &error);
    struct rescaling by = {2, 0.5, 1, &cells, NULL};
    expect_ok(rescale(&by, &coarse, &error), &error);
    ck_assert_int_eq(coarse.n, 6);
    for (int64_t i = 0; i < 6; i++)
        for (int64_t k = coarse.offsets[i]; k < coarse.offsets[i + 1]; k++) {
            int64_t step = coarse.columns[k] - i;
            if (step == 1)
                ck_assert(coarse.values[k] == wanted[i % 3]);
            if (step == 3) /* along y nothing was halved */
                ck_assert(coarse.values[k] == (i % 3 == 2 ? -1 : -2));
        }
    /* The first row, 10 -1 -2, has the sum 7, and the least one is 4: that, half of the rest, and
     * the couplings. */
    ck_assert(coarse.values[0] == 4 + 1.5 + 0.5 + 2);
    aggregates_free(&made);
    csr_free(&A);
    csr_free(&coarse);
}
END_TEST

START_TEST(blocks_are_divided_and_keep_their_sums)
{
    uint64_t state = test_seed();
    for (int64_t block = 2; block <= 5; block++) {
        struct error error;
        struct csr A, before;
        make_brick(6, 5, 4, block, &A);
        copy(&A, &before);
        struct cells cells = grid_of(&A, block);
        struct rescaling by = {1 + test_random(&state), 0.625, block, &cells, NULL};
        test_threads(teams[block % TEAMS]);
        expect_ok(rescale(&by, &A, &error), &error);
        struct csr full;
        expect_ok(csr_expand(&before, &full, &error), &error);
        struct sums of = sums_of(&full, block);
        for (int64_t i = 0; i < A.n; i++) {
            int64_t first = A.offsets[i], length = full.offsets[i + 1] - full.offsets[i];
            for (int64_t k = first + 1; k < A.offsets[i + 1]; k++)
                ck_assert(A.values[k] == before.values[k] / by.correction);
            long double wanted = (long double)before.values[first] / (long double)by.correction +
                                 kept(&by, &of, i) - of.sum[i] / (long double)by.correction;
            ck_assert(fabsl((long double)A.values[first] - wanted) <=
                      (long double)(2 * length + 24) * U * of.size[i] + of.off);
        }
        memory_free(of.sum);
        csr_free(&full);
        csr_free(&A);
        csr_free(&before);
    }
}
END_TEST

/* A_c of the pairs along all axes of a box. The caller frees it. */
static void halve(const struct csr *A, struct cells *cells, struct csr *coarse)
{
    struct error error;
    struct aggregates made;
    *cells = grid_of(A, 1);
    expect_ok(cells_aggregate(cells, (const bool[]){true, true, true}, NULL, &made, &error),
              &error);
    expect_ok(coarse_matrix(A, &made, coarse, &error), &error);
    aggregates_free(&made);
}

/* The entries are whole multiples of 2^-24, so that the sums before are 0 to the bit. Behind the
 * division of 26 couplings each of them has rounded, and so has each addition. */
START_TEST(sums_of_zero_stay_zero)
{
    uint64_t state = test_seed();
    for (int trial = 0; trial < 6; trial++) {
        struct error error;
        struct csr A, coarse, full;
        struct cells cells = {0};
        int64_t n = 5 + test_random_below(&state, 9);
        if (trial % 2)
            make_brick(n, 7, 6, 1, &A);
        else
            make_poisson(n, 7, 6, &A);
        take_sums_away(&A);
        if (trial < 4)
            halve(&A, &cells, &coarse);
        else
            copy(&A, &coarse);
        struct rescaling by = {trial < 2 ? 2 : 1 + test_random(&state), 0.625, 1, &cells, NULL};
        expect_ok(rescale(&by, &coarse, &error), &error);
        expect_ok(csr_expand(&coarse, &full, &error), &error);
        for (int64_t i = 0; i < coarse.n; i++) {
            long double sum = 0, size = 0;
            for (int64_t k = full.offsets[i]; k < full.offsets[i + 1]; k++) {
                sum += (long double)full.values[k];
                size += fabsl((long double)full.values[k]);
            }
            ck_assert(fabsl(sum) <= 54 * U * size);
        }
        csr_free(&full);
        csr_free(&coarse);
        csr_free(&A);
    }
    ck_assert_int_eq(memory_live(), 0);
}
END_TEST

/* Values of A, on its pattern: a sum of v v', v = (p, q) with random numbers of either sign in the
 * rows of each entry, so that no eigenvalue is below 0. */
static void make_semidefinite(struct csr *A, uint64_t *state)
{
    memset(A->values, 0, (size_t)A->nnz * sizeof *A->values);
    for (int64_t i = 0; i < A->n; i++)
        for (int64_t k = A->offsets[i] + 1; k < A->offsets[i + 1]; k++) {
            double p = 2 * test_random(state) - 1, q = 2 * test_random(state) - 1;
            A->values[A->offsets[i]] += p * p;
            A->values[A->offsets[A->columns[k]]] += q * q;
            A->values[k] = p * q;
        }
}

enum { ROWS_MAX = 128 };

/* Whether a has only pivots above 0; its lower triangle is lost. */
static bool is_definite(int64_t n, long double a[ROWS_MAX][ROWS_MAX])
{
    for (int64_t k = 0; k < n; k++) {
        if (!(a[k][k] > 0))
            return false;
        for (int64_t i = k + 1; i < n; i++)
            for (int64_t j = k + 1; j <= i; j++)
                a[i][j] -= a[i][k] * a[j][k] / a[k][k];
    }
    return true;
}

/* after - before / g has none below 0, with what rounding may take from it: the entries of a row
 * are off by less than (4 L + 40) u times its size, which no division makes more than 1 /
 * correction times larger. */
static void expect_bounded_below(const struct rescaling *by, const struct csr *before,
                                 const struct csr *after)
{
    static long double a[ROWS_MAX][ROWS_MAX];
    struct error error;
    struct csr full;
    ck_assert(after->n <= ROWS_MAX);
    expect_ok(csr_expand(before, &full, &error), &error);
    struct sums of = sums_of(&full, 1);
    long double off = 0, g = greatest(by), grown = fmaxl(1, 1 / (long double)by->correction);
    for (int64_t i = 0; i < full.n; i++) {
        long double length = (long double)(full.offsets[i + 1] - full.offsets[i]);
        off = fmaxl(off, (4 * length + 40) * U * of.size[i] * grown);
    }
    memset(a, 0, sizeof a);
    for (int64_t i = 0; i < after->n; i++)
        for (int64_t k = after->offsets[i]; k < after->offsets[i + 1]; k++) {
            int64_t j = after->columns[k];
            a[j][i] = (long double)after->values[k] - (long double)before->values[k] / g +
                      (i == j ? 2 * off : 0);
        }
    ck_assert_msg(is_definite(after->n, a), "correction %g: less than A_c / %Lg", by->correction,
                  g);
    memory_free(of.sum);
    csr_free(&full);
}

/* Off-diagonals of either sign, and any factors: no eigenvalue falls below its share. */
START_TEST(a_level_is_definite_where_its_sums_are)
{
    static const int64_t sizes[][3] = {{9, 7, 5}, {8, 8, 4}, {33, 6, 1}, {50, 1, 1}, {10, 13, 3}};
    static const double corrections[] = {0.125, 0.7, 1, 1.5, 2};
    static const struct cells none = {0};
    uint64_t state = test_seed();
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
        for (size_t c = 0; c < 2 * sizeof corrections / sizeof *corrections; c++) {
            struct error error;
            struct aggregates made;
            struct csr A, coarse, before;
            const bool halved[3] = {true, c % 2 == 0, s % 2 == 0};
            make_brick(sizes[s][0], sizes[s][1], sizes[s][2], 1, &A);
            struct cells cells = grid_of(&A, 1);
            for (int times = 0; times < 2; times++) {
                expect_ok(cells_aggregate(&cells, halved, NULL, &made, &error), &error);
                expect_ok(coarse_matrix(&A, &made, &coarse, &error), &error);
                aggregates_free(&made);
                csr_free(&A);
                A = coarse;
            }
            make_semidefinite(&A, &state);
            copy(&A, &before);
            struct rescaling by = {corrections[c / 2], test_random(&state), 1,
                                   test_random(&state) < 0.25 ? &none : &cells, NULL};
            expect_ok(rescale(&by, &A, &error), &error);
            expect_bounded_below(&by, &before, &A);
            csr_free(&A);
            csr_free(&before);
        }
    ck_assert_int_eq(memory_live(), 0);
}
END_TEST

Suite *suite(void)
{
    const TTest *tests[] = {one_factor_where_there_is_no_grid,
                            distances_on_a_grid,
                            factors_by_hand,
                            blocks_are_divided_and_keep_their_sums,
                            sums_of_zero_stay_zero,
                            a_level_is_definite_where_its_sums_are,
                            NULL};
    return suite_of("precondition/multigrid/rescale", tests);
}
