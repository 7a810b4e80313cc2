#include "solver/solve.h"

#include "made.h"
#include "support.h"

#include "base/memory.h"
#include "solver/cg/cg.h"
#include "solver/residual.h"
#include "spaces.h"
#include "spmv/preconditioner.h"

#include <math.h>
#include <string.h>

static enum status keep_row(void *context, const struct event *event, struct error *error)
{
    (void)error;
    struct outcome *kept = context;
    ck_assert_int_lt(kept->count, SOLVE_ROWS);
    kept->rows[kept->count++] = row_kept(kept->method, event);
    return STATUS_OK;
}

const struct choice standard = {
    "cpu_sym", REDUCTIONS_REPRODUCIBLE, 1e-10, SOLVE_ROWS - 1, &method_cg, .threads = 0};

/* What a choice has of M: an operator, and what it multiplies by. */
struct preconditioning {
    struct linear_operator multiplies, M;
};

static enum status precondition(const struct choice *choice, const struct csr *A,
                                struct space *space, struct preconditioning *made,
                                struct error *error)
{
    const struct kernel *kernel = kernel_find(choice->kernel);
    const struct csr *near = choice->near ? choice->near : A;
    struct options options;
    if (choice->inverse)
        return operator_create(kernel, choice->inverse, NULL, space, &made->M, error);
    if (!choice->preconditioner)
        return STATUS_OK;
    enum status status = options_create(
        component_find(COMPONENT_PRECONDITIONER, choice->preconditioner), &options, error);
    if (!status)
        status = operator_create(kernel, near, NULL, space, &made->multiplies, error);
    if (!status)
        status = preconditioner_create(&options, near, NULL, &made->multiplies, &made->M, error);
    options_free(&options);
    return status;
}

static enum status solve_there(struct linear_operator *spmv, const struct csr *A, const double *b,
                               struct solver_options options, const struct observer *observer,
                               double *x, struct solver_result *result, struct error *error)
{
    struct space *space = options.memory = spmv->space;
    double *b_there = NULL, *x_there = NULL;
    enum status status = space_vector(space, A->n, "b", &b_there, error);
    if (!status)
        status = space_vector(space, A->n, "x", &x_there, error);
    if (!status)
        status = space_upload(space, A->n, b, b_there, error);
    if (!status)
        status = solver_solve(spmv, A, b_there, NULL, &options, observer, x_there, result, error);
    if (!status)
        status = space_download(space, A->n, x_there, x, error);
    space_release(space, b_there);
    space_release(space, x_there);
    return status;
}

enum status try_solve(struct choice choice, const struct csr *A, const double *b,
                      const struct observer *observer, double *x, struct solver_result *result,
                      struct error *error)
{
    struct space *space;
    struct linear_operator spmv;
    struct preconditioning with = {0};
    struct solver_options options = {.method = choice.method,
                                     .tolerance = choice.tolerance,
                                     .absolute_tolerance = choice.absolute_tolerance,
                                     .max_iterations = choice.max_iterations,
                                     .shift = choice.shift};
    const struct kernel *kernel = kernel_find(choice.kernel);
    struct space_options wanted = {.reductions = choice.reductions, .threads = choice.threads};
    enum status status = space_create(kernel->space, &wanted, &space, error);
    if (status)
        return status;
    status = operator_create(kernel, A, NULL, space, &spmv, error);
    if (!status)
        status = precondition(&choice, A, space, &with, error);
    if (with.M.table)
        options.preconditioner = &with.M;
    if (!status)
        status = choice.there
                     ? solve_there(&spmv, A, b, options, observer, x, result, error)
                     : solver_solve(&spmv, A, b, NULL, &options, observer, x, result, error);
    operator_destroy(&with.M);
    operator_destroy(&with.multiplies);
    operator_destroy(&spmv);
    space->operations->destroy(space);
    return status;
}

double true_residual(int threads, const struct csr *A, double shift, const double *b,
                     const double *x)
{
    struct error error;
    struct threads *team;
    double norm = NAN;
    expect_ok(threads_create(threads, &team, &error), &error);
    expect_ok(residual_norm(team, A, shift, b, x, &norm, &error), &error);
    threads_destroy(team);
    return norm;
}

void solve(struct choice choice, const struct csr *A, const double *b, struct outcome *made)
{
    struct error error;
    struct observer observer = {.wants = 1u << EVENT_ROW, .see = keep_row, .context = made};
    made->method = choice.method;
    made->count = 0;
    ck_assert_int_le(A->n, SOLVE_N);
    for (int64_t i = 0; i < A->n; i++)
        made->x[i] = NAN;
    expect_ok(try_solve(choice, A, b, &observer, made->x, &made->result, &error), &error);
    double residual = true_residual(choice.threads, A, choice.shift, b, made->x);
    ck_assert_mem_eq(&made->result.true_residual, &residual, sizeof residual);
    ck_assert_int_eq(made->count, made->result.iterations + 1);
    ck_assert_mem_eq(&made->rows[made->count - 1].residual, &made->result.residual,
                     sizeof residual);
    ck_assert(made->result.seconds >= 0);
}

void expect_reason(enum reason wanted, const struct outcome *made)
{
    ck_assert_msg(made->result.reason == wanted, "\"%s\" instead of \"%s\" at iteration %d",
                  reason_name(made->result.reason), reason_name(wanted),
                  (int)made->result.iterations);
}

void make_direction(int64_t n, const struct direction *d)
{
    for (int64_t i = 0; i < n; i++) {
        if (d->x)
            d->x[i] = fma(*d->alpha, d->p[i], fma(*d->alpha_before, d->next[i], d->x[i]));
        d->next[i] = fma(*d->beta, d->p[i], d->r[i]);
    }
}

_Atomic int64_t directions_made, directions_with_x;

static enum status apply(void *state, const struct operands *operands, struct error *error)
{
    const struct linear_operator *plain = state;
    const struct direction *direction = operands->direction;
    struct operands product = *operands;
    if (direction) {
        directions_made++;
        directions_with_x += direction->x != NULL;
        make_direction(plain->n, direction);
        product.x = direction->next;
        product.direction = NULL;
    }
    return plain->table->apply(plain->state, &product, error);
}

static void destroy(void *state)
{
    if (state)
        operator_destroy(state);
    memory_free(state);
}

static const struct operator_table directing_table = {.apply = apply, .destroy = destroy};

static enum status setup(const struct csr *A, const struct kernel_options *options,
                         struct linear_operator *made, struct error *error)
{
    (void)options;
    made->state = memory_zeros(1, sizeof(struct linear_operator), "the plain one", error);
    made->table = &directing_table;
    made->can = OPERATOR_DOT | OPERATOR_DIRECTION;
    return made->state
               ? operator_create(kernel_find("cpu_csr"), A, NULL, made->space, made->state, error)
               : STATUS_MEMORY;
}

const struct kernel directing = {.component = KERNEL_COMPONENT("directing", "", NULL),
                                 .space = SPACE_CPU,
                                 .kinds = CSR_SYMMETRIC | CSR_SKEW,
                                 .setup = setup};

void diagonal(int64_t n, const double *values, struct csr *A)
{
    struct error error;
    expect_ok(csr_create(A, CSR_SYMMETRIC, n, n, &error), &error);
    for (int64_t i = 0; i < n; i++) {
        A->offsets[i] = A->columns[i] = (int32_t)i;
        A->values[i] = values[i];
    }
    A->offsets[n] = n;
}

void cut_off(struct csr *A, int64_t soft)
{
    for (int64_t i = 0; i <= soft; i++)
        for (int64_t k = A->offsets[i]; k < A->offsets[i + 1]; k++)
            if (i == soft || A->columns[k] == soft)
                A->values[k] = A->columns[k] == i ? 1e-13 : 0;
}

void grid(int64_t side, double jump, struct csr *A)
{
    struct error error;
    struct poisson3d poisson = {{side, side, side}, {1, 1, 1}, jump, 0, POISSON3D_DIRICHLET};
    expect_ok(poisson3d_create(&poisson, A, &error), &error);
}

double plain_dot(int64_t n, const double *x, const double *y)
{
    double sum = 0;
    for (int64_t i = 0; i < n; i++)
        sum += x[i] * y[i];
    return sum;
}

double ordered_dot(int64_t n, const double *x, const double *y)
{
    struct error error;
    struct space *space;
    double sum;
    space = test_space(SPACE_CPU, REDUCTIONS_REPRODUCIBLE, 0);
    expect_ok(space_dot(space, n, x, y, &sum, &error), &error);
    space->operations->destroy(space);
    return sum;
}

void textbook(const struct csr *A, const double *b, int64_t iterations, sum_of *dot,
              struct outcome *made)
{
    static double r[SOLVE_N], p[SOLVE_N], q[SOLVE_N];
    double *x = made->x, beta = 0;
    for (int64_t i = 0; i < A->n; i++) {
        x[i] = 0;
        r[i] = p[i] = b[i];
    }
    double rho = dot(A->n, r, r);
    made->rows[0] = row_of(0, sqrt(rho), NAN, NAN);
    for (int64_t k = 1; k <= iterations; k++) {
        csr_multiply(A, p, q);
        double alpha = rho / dot(A->n, p, q);
        made->moved[k] = fabs(alpha) * sqrt(dot(A->n, p, p));
        for (int64_t i = 0; i < A->n; i++)
            x[i] = fma(alpha, p[i], x[i]);
        for (int64_t i = 0; i < A->n; i++)
            r[i] = fma(-alpha, q[i], r[i]);
        made->size[k] = sqrt(dot(A->n, x, x));
        double old = rho;
        rho = dot(A->n, r, r);
        made->rows[k] = row_of(k, sqrt(rho), alpha, beta);
        beta = rho / old;
        for (int64_t i = 0; i < A->n; i++)
            p[i] = fma(beta, p[i], r[i]);
    }
    made->count = iterations + 1;
}
