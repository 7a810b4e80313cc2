/* Two tied nodes: the entries, rows that add up without rounding, sums of twice the precision that
 * the order changes, the same bits everywhere, and what is refused. */
#include "csr_check.h"
#include "support.h"

#include "base/random.h"
#include "problem/generators.h"
#include "space/sum/compensated.h"

#include <math.h>

static struct csr create(const struct tied *tied)
{
    struct error error;
    struct csr A;
    expect_ok(problem_create(&problem_tied, tied, &A, &error), &error);
    expect_ok(csr_check(&A, &error), &error);
    ck_assert_int_eq(A.kind, CSR_SYMMETRIC);
    ck_assert_int_eq(A.n, tied->n);
    return A;
}

/* Row k < n - 2 has c_k: read it from A, and hold everything else against it. */
START_TEST(entries_are_those_of_the_header)
{
    static const int64_t sizes[] = {4, 6, 102, 1000};
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        struct tied tied = {sizes[s], 0.375, (int64_t)(test_seed() >> 1)};
        struct csr A = create(&tied);
        int64_t t = A.n - 2, u = A.n - 1;
        double strange = 0;
        for (int64_t k = 0; k < t; k++) {
            int64_t p = A.offsets[k];
            ck_assert_int_eq(A.offsets[k + 1] - p, 3);
            ck_assert(A.columns[p + 1] == t && A.columns[p + 2] == u);
            double c = -A.values[p + 1];
            ck_assert(c > 0 && c < 1 && A.values[p + 2] == -c);
            ck_assert(A.values[p] == 0.375 + 2 * c);
            if (k % 2 == 0)
                ck_assert(c - A.values[A.offsets[k + 1] + 1] == 1);
            ck_assert(c * 0x1p52 == floor(c * 0x1p52));
            strange += c != 0.5;
        }
        ck_assert(strange > 0);
        double own = 0x1p52 + (double)(t / 2);
        int64_t p = A.offsets[t];
        ck_assert(A.nnz == 3 * t + 3 && A.columns[p + 1] == u);
        ck_assert(A.values[p] == own && A.values[p + 1] == -0x1p52 && A.values[p + 2] == own);
        ck_assert(own - 0x1p52 == (double)(t / 2)); /* so the row adds up to 0 */
        csr_free(&A);
    }
}
END_TEST

/* Row t times p where p_t = p_u, forwards and backwards, each by sums of twice the precision. */
static bool order_matters(const struct csr *A, uint64_t seed)
{
    struct compensated forwards = {0, 0}, backwards = {0, 0};
    int64_t t = A->n - 2;
    double equal = random_uniform(seed, 0);
    for (int64_t k = 0; k < t; k++) {
        double a = A->values[A->offsets[k] + 1];
        forwards = compensated_add_product(forwards, a, random_uniform(seed, (uint64_t)k + 1));
    }
    for (int64_t k = 0; k < 2; k++) {
        double a = A->values[A->offsets[t] + k];
        forwards = compensated_add_product(forwards, a, equal);
        backwards = compensated_add_product(backwards, A->values[A->offsets[t] + 1 - k], equal);
        if (k == 0) /* between the two that cancel */
            for (int64_t j = t - 1; j >= 0; j--)
                backwards = compensated_add_product(backwards, A->values[A->offsets[j] + 1],
                                                    random_uniform(seed, (uint64_t)j + 1));
    }
    return forwards.sum + forwards.error != backwards.sum + backwards.error;
}

START_TEST(twice_the_precision_is_not_enough)
{
    uint64_t seed = test_seed();
    struct tied tied = {1002, 1, 1};
    struct csr A = create(&tied);
    int differing = 0;
    for (uint64_t k = 0; k < 1000; k++)
        differing += order_matters(&A, seed + k);
    ck_assert_int_gt(differing, 0);
    csr_free(&A);
}
END_TEST

START_TEST(the_same_bits_everywhere)
{
    static const int threads[] = {1, 2, 3, 7};
    struct tied tied = {1234, 0.1, 42};
    for (size_t t = 0; t < sizeof threads / sizeof *threads; t++) {
        test_threads(threads[t]);
        struct csr A = create(&tied);
        ck_assert_msg(csr_hash(&A) == UINT64_C(0x13cc0b4de78c9bf1), "%d threads: %016llx",
                      threads[t], (unsigned long long)csr_hash(&A));
        csr_free(&A);
    }
}
END_TEST

START_TEST(bad_numbers_are_refused)
{
    static const struct {
        struct tied tied;
        const char *named;
    } bad[] = {
        {{2, 1, 1}, "problem.n"},         {{5, 1, 1}, "problem.n = 5"},
        {{-4, 1, 1}, "problem.n"},        {{(int64_t)1 << 31, 1, 1}, "problem.n"},
        {{4, 0, 1}, "problem.ground"},    {{4, -1, 1}, "problem.ground"},
        {{4, 2e15, 1}, "problem.ground"}, {{4, NAN, 1}, "problem.ground"},
    };
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        struct error error;
        struct csr A;
        expect_error(problem_create(&problem_tied, &bad[k].tied, &A, &error), STATUS_CONFIG, &error,
                     bad[k].named, NULL);
    }
}
END_TEST

Suite *suite(void)
{
    const TTest *tests[] = {entries_are_those_of_the_header, twice_the_precision_is_not_enough,
                            the_same_bits_everywhere, bad_numbers_are_refused, NULL};
    return suite_of("problem/tied", tests);
}
