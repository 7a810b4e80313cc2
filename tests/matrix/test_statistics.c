/* Statistics against plain loops over a dense matrix. */
#include "matrix/statistics.h"

#include "support.h"

#include "general.h"
#include "matrices.h"
#include "matrix/rcm.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool near(double a, double b)
{
    return fabs(a - b) <= 1e-10 * (1 + fabs(b));
}

/* Row lengths, their moments and classes. */
static void expect_rows(const struct csr *A, const double *dense, const struct csr_statistics *s)
{
    double sum = 0, squares = 0, cubes = 0, n = (double)A->n;
    int64_t shortest = A->width, longest = 0, below = 0, classes[CSR_LENGTH_CLASSES] = {0};
    int64_t *lengths = calloc((size_t)A->n, sizeof *lengths);
    for (int64_t i = 0; i < A->n; i++) {
        for (int64_t j = 0; j < A->width; j++) {
            double a = dense[i * A->width + j];
            bool kept_for_the_triangle = A->kind != CSR_GENERAL && i == j && a == 0;
            lengths[i] += !isnan(a) && !kept_for_the_triangle;
        }
        sum += (double)lengths[i];
        shortest = lengths[i] < shortest ? lengths[i] : shortest;
        below += lengths[i] < 32;
        longest = lengths[i] > longest ? lengths[i] : longest;
        char digits[32];
        classes[lengths[i] ? snprintf(digits, sizeof digits, "%d", (int)lengths[i]) : 0]++;
    }
    double mean = sum / n;
    for (int64_t i = 0; i < A->n; i++) {
        squares += pow((double)lengths[i] - mean, 2);
        cubes += pow((double)lengths[i] - mean, 3);
    }
    free(lengths);
    double deviation = sqrt(squares / n);
    ck_assert_int_eq(s->n, A->n);
    ck_assert_int_eq(s->width, A->width);
    ck_assert_int_eq(s->entries, (int64_t)sum);
    ck_assert_int_eq(csr_entries(A), (int64_t)sum);
    ck_assert(near(s->mean, mean) && near(s->deviation, deviation));
    ck_assert(near(s->variation, mean > 0 ? deviation / mean : 0));
    ck_assert(near(s->skewness, deviation > 0 ? cubes / n / pow(deviation, 3) : 0));
    ck_assert_int_eq(s->shortest, shortest);
    ck_assert_int_eq(s->longest, longest);
    ck_assert_int_eq(s->below_warp, below);
    ck_assert_int_eq(s->empty, classes[0]);
    ck_assert_int_eq(memcmp(s->lengths, classes, sizeof classes), 0);
}

static void expect_symmetry(const struct csr *A, const double *dense,
                            const struct csr_statistics *s)
{
    struct csr_symmetry wanted = {0};
    int64_t bandwidth = 0;
    for (int64_t i = 0; i < A->n; i++)
        for (int64_t j = 0; j < A->width; j++) {
            double a = dense[i * A->width + j];
            if (isnan(a))
                continue;
            bandwidth = llabs(i - j) > bandwidth ? llabs(i - j) : bandwidth;
            if (i == j || A->n != A->width)
                continue;
            double b = dense[j * A->width + i];
            wanted.entries++;
            wanted.matched += !isnan(b);
            wanted.equal += a == b;
            wanted.opposite += a == -b;
        }
    ck_assert_int_eq(s->bandwidth, bandwidth);
    ck_assert_int_eq(s->symmetry.entries, wanted.entries);
    ck_assert_int_eq(s->symmetry.matched, wanted.matched);
    if (A->kind == CSR_GENERAL) { /* a zero would be both */
        ck_assert_int_eq(s->symmetry.equal, wanted.equal);
        ck_assert_int_eq(s->symmetry.opposite, wanted.opposite);
    }
}

/* The bandwidth of the numbering of a symmetric matrix with the graph of A + A'. */
static void expect_rcm(const struct csr *A, const double *dense, const struct csr_statistics *s)
{
    struct error error;
    int64_t n = A->n, bandwidth = 0;
    if (n != A->width) {
        ck_assert_int_eq(s->rcm_bandwidth, -1);
        return;
    }
    double *upper = calloc((size_t)(n * (n + 1) / 2), sizeof *upper);
    for (int64_t i = 0, k = 0; i < n; i++)
        for (int64_t j = i; j < n; j++, k++)
            upper[k] = !isnan(dense[i * n + j]) || !isnan(dense[j * n + i]);
    struct csr graph;
    test_matrix_from_dense(n, upper, CSR_SYMMETRIC, &graph);
    int32_t *number = memory_array(n, sizeof *number, "a numbering", &error);
    expect_ok(rcm_numbering(&graph, number, &error), &error);
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n; j++)
            if (!isnan(dense[i * n + j]) && labs(number[i] - number[j]) > bandwidth)
                bandwidth = labs(number[i] - number[j]);
    ck_assert_int_eq(s->rcm_bandwidth, bandwidth);
    memory_free(number);
    csr_free(&graph);
    free(upper);
}

static void expect_all(const struct csr *A)
{
    struct error error;
    struct csr_statistics s;
    memset(&s, 0xff, sizeof s);
    expect_ok(csr_statistics(A, &s, &error), &error);
    double *dense = general_dense(A);
    expect_rows(A, dense, &s);
    expect_symmetry(A, dense, &s);
    expect_rcm(A, dense, &s);
    memory_free(dense);
}

START_TEST(general_matrices)
{
    static const struct {
        int64_t n, width;
        double chance;
    } shapes[] = {{1, 1, 1},      {1, 40, 0.5},   {40, 1, 0.5},     {30, 30, 0},     {57, 57, 0.1},
                  {120, 30, 0.3}, {30, 150, 0.9}, {200, 200, 0.02}, {130, 130, 0.97}};
    uint64_t state = test_seed();
    for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++) {
        struct csr A;
        general_random(shapes[k].n, shapes[k].width, shapes[k].chance, &state, &A);
        expect_all(&A);
        csr_free(&A);
    }
    ck_assert_int_eq(memory_live(), 0);
}
END_TEST

/* What a triangle mirrors counts. */
START_TEST(triangles)
{
    uint64_t state = test_seed();
    for (int m = 0; m < test_matrices_count; m++)
        for (int skew = 0; skew < 2; skew++) {
            struct csr A;
            if (test_matrices[m].n > 1000)
                continue;
            test_matrix_build(&test_matrices[m], skew ? CSR_SKEW : CSR_SYMMETRIC, &state, &A);
            expect_all(&A);
            csr_free(&A);
        }
}
END_TEST

/* Rows 1 and 3 of 4 joined, a 0 stored off the diagonal, nothing in row 4: the diagonal is the
 * triangle's own. */
START_TEST(a_diagonal_of_zeros)
{
    double x = NAN, dense[16] = {0, x, 5, x, x, 0, x, x, 0, x, x, x, x, x, x, x};
    struct error error;
    struct csr_statistics s;
    for (int skew = 0; skew < 2; skew++) {
        struct csr general, A;
        dense[2] = 5;
        dense[8] = skew ? -5 : 5;
        general_from_dense(4, 4, dense, &general);
        ck_assert_int_eq(csr_entries(&general), 4); /* as they are stored */
        expect_ok(csr_fold(&general, skew ? CSR_SKEW : CSR_SYMMETRIC, &A, &error), &error);
        ck_assert_int_eq(csr_nnz_full(&A), 6);
        expect_ok(csr_statistics(&A, &s, &error), &error);
        ck_assert_int_eq(s.entries, 2);
        ck_assert_int_eq(csr_entries(&A), 2);
        ck_assert_int_eq(s.empty, 2);
        ck_assert_int_eq(s.longest, 1);
        ck_assert(s.mean == 0.5);
        A.values[0] = skew ? 0 : 7;
        ck_assert_int_eq(csr_entries(&A), skew ? 2 : 3);
        csr_free(&A);
        csr_free(&general);
    }
}
END_TEST

START_TEST(classes_of_lengths)
{
    static const char *const wanted[] = {"0",
                                         "1-9",
                                         "10-99",
                                         "100-999",
                                         "1000-9999",
                                         "10000-99999",
                                         "100000-999999",
                                         "1000000-9999999",
                                         "10000000-99999999",
                                         "100000000-999999999",
                                         "1000000000-"};
    char text[48];
    for (int k = 0; k < CSR_LENGTH_CLASSES; k++)
        ck_assert_str_eq(csr_length_class(k, text), wanted[k]);
}
END_TEST

static enum status attempt(void *context, struct error *error)
{
    struct csr_statistics s;
    return csr_statistics(context, &s, error);
}

START_TEST(failing_allocations)
{
    uint64_t state = test_seed();
    struct csr A;
    general_random(40, 40, 0.1, &state, &A);
    walk_allocation_failures(attempt, &A);
    csr_free(&A);
}
END_TEST

Suite *suite(void)
{
    const TTest *tests[] = {general_matrices,   triangles,           a_diagonal_of_zeros,
                            classes_of_lengths, failing_allocations, NULL};
    return suite_of("matrix/statistics", tests);
}
