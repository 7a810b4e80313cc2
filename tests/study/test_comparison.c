/* Histories held against a reference: every mode at its boundary, the counts, and what is no
 * number. */
#include "study/comparison.h"

#include "support.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { COUNT = 40 };

static const struct comparison_rule bitwise = {.mode = COMPARISON_BITWISE};

/* Norms from 1e-12 to 1e12. */
static void random_history(double residuals[COUNT], uint64_t *state)
{
    for (int k = 0; k < COUNT; k++)
        residuals[k] = pow(10, 24 * test_random(state) - 12);
}

static double steps_up(double value, int64_t steps)
{
    for (; steps > 0; steps--)
        value = nextafter(value, INFINITY);
    return value;
}

static struct comparison compare(const struct comparison_rule *rule, const double *here,
                                 int64_t here_count, const double *reference,
                                 int64_t reference_count)
{
    struct comparison made = comparison_begin(reference_count);
    for (int64_t k = 0; k < here_count; k++)
        comparison_take(rule, here[k], reference, &made);
    return made;
}

static bool passes(struct comparison_rule rule, double here, double reference)
{
    struct comparison made = compare(&rule, &here, 1, &reference, 1);
    return comparison_passes(&made);
}

START_TEST(a_history_is_its_own_reference)
{
    uint64_t state = test_seed();
    double residuals[COUNT];
    random_history(residuals, &state);
    for (int mode = COMPARISON_BITWISE; mode <= COMPARISON_RELATIVE; mode++) {
        struct comparison_rule rule = {.mode = (enum comparison_mode)mode};
        struct comparison made = compare(&rule, residuals, COUNT, residuals, COUNT);
        ck_assert(comparison_passes(&made));
        ck_assert_int_eq(made.history, COUNT - 1);
        ck_assert_int_eq(made.reference, COUNT - 1);
        ck_assert_int_eq(made.first.iteration, -1);
        ck_assert_int_eq(made.first_bits.iteration, -1);
        ck_assert_int_eq(made.farthest.iteration, -1);
    }
}
END_TEST

START_TEST(one_bit_is_a_difference)
{
    uint64_t state = test_seed();
    double here[COUNT], reference[COUNT];
    random_history(reference, &state);
    for (int bit = 0; bit < 63; bit++) {
        memcpy(here, reference, sizeof here);
        int64_t at = test_random_below(&state, COUNT);
        uint64_t bits;
        memcpy(&bits, &here[at], sizeof bits);
        bits ^= UINT64_C(1) << bit;
        memcpy(&here[at], &bits, sizeof bits);
        struct comparison made = compare(&bitwise, here, COUNT, reference, COUNT);
        ck_assert(!comparison_passes(&made));
        ck_assert_int_eq(made.failures, 1);
        ck_assert_int_eq(made.first.iteration, at);
        ck_assert_mem_eq(&made.first.history, &here[at], sizeof(double));
        ck_assert_mem_eq(&made.first.reference, &reference[at], sizeof(double));
    }
}
END_TEST

START_TEST(ulps_at_the_boundary)
{
    uint64_t state = test_seed();
    for (int try = 0; try < 100; try++) {
        double reference = pow(10, 24 * test_random(&state) - 12);
        int64_t steps = 1 + test_random_below(&state, 300);
        double here = steps_up(reference, steps);
        ck_assert_int_eq(difference_ulps(here, reference), steps);
        ck_assert_int_eq(difference_ulps(reference, here), steps);
        struct comparison_rule rule = {.mode = COMPARISON_ULPS, .ulps = steps};
        ck_assert(passes(rule, here, reference) && passes(rule, reference, here));
        rule.ulps = steps - 1;
        ck_assert(!passes(rule, here, reference) && !passes(rule, reference, here));
    }
    ck_assert_int_eq(difference_ulps(2, nextafter(2, 0)), 1); /* across a power of two */
    ck_assert_int_eq(difference_ulps(0, 0x1p-1074), 1);
    ck_assert_int_eq(difference_ulps(INFINITY, DBL_MAX), 1);
}
END_TEST

START_TEST(relative_at_the_boundary)
{
    uint64_t state = test_seed();
    struct comparison_rule rule = {.mode = COMPARISON_RELATIVE, .relative = 0.25};
    ck_assert(passes(rule, 5, 4) && passes(rule, 3, 4));
    ck_assert(!passes(rule, nextafter(5, 6), 4) && !passes(rule, nextafter(3, 0), 4));
    ck_assert(!passes(rule, 4, 3)); /* relative to the reference, not to the larger one */
    for (int try = 0; try < 100; try++) {
        double reference = pow(10, 24 * test_random(&state) - 12);
        double here = reference * (0.5 + test_random(&state));
        rule.relative = difference_relative(here, reference);
        ck_assert(rule.relative == fabs(here - reference) / reference);
        ck_assert(passes(rule, here, reference));
        if (rule.relative > 0) {
            rule.relative = nextafter(rule.relative, 0);
            ck_assert(!passes(rule, here, reference));
        }
    }
}
END_TEST

/* Two NaN are the same, one of them is infinitely far from every number, and nothing is near 0. */
START_TEST(what_is_no_number)
{
    const struct comparison_rule rules[] = {
        bitwise,
        {.mode = COMPARISON_ULPS, .ulps = INT64_MAX - 1},
        {.mode = COMPARISON_RELATIVE, .relative = 1e300},
    };
    uint64_t bits = UINT64_C(0xfff8000000000123);
    double other_nan;
    memcpy(&other_nan, &bits, sizeof other_nan);
    for (size_t r = 0; r < sizeof rules / sizeof *rules; r++) {
        ck_assert(passes(rules[r], NAN, other_nan));
        ck_assert(passes(rules[r], INFINITY, INFINITY));
        ck_assert(!passes(rules[r], NAN, 1) && !passes(rules[r], 1, NAN));
        ck_assert(!passes(rules[r], NAN, INFINITY));
    }
    ck_assert(!passes(rules[2], INFINITY, 1) && !passes(rules[2], 1, INFINITY));
    ck_assert(!passes(rules[2], 0x1p-1074, 0) && passes(rules[2], 0, 0));
    ck_assert(isinf(difference_relative(1, 0)) && difference_relative(0, 1) == 1);
}
END_TEST

/* The prefix is compared whatever the counts; the counts at their boundary. */
START_TEST(counts_may_differ)
{
    uint64_t state = test_seed();
    double residuals[COUNT];
    random_history(residuals, &state);
    for (int64_t missing = 0; missing < 4; missing++)
        for (int64_t allowed = 0; allowed < 4; allowed++) {
            struct comparison_rule rule = {.iterations = allowed};
            struct comparison shorter =
                compare(&rule, residuals, COUNT - missing, residuals, COUNT);
            struct comparison longer = compare(&rule, residuals, COUNT, residuals, COUNT - missing);
            ck_assert_int_eq(shorter.history, COUNT - 1 - missing);
            ck_assert_int_eq(longer.reference, COUNT - 1 - missing);
            ck_assert(shorter.failures == 0 && longer.failures == 0);
            ck_assert(comparison_passes(&shorter) == (missing <= allowed));
            ck_assert(comparison_passes(&longer) == (missing <= allowed));
        }
    double changed[COUNT];
    memcpy(changed, residuals, sizeof changed);
    changed[3] *= 2;
    struct comparison_rule rule = {.iterations = COUNT};
    struct comparison made = compare(&rule, changed, 4, residuals, COUNT);
    ck_assert(!comparison_passes(&made) && made.counts_pass);
    made = compare(&rule, changed, 3, residuals, COUNT);
    ck_assert(comparison_passes(&made));
}
END_TEST

START_TEST(the_first_and_the_farthest_are_told)
{
    uint64_t state = test_seed();
    double here[COUNT], reference[COUNT];
    random_history(reference, &state);
    memcpy(here, reference, sizeof here);
    here[5] = steps_up(here[5], 1);
    here[9] *= 1.5;
    here[20] *= 1.25;
    here[30] *= 3;
    here[31] *= 3;
    const struct comparison_rule rule = {.mode = COMPARISON_RELATIVE, .relative = 0.1};
    struct comparison made = compare(&rule, here, COUNT, reference, COUNT);
    ck_assert_int_eq(made.first_bits.iteration, 5);
    ck_assert_int_eq(made.first.iteration, 9);
    ck_assert(made.first.history == here[9] && made.first.reference == reference[9]);
    ck_assert(made.farthest.iteration == 30 || made.farthest.iteration == 31); /* by rounding */
    ck_assert_int_eq(made.failures, 4);
}
END_TEST

Suite *suite(void)
{
    const TTest *tests[] = {a_history_is_its_own_reference,
                            one_bit_is_a_difference,
                            ulps_at_the_boundary,
                            relative_at_the_boundary,
                            what_is_no_number,
                            counts_may_differ,
                            the_first_and_the_farthest_are_told,
                            NULL};
    return suite_of("study/comparison", tests);
}
