/* M^-1 alone: against M, the bits of the solver's own, of each column, after an update, and of a
 * matrix whose values are scaled; and what is refused. */
#include "support.h"

#include "api/over_grid.h"
#include "base/random.h"

#include <math.h>
#include <string.h>

enum { N = HANDLES_N, COLUMNS = 3 };

static struct cgs_error error;
static struct error *const said = (struct error *)&error;

/* z = M^-1 r of the solver that is handed over. */
static int apply(void *user, const struct cgs_array *r, const struct cgs_array *z, void *stream)
{
    struct cgs_error own;
    (void)stream;
    expect(cgs_precondition(user, *r, *z, &own), &own);
    return 0;
}

/* A solver whose M^-1 is another's, by calls, has the bits of that other. */
static void try_preconditioner(const char *const *options)
{
    struct handles handles, plain;
    struct cgs_result wanted = {.size = sizeof wanted}, found = wanted;
    double b[N], x[N], y[N];
    random_vector((int64_t)(test_seed() >> 33), N, b);
    expect(handles_create(NULL, options, 2, &handles, &error), &error);
    expect(handles_create(NULL, NULL, 3, &plain, &error), &error);
    expect(cgs_solver_precondition(plain.solver, apply, 0, handles.solver, &error), &error);
    expect(cgs_solve(handles.solver, vec(b), vec(NULL), vec(x), &wanted, &error), &error);
    expect(cgs_solve(plain.solver, vec(b), vec(NULL), vec(y), &found, &error), &error);
    ck_assert(wanted.reason == CGS_CONVERGED && found.reason == CGS_CONVERGED);
    ck_assert_int_eq(found.iterations, wanted.iterations);
    ck_assert(memcmp(x, y, sizeof x) == 0);
    handles_destroy(&plain);
    handles_destroy(&handles);
    ck_assert_int_eq(memory_live(), 0);
}

START_TEST(the_bits_of_the_solvers_own)
{
    try_preconditioner(LIST("preconditioner", "jacobi"));
    try_preconditioner(LIST("preconditioner", "block_jacobi"));
    try_preconditioner(LIST("preconditioner", "chebyshev", "preconditioner.degree", "3"));
    try_preconditioner(LIST("preconditioner", "multigrid"));
    try_preconditioner(LIST("preconditioner", "auto", "preconditioner.tolerance", "1e-6"));
}
END_TEST

START_TEST(each_column_has_its_own_bits)
{
    struct handles handles;
    double R[COLUMNS * N], Z[COLUMNS * N], z[N], in_place[N];
    random_vector((int64_t)(test_seed() >> 33), COLUMNS * N, R);
    expect(handles_create(NULL, LIST("preconditioner", "multigrid"), 2, &handles, &error), &error);
    expect(cgs_precondition(handles.solver, grid_array(R, COLUMNS, 1, N),
                            grid_array(Z, COLUMNS, COLUMNS, 1), &error),
           &error);
    for (int64_t j = 0; j < COLUMNS; j++) {
        expect(cgs_precondition(handles.solver, vec(R + j * N), vec(z), &error), &error);
        memcpy(in_place, R + j * N, sizeof in_place);
        expect(cgs_precondition(handles.solver, vec(in_place), vec(in_place), &error), &error);
        ck_assert(memcmp(z, in_place, sizeof z) == 0);
        for (int64_t i = 0; i < N; i++)
            ck_assert(z[i] == Z[i * COLUMNS + j]);
    }
    handles_destroy(&handles);
    ck_assert_int_eq(memory_live(), 0);
}
END_TEST

/* Jacobi of diag(d) is the inverse, exactly for powers of 2; 2^700 is out of the range in which it
 * is worked with. */
START_TEST(the_inverse_of_a_diagonal)
{
    static const int powers[] = {0, 700, -700, 3};
    int32_t offsets[] = {0, 1, 2}, columns[] = {0, 1};
    double values[2], r[] = {3, 5}, z[2];
    struct cgs_matrix_data data = {.size = sizeof data,
                                   .n = 2,
                                   .offsets = cgs_int32(offsets, 3),
                                   .columns = cgs_int32(columns, 2),
                                   .values = cgs_vector(values, 2),
                                   .part = CGS_UPPER};
    struct handles made = {NULL};
    expect(cgs_context_create(NULL, &made.context, &error), &error);
    for (int k = 0; k < 4; k++) {
        values[0] = ldexp(1, powers[k]);
        values[1] = ldexp(1, powers[k] + 1);
        if (k == 0) {
            expect(cgs_matrix_create(made.context, &data, &made.A, &error), &error);
            expect(cgs_operator_create(made.A, NULL, &made.kernel, &error), &error);
            expect(cgs_solver_create(made.kernel, LIST("preconditioner", "jacobi"), &made.solver,
                                     &error),
                   &error);
        } else
            expect(cgs_matrix_update(made.A, &data, &error), &error);
        expect(cgs_precondition(made.solver, cgs_vector(r, 2), cgs_vector(z, 2), &error), &error);
        ck_assert(z[0] == ldexp(3, -powers[k]) && z[1] == ldexp(5, -powers[k] - 1));
    }
    handles_destroy(&made);
    ck_assert_int_eq(memory_live(), 0);
}
END_TEST

START_TEST(what_is_refused)
{
    struct handles handles;
    double r[N] = {0}, z[N];
    expect(handles_create(NULL, NULL, 1, &handles, &error), &error);
    expect_error((enum status)cgs_precondition(handles.solver, vec(r), vec(z), &error),
                 STATUS_CONFIG, said, "the solver has no preconditioner", NULL);
    handles_destroy(&handles);
    expect(handles_create(NULL, LIST("preconditioner", "jacobi"), 1, &handles, &error), &error);
    expect_error((enum status)cgs_precondition(handles.solver, cgs_vector(r, 99), vec(z), &error),
                 STATUS_CONFIG, said, "r is 99 x 1", NULL);
    expect_error((enum status)cgs_precondition(handles.solver, vec(r), cgs_vector(z, 99), &error),
                 STATUS_CONFIG, said, "z is 99 x 1", NULL);
    expect_error((enum status)cgs_precondition(NULL, vec(r), vec(z), &error), STATUS_CONFIG, said,
                 "a solver is NULL", NULL);
    expect_error((enum status)cgs_precondition(handles.solver, vec(NULL), vec(z), &error),
                 STATUS_CONFIG, said, "r is NULL", NULL);
    expect_error((enum status)cgs_precondition(handles.solver, vec(r), vec(NULL), &error),
                 STATUS_CONFIG, said, "z is NULL", NULL);
    handles_destroy(&handles);
    ck_assert_int_eq(memory_live(), 0);
}
END_TEST

static double R[COLUMNS * N], Z[COLUMNS * N];

static enum status attempt(void *context, struct error *told)
{
    struct cgs_error *own = (struct cgs_error *)told;
    struct handles handles;
    (void)context;
    enum cgs_status status =
        handles_create(NULL, LIST("preconditioner", "chebyshev"), 1, &handles, own);
    if (!status)
        status = cgs_precondition(handles.solver, vec(R), vec(Z), own);
    if (!status)
        status = cgs_precondition(handles.solver, grid_array(R, COLUMNS, 1, N),
                                  grid_array(Z, COLUMNS, 1, N), own);
    handles_destroy(&handles);
    return (enum status)status;
}

START_TEST(without_memory)
{
    handles_prepare();
    walk_allocation_failures(attempt, NULL);
}
END_TEST

Suite *suite(void)
{
    const TTest *const tests[] = {the_bits_of_the_solvers_own,
                                  each_column_has_its_own_bits,
                                  the_inverse_of_a_diagonal,
                                  what_is_refused,
                                  without_memory,
                                  NULL};
    return suite_of("api/precondition", tests);
}
