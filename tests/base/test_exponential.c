/* e^x for x <= 0: within its bound of the C library's in long double, and at the ends of its
 * range. */
#include "support.h"

#include "base/exponential.h"

#include <float.h>

/* One unit in the last place of a value, which is not subnormal as a double. */
static long double unit_of(long double value)
{
    int exponent;
    frexpl(value, &exponent);
    return ldexpl(1, exponent - DBL_MANT_DIG);
}

/* expl is off by far less than 0.01 units of a double. */
static int64_t is_wrong(double x)
{
    long double wanted = expl(x);
    return !(fabsl(exponential(x) - wanted) <= 1.21L * unit_of(wanted));
}

START_TEST(the_error_is_below_its_bound)
{
    uint64_t state = test_seed();
    int64_t wrong = 0, trials = test_is_slow() ? 10000 : 1000000;
    for (int64_t t = 0; t < trials; t++)
        wrong += is_wrong(EXPONENTIAL_LEAST * test_random(&state));
    for (int64_t t = 0; t < trials; t++) /* of every size down to where e^x rounds to 1 */
        wrong += is_wrong(-ldexp(1 + test_random(&state), (int)test_random_below(&state, 69) - 60));
    ck_assert_int_eq(wrong, 0);
}
END_TEST

/* Where k changes: r is largest on both sides. */
START_TEST(the_error_is_below_its_bound_where_the_power_changes)
{
    int64_t wrong = 0;
    for (int k = 0; k < 1021; k++) {
        double middle = -(k + 0.5) * 0x1.62e42fefa39efp-1;
        for (int step = -50; step <= 50; step++)
            wrong += is_wrong(middle * (1 + step * DBL_EPSILON));
        wrong += is_wrong(-k * 0x1.62e42fefa39efp-1);
    }
    ck_assert_int_eq(wrong, 0);
}
END_TEST

START_TEST(the_ends_are_exact)
{
    ck_assert(exponential(0) == 1 && exponential(-0.0) == 1 && exponential(-0x1p-1074) == 1);
    ck_assert(exponential(EXPONENTIAL_LEAST) >= DBL_MIN);
    static const double below[] = {-708.0000000000001, -745, -1e4, -DBL_MAX, -INFINITY};
    for (size_t k = 0; k < sizeof below / sizeof *below; k++) {
        double e = exponential(below[k]);
        ck_assert(e == 0 && !signbit(e));
    }
    ck_assert(isnan(exponential(NAN)));
}
END_TEST

/* Of numbers over the whole range, so that another machine or compiler cannot differ unnoticed. */
START_TEST(the_bits_are_the_same_everywhere)
{
    enum { COUNT = 10000 };
    static double e[COUNT];
    for (int t = 0; t < COUNT; t++)
        e[t] = exponential(EXPONENTIAL_LEAST * t / COUNT);
    ck_assert_msg(test_hash_vector(e, COUNT) == UINT64_C(0x54ef318ea4f26480), "%016llx",
                  (unsigned long long)test_hash_vector(e, COUNT));
}
END_TEST

Suite *suite(void)
{
    const TTest *tests[] = {the_error_is_below_its_bound,
                            the_error_is_below_its_bound_where_the_power_changes,
                            the_ends_are_exact, the_bits_are_the_same_everywhere, NULL};
    return suite_of("base/exponential", tests);
}
