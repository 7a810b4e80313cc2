/* A kernel that makes the direction while it multiplies: the same history and the same x, bit for
 * bit, after any number of iterations and however the solve ends. The kernel is cpu_csr with that
 * slot written out. */
#include "support.h"

#include "base/memory.h"
#include "problem/generators.h"
#include "problem/rhs.h"
#include "solver/cg/cg.h"
#include "solver/solve.h"
#include "spaces.h"

#include <math.h>
#include <string.h>

struct rows {
    int64_t count;
    double residual[SOLVE_ROWS];
};

static enum status keep(void *context, const struct event *row, struct error *error)
{
    (void)error;
    struct rows *rows = context;
    rows->residual[rows->count++] = row->values[CG_RESIDUAL];
    return STATUS_OK;
}

static struct rows wanted_rows, found_rows;
static double wanted[SOLVE_N], found[SOLVE_N];

static struct solver_result solve_by(const struct kernel *kernel, const struct csr *A,
                                     const double *b, enum reductions reductions,
                                     const struct solver_options *options, struct rows *rows,
                                     double *x)
{
    struct error error;
    struct space *space;
    struct linear_operator spmv;
    struct solver_result result;
    rows->count = 0;
    struct observer observer = {.wants = 1u << EVENT_ROW, .see = keep, .context = rows};
    space = test_space(SPACE_CPU, reductions, 0);
    expect_ok(operator_create(kernel, A, NULL, space, &spmv, &error), &error);
    expect_ok(solver_solve(&spmv, A, b, NULL, options, &observer, x, &result, &error), &error);
    operator_destroy(&spmv);
    space->operations->destroy(space);
    return result;
}

static enum reason compare(const struct csr *A, const double *b, enum reductions reductions,
                           double tolerance, int64_t limit)
{
    struct solver_options options = {
        .method = &method_cg, .tolerance = tolerance, .max_iterations = limit};
    struct solver_result expected =
        solve_by(kernel_find("cpu_csr"), A, b, reductions, &options, &wanted_rows, wanted);
    directions_made = directions_with_x = 0;
    struct solver_result result =
        solve_by(&directing, A, b, reductions, &options, &found_rows, found);
    ck_assert_int_eq(result.reason, expected.reason);
    ck_assert_int_eq(result.iterations, expected.iterations);
    ck_assert_int_eq(found_rows.count, wanted_rows.count);
    ck_assert_mem_eq(found_rows.residual, wanted_rows.residual,
                     (size_t)wanted_rows.count * sizeof *found_rows.residual);
    ck_assert_mem_eq(found, wanted, (size_t)A->n * sizeof *found);
    ck_assert_int_le(directions_made, result.iterations);
    ck_assert_int_ge(directions_made, result.iterations - 1 - result.restarts);
    ck_assert_int_le(directions_with_x, directions_made / 2);
    ck_assert_int_ge(directions_with_x, directions_made / 2 - result.restarts);
    return expected.reason;
}

START_TEST(every_number_of_iterations)
{
    static double b[SOLVE_N];
    struct csr A;
    grid(7, 1e3, &A);
    for (int64_t i = 0; i < A.n; i++)
        b[i] = 1 + 0.1 * (double)(i % 7);
    for (int64_t limit = 0; limit <= 12; limit++)
        ck_assert_int_eq(compare(&A, b, REDUCTIONS_REPRODUCIBLE, 1e-10, limit),
                         REASON_ITERATION_LIMIT);
    for (double tolerance = 0.5; tolerance > 1e-12; tolerance *= 0.3) {
        compare(&A, b, REDUCTIONS_REPRODUCIBLE, tolerance, SOLVE_ROWS - 1);
        compare(&A, b, REDUCTIONS_COMPENSATED, tolerance, SOLVE_ROWS - 1);
        compare(&A, b, REDUCTIONS_EXACT, tolerance, SOLVE_ROWS - 1);
    }
    csr_free(&A);
}
END_TEST

START_TEST(every_end)
{
    static double b[SOLVE_N];
    struct csr A;
    for (int64_t bad = 0; bad < 40; bad++) {
        double values[40];
        for (int64_t i = 0; i < 40; i++) {
            values[i] = 1 + (double)i;
            b[i] = 1;
        }
        values[bad] = bad % 2 ? -1e-3 : -40;
        diagonal(40, values, &A);
        ck_assert_int_eq(compare(&A, b, REDUCTIONS_REPRODUCIBLE, 1e-12, 1000), REASON_NOT_POSITIVE);
        csr_free(&A);
    }
    grid(6, 1, &A);
    memset(b, 0, sizeof b);
    ck_assert_int_eq(compare(&A, b, REDUCTIONS_REPRODUCIBLE, 1e-10, 10), REASON_CONVERGED);
    b[3] = 1;
    ck_assert_int_eq(compare(&A, b, REDUCTIONS_REPRODUCIBLE, 1e-300, SOLVE_ROWS - 1),
                     REASON_STAGNATION);
    b[3] = NAN;
    ck_assert_int_eq(compare(&A, b, REDUCTIONS_REPRODUCIBLE, 1e-10, 10), REASON_NOT_FINITE);
    b[3] = 1e155; /* b'b would overflow */
    ck_assert_int_eq(compare(&A, b, REDUCTIONS_REPRODUCIBLE, 1e-10, SOLVE_ROWS - 1),
                     REASON_CONVERGED);
    csr_free(&A);
}
END_TEST

Suite *suite(void)
{
    const TTest *tests[] = {every_number_of_iterations, every_end, NULL};
    return suite_of("solver/cg_direction", tests);
}
