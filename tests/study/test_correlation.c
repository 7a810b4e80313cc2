/* Correlations of ranks and slopes, against values that were calculated in fractions from the
 * residuals of a regression. */
#include "support.h"

#include "study/statistics.h"

#include <math.h>
#include <stdlib.h>

enum { X, Y, Z, W, QUANTITIES, COUNT = 10 };

static const double x[COUNT] = {3, 1, 4, 1, 5, 9, 2, 6, 5, 3};
static const double y[COUNT] = {2, 7, 1, 8, 2, 8, 1, 8, 2, 8};
static const double z[COUNT] = {1, 6, 1, 8, 0, 3, 3, 9, 8, 8.5};
static const double w[COUNT] = {10, 20, 20, 5, 1, 7, 7, 7, 30, 2};

static void correlate(const double *const *values, int quantities, int64_t count, double *r)
{
    struct error error;
    expect_ok(rank_correlations(values, quantities, count, r, &error), &error);
}

static void expect_near(double found, double wanted)
{
    ck_assert_msg(fabs(found - wanted) < 1e-14, "%.17g, and %.17g is wanted", found, wanted);
}

START_TEST(calculated_otherwise)
{
    static const double *const values[] = {x, y, z, w};
    static const int of[] = {Z, W};
    double r[QUANTITIES * QUANTITIES];
    correlate(values, QUANTITIES, COUNT, r);
    for (int i = 0; i < QUANTITIES; i++)
        for (int j = 0; j < QUANTITIES; j++)
            ck_assert(i == j ? fabs(r[i * QUANTITIES + j] - 1) < 1e-14
                             : r[i * QUANTITIES + j] == r[j * QUANTITIES + i]);
    expect_near(r[X * QUANTITIES + Y], 0.13471506281091267);
    expect_near(r[X * QUANTITIES + Z], -0.040123456790123455);
    expect_near(r[Y * QUANTITIES + Z], 0.6607453080725717);
    expect_near(partial_correlation(r, QUANTITIES, X, Y, of, 0), 0.13471506281091267);
    expect_near(partial_correlation(r, QUANTITIES, X, Y, of, 1), 0.21496695494110898);
    expect_near(partial_correlation(r, QUANTITIES, X, Y, of, 2), 0.24382584827632783);
    ck_assert_int_eq(memory_live(), 0);
}
END_TEST

/* Whatever rises with it has the same correlations; what falls, the opposite ones. */
START_TEST(ranks_alone_count)
{
    enum { MANY = 300 };
    double a[MANY], b[MANY], rises[MANY], falls[MANY], r[16];
    const double *const values[] = {a, b, rises, falls};
    uint64_t state = test_seed();
    for (int k = 0; k < MANY; k++) {
        a[k] = (double)test_random_below(&state, 40);
        b[k] = a[k] + (double)test_random_below(&state, 40);
        rises[k] = exp(a[k]);
        falls[k] = -a[k] * a[k];
    }
    correlate(values, 4, MANY, r);
    expect_near(r[0 * 4 + 2], 1);
    expect_near(r[0 * 4 + 3], -1);
    expect_near(r[1 * 4 + 2], r[0 * 4 + 1]);
    expect_near(r[1 * 4 + 3], -r[0 * 4 + 1]);
}
END_TEST

/* A quantity that does not change has no correlation, and none is left of one that another one
 * tells. */
START_TEST(what_cannot_be_told)
{
    static const double constant[COUNT] = {7, 7, 7, 7, 7, 7, 7, 7, 7, 7};
    static const double *const values[] = {x, constant, x, y};
    static const int of[] = {2};
    double r[16], none;
    correlate(values, 4, COUNT, r);
    ck_assert(isnan(r[0 * 4 + 1]) && isnan(r[1 * 4 + 1]));
    ck_assert(isnan(partial_correlation(r, 4, 0, 3, of, 1)));
    correlate(values, 1, 0, &none);
    ck_assert(isnan(none));
}
END_TEST

/* Of y = 3 - 2 x + 5 z + 7 w that is -2; and nothing where x is a combination of the others. */
START_TEST(slopes)
{
    double columns[3][COUNT], y_made[COUNT], combined[COUNT];
    double *const given[] = {columns[0], columns[1], columns[2]};
    for (int others = 0; others < 3; others++) {
        for (int k = 0; k < COUNT; k++) {
            columns[0][k] = x[k];
            columns[1][k] = z[k];
            columns[2][k] = w[k];
            y_made[k] = 3 - 2 * x[k] + (others > 0 ? 5 * z[k] : 0) + (others > 1 ? 7 * w[k] : 0);
            combined[k] = 4 + 3 * z[k];
        }
        double found = partial_slope(given, others, y_made, COUNT);
        ck_assert_msg(fabs(found + 2) < 1e-12, "%d others: %.17g", others, found);
        for (int k = 0; k < COUNT; k++) {
            columns[0][k] = combined[k];
            columns[1][k] = z[k];
            columns[2][k] = w[k];
        }
        ck_assert(isnan(partial_slope(given, others, y_made, COUNT)) == (others > 0));
    }
}
END_TEST

static enum status attempt(void *context, struct error *error)
{
    double r;
    (void)context;
    return rank_correlations((const double *const[]){x}, 1, COUNT, &r, error);
}

START_TEST(failing_allocations)
{
    walk_allocation_failures(attempt, NULL);
}
END_TEST

Suite *suite(void)
{
    const TTest *tests[] = {calculated_otherwise, ranks_alone_count,
                            what_cannot_be_told,  slopes,
                            failing_allocations,  NULL};
    return suite_of("study/correlation", tests);
}
