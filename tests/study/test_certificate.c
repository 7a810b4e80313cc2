/* The certificate of rows: those just behind the bound are not certified, beyond twice the bound
 * some order rounds, and neither threads nor the numbering have a part in it. */
#include "support.h"

#include "general.h"
#include "matrices.h"
#include "matrix/permute.h"
#include "study/certified.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { N = CERTIFIED_ROWS, LONGEST = 10 };

__extension__ typedef __int128 wide;

/* ---- how sharp it is ------------------------------------------------------------------------- */

struct products {
    int count;
    int64_t p[LONGEST]; /* not 0, of at most 53 bits */
};

/* Of all sizes; in every second case what one side comes to is brought near to 2^53 where that can
 * be. */
static void random_products(uint64_t *state, struct products *made)
{
    int64_t positive = 0;
    made->count = (int)(1 + test_random_below(state, LONGEST));
    int64_t most = 1 + test_random_below(state, 52), few = test_random_below(state, 2);
    for (int k = 0; k < made->count; k++) {
        int64_t bits = few ? most : 1 + test_random_below(state, most);
        made->p[k] = 1 + test_random_below(state, INT64_C(1) << bits);
        if (test_random(state) < 0.3)
            made->p[k] = -made->p[k];
        positive += made->p[k] > 0 ? made->p[k] : 0;
    }
    int64_t lacking = (INT64_C(1) << 53) - positive + test_random_below(state, 5) - 2;
    if (made->count < LONGEST && lacking > 0 && lacking <= INT64_C(1) << 53 &&
        test_random(state) < 0.5)
        made->p[made->count++] = lacking;
}

/* The verdict on the row of these products, in units of a power of two. */
static enum row_verdict verdict_on(const struct products *made, uint64_t *state)
{
    int unit = (int)test_random_below(state, 1974) - 1074;
    double a[LONGEST], x[LONGEST];
    for (int k = 0; k < made->count; k++) {
        int shift = (int)test_random_below(state, 41) - (unit < -1000 ? 40 : 20);
        a[k] = ldexp((double)made->p[k], unit - shift);
        x[k] = ldexp(1, shift);
    }
    struct csr A;
    unsigned char verdict;
    general_from_dense(1, made->count, a, &A);
    certificate_of(&A, x, &verdict);
    csr_free(&A);
    return (enum row_verdict)verdict;
}

START_TEST(the_bound_is_sharp_but_for_a_factor_of_two)
{
    uint64_t state = test_seed();
    test_threads(1);
    for (int trial = 0; trial < 20000; trial++) {
        struct products made;
        wide positive = 0, negative = 0, size, most, sum;
        int64_t all_bits = 0;
        bool rounds = false;
        random_products(&state, &made);
        for (int k = 0; k < made.count; k++) {
            *(made.p[k] > 0 ? &positive : &negative) += made.p[k] > 0 ? made.p[k] : -made.p[k];
            all_bits |= made.p[k];
        }
        most = (__extension__(__int128) 1 << 53) * (all_bits & -all_bits);
        size = positive > negative ? positive : negative;
        for (int subset = 0; subset < 1 << made.count && !rounds; subset++) {
            sum = 0;
            for (int k = 0; k < made.count; k++)
                sum += subset >> k & 1 ? made.p[k] : 0;
            rounds = (wide)(double)sum != sum;
        }
        enum row_verdict verdict = verdict_on(&made, &state);
        ck_assert_int_eq(verdict, size <= most ? ROW_CERTIFIED : ROW_SUM_CAN_ROUND);
        ck_assert(!(size <= most && rounds));
        ck_assert(!(size > 2 * most && !rounds));
    }
}
END_TEST

/* ---- single rows ----------------------------------------------------------------------------- */

START_TEST(rows_of_every_verdict)
{
    static const struct {
        int count;
        double a[4], x[4];
        enum row_verdict wanted;
    } rows[] = {
        {2, {0x1p52, 0x1p52}, {1, 1}, ROW_CERTIFIED},
        {2, {0x1p53, 1}, {1, 1}, ROW_SUM_CAN_ROUND},
        {2, {0x1p53, 1}, {1, -1}, ROW_CERTIFIED},
        {2, {-0x1p53, -1}, {1, 1}, ROW_SUM_CAN_ROUND},
        {3, {0x1p53, -0x1p53, 1}, {1, 1, 1}, ROW_SUM_CAN_ROUND},
        {3, {0x1p53, 1, 0x1p900}, {1, 1, 0}, ROW_SUM_CAN_ROUND},
        {3, {0x1p53, 2, 0x1p-900}, {1, 1, 0}, ROW_CERTIFIED},
        {1, {0.1}, {3}, ROW_PRODUCT_ROUNDS},
        {1, {0.1}, {4}, ROW_CERTIFIED},
        {2, {0x1.0000001p0, 0}, {0x1.0000001p0, 0}, ROW_PRODUCT_ROUNDS},
        {2, {0x1.000001p0, 0x1.000001p0}, {0x1.000001p0, -0x1.000001p0}, ROW_CERTIFIED},
        {2, {0, -0.0}, {5, 5}, ROW_CERTIFIED},
        {0, {0}, {0}, ROW_CERTIFIED},
        /* near the largest double */
        {2, {DBL_MAX, DBL_MAX}, {1, -1}, ROW_CERTIFIED},
        {2, {DBL_MAX, 0x1p971}, {1, 1}, ROW_SUM_CAN_ROUND},
        {2, {0x1p1023, 0x1p1023}, {1, 1}, ROW_SUM_CAN_ROUND},
        {2, {0x1p1023, 0x1p1022}, {1, 1}, ROW_CERTIFIED},
        {1, {0x1p600}, {0x1p424}, ROW_PRODUCT_ROUNDS},
        {1, {0x1p600}, {0x1p423}, ROW_CERTIFIED},
        /* and near the smallest */
        {2, {0x1p-1074, 0x3p-1074}, {1, 1}, ROW_CERTIFIED},
        {2, {0x1p-1074, 0x1p-1022}, {1, 1}, ROW_CERTIFIED},
        {2, {0x1p-1074, 0x1p-1021}, {1, 1}, ROW_SUM_CAN_ROUND},
        {1, {0x1p-537}, {0x1p-537}, ROW_CERTIFIED},
        {1, {0x1p-537}, {0x3p-538}, ROW_PRODUCT_ROUNDS},
        {1, {0x1p-1000}, {0x1p-1000}, ROW_PRODUCT_ROUNDS},
        {1, {0x1p-1074}, {0x1p-1074}, ROW_PRODUCT_ROUNDS},
        /* not finite */
        {2, {1, 1}, {1, NAN}, ROW_NOT_FINITE},
        {2, {1, 1}, {INFINITY, 1}, ROW_NOT_FINITE},
        {2, {0, 0.1}, {-INFINITY, 3}, ROW_NOT_FINITE},
    };
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        struct csr A;
        unsigned char verdict;
        double x[4] = {0};
        int64_t width = rows[k].count ? rows[k].count : 1;
        double none = NAN; /* general_from_dense: no entry */
        general_from_dense(1, width, rows[k].count ? rows[k].a : &none, &A);
        memcpy(x, rows[k].x, sizeof x);
        struct certificate made = certificate_of(&A, x, &verdict);
        ck_assert_msg(verdict == rows[k].wanted && made.rows[verdict] == 1,
                      "row %d of the list: %d instead of %d", (int)k, verdict, rows[k].wanted);
        ck_assert_int_eq(made.added_twice, 0);
        csr_free(&A);
    }
}
END_TEST

/* The mirrored entries count, of a skew-symmetric matrix with the other sign: row 2 has -2^53 + 1
 * then, which is certified, instead of 2^53 + 1. What is not finite in x is so in every row that
 * reads it. */
START_TEST(mirrored_entries_count)
{
    const double upper[] = {0, 0, 0x1p53, 0, /**/ 0, 0, 0, /**/ 0, 1, /**/ 0};
    double x[] = {1, 1, 1, 1};
    for (int skew = 0; skew < 2; skew++) {
        struct csr A;
        unsigned char verdicts[4];
        test_matrix_from_dense(4, upper, skew ? CSR_SKEW : CSR_SYMMETRIC, &A);
        x[3] = 1;
        struct certificate made = certificate_of(&A, x, verdicts);
        ck_assert_int_eq(verdicts[2], skew ? ROW_CERTIFIED : ROW_SUM_CAN_ROUND);
        ck_assert_int_eq(made.rows[ROW_CERTIFIED], skew ? 4 : 3);
        ck_assert_int_eq(made.added_twice, skew ? 0 : 1);
        x[3] = NAN;
        made = certificate_of(&A, x, verdicts);
        ck_assert(verdicts[0] == ROW_CERTIFIED && verdicts[1] == ROW_CERTIFIED);
        ck_assert(verdicts[2] == ROW_NOT_FINITE && verdicts[3] == ROW_NOT_FINITE);
        ck_assert_int_eq(made.added_twice, 0);
        csr_free(&A);
    }
}
END_TEST

/* ---- whole matrices -------------------------------------------------------------------------- */

/* The number of threads changes nothing, another numbering of the system moves the verdicts with
 * the rows. */
START_TEST(threads_and_numbering_change_no_verdict)
{
    uint64_t state = test_seed();
    for (int trial = 0; trial < 40; trial++) {
        struct csr A, permuted;
        struct error error;
        double x[N], x_permuted[N];
        unsigned char verdicts[N], other[N];
        few_bits_matrix(trial % 2 ? CSR_SKEW : CSR_SYMMETRIC, 20, trial, &state, &A);
        for (int64_t j = 0; j < A.n; j++)
            x[j] = few_bits(10, 2, &state);
        test_threads(1);
        struct certificate made = certificate_of(&A, x, verdicts);
        test_threads(1 + trial % 7);
        struct certificate again = certificate_of(&A, x, other);
        ck_assert_mem_eq(&made, &again, sizeof made);
        ck_assert_mem_eq(verdicts, other, (size_t)A.n);
        int32_t *number = test_random_numbering(A.n, &state);
        expect_ok(csr_permute(&A, number, &permuted, &error), &error);
        vector_permute(A.n, number, x, x_permuted);
        certificate_of(&permuted, x_permuted, other);
        for (int64_t i = 0; i < A.n; i++)
            ck_assert_int_eq(verdicts[i], other[number[i]]);
        memory_free(number);
        csr_free(&permuted);
        csr_free(&A);
    }
}
END_TEST

static enum status try_certificate(void *context, struct error *error)
{
    const struct csr *A = context;
    const double x[N] = {1, 2, 3};
    unsigned char verdicts[N];
    struct certificate made;
    return certificate_make(A, x, verdicts, &made, error);
}

START_TEST(failed_allocations_are_told)
{
    uint64_t state = test_seed();
    struct csr A;
    few_bits_matrix(CSR_SYMMETRIC, 3, 0, &state, &A);
    walk_allocation_failures(try_certificate, &A);
    csr_free(&A);
}
END_TEST

Suite *suite(void)
{
    const TTest *tests[] = {the_bound_is_sharp_but_for_a_factor_of_two,
                            rows_of_every_verdict,
                            mirrored_entries_count,
                            threads_and_numbering_change_no_verdict,
                            failed_allocations_are_told,
                            NULL};
    return suite_of("study/certificate", tests);
}
