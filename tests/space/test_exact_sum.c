/* The exact sums on the host: the integers, the one rounding and the windows, against results that
 * rational arithmetic gave and against a slow sum of another make. */
#include "support.h"

#include "space/exact.h"
#include "space/sum/cpu_exact.h"
#include "space/sum/exact_window.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static double *vector(int64_t n)
{
    struct error error;
    double *v = memory_array(n, sizeof *v, "a test vector", &error);
    ck_assert_ptr_nonnull(v);
    return v;
}

static void expect_bits(double got, double wanted, const char *what, int64_t n)
{
    ck_assert_msg(memcmp(&got, &wanted, sizeof got) == 0, "%s, n = %d: %a instead of %a", what,
                  (int)n, got, wanted);
}

static double computed(int64_t n, const double *x, const double *y)
{
    struct exact_sum sum = {.special = 0};
    exact_sum_dot(&sum, x, y, n);
    return exact_sum_round(&sum);
}

/* Each product as an integer, without the windows. */
static double one_by_one(int64_t n, const double *x, const double *y)
{
    int64_t limbs[EXACT_LIMBS] = {0};
    unsigned int special = 0;
    for (int64_t i = 0; i < n; i++) {
        struct exact_term term;
        unsigned int what = exact_multiply(x[i], y[i], &term);
        special |= what;
        if (!what)
            exact_add(limbs, EXACT_LOWEST, &term);
    }
    return exact_result(limbs, EXACT_LIMBS, EXACT_LOWEST, special);
}

START_TEST(hard_cases_are_rounded_once)
{
    for (int k = 0; k < exact_cases_count; k++) {
        double x[8], y[8], padded_x[300] = {0}, padded_y[300] = {0};
        int pairs = exact_cases[k].pairs;
        for (int first = 0; first < pairs;
             first++) { /* rotated, and each pair's factors exchanged */
            for (int i = 0; i < pairs; i++) {
                x[i] = exact_cases[k].xy[2 * ((i + first) % pairs)];
                y[i] = exact_cases[k].xy[2 * ((i + first) % pairs) + 1];
                padded_x[41 * i] = x[i];
                padded_y[41 * i] = y[i];
            }
            expect_bits(computed(pairs, x, y), exact_cases[k].sum, exact_cases[k].what, k);
            expect_bits(computed(pairs, y, x), exact_cases[k].sum, exact_cases[k].what, k);
            expect_bits(one_by_one(pairs, x, y), exact_cases[k].sum, exact_cases[k].what, k);
            expect_bits(computed(300, padded_x, padded_y), exact_cases[k].sum, exact_cases[k].what,
                        k);
            expect_bits(exact_reference(pairs, x, y), exact_cases[k].sum, "the reference", k);
        }
    }
}
END_TEST

START_TEST(every_kind_is_the_reference)
{
    static const int64_t lengths[] = {1, 2, 3, 7, 8, 9, 31, 100, 479, 480, 481, 967, 3000};
    uint64_t state = test_seed();
    double *x = vector(3000), *y = vector(3000);
    for (enum exact_kind kind = 0; kind < EXACT_KINDS; kind++) {
        for (int repeat = 0; repeat < 20; repeat++) {
            int64_t n = repeat < 13 ? lengths[repeat] : 1 + test_random_below(&state, 1000);
            exact_vectors(kind, n, x, y, &state);
            double wanted = exact_reference(n, x, y);
            ck_assert_msg(kind != EXACT_FULL || isfinite(wanted), "all that is large cancels");
            expect_bits(computed(n, x, y), wanted, "sum", 10000 * (int64_t)kind + n);
            expect_bits(one_by_one(n, x, y), wanted, "one by one", 10000 * (int64_t)kind + n);
            expect_bits(computed(n, x, x), exact_reference(n, x, x), "norm", n);
            exact_shuffle(n, x, y, &state);
            expect_bits(computed(n, x, y), wanted, "in another order", n);
        }
    }
    memory_free(x);
    memory_free(y);
}
END_TEST

/* Sums with a tie at every place: 1 and a half of its last bit, then what decides far below. */
START_TEST(ties_are_found_at_every_exponent)
{
    for (int exponent = -1074; exponent <= 1023; exponent += 7) {
        for (int last = 0; last < 2; last++) {
            double ulp = exponent - 52 < -1074 ? 0x1p-1074 : ldexp(1, exponent - 52);
            double v = ldexp(1, exponent) + last * ulp;
            double up = v + ulp, even = fmod(v / ulp, 2) == 0 ? v : up;
            for (int far = -1; far <= 1; far++) {
                double x[] = {v, ulp, far * 0x1p-1074}, y[] = {1, 0.5, 0x1p-1074};
                double wanted = far < 0 ? v : far > 0 ? up : even;
                expect_bits(computed(3, x, y), wanted, "a tie", exponent);
                x[0] = -v;
                x[1] = -ulp;
                x[2] = -x[2];
                expect_bits(computed(3, x, y), -wanted, "a negative tie", exponent);
            }
        }
    }
}
END_TEST

/* A tie broken by one bit, at every distance from it and every place in a limb. */
START_TEST(ties_are_broken_at_every_distance)
{
    for (int exponent = 0; exponent < 40; exponent++)
        for (int distance = 54; distance < 260; distance++)
            for (int sign = -1; sign <= 1; sign += 2) {
                double v = ldexp(1, exponent), half = ldexp(1, exponent - 53);
                double x[] = {v, half, sign * ldexp(1, exponent - distance)}, y[] = {1, 1, 1};
                double wanted = sign < 0 ? v : v + 2 * half;
                expect_bits(computed(3, x, y), wanted, "a broken tie", distance);
                expect_bits(one_by_one(3, x, y), wanted, "a broken tie", distance);
            }
}
END_TEST

START_TEST(not_a_number_and_infinities_have_no_order)
{
    static const struct {
        double xy[8];
        double sum;
    } cases[] = {{{NAN, 1, 1, 1, 1, 1, 1, 1}, NAN},
                 {{INFINITY, 0, 1, 1, 1, 1, 1, 1}, NAN},
                 {{-0.0, INFINITY, INFINITY, 1, 1, 1, 1, 1}, NAN},
                 {{INFINITY, NAN, 1, 1, 1, 1, 1, 1}, NAN},
                 {{INFINITY, 1, -INFINITY, 1, 1, 1, 1, 1}, NAN},
                 {{INFINITY, 1, INFINITY, -1, NAN, 0, 1, 1}, NAN},
                 {{INFINITY, 1, 1, 1, INFINITY, 2, 1, 1}, INFINITY},
                 {{INFINITY, -1, 1e300, 1e300, 1, 1, 1, 1}, -INFINITY},
                 {{-INFINITY, -INFINITY, -1e300, 1e300, 0, 0, 1, 1}, INFINITY},
                 {{0x1p-1074, -INFINITY, 1, 1, 1, 1, 1, 1}, -INFINITY}};
    const uint64_t quiet = UINT64_C(0x7ff8) << 48;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        for (int first = 0; first < 4; first++) {
            double x[900] = {0}, y[900] = {0}, wanted = cases[k].sum;
            if (isnan(wanted)) /* one NaN for all */
                memcpy(&wanted, &quiet, sizeof wanted);
            for (int i = 0; i < 4; i++) {
                x[i] = x[i + 850] = cases[k].xy[2 * ((i + first) % 4)];
                y[i] = y[i + 850] = cases[k].xy[2 * ((i + first) % 4) + 1];
            }
            expect_bits(computed(4, x, y), wanted, "special", (int64_t)k);
            expect_bits(computed(900, x, y), wanted, "special, spread", (int64_t)k);
            expect_bits(computed(900, y, x), wanted, "special, exchanged", (int64_t)k);
        }
    }
    expect_bits(computed(0, NULL, NULL), 0, "nothing", 0);
}
END_TEST

/* The sums of the threads may be joined in any order, and settled whenever one likes. */
START_TEST(parts_may_be_joined_in_any_order)
{
    enum { N = 2000, PARTS = 5 };
    uint64_t state = test_seed();
    double *x = vector(N), *y = vector(N);
    for (enum exact_kind kind = 0; kind < EXACT_KINDS; kind++) {
        exact_vectors(kind, N, x, y, &state);
        double wanted = exact_reference(N, x, y);
        for (int order = 0; order < PARTS; order++) {
            struct exact_sum total = {.special = 0};
            for (int k = 0; k < PARTS; k++) {
                int64_t begin = (k * 3 + order) % PARTS * (N / PARTS);
                struct exact_sum part = {.special = 0};
                exact_sum_dot(&part, x + begin, y + begin, N / PARTS / 2);
                if (k % 2)
                    exact_settle(part.limbs, EXACT_LIMBS);
                exact_sum_dot(&part, x + begin + N / PARTS / 2, y + begin + N / PARTS / 2,
                              N / PARTS / 2);
                exact_sum_join(&total, &part);
            }
            expect_bits(exact_sum_round(&total), wanted, "joined", order);
        }
    }
    memory_free(x);
    memory_free(y);
}
END_TEST

/* As many additions as are allowed, of the largest digits there are: taken 2^31 - 1 times at
 * once. */
START_TEST(the_limbs_have_room_for_the_additions)
{
    for (int sign = -1; sign <= 1; sign += 2) {
        int64_t limbs[EXACT_LIMBS] = {0}, digits[EXACT_TERM_LIMBS];
        struct exact_term term = {(UINT64_C(1) << 42) - 1, UINT64_MAX, -100, sign < 0};
        for (int k = 0; k < 32; k++) { /* every shift, so that limbs get digits from several */
            term.exponent = -100 + k;
            int first = exact_digits(&term, EXACT_LOWEST, digits);
            for (int d = 0; d < EXACT_TERM_LIMBS; d++)
                ck_assert(llabs(digits[d]) <= UINT32_MAX);
            for (int d = 0; d < EXACT_TERM_LIMBS; d++)
                limbs[first + d] += digits[d] * (EXACT_ADDITIONS / 32);
        }
        double all = ldexp(1, 106) - ldexp(1, 53); /* 2^106 - 1, rounded downwards */
        double sum = 0;
        for (int k = 0; k < 32; k++)
            sum += ldexp(1, 6 + k);
        int64_t settled[EXACT_LIMBS];
        memcpy(settled, limbs, sizeof limbs);
        exact_settle(settled, EXACT_LIMBS);
        for (int j = 0; j < EXACT_LIMBS - 1; j++)
            ck_assert(settled[j] >= 0 && settled[j] <= UINT32_MAX);
        ck_assert(settled[EXACT_LIMBS - 1] == (sign < 0 ? -1 : 0));
        double wanted = sign * sum * (EXACT_ADDITIONS / 32);
        double got = exact_round(limbs, EXACT_LIMBS, EXACT_LOWEST);
        ck_assert(all > 0 && fabs(got - wanted) <= 0x1p-50 * fabs(wanted));
        expect_bits(exact_round(settled, EXACT_LIMBS, EXACT_LOWEST), got, "settled", sign);
    }
    /* the sum that counts for itself settles in time */
    struct exact_sum sum = {.additions = EXACT_ADDITIONS - 5};
    double one[100], three = 3;
    for (int i = 0; i < 100; i++)
        one[i] = 1;
    sum.limbs[0] = INT64_MAX - 20; /* 2^-2148 times it */
    exact_sum_dot(&sum, one, one, 100);
    ck_assert(sum.limbs[0] >= 0 && sum.limbs[0] <= UINT32_MAX);
    ck_assert_int_le(sum.additions, 101);
    exact_sum_dot(&sum, &three, &three, 1);
    expect_bits(exact_sum_round(&sum), 109, "after settling", 101);
}
END_TEST

/* A window of few limbs for terms of known exponents gives what the widest one gives, also where
 * the sum outgrows its digits. */
START_TEST(narrow_windows_are_enough)
{
    enum { COUNT = 8, N = 300 };
    uint64_t state = test_seed();
    double x[N], y[N];
    for (int repeat = 0; repeat < 200; repeat++) {
        int lowest = -1000 + (int)test_random_below(&state, 1500);
        int64_t narrow[COUNT] = {0}, other[COUNT] = {0};
        for (int i = 0; i < N; i++) { /* lowest <= exponent < lowest + 32 (8 - 4) */
            struct exact_term term;
            int exponent = lowest + (int)test_random_below(&state, 32 * (COUNT - 4));
            x[i] = ldexp(1 + test_random(&state), exponent / 2 + 52);
            y[i] = ldexp(-1 - test_random(&state), exponent - exponent / 2 + 52);
            if (repeat % 2 && i % 2 && i < N - 1) {
                x[i] = -x[i - 1];
                y[i] = y[i - 1];
            }
            ck_assert_int_eq(exact_multiply(x[i], y[i], &term), 0);
            ck_assert(term.exponent >= lowest && term.exponent < lowest + 32 * (COUNT - 4));
            exact_add(i % 3 ? narrow : other, lowest, &term);
        }
        exact_settle(other, COUNT);
        exact_merge(narrow, other, COUNT);
        expect_bits(exact_round(narrow, COUNT, lowest), one_by_one(N, x, y), "narrow", lowest);
    }
    int64_t whole[3] = {-1, -1, 5}, top[2] = {0, INT64_MAX - UINT32_MAX}, none[1] = {0};
    expect_bits(exact_round(whole, 3, -64), 5 - 0x1p-32, "digits", 3);
    expect_bits(exact_round(top, 2, -64), 0x1p31 - 1, "a last limb that is full", 2);
    int64_t below[2] = {0, -INT64_C(0x10000000000)};
    expect_bits(exact_round(below, 2, -64), -256, "digits that are zero below the sign", 2);
    expect_bits(exact_round(none, 0, 0), 0, "no limb", 0);
}
END_TEST

START_TEST(integers_are_terms)
{
    static const int64_t values[] = {0, 1, -1, 12345678901234567, INT64_MAX, INT64_MIN};
    for (int k = 0; k < 6; k++) {
        int64_t limbs[EXACT_LIMBS] = {0};
        struct exact_term term = exact_integer(values[k], -37);
        exact_add(limbs, EXACT_LOWEST, &term);
        expect_bits(exact_round(limbs, EXACT_LIMBS, EXACT_LOWEST), ldexp((double)values[k], -37),
                    "integer", k);
    }
}
END_TEST

/* A number is cut into units without a rest exactly when it is a multiple of the last one. */
START_TEST(windows_leave_what_does_not_fit)
{
    uint64_t state = test_seed();
    for (int repeat = 0; repeat < 10000; repeat++) {
        double p = ldexp(2 * test_random(&state) - 1, (int)test_random_below(&state, 1700) - 750);
        int unit = exact_window_unit(exact_bits(fabs(p)), EXACT_LEVELS);
        if (p == 0 || unit == EXACT_NO_UNIT) {
            ck_assert_msg(p == 0 || fabs(p) < 0x1p-770, "%a", p);
            continue;
        }
        int lowest = unit - EXACT_LEVEL * (EXACT_LEVELS - 1);
        double rest = p;
        int64_t limbs[EXACT_LIMBS] = {0};
        for (int k = 0; k < EXACT_LEVELS; k++) {
            double begin = exact_window_begin(unit - EXACT_LEVEL * k), level = begin;
            rest = exact_window_take(&level, rest);
            int64_t taken = exact_window_taken(level, begin);
            ck_assert(llabs(taken) <= INT64_C(1) << (EXACT_LEVEL - 1));
            struct exact_term term = exact_integer(taken, unit - EXACT_LEVEL * k);
            exact_add(limbs, EXACT_LOWEST, &term);
        }
        expect_bits(exact_round(limbs, EXACT_LIMBS, EXACT_LOWEST), p, "cut", repeat);
        ck_assert(rest == 0);
        double below = ldexp(1, lowest - 1);
        for (int k = 0; k < EXACT_LEVELS; k++) {
            double level = exact_window_begin(unit - EXACT_LEVEL * k);
            below = exact_window_take(&level, below);
        }
        ck_assert(below != 0);
    }
    ck_assert_int_eq(exact_window_unit(exact_bits(INFINITY), EXACT_LEVELS), EXACT_NO_UNIT);
    ck_assert_int_eq(exact_window_unit(exact_bits(NAN), EXACT_LEVELS), EXACT_NO_UNIT);
    ck_assert_int_eq(exact_window_unit(0, EXACT_LEVELS), EXACT_NO_UNIT);
    ck_assert(exact_window_vanished(1e-200, -1e-200, -0.0));
    ck_assert(!exact_window_vanished(0, 1e-200, 0) && !exact_window_vanished(1, 1, 1));
}
END_TEST

/* The vectors of test_cpu_sum; the result is from rational arithmetic. */
START_TEST(the_bits_are_pinned)
{
    enum { N = 500001 };
    uint64_t state = 20240229;
    double *x = vector(N), *y = vector(N);
    for (int64_t i = 0; i < N; i++)
        x[i] = ldexp(2 * test_random(&state) - 1, (int)(i % 41) - 20);
    for (int64_t i = 0; i < N; i++)
        y[i] = ldexp(2 * test_random(&state) - 1, (int)(i % 41) - 20);
    expect_bits(computed(N, x, y), 0x1.e382079b6f386p+44, "pinned", N);
    memory_free(x);
    memory_free(y);
}
END_TEST

Suite *suite(void)
{
    const TTest *tests[] = {hard_cases_are_rounded_once,
                            every_kind_is_the_reference,
                            ties_are_found_at_every_exponent,
                            ties_are_broken_at_every_distance,
                            not_a_number_and_infinities_have_no_order,
                            parts_may_be_joined_in_any_order,
                            the_limbs_have_room_for_the_additions,
                            narrow_windows_are_enough,
                            integers_are_terms,
                            windows_leave_what_does_not_fit,
                            the_bits_are_pinned,
                            NULL};
    return suite_of("space/exact_sum", tests);
}
