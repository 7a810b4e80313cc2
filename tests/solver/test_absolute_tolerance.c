/* A solve ends when ||r|| <= max(tolerance ||b||, absolute_tolerance). The second changes no bit of
 * the history but its length. */
#include "support.h"

#include "base/random.h"
#include "problem/generators.h"
#include "solver/solve.h"

#include <math.h>
#include <string.h>

enum { SIDE = 8, N = SIDE * SIDE * SIDE };

static struct outcome outcome, alone; /* alone: by the relative tolerance */
static double b[N];

/* A random b of a size about 2^exponent. */
static void draw(uint64_t *state, int exponent)
{
    random_vector(test_random_below(state, 1 << 30), N, b);
    for (int i = 0; i < N; i++)
        b[i] = ldexp(b[i], exponent);
}

/* The rows of the solve alone, until the first at or below the target. */
static void expect_end(double target)
{
    int64_t end = 0;
    while (alone.rows[end].residual > target)
        end++;
    expect_reason(REASON_CONVERGED, &outcome);
    ck_assert_int_eq(outcome.result.iterations, end);
    for (int64_t k = 0; k <= end; k++)
        ck_assert(outcome.rows[k].residual == alone.rows[k].residual);
    ck_assert(outcome.result.rhs_norm == alone.result.rhs_norm);
    ck_assert(outcome.result.true_residual <= 1.1 * target);
}

static void try_method(struct choice choice, const struct csr *A, uint64_t *state)
{
    static const double relative = 1e-8;
    choice.tolerance = relative;
    draw(state, (int)test_random_below(state, 121) - 60);
    solve(choice, A, b, &alone);
    for (int turn = 0; turn < 4; turn++) {
        int64_t row = turn == 0 ? 0 : test_random_below(state, alone.count);
        choice.tolerance = turn % 2 ? relative : 0;
        choice.absolute_tolerance = 1.001 * alone.rows[row].residual;
        solve(choice, A, b, &outcome);
        expect_end(choice.absolute_tolerance);
    }
    choice.tolerance = relative; /* the larger of the two counts */
    choice.absolute_tolerance = 0.1 * relative * alone.result.rhs_norm;
    solve(choice, A, b, &outcome);
    expect_end(relative * alone.result.rhs_norm);
    ck_assert_mem_eq(outcome.x, alone.x, sizeof b);
}

START_TEST(every_method_ends_by_the_larger_one)
{
    uint64_t state = test_seed();
    struct error error;
    struct convection3d wind = {{SIDE, SIDE, SIDE}, {1, 0.7, -0.4}};
    struct choice choice = standard;
    struct csr A, S;
    grid(SIDE, 10, &A);
    expect_ok(problem_create(&problem_convection3d, &wind, &S, &error), &error);
    try_method(choice, &A, &state);
    choice.method = &method_minres;
    try_method(choice, &A, &state);
    choice.method = &method_skew;
    choice.shift = 0.5;
    try_method(choice, &S, &state);
    csr_free(&A);
    csr_free(&S);
}
END_TEST

/* Nothing can be divided by ||b||, or by its square, which row 0 has. */
START_TEST(a_b_of_no_size)
{
    uint64_t state = test_seed();
    struct choice choice = standard;
    struct csr A;
    grid(SIDE, 1, &A);
    choice.tolerance = 0;
    choice.absolute_tolerance = 1e-190;
    for (int m = 0; m < 2; m++) {
        choice.method = m ? &method_minres : &method_cg;
        draw(&state, -1000);
        solve(choice, &A, b, &outcome); /* b . b would be 0, and ||b|| is small enough */
        expect_reason(REASON_CONVERGED, &outcome);
        ck_assert(outcome.result.iterations == 0 && outcome.result.true_residual > 0);
        draw(&state, -600); /* likewise, and it is not */
        solve(choice, &A, b, &outcome);
        expect_reason(REASON_CONVERGED, &outcome);
        ck_assert(outcome.result.iterations > 0 && outcome.result.true_residual <= 1.1e-190);
        memset(b, 0, sizeof b);
        solve(choice, &A, b, &outcome);
        expect_reason(REASON_CONVERGED, &outcome);
        ck_assert(outcome.result.iterations == 0 && outcome.result.true_residual == 0);
        b[N / 2] = NAN;
        solve(choice, &A, b, &outcome);
        expect_reason(REASON_NOT_FINITE, &outcome);
    }
    csr_free(&A);
}
END_TEST

Suite *suite(void)
{
    const TTest *const tests[] = {every_method_ends_by_the_larger_one, a_b_of_no_size, NULL};
    return suite_of("solver/absolute_tolerance", tests);
}
