/* Looks at x_k on the way: they are the bits of solves that end there, and change none. */
#include "support.h"

#include "api/over_grid.h"
#include "base/random.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { N = HANDLES_N, MOST = 400 };

struct looks {
    int64_t every, count, ends_at;
    double x[MOST][N];
};

static struct looks looks;

static int keep(void *user, int64_t iteration, const double *x)
{
    struct looks *kept = user;
    ck_assert_int_lt(kept->count, MOST);
    ck_assert_int_eq(iteration, kept->count * kept->every);
    memcpy(kept->x[kept->count++], x, sizeof kept->x[0]);
    return iteration == kept->ends_at;
}

static struct cgs_result solved(struct cgs_solver *solver, const double *b, double *x)
{
    struct cgs_error error;
    struct cgs_result result = {.size = sizeof result};
    for (int i = 0; i < N; i++)
        x[i] = NAN;
    expect(cgs_solve(solver, vec(b), vec(NULL), vec(x), &result, &error), &error);
    return result;
}

static void set_limit(struct cgs_solver *solver, int64_t limit)
{
    struct cgs_error error;
    char text[24];
    snprintf(text, sizeof text, "%" PRId64, limit);
    expect(cgs_solver_set(solver, "max_iterations", text, &error), &error);
}

static void try_looks(const char *const *kernel, const char *const *solver, int64_t every)
{
    struct cgs_error error;
    struct handles handles;
    double b[N], x[N], other[N];
    random_vector(7, N, b);
    expect(handles_create(kernel, solver, 2, &handles, &error), &error);
    struct cgs_result plain = solved(handles.solver, b, x);
    ck_assert_int_eq(plain.reason, CGS_CONVERGED);
    looks = (struct looks){.every = every, .ends_at = -1};
    expect(cgs_solver_look(handles.solver, every, keep, &looks, &error), &error);
    struct cgs_result seen = solved(handles.solver, b, other);
    ck_assert(memcmp(x, other, sizeof x) == 0);
    ck_assert(seen.iterations == plain.iterations && seen.residual == plain.residual);
    ck_assert_int_eq(looks.count, plain.iterations / every + 1);
    expect(cgs_solver_look(handles.solver, 1, NULL, NULL, &error), &error);
    for (int64_t k = 0; k < looks.count; k++) {
        set_limit(handles.solver, k * every);
        solved(handles.solver, b, other);
        ck_assert(memcmp(looks.x[k], other, sizeof other) == 0);
    }
    handles_destroy(&handles);
}

START_TEST(the_x_of_a_solve_that_ends_there)
{
    try_looks(LIST("kernel", "cpu_csr"), NULL, 1);
    try_looks(LIST("kernel", "cpu_sym_bitwise"), LIST("tolerance", "1e-5"), 1);
    try_looks(LIST("kernel", "cpu_sym_bitwise"), NULL, 3);
    try_looks(NULL, LIST("preconditioner", "jacobi"), 2);
    try_looks(NULL, LIST("method", "minres"), 1);
    try_looks(LIST("kernel", "cpu_csr"), LIST("method", "minres"), 4);
    try_looks(NULL, LIST("method", "minres", "preconditioner", "chebyshev"), 3);
}
END_TEST

START_TEST(a_look_ends_the_solve)
{
    struct cgs_error error;
    struct handles handles;
    double b[N], x[N];
    random_vector(7, N, b);
    expect(handles_create(NULL, NULL, 2, &handles, &error), &error);
    for (int every = 1; every <= 2; every++) {
        looks = (struct looks){.every = every, .ends_at = 6};
        expect(cgs_solver_look(handles.solver, every, keep, &looks, &error), &error);
        struct cgs_result result = solved(handles.solver, b, x);
        ck_assert_int_eq(result.reason, CGS_CANCELLED);
        ck_assert_int_eq(result.iterations, 7);
        ck_assert_int_eq(looks.count, 6 / every + 1);
    }
    handles_destroy(&handles);
}
END_TEST

START_TEST(what_is_refused)
{
    struct cgs_error error;
    struct handles handles;
    double values[2];
    const struct error *said = (const struct error *)&error;
    expect(handles_create(NULL, LIST("method", "lanczos", "eigen.count", "1"), 1, &handles, &error),
           &error);
    expect_error((enum status)cgs_solver_look(handles.solver, 0, keep, &looks, &error),
                 STATUS_CONFIG, said, "every = 0 must be at least 1", NULL);
    expect(cgs_solver_look(handles.solver, 1, keep, &looks, &error), &error);
    expect_error(
        (enum status)cgs_solve_eigen(handles.solver, vec(NULL), values, vec(NULL), NULL, &error),
        STATUS_CONFIG, said, "the method lanczos has no x to look at", NULL);
    expect_error((enum status)cgs_solver_look(NULL, 1, keep, &looks, &error), STATUS_CONFIG, said,
                 "a solver is NULL", NULL);
    handles_destroy(&handles);
}
END_TEST

Suite *suite(void)
{
    const TTest *const tests[] = {the_x_of_a_solve_that_ends_there, a_look_ends_the_solve,
                                  what_is_refused, NULL};
    return suite_of("api/look", tests);
}
