/* The sums of cgsolve/order.h: against plain loops that follow its text, and against solves. */
#include "support.h"

#include "api/over_grid.h"
#include "base/random.h"
#include "cgsolve/order.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { TILE = CGS_SUM_TILE, LANES = CGS_SUM_LANES, LONGEST = TILE * TILE * 2 + TILE + 7 };

static double x[LONGEST], y[LONGEST], terms[LONGEST];

/* Tile by tile and level by level; y = NULL: a sum. */
static double in_order(int64_t n, const double *first, const double *second)
{
    const double *t = first;
    int64_t count = n;
    do {
        int64_t tiles = (count + TILE - 1) / TILE;
        for (int64_t T = 0; T < tiles; T++) {
            double s[LANES] = {0};
            for (int64_t i = T * TILE; i < count && i < (T + 1) * TILE; i++) {
                double *lane = &s[(i - T * TILE) % LANES];
                *lane = second && t == first ? fma(t[i], second[i], *lane) : *lane + t[i];
            }
            for (int h = LANES / 2; h >= 1; h /= 2)
                for (int l = 0; l < h; l++)
                    s[l] = s[l] + s[l + h];
            terms[T] = s[0];
        }
        t = terms;
        count = tiles;
    } while (count > 1);
    return terms[0] + 0.0;
}

static void expect_bits(double found, double wanted, int64_t n)
{
    ck_assert_msg(memcmp(&found, &wanted, sizeof found) == 0, "n = %d: %a instead of %a", (int)n,
                  found, wanted);
}

/* Sizes from 2^-20 to 2^20, so that another order gives other bits. */
static void draw(uint64_t *state)
{
    for (int64_t i = 0; i < LONGEST; i++) {
        x[i] = ldexp(2 * test_random(state) - 1, (int)test_random_below(state, 41) - 20);
        y[i] = ldexp(2 * test_random(state) - 1, (int)test_random_below(state, 41) - 20);
    }
}

static void try_length(int64_t n)
{
    expect_bits(cgs_dot(n, x, y), in_order(n, x, y), n);
    expect_bits(cgs_norm(n, x), sqrt(in_order(n, x, x)), n);
    expect_bits(cgs_sum(n, x), in_order(n, x, NULL), n);
}

START_TEST(the_text_of_the_header)
{
    static const int64_t lengths[] = {
        1,        LANES - 1,       LANES,       LANES + 1,       TILE - 1,        TILE,
        TILE + 1, TILE * TILE - 1, TILE * TILE, TILE * TILE + 1, 2 * TILE * TILE, LONGEST};
    uint64_t state = test_seed();
    draw(&state);
    for (size_t k = 0; k < sizeof lengths / sizeof *lengths; k++)
        try_length(lengths[k]);
    for (int turn = 0; turn < 20; turn++)
        try_length(1 + test_random_below(&state, LONGEST));
}
END_TEST

START_TEST(zeros)
{
    static const double minus[2] = {-0.0, -0.0}, tiny = 0x1p-600, small = -0x1p-600;
    expect_bits(cgs_sum(2, minus), +0.0, 2);
    expect_bits(cgs_dot(1, &tiny, &small), +0.0, 1);
    expect_bits(cgs_dot(0, NULL, NULL), +0.0, 0);
    expect_bits(cgs_dot_compensated(0, NULL, NULL), +0.0, 0);
    expect_bits(cgs_norm(0, NULL), +0.0, 0);
    expect_bits(cgs_sum(-1, NULL), +0.0, -1);
}
END_TEST

/* x . y of x and -x behind it is 0, and what is added to it is left. */
START_TEST(compensated_keeps_what_cancels)
{
    enum { HALF = LONGEST / 2 };
    uint64_t state = test_seed();
    draw(&state);
    for (int64_t i = 0; i < HALF; i++) {
        x[HALF + i] = -x[i];
        y[HALF + i] = y[i];
    }
    x[2 * HALF] = y[2 * HALF] = 0x1p-10;
    double size = 0, found = cgs_dot_compensated(LONGEST, x, y);
    for (int64_t i = 0; i < LONGEST; i++)
        size += fabs(x[i] * y[i]);
    double roundings = 3 * (TILE / LANES + 5); /* of as many levels: gamma^2 |x|.|y| */
    double gamma = roundings * DBL_EPSILON;
    ck_assert(fabs(found - 0x1p-20) <= gamma * gamma * size + DBL_EPSILON * 0x1p-20);
}
END_TEST

/* ||b|| of row 0, for the reductions that have the order. */
START_TEST(the_norm_that_a_solve_begins_with)
{
    static const char *const reductions[] = {"reproducible", "compensated"};
    uint64_t state = test_seed();
    double b[HANDLES_N], solution[HANDLES_N];
    for (int k = 0; k < 2; k++) {
        struct cgs_error error;
        struct handles handles;
        const double *residuals;
        int64_t rows;
        random_vector(test_random_below(&state, 1 << 30), HANDLES_N, b);
        expect(handles_create(LIST("reductions", reductions[k]), NULL, 2, &handles, &error),
               &error);
        expect(cgs_solve(handles.solver, vec(b), vec(NULL), vec(solution), NULL, &error), &error);
        expect(cgs_solver_history(handles.solver, 0, "residual", &residuals, &rows, &error),
               &error);
        expect_bits(residuals[0],
                    k ? sqrt(cgs_dot_compensated(HANDLES_N, b, b)) : cgs_norm(HANDLES_N, b),
                    HANDLES_N);
        handles_destroy(&handles);
    }
}
END_TEST

Suite *suite(void)
{
    const TTest *const tests[] = {the_text_of_the_header, zeros, compensated_keeps_what_cancels,
                                  the_norm_that_a_solve_begins_with, NULL};
    return suite_of("api/order", tests);
}
