/* Rows of very different lengths: their distribution against the rule of the header, summed up here term by
 * term, where their entries lie, and what is refused. Bounds on what is random are six standard deviations. */
#include "problem/patterns.h"

#include "support.h"

#include "problem/power_law.h"

#include <math.h>

static enum status make(const void *settings, const struct pattern_options *options, struct csr *A,
                        struct error *error)
{
    return power_law_create(settings, options, A, error);
}

/* P(e >= k), by the rule that draws e. */
static double chance_of(double tail, int64_t cap, int64_t k)
{
    if (k > cap)
        return 0;
    double reached = 1, chance = 0;
    for (int64_t from = 1; from <= cap; from *= 2, reached *= tail) {
        int64_t above = 2 * from - k; /* of the numbers from ... 2 from - 1 */
        above = above < 0 ? 0 : above > from ? from : above;
        chance += reached * (1 - tail) * (double)above / (double)from;
    }
    return chance + reached;
}

struct rule {
    double chance, base;
};

/* E e = the sum of P(e >= k), E e^2 = the sum of (2 k - 1) P(e >= k); then p by bisection. */
static struct rule rule_of(const struct power_law *law)
{
    int64_t cap = law->longest - (int64_t)ceil(law->mean);
    double first = 0, second = 0, wanted = law->deviation * law->deviation - 1.0 / 6;
    for (int64_t k = 1; k <= cap; k++) {
        double chance = chance_of(law->tail, cap, k);
        first += chance;
        second += (double)(2 * k - 1) * chance;
    }
    double low = 0, high = second / (2 * first * first); /* where p M2 - p^2 M1^2 is largest */
    for (int step = 0; step < 100; step++) {
        double p = (low + high) / 2;
        if (p * second - p * p * first * first < wanted)
            low = p;
        else
            high = p;
    }
    return (struct rule){low, law->mean - low * first};
}

static const struct power_law laws[] = {
    {200000, 8, 16, 1000, 0.5, 1, 0, 0},       {200000, 3.1, 25, 4700, 0.5, 0.3, 0, 0},
    {100000, 6.17, 4.44, 44, 0.5, 0.01, 0, 0}, {100000, 5, 3, 500, 0.3, 1, 0, 0},
    {100000, 20, 30, 1000, 0.7, 1, 0, 0},
};

/* The sum of (l - mean)^2 has the variance n E (l - mean)^4 <= n longest^2 deviation^2. */
START_TEST(lengths_have_the_mean_and_the_deviation)
{
    const int64_t seed = (int64_t)(test_seed() >> 1);
    for (size_t k = 0; k < sizeof laws / sizeof *laws; k++) {
        const struct power_law *law = &laws[k];
        struct made_pattern made = {make, law, {PATTERN_GENERAL, PATTERN_DRAWN, 1, seed}};
        struct csr A = pattern_make(&made);
        double n = (double)A.n, mean = (double)A.nnz / n, squares = 0, longest = 0;
        for (int64_t i = 0; i < A.n; i++) {
            double length = (double)(A.offsets[i + 1] - A.offsets[i]);
            longest = fmax(longest, length);
            squares += (length - law->mean) * (length - law->mean);
        }
        double wanted = law->deviation * law->deviation;
        ck_assert(longest <= (double)law->longest);
        ck_assert_msg(fabs(mean - law->mean) < 6 * law->deviation / sqrt(n), "law %zu: %g", k,
                      mean);
        ck_assert_msg(fabs(squares / n - wanted) <
                          1.0 / 6 + 6 * (double)law->longest * law->deviation / sqrt(n),
                      "law %zu: %g", k, squares / n);
        csr_free(&A);
    }
}
END_TEST

START_TEST(long_rows_are_as_many_as_the_rule_says)
{
    const int64_t seed = (int64_t)(test_seed() >> 1);
    for (size_t k = 0; k < sizeof laws / sizeof *laws; k++) {
        const struct power_law *law = &laws[k];
        struct rule rule = rule_of(law);
        int64_t whole = (int64_t)rule.base, cap = law->longest - (int64_t)ceil(law->mean);
        double rest = rule.base - (double)whole;
        struct made_pattern made = {make, law, {PATTERN_GENERAL, PATTERN_DRAWN, 1, seed}};
        struct csr A = pattern_make(&made);
        for (int64_t e = 1; e <= cap; e *= 2) {
            double count = 0;
            for (int64_t i = 0; i < A.n; i++)
                count += A.offsets[i + 1] - A.offsets[i] > whole + e;
            double share = rule.chance * (rest * chance_of(law->tail, cap, e) +
                                          (1 - rest) * chance_of(law->tail, cap, e + 1));
            double wanted = (double)A.n * share;
            ck_assert_msg(fabs(count - wanted) < 6 * sqrt(wanted) + 6,
                          "law %zu, above %d: %g rows, expected %g", k, (int)(whole + e), count,
                          wanted);
        }
        csr_free(&A);
    }
}
END_TEST

/* One entry in each of `length` equal pieces of the window. */
START_TEST(entries_lie_where_the_header_says)
{
    const int64_t seed = (int64_t)(test_seed() >> 1);
    static const struct power_law cases[] = {
        {3000, 8, 16, 500, 0.5, 1, 0, 0},
        {3000, 8, 16, 500, 0.5, 0.01, 0, 3},
        {3000, 8, 16, 500, 0.5, 1e-9, 0.2, 1},
        {5, 2, 1, 5, 0.5, 0.5, 0, 5},
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        const struct power_law *law = &cases[c];
        struct made_pattern made = {make, law, {PATTERN_GENERAL, PATTERN_DRAWN, 1, seed}};
        struct csr A = pattern_make(&made);
        for (int64_t i = 0; i < A.n; i++) {
            int64_t length = A.offsets[i + 1] - A.offsets[i];
            int64_t width = (int64_t)(law->span * (double)A.n);
            width = width > length ? width : length;
            int64_t begin = i - width / 2 < 0 ? 0 : i - width / 2;
            begin = begin + width > A.n ? A.n - width : begin;
            for (int64_t k = 0; k < length; k++) {
                int64_t column = A.columns[A.offsets[i] + k] - begin;
                ck_assert(column >= width * k / length && column < width * (k + 1) / length);
            }
        }
        csr_free(&A);
        expect_dealt(&made);
    }
}
END_TEST

START_TEST(empty_and_dense_rows_are_where_they_should)
{
    static const struct power_law law = {20000, 20, 10, 200, 0.5, 1, 0.9, 3};
    struct made_pattern made = {
        make, &law, {PATTERN_GENERAL, PATTERN_DRAWN, 1, (int64_t)(test_seed() >> 1)}};
    struct csr A = pattern_make(&made);
    static const int64_t dense[] = {3333, 10000, 16666};
    int64_t empty = 0, full = 0;
    for (int64_t i = 0; i < A.n; i++) {
        int64_t length = A.offsets[i + 1] - A.offsets[i];
        empty += length == 0;
        full += length == A.n;
    }
    ck_assert(fabs((double)empty - 18000) < 6 * sqrt(20000 * 0.9 * 0.1));
    ck_assert_int_eq(full, 3);
    for (int t = 0; t < 3; t++)
        ck_assert_int_eq(A.offsets[dense[t] + 1] - A.offsets[dense[t]], A.n);
    csr_free(&A);
    expect_dealt(&made);
}
END_TEST

/* What is mirrored from above is only about what the header says: within ten per cent. */
START_TEST(a_symmetric_one_is_about_what_was_asked)
{
    const int64_t seed = (int64_t)(test_seed() >> 1);
    static const struct power_law cases[] = {
        {200000, 8, 16, 500, 0.5, 1, 0, 0},
        {200000, 8, 16, 500, 0.5, 0.01, 0, 0},
        {100000, 6.17, 4.44, 44, 0.5, 0.2, 0, 0},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        const struct power_law *law = &cases[k];
        struct made_pattern made = {make, law, {PATTERN_SYMMETRIC, PATTERN_DRAWN, 1, seed}};
        struct csr A = pattern_make(&made), full;
        struct error error;
        expect_ok(csr_expand(&A, &full, &error), &error);
        double n = (double)A.n, mean = (double)full.nnz / n, squares = 0, longest = 0;
        for (int64_t i = 0; i < A.n; i++) {
            double length = (double)(full.offsets[i + 1] - full.offsets[i]);
            squares += (length - mean) * (length - mean);
            longest = fmax(longest, length);
        }
        double deviation = sqrt(squares / n);
        ck_assert_msg(fabs(mean / law->mean - 1) < 0.1, "law %zu: mean %g", k, mean);
        ck_assert_msg(fabs(deviation / law->deviation - 1) < 0.1, "law %zu: deviation %g", k,
                      deviation);
        ck_assert_msg(fabs(longest / (double)law->longest - 1) < 0.3, "law %zu: longest %g", k,
                      longest);
        int64_t outside = 0;
        for (int64_t i = 0; i < A.n; i++) {
            int64_t width = (int64_t)(law->span * n / 2), length = A.offsets[i + 1] - A.offsets[i];
            outside += A.columns[A.offsets[i + 1] - 1] - i > (width > length ? width : length);
        }
        ck_assert_int_eq(outside, 0);
        csr_free(&A);
        csr_free(&full);
    }
}
END_TEST

START_TEST(the_same_bits_everywhere)
{
    static const struct power_law law = {3000, 8, 16, 500, 0.5, 0.4, 0, 0};
    struct made_pattern made = {make, &law, {PATTERN_SYMMETRIC, PATTERN_DRAWN, 1, 42}};
    expect_reproducible(&made, UINT64_C(0x14107581bac8972b));
    made.options.kind = PATTERN_GENERAL;
    expect_reproducible(&made, UINT64_C(0x256f0ec9d8a0a057));
    made.options.rows = PATTERN_EQUAL;
    expect_reproducible(&made, UINT64_C(0x25bd85796223dcbe));
}
END_TEST

START_TEST(bad_numbers_are_refused)
{
    static const struct {
        struct power_law law;
        enum pattern_kind kind;
        const char *text;
    } bad[] = {
        {{0, 8, 16, 100, 0.5, 1, 0, 0}, PATTERN_GENERAL, "problem.n"},
        {{(int64_t)1 << 31, 8, 16, 100, 0.5, 1, 0, 0}, PATTERN_GENERAL, "problem.n"},
        {{50, 51, 0, 100, 0.5, 1, 0, 0}, PATTERN_GENERAL, "problem.mean"},
        {{50, NAN, 0, 100, 0.5, 1, 0, 0}, PATTERN_GENERAL, "problem.mean"},
        {{50, 3, -1, 100, 0.5, 1, 0, 0}, PATTERN_GENERAL, "problem.deviation"},
        {{50, 3, 1, 0, 0.5, 1, 0, 0}, PATTERN_GENERAL, "problem.longest"},
        {{50, 3, 1, 9, 0, 1, 0, 0}, PATTERN_GENERAL, "problem.tail"},
        {{50, 3, 1, 9, 1, 1, 0, 0}, PATTERN_GENERAL, "problem.tail"},
        {{50, 3, 1, 9, 0.5, 0, 0, 0}, PATTERN_GENERAL, "problem.span"},
        {{50, 3, 1, 9, 0.5, 1.5, 0, 0}, PATTERN_GENERAL, "problem.span"},
        {{50, 3, 1, 9, 0.5, 1, -1, 0}, PATTERN_GENERAL, "problem.empty"},
        {{50, 3, 1, 9, 0.5, 1, 0, 51}, PATTERN_GENERAL, "problem.dense"},
        {{50, 3, 1, 9, 0.5, 1, 0.5, 0}, PATTERN_SYMMETRIC, "only with problem.kind = \"general\""},
        {{50, 3, 1, 9, 0.5, 1, 0, 1}, PATTERN_SYMMETRIC, "only with problem.kind = \"general\""},
        {{50, 3, 20, 9, 0.5, 1, 0, 0}, PATTERN_GENERAL, "no rows of that kind"},
        {{50, 9, 3, 9, 0.5, 1, 0, 0}, PATTERN_GENERAL, "no rows of that kind"},
        {{50, 8, 0, 5, 0.5, 1, 0, 0}, PATTERN_GENERAL, "no rows of that kind"},
        {{50, 0.5, 0, 5, 0.5, 1, 0, 0}, PATTERN_SYMMETRIC, "no rows of that kind"},
    };
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        struct made_pattern made = {make, &bad[k].law, {bad[k].kind, PATTERN_DRAWN, 1, 1}};
        expect_refused(&made, bad[k].text);
    }
}
END_TEST

Suite *suite(void)
{
    const TTest *tests[] = {lengths_have_the_mean_and_the_deviation,
                            long_rows_are_as_many_as_the_rule_says,
                            entries_lie_where_the_header_says,
                            empty_and_dense_rows_are_where_they_should,
                            a_symmetric_one_is_about_what_was_asked,
                            the_same_bits_everywhere,
                            bad_numbers_are_refused,
                            NULL};
    return suite_of("problem/power_law", tests);
}
