/* 2^j A x = 2^i b is solved as A x = b is: with its iterations, and with its bits but for a power
 * of two in each number, by every method, preconditioner and kernel, alone and as columns, and
 * where it is saved and goes on. j is even, as square roots of it are shown. */
#include "support.h"

#include "base/random.h"
#include "matrix/scale.h"
#include "options.h"
#include "problem/generators.h"
#include "solver/lanczos/lanczos.h"
#include "solver/memory_archive.h"
#include "solver/richardson/richardson.h"
#include "solver/scale.h"
#include "solver/solve.h"
#include "spaces.h"
#include "spmv/preconditioner.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SIDE = 5, N = SIDE * SIDE * SIDE, ROWS = 200, COLUMNS = 3, PAIRS = 3 };

/* A system, by powers of two. */
struct given {
    const struct csr *A;
    const struct method *method;
    const char *kernel, *preconditioner; /* NULL: none */
    double shift, relaxation;
    int j, i[COLUMNS];
    int columns;
    bool starts, restarts; /* from x0; and once more from x */
    int64_t saved_at;      /* this iteration; 0: never */
};

struct answer {
    struct solver_result result[COLUMNS];
    int64_t rows[COLUMNS];
    struct kept_row row[COLUMNS][ROWS];
    double x[COLUMNS * N];
    const struct method *method;
};

static struct answer one, scaled;
static double b[COLUMNS * N], x0[COLUMNS * N];

static enum status see(void *context, const struct event *event, struct error *error)
{
    struct answer *answer = context;
    int64_t *rows = &answer->rows[event->column];
    (void)error;
    ck_assert_int_lt(*rows, ROWS);
    answer->row[event->column][(*rows)++] = row_kept(answer->method, event);
    return STATUS_OK;
}

static void goes_on_elsewhere(const struct given *given, struct linear_operator *spmv,
                              const struct csr *A, const double *own,
                              const struct solver_options *options, const struct observer *observer,
                              struct answer *answer)
{
    struct memory_archive memory = {0};
    struct solver *solver;
    struct error error;
    bool ended;
    for (int turn = 0; turn < 2; turn++) {
        struct archive archive = (turn ? memory_archive_loads : memory_archive_saves)(&memory);
        expect_ok(solver_begin(spmv, A, own, NULL, options, observer, &solver, &error), &error);
        if (turn == 0)
            expect_ok(solver_advance(solver, given->saved_at, &ended, &error), &error);
        expect_ok((turn ? solver_load : solver_save)(solver, A, own, &archive, &error), &error);
        if (turn == 1) {
            expect_ok(solver_advance(solver, INT64_MAX, &ended, &error), &error);
            expect_ok(solver_end(solver, A, own, answer->x, answer->result, &error), &error);
        }
        solver_free(solver);
    }
    memory_archive_free(&memory);
}

static void find(const struct given *given, struct answer *answer)
{
    static double own_b[COLUMNS * N], own_x0[COLUMNS * N];
    struct error error;
    struct csr A, in_range;
    struct linear_operator spmv, M = {0};
    struct space *space = test_space(SPACE_CPU, REDUCTIONS_REPRODUCIBLE, 2);
    struct observer observer = {.wants = 1u << EVENT_ROW, .see = see, .context = answer};
    struct solver_options options = {
        .method = given->method,
        .tolerance = 1e-8,
        .max_iterations = 60,
        .shift = ldexp(given->shift, given->j),
        .relaxation = ldexp(given->relaxation, given->preconditioner ? 0 : -given->j),
        .eigen = {.count = PAIRS, .tolerance = 1e-9}};
    *answer = (struct answer){.method = given->method};
    expect_ok(csr_scale(given->A, -given->j, &A, &error), &error);
    A.exponent = 0;
    for (int k = 0; k < COLUMNS * N; k++) {
        int i = given->i[k / N];
        own_b[k] = ldexp(b[k], i);
        own_x0[k] = ldexp(x0[k], given->method == &method_lanczos ? i : i - given->j);
    }
    expect_ok(solver_scale_matrix(space, &A, &in_range, &error), &error);
    const struct csr *taken = in_range.n > 0 ? &in_range : &A;
    expect_ok(operator_create(kernel_find(given->kernel), taken, NULL, space, &spmv, &error),
              &error);
    if (given->preconditioner) {
        struct options own = test_options(COMPONENT_PRECONDITIONER, given->preconditioner, NULL);
        expect_ok(preconditioner_create(&own, taken, NULL, &spmv, &M, &error), &error);
        options_free(&own);
        options.preconditioner = &M;
    }
    const double *start = given->starts ? own_x0 : NULL;
    if (given->saved_at > 0)
        goes_on_elsewhere(given, &spmv, taken, own_b, &options, &observer, answer);
    else if (given->columns > 1)
        expect_ok(solver_solve_columns(&spmv, taken, given->columns, own_b, start, &options,
                                       &observer, answer->x, answer->result, &error),
                  &error);
    else
        expect_ok(solver_solve(&spmv, taken, own_b, start, &options, &observer, answer->x,
                               answer->result, &error),
                  &error);
    operator_destroy(&M);
    operator_destroy(&spmv);
    space->operations->destroy(space);
    solver_scale_matrix_free(&in_range);
    memory_free(A.values);
}

/* By which power a number of this name grows. */
static int power(const struct given *given, const char *name, int i)
{
    int j = given->j, MA = given->preconditioner ? 0 : j;
    bool lanczos = given->method == &method_lanczos, cg = given->method == &method_cg;
    if (!strcmp(name, "residual"))
        return lanczos ? 0 : i;
    if (!strcmp(name, "alpha"))
        return cg ? -MA : MA;
    if (!strcmp(name, "beta"))
        return cg ? 0 : MA;
    if (!strncmp(name, "ritz", 4) || !strncmp(name, "bound", 5))
        return MA;
    if (!strcmp(name, "error_norm") || !strcmp(name, "preconditioned_residual"))
        return i - j / 2;
    return 0;
}

static bool same(double value, double wanted)
{
    return value == wanted || (isnan(value) && isnan(wanted));
}

static void compare_column(const struct given *given, int c)
{
    const struct solver_result *was = &one.result[c], *is = &scaled.result[c];
    const struct series *series = given->method->series;
    int i = given->i[c], j = given->j;
    bool lanczos = given->method == &method_lanczos;
    ck_assert_msg(
        is->reason == was->reason && is->iterations == was->iterations,
        "%s, %s, 2^%d A, 2^%d b: %s after %d, not %s after %d", given->method->component.name,
        given->preconditioner ? given->preconditioner : "none", j, i, reason_name(is->reason),
        (int)is->iterations, reason_name(was->reason), (int)was->iterations);
    ck_assert_int_eq(scaled.rows[c], one.rows[c]);
    ck_assert_int_eq(is->restarts, was->restarts);
    for (int64_t k = 0; k < one.rows[c]; k++)
        for (int s = 0; series[s].name; s++)
            ck_assert_msg(same(scaled.row[c][k].values[s],
                               ldexp(one.row[c][k].values[s], power(given, series[s].name, i))),
                          "%s, %s, 2^%d A, 2^%d b: %s of row %d is %a, and at scale 1 %a",
                          given->method->component.name,
                          given->preconditioner ? given->preconditioner : "none", j, i,
                          series[s].name, (int)k, scaled.row[c][k].values[s],
                          one.row[c][k].values[s]);
    int length = lanczos ? PAIRS : N;
    for (int k = 0; k < length; k++)
        ck_assert(same(scaled.x[c * N + k], ldexp(one.x[c * N + k], lanczos ? j : i - j)));
    ck_assert(same(is->true_residual, ldexp(was->true_residual, lanczos ? 0 : i)));
    ck_assert(same(is->residual, ldexp(was->residual, lanczos ? 0 : i)));
    ck_assert(same(is->rhs_norm, ldexp(was->rhs_norm, i)));
    ck_assert(same(is->ritz_low, ldexp(was->ritz_low, power(given, "ritz_low", i))));
    ck_assert(same(is->ritz_high, ldexp(was->ritz_high, power(given, "ritz_high", i))));
    ck_assert(same(is->curvature, ldexp(was->curvature, 2 * i + (given->preconditioner ? -j : j))));
    for (int64_t k = 0; k < was->eigen_count; k++)
        ck_assert(same(is->eigen_residuals[k], ldexp(was->eigen_residuals[k], j)) &&
                  same(is->eigenvalues[k], ldexp(was->eigenvalues[k], j)));
    ck_assert(same(is->eigen_rounding, ldexp(was->eigen_rounding, j)));
}

/* From -950 to 950: what is 2^70 away from 1 stays a normal number. */
static int draw(uint64_t *state)
{
    return (int)test_random_below(state, 1901) - 950;
}

static void try_one(struct given given, uint64_t *state)
{
    struct given unit = given;
    unit.j = 0;
    memset(unit.i, 0, sizeof unit.i);
    find(&unit, &one);
    ck_assert(!given.restarts || one.result[0].restarts > 0);
    for (int turn = 0; turn < 4; turn++) {
        given.j = turn == 0 ? 0 : draw(state) / 2 * 2;
        for (int c = 0; c < COLUMNS; c++)
            do
                given.i[c] = turn == 1 ? 0 : draw(state);
            while (abs(given.i[c] - given.j) > 950); /* else x is out of range */
        find(&given, &scaled);
        for (int c = 0; c < given.columns; c++)
            compare_column(&given, c);
        for (int c = 0; c < given.columns; c++)
            solver_result_free(&scaled.result[c]);
    }
    for (int c = 0; c < given.columns; c++)
        solver_result_free(&one.result[c]);
}

static const char *const kernels[] = {"cpu_csr", "cpu_sym_bitwise"};

static void draw_vectors(uint64_t *state)
{
    random_vector(test_random_below(state, 1 << 30), COLUMNS * N, b);
    random_vector(test_random_below(state, 1 << 30), COLUMNS * N, x0);
}

START_TEST(every_method_and_preconditioner)
{
    static const struct method *const methods[] = {&method_cg, &method_minres, &method_richardson};
    static const char *const preconditioners[] = {NULL, "jacobi", "block_jacobi", "chebyshev",
                                                  "multigrid"};
    uint64_t state = test_seed();
    struct csr A;
    grid(SIDE, ldexp(1, (int)test_random_below(&state, 10)), &A);
    draw_vectors(&state);
    for (int m = 0; m < 3; m++)
        for (int p = 0; p < 5; p++)
            try_one((struct given){.A = &A,
                                   .method = methods[m],
                                   .kernel = kernels[test_random_below(&state, 2)],
                                   .preconditioner = preconditioners[p],
                                   .relaxation = p ? 0.5 : 0x1p-12,
                                   .columns = test_random_below(&state, 2) ? COLUMNS : 1,
                                   .starts = test_random_below(&state, 2)},
                    &state);
    csr_free(&A);
}
END_TEST

/* b - A x_0 is known to 2^-52 ||A|| ||x_0||, which is above ||b||. */
START_TEST(restarts)
{
    static const struct method *const methods[] = {&method_cg, &method_minres, &method_richardson};
    uint64_t state = test_seed();
    struct csr A;
    grid(SIDE, 1, &A);
    draw_vectors(&state);
    for (int k = 0; k < COLUMNS * N; k++)
        x0[k] = ldexp(x0[k], 60);
    for (int m = 0; m < 6; m++)
        try_one((struct given){.A = &A,
                               .method = methods[m / 2],
                               .kernel = kernels[test_random_below(&state, 2)],
                               .preconditioner = m / 2 == 2 ? "multigrid" : NULL,
                               .relaxation = 1,
                               .columns = m % 2 ? COLUMNS : 1,
                               .starts = true,
                               .restarts = true},
                &state);
    csr_free(&A);
}
END_TEST

START_TEST(indefinite_and_skew_matrices_and_eigenvalues)
{
    uint64_t state = test_seed();
    struct error error;
    struct convection3d wind = {{SIDE, SIDE, SIDE}, {1, 0.7, -0.4}};
    struct csr A, S;
    grid(SIDE, 10, &A);
    expect_ok(problem_create(&problem_convection3d, &wind, &S, &error), &error);
    draw_vectors(&state);
    for (int k = 0; k < 2; k++) {
        try_one((struct given){&A, &method_lanczos, kernels[k], .columns = 1, .starts = k}, &state);
        try_one((struct given){&S, &method_skew, kernels[k], .shift = 0.5, .columns = 1 + 2 * k},
                &state);
    }
    for (int64_t r = 0; r < N; r++)
        if (test_random_below(&state, 3) == 0)
            A.values[A.offsets[r]] *= -1;
    A.maker = NULL;
    for (int k = 0; k < 2; k++)
        try_one((struct given){&A, &method_minres, kernels[k], .columns = 1 + 2 * k}, &state);
    csr_free(&A);
    csr_free(&S);
}
END_TEST

START_TEST(a_saved_solve_goes_on)
{
    static const struct method *const methods[] = {&method_cg, &method_minres, &method_lanczos};
    uint64_t state = test_seed();
    struct csr A;
    grid(SIDE, 10, &A);
    draw_vectors(&state);
    for (int m = 0; m < 3; m++)
        try_one((struct given){.A = &A,
                               .method = methods[m],
                               .kernel = "cpu_csr",
                               .columns = 1,
                               .saved_at = 1 + test_random_below(&state, 8)},
                &state);
    csr_free(&A);
}
END_TEST

/* x = A^-1 b is above the range of doubles, or below it, where no x is as good as was asked for. */
START_TEST(an_x_out_of_range_has_not_converged)
{
    uint64_t state = test_seed();
    struct csr A;
    grid(SIDE, 1, &A);
    draw_vectors(&state);
    struct given given = {&A, &method_cg, "cpu_csr", .j = -900, .i = {900}, .columns = 1};
    find(&given, &scaled);
    ck_assert_int_eq(scaled.result[0].reason, REASON_NOT_FINITE);
    given.j = 900;
    given.i[0] = -900;
    find(&given, &scaled);
    ck_assert_int_eq(scaled.result[0].reason, REASON_RESIDUAL_GAP);
    double norm = scaled.result[0].rhs_norm; /* whose sum of N squares is rounded N times */
    ck_assert(fabs(scaled.result[0].true_residual - norm) <= N * 0x1p-53 * norm);
    for (int k = 0; k < N; k++)
        ck_assert(scaled.x[k] == 0);
    csr_free(&A);
}
END_TEST

Suite *suite(void)
{
    const TTest *const tests[] = {every_method_and_preconditioner,
                                  restarts,
                                  indefinite_and_skew_matrices_and_eigenvalues,
                                  a_saved_solve_goes_on,
                                  an_x_out_of_range_has_not_converged,
                                  NULL};
    return suite_of("solver/scale", tests);
}
