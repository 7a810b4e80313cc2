/* A network of conductances: what its rows add up to, how its conductances are spread, what scaling
 * does, the same bits on any number of threads and on every machine, and what is refused. */
#include "csr_check.h"
#include "support.h"

#include "problem/generators.h"
#include "problem/grid.h"

#include <float.h>
#include <math.h>
#include <string.h>

static struct csr create(const struct network *network)
{
    struct error error;
    struct csr A;
    expect_ok(problem_create(&problem_network, network, &A, &error), &error);
    expect_ok(csr_check(&A, &error), &error);
    ck_assert_int_eq(A.kind, CSR_SYMMETRIC);
    ck_assert_int_eq(A.n, grid_rows(network->n));
    return A;
}

/* Nodes next to each other, by their indices: what the definition joins. */
static bool are_joined(const int64_t n[3], int64_t v, int64_t w)
{
    int64_t x = v % n[0] - w % n[0], y = v / n[0] % n[1] - w / n[0] % n[1];
    int64_t z = v / n[0] / n[1] - w / n[0] / n[1];
    return x * x + y * y + z * z == 1;
}

static int64_t entries_of(const int64_t n[3])
{
    int64_t rows = n[0] * n[1] * n[2], entries = rows;
    for (int64_t v = 0; v < rows; v++)
        for (int64_t w = v + 1; w < rows; w++)
            entries += are_joined(n, v, w);
    return entries;
}

/* Of a row of the full matrix: the sum, and the sum of the absolute values, in long double. */
static void add_rows(const struct csr *A, long double *sum, long double *size)
{
    memset(sum, 0, (size_t)A->n * sizeof *sum);
    memset(size, 0, (size_t)A->n * sizeof *size);
    for (int64_t v = 0; v < A->n; v++)
        for (int64_t p = A->offsets[v]; p < A->offsets[v + 1]; p++) {
            int64_t w = A->columns[p];
            long double a = A->values[p];
            sum[v] += a;
            size[v] += fabsl(a);
            if (w > v) {
                sum[w] += a;
                size[w] += fabsl(a);
            }
        }
}

enum { ROWS = 1000 };

/* The diagonal is a sum of at most seven numbers: six roundings of it. */
START_TEST(rows_add_up_to_the_ground)
{
    static const int64_t sizes[][3] = {{1, 1, 1}, {9, 1, 1}, {1, 5, 7}, {6, 5, 4}, {10, 10, 10}};
    static const int64_t decades[] = {0, 1, 8, NETWORK_DECADES_MAX};
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++)
        for (size_t d = 0; d < sizeof decades / sizeof *decades; d++) {
            struct network network = {.decades = decades[d], .ground = 0.03125, .seed = 7};
            memcpy(network.n, sizes[k], sizeof network.n);
            struct csr A = create(&network);
            ck_assert_int_eq(A.nnz, entries_of(network.n));
            long double sum[ROWS], size[ROWS];
            add_rows(&A, sum, size);
            for (int64_t v = 0; v < A.n; v++) {
                ck_assert(fabsl(sum[v] - 0.03125L) <= 6 * (DBL_EPSILON / 2) * size[v]);
                for (int64_t p = A.offsets[v] + 1; p < A.offsets[v + 1]; p++)
                    ck_assert(are_joined(network.n, v, A.columns[p]));
            }
            csr_free(&A);
        }
}
END_TEST

/* Every power of ten has its share, and within it the first digits are uniform in [1, 10). */
START_TEST(conductances_are_spread_over_the_decades)
{
    enum { DECADES = 5 };
    struct network network = {{40, 40, 40}, DECADES, 0, 1, (int64_t)(test_seed() >> 1)};
    struct csr A = create(&network);
    int64_t count[DECADES] = {0}, low[DECADES] = {0}, all = A.nnz - A.n;
    for (int64_t v = 0; v < A.n; v++)
        for (int64_t p = A.offsets[v] + 1; p < A.offsets[v + 1]; p++) {
            double c = -A.values[p];
            ck_assert(c >= 1e-4 && c < 10);
            int d = 0;
            for (; c < 1; d++)
                c *= 10;
            ck_assert_int_lt(d, DECADES);
            count[d]++;
            low[d] += c < 5.5;
        }
    for (int d = 0; d < DECADES; d++) { /* six standard deviations */
        double share = (double)all / DECADES, half = (double)count[d] / 2;
        ck_assert(fabs((double)count[d] - share) < 6 * sqrt(share));
        ck_assert(fabs((double)low[d] - half) < 3 * sqrt((double)count[d]));
    }
    csr_free(&A);
}
END_TEST

START_TEST(no_decades_give_whole_numbers)
{
    struct network network = {{4, 3, 2}, 0, 0, 2, 1};
    struct csr A = create(&network);
    for (int64_t v = 0; v < A.n; v++) {
        int64_t neighbours = 0;
        for (int64_t w = 0; w < A.n; w++)
            neighbours += are_joined(network.n, v, w);
        ck_assert(A.values[A.offsets[v]] == (double)(2 + neighbours));
        for (int64_t p = A.offsets[v] + 1; p < A.offsets[v + 1]; p++)
            ck_assert(A.values[p] == -1);
    }
    csr_free(&A);
}
END_TEST

/* S A S has the diagonal s_v^2 A[v][v]: from it s_v, and then every other entry, to a few
 * roundings. */
START_TEST(scaling_is_symmetric)
{
    struct network network = {{7, 6, 5}, 3, 0, 0.5, 11};
    struct csr A = create(&network);
    network.scaling = 6;
    struct csr scaled = create(&network);
    double least = INFINITY, most = 0, s[210];
    for (int64_t v = 0; v < A.n; v++) {
        s[v] = sqrt(scaled.values[A.offsets[v]] / A.values[A.offsets[v]]);
        least = fmin(least, s[v]);
        most = fmax(most, s[v]);
    }
    ck_assert(least >= 1e-5 * (1 - 1e-15) && least < 1e-4);
    ck_assert(most < 10 && most >= 1);
    for (int64_t v = 0; v < A.n; v++)
        for (int64_t p = A.offsets[v]; p < A.offsets[v + 1]; p++) {
            double expected = A.values[p] * s[v] * s[A.columns[p]];
            ck_assert(fabs(scaled.values[p] - expected) <= 8 * DBL_EPSILON * fabs(expected));
        }
    csr_free(&A);
    csr_free(&scaled);
}
END_TEST

START_TEST(the_same_bits_everywhere)
{
    static const int threads[] = {1, 2, 3, 7};
    struct network network = {{13, 11, 9}, 8, 4, 1e-6, 42};
    for (size_t t = 0; t < sizeof threads / sizeof *threads; t++) {
        test_threads(threads[t]);
        struct csr A = create(&network);
        ck_assert_msg(csr_hash(&A) == UINT64_C(0x0bcec7d91cb35759), "%d threads: %016llx",
                      threads[t], (unsigned long long)csr_hash(&A));
        csr_free(&A);
    }
}
END_TEST

START_TEST(bad_numbers_are_refused)
{
    static const struct network bad[] = {
        {{0, 1, 1}, 8, 0, 1, 1},     {{1 << 16, 1 << 16, 1}, 8, 0, 1, 1},
        {{2, 2, 2}, -1, 0, 1, 1},    {{2, 2, 2}, NETWORK_DECADES_MAX + 1, 0, 1, 1},
        {{2, 2, 2}, 8, -1, 1, 1},    {{2, 2, 2}, 8, NETWORK_DECADES_MAX + 1, 1, 1},
        {{2, 2, 2}, 8, 0, 0, 1},     {{2, 2, 2}, 8, 0, -1, 1},
        {{2, 2, 2}, 8, 0, 2e100, 1}, {{2, 2, 2}, 8, 0, NAN, 1},
    };
    static const char *const named[] = {"problem.n",       "problem.n",       "problem.decades",
                                        "problem.decades", "problem.scaling", "problem.scaling",
                                        "problem.ground",  "problem.ground",  "problem.ground",
                                        "problem.ground"};
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        struct error error;
        struct csr A;
        expect_error(problem_create(&problem_network, &bad[k], &A, &error), STATUS_CONFIG, &error,
                     named[k], NULL);
    }
}
END_TEST

Suite *suite(void)
{
    const TTest *tests[] = {rows_add_up_to_the_ground,
                            conductances_are_spread_over_the_decades,
                            no_decades_give_whole_numbers,
                            scaling_is_symmetric,
                            the_same_bits_everywhere,
                            bad_numbers_are_refused,
                            NULL};
    return suite_of("problem/network", tests);
}
