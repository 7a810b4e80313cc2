/* Rows of very different lengths: their distribution against the rule of the header, summed up here
 * term by term, where their entries lie, and what is refused.
 *
 * Bounds on what is random are Bernstein's: a sum of independent numbers with the variance V, none
 * of them further than M from its mean, is further than t from its own with a chance of at most 2
 * exp(-t^2 / (2 (V + M t / 3))). Here that is 2 e^-30, 2e-13, and with some 10,000 bounds a run
 * fails by chance once in 5e8. */
#include "problem/patterns.h"

#include "support.h"

#include "problem/generators.h"

#include <math.h>

static enum status make(const void *settings, const struct pattern_options *options, struct csr *A,
                        struct error *error)
{
    struct power_law made = *(const struct power_law *)settings;
    made.pattern = *options;
    return problem_create(&problem_power_law, &made, A, error);
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

enum { LONGEST = 5000 };

/* The lengths that are drawn: P(length >= k) for k = 0 ... most, and 0 beyond. */
struct drawn {
    double chance[LONGEST + 1];
    int64_t most;
};

/* E e = the sum of P(e >= k), E e^2 = the sum of (2 k - 1) P(e >= k); then p by bisection. */
static void draw(double mean, double variance, int64_t cap, double tail, struct drawn *drawn)
{
    double first = 0, second = 0, wanted = variance - 1.0 / 6;
    for (int64_t k = 1; k <= cap; k++) {
        double chance = chance_of(tail, cap, k);
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
    double base = mean - low * first, rest = base - floor(base);
    int64_t whole = (int64_t)base;
    drawn->most = whole + cap + (rest > 0);
    ck_assert_int_le(drawn->most, LONGEST);
    for (int64_t k = 0; k <= drawn->most; k++) { /* e >= k - whole, or one less */
        double one_less = k <= whole + 1 ? 1 : low * chance_of(tail, cap, k - whole - 1);
        double as_many = k <= whole ? 1 : low * chance_of(tail, cap, k - whole);
        drawn->chance[k] = rest * one_less + (1 - rest) * as_many;
    }
}

/* E (length - about)^power */
static double moment(const struct drawn *drawn, double about, int power)
{
    double sum = pow(-about, power);
    for (int64_t k = 1; k <= drawn->most; k++)
        sum += (pow((double)k - about, power) - pow((double)(k - 1) - about, power)) *
               drawn->chance[k];
    return sum;
}

/* t for a chance of 2 e^-exponent. */
static double bernstein(double variance, double most, double exponent)
{
    double third = exponent * most / 3;
    return third + sqrt(third * third + 2 * exponent * variance);
}

static const double EXPONENT = 30;

static double square(double x)
{
    return x * x;
}

/* That the lengths of rows 0 ... rows - 1, each but for `besides` entries, were drawn so, in
 * number, sum, and squares. */
static void expect_drawn(const struct csr *A, int64_t rows, int64_t besides,
                         const struct drawn *drawn, double mean, double variance)
{
    double n = (double)rows, sum = 0, squares = 0, most = (double)drawn->most;
    double exact = moment(drawn, mean, 2), fourth = moment(drawn, mean, 4);
    ck_assert(fabs(moment(drawn, mean, 1)) < 1e-9 * mean);
    ck_assert(fabs(exact - variance) <= 1.0 / 6 + 1e-9 * variance); /* the rounding of base */
    struct error error;
    int64_t *count = memory_zeros(drawn->most + 2, sizeof *count, "lengths", &error);
    ck_assert_ptr_nonnull(count);
    for (int64_t i = 0; i < rows; i++) {
        int64_t length = A->offsets[i + 1] - A->offsets[i] - besides;
        ck_assert_int_le(length, drawn->most);
        count[length]++;
        sum += (double)length - mean;
        squares += square((double)length - mean);
    }
    ck_assert_msg(fabs(sum) <= bernstein(n * exact, most, EXPONENT), "a mean of %g, expected %g",
                  mean + sum / n, mean);
    ck_assert_msg(fabs(squares - n * exact) <=
                      bernstein(n * (fourth - exact * exact), most * most, EXPONENT),
                  "a variance of %g, expected %g", squares / n, exact);
    for (int64_t k = drawn->most; k >= 0; k--) {
        count[k] += count[k + 1];
        double wanted = n * drawn->chance[k];
        ck_assert_msg(fabs((double)count[k] - wanted) <=
                          bernstein(wanted * (1 - drawn->chance[k]), 1, EXPONENT),
                      "%d rows of at least %d, expected %g", (int)count[k], (int)k, wanted);
    }
    memory_free(count);
}

static const struct power_law laws[] = {
    {200000, 8, 16, 1000, 0.5, 1, 0, .dense = 0},
    {200000, 3.1, 25, 4700, 0.5, 0.3, 0, .dense = 0},
    {100000, 6.17, 4.44, 44, 0.5, 0.01, 0, .dense = 0},
    {100000, 5, 3, 500, 0.3, 1, 0, .dense = 0},
    {100000, 20, 30, 1000, 0.7, 1, 0, .dense = 0},
};

START_TEST(lengths_are_drawn_by_the_rule)
{
    static struct drawn drawn;
    const int64_t seed = (int64_t)(test_seed() >> 1);
    for (size_t k = 0; k < sizeof laws / sizeof *laws; k++) {
        const struct power_law *law = &laws[k];
        struct made_pattern made = {make, law, {PATTERN_GENERAL, PATTERN_DRAWN, 1, seed}};
        struct csr A = pattern_make(&made);
        double variance = law->deviation * law->deviation;
        draw(law->mean, variance, law->longest - (int64_t)ceil(law->mean), law->tail, &drawn);
        ck_assert_int_le(drawn.most, law->longest);
        expect_drawn(&A, A.n, 0, &drawn, law->mean, variance);
        csr_free(&A);
    }
}
END_TEST

/* One entry in each of `length` equal pieces of the window. */
START_TEST(entries_lie_where_the_header_says)
{
    const int64_t seed = (int64_t)(test_seed() >> 1);
    static const struct power_law cases[] = {
        {3000, 8, 16, 500, 0.5, 1, 0, .dense = 0},
        {3000, 8, 16, 500, 0.5, 0.01, 0, .dense = 3},
        {3000, 8, 16, 500, 0.5, 1e-9, 0.2, .dense = 1},
        {5, 2, 1, 5, 0.5, 0.5, 0, .dense = 5},
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
    static const struct power_law law = {20000, 20, 10, 200, 0.5, 1, 0.9, .dense = 3};
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
    ck_assert(fabs((double)empty - 18000) <= bernstein(20000 * 0.9 * 0.1, 1, EXPONENT));
    ck_assert_int_eq(full, 3);
    for (int t = 0; t < 3; t++)
        ck_assert_int_eq(A.offsets[dense[t] + 1] - A.offsets[dense[t]], A.n);
    csr_free(&A);
    expect_dealt(&made);
}
END_TEST

/* Of what is mirrored to row i, given the lengths of the rows above it: each of them has an entry
 * there with a chance of its own, independent of the others: the mean and the variance. */
struct mirrored {
    double mean, variance;
};

/* Of all n rows. Row j has one entry in each of its pieces: its chance is added where the piece
 * begins and taken off behind it, and what is left are sums from left to right. */
static struct mirrored *mirrored_of(const struct csr *A, const struct power_law *law)
{
    struct error error;
    struct mirrored *row = memory_zeros(A->n + 1, sizeof *row, "what is mirrored", &error);
    ck_assert_ptr_nonnull(row);
    for (int64_t j = 0; j < A->n; j++) {
        int64_t length = A->offsets[j + 1] - A->offsets[j] - 1, left = A->n - 1 - j;
        int64_t width = (int64_t)(law->span * (double)A->n / 2);
        width = width < length ? length : width;
        width = width < left ? width : left;
        for (int64_t k = 0; k < length; k++) {
            int64_t from = width * k / length, to = width * (k + 1) / length;
            double chance = 1 / (double)(to - from);
            row[j + 1 + from].mean += chance;
            row[j + 1 + from].variance += chance * (1 - chance);
            row[j + 1 + to].mean -= chance;
            row[j + 1 + to].variance -= chance * (1 - chance);
        }
    }
    for (int64_t i = 1; i < A->n; i++) {
        row[i].mean += row[i - 1].mean;
        row[i].variance += row[i - 1].variance;
    }
    return row;
}

/* At least E (c + N)^4, N the number of independent events that happen, m its mean: its factorial
 * moments, E N (N - 1) ... of k factors, are at most m^k, which are those of a Poisson number. */
static double fourth_moment(double c, double m)
{
    double second = m * m + m, third = m * (m * m + 3 * m + 1);
    double fourth = m * (m * m * m + 6 * m * m + 7 * m + 1);
    return c * c * (c * c + 4 * c * m + 6 * second) + 4 * c * third + fourth;
}

/* The rows' own parts, right of the diagonal, are independent and drawn by the rule; the last rows
 * have no room for all of theirs and are left out there. Given the own parts, what is mirrored to a
 * row is a sum of independent events, and the sums of the rows are negatively associated, because a
 * piece of a row puts one entry somewhere (Joag-Dev and Proschan 1983). So Bernstein's bound holds
 * for each of them, with a chance of 2 e^-30 / n, and for the sum of the squares of the lengths,
 * which grow with them. That bounds the longest row from above, by its own part and by what may be
 * mirrored; from below, some row's own part is so long that all are shorter with a chance of
 * e^-30. */
START_TEST(a_symmetric_one_is_about_what_was_asked)
{
    static struct drawn drawn;
    const int64_t seed = (int64_t)(test_seed() >> 1);
    static const struct power_law cases[] = {
        {200000, 8, 16, 500, 0.5, 1, 0, .dense = 0},
        {200000, 8, 16, 500, 0.5, 0.01, 0, .dense = 0},
        {100000, 6.17, 4.44, 44, 0.5, 0.2, 0, .dense = 0},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        const struct power_law *law = &cases[k];
        struct made_pattern made = {make, law, {PATTERN_SYMMETRIC, PATTERN_DRAWN, 1, seed}};
        struct csr A = pattern_make(&made), full;
        struct error error;
        expect_ok(csr_expand(&A, &full, &error), &error);
        double u = (law->mean - 1) / 2, n = (double)A.n, longest = 0;
        double variance = square(law->deviation) - u - 7.0 / 12 * u * u * law->span;
        int64_t most = law->longest - 1 - (int64_t)ceil(u);
        draw(u, variance, most - (int64_t)ceil(u), law->tail, &drawn);
        ck_assert_int_le(drawn.most, most);
        expect_drawn(&A, A.n - drawn.most, 1, &drawn, u, variance);
        struct mirrored *mirrored = mirrored_of(&A, law);
        double squares = 0, wanted = 0, spread = 0, furthest = 0;
        for (int64_t i = 0; i < A.n; i++) {
            double own = (double)(A.offsets[i + 1] - A.offsets[i]);
            double length = (double)(full.offsets[i + 1] - full.offsets[i]);
            double mean = mirrored[i].mean, middle = own + mean;
            double off = bernstein(mirrored[i].variance, 1, EXPONENT + log(n));
            ck_assert_msg(fabs(length - middle) <= off, "law %zu, row %d: %g, expected %g", k,
                          (int)i, length, middle);
            longest = fmax(longest, length);
            squares += length * length;
            wanted += middle * middle + mirrored[i].variance;
            spread += fourth_moment(own, mean) - square(middle * middle + mirrored[i].variance);
            furthest = fmax(furthest, square(middle + off) - square(middle));
        }
        ck_assert_msg(fabs(squares - wanted) <= bernstein(spread, furthest, EXPONENT),
                      "law %zu: squares of %g, expected %g", k, squares / n, wanted / n);
        int64_t reached = drawn.most;
        while ((n - (double)drawn.most) * log1p(-drawn.chance[reached]) > -EXPONENT)
            reached--;
        ck_assert_msg(longest > (double)reached, "law %zu: longest %g", k, longest);
        memory_free(mirrored);
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
    static const struct power_law law = {3000, 8, 16, 500, 0.5, 0.4, 0, .dense = 0};
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
        {{0, 8, 16, 100, 0.5, 1, 0, .dense = 0}, PATTERN_GENERAL, "problem.n"},
        {{(int64_t)1 << 31, 8, 16, 100, 0.5, 1, 0, .dense = 0}, PATTERN_GENERAL, "problem.n"},
        {{50, 51, 0, 100, 0.5, 1, 0, .dense = 0}, PATTERN_GENERAL, "problem.mean"},
        {{50, NAN, 0, 100, 0.5, 1, 0, .dense = 0}, PATTERN_GENERAL, "problem.mean"},
        {{50, 3, -1, 100, 0.5, 1, 0, .dense = 0}, PATTERN_GENERAL, "problem.deviation"},
        {{50, 3, 1, 0, 0.5, 1, 0, .dense = 0}, PATTERN_GENERAL, "problem.longest"},
        {{50, 3, 1, 9, 0, 1, 0, .dense = 0}, PATTERN_GENERAL, "problem.tail"},
        {{50, 3, 1, 9, 1, 1, 0, .dense = 0}, PATTERN_GENERAL, "problem.tail"},
        {{50, 3, 1, 9, 0.5, 0, 0, .dense = 0}, PATTERN_GENERAL, "problem.span"},
        {{50, 3, 1, 9, 0.5, 1.5, 0, .dense = 0}, PATTERN_GENERAL, "problem.span"},
        {{50, 3, 1, 9, 0.5, 1, -1, .dense = 0}, PATTERN_GENERAL, "problem.empty"},
        {{50, 3, 1, 9, 0.5, 1, 0, .dense = 51}, PATTERN_GENERAL, "problem.dense"},
        {{50, 3, 1, 9, 0.5, 1, 0.5, .dense = 0},
         PATTERN_SYMMETRIC,
         "only with problem.kind = \"general\""},
        {{50, 3, 1, 9, 0.5, 1, 0, .dense = 1},
         PATTERN_SYMMETRIC,
         "only with problem.kind = \"general\""},
        {{50, 3, 20, 9, 0.5, 1, 0, .dense = 0}, PATTERN_GENERAL, "no rows of that kind"},
        {{50, 9, 3, 9, 0.5, 1, 0, .dense = 0}, PATTERN_GENERAL, "no rows of that kind"},
        {{50, 8, 0, 5, 0.5, 1, 0, .dense = 0}, PATTERN_GENERAL, "no rows of that kind"},
        {{50, 0.5, 0, 5, 0.5, 1, 0, .dense = 0}, PATTERN_SYMMETRIC, "no rows of that kind"},
    };
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        struct made_pattern made = {make, &bad[k].law, {bad[k].kind, PATTERN_DRAWN, 1, 1}};
        expect_refused(&made, bad[k].text);
    }
}
END_TEST

Suite *suite(void)
{
    const TTest *tests[] = {lengths_are_drawn_by_the_rule,
                            entries_lie_where_the_header_says,
                            empty_and_dense_rows_are_where_they_should,
                            a_symmetric_one_is_about_what_was_asked,
                            the_same_bits_everywhere,
                            bad_numbers_are_refused,
                            NULL};
    return suite_of("problem/power_law", tests);
}
