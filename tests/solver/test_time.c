/* What the timed part of a solve contains. The clock of this suite counts products and applications of a
 * preconditioner instead of time, so that the seconds of a result are what was done while it ran. */
#include "support.h"

#include "base/clock.h"
#include "cgsolve/preconditioner.h"
#include "matrices.h"
#include "problem/rhs.h"
#include "solver/solve.h"

enum { SIDE = 9, ROWS = SIDE * SIDE * SIDE, APPLICATION = 1 << 20 };

static struct {
    const struct kernel *kernel; /* the one that multiplies */
    const struct preconditioner_method *method;
    int64_t products, applications;
    bool within; /* an application, whose products are its own affair */
} counted;

double clock_seconds(void)
{
    return (double)(counted.products + APPLICATION * counted.applications);
}

static enum status count_apply(void *state, const double *x, double *y, struct error *error)
{
    counted.products += !counted.within;
    return counted.kernel->apply(state, x, y, error);
}

static enum status count_apply_dot(void *state, const double *x, double *y, double *dot,
                                   struct error *error)
{
    counted.products += !counted.within;
    return counted.kernel->apply_dot(state, x, y, dot, error);
}

static enum status count_apply_direction(void *state, const struct kernel_direction *direction,
                                         double *y, double *dot, struct error *error)
{
    counted.products += !counted.within;
    return counted.kernel->apply_direction(state, direction, y, dot, error);
}

static enum status count_application(void *state, const double *r, double *z, double *dot,
                                     struct error *error)
{
    counted.applications++;
    counted.within = true;
    enum status status = counted.method->apply(state, r, z, dot, error);
    counted.within = false;
    return status;
}

/* The kernel, and M where there is one, so that every call is counted. */
static struct kernel counting(const struct kernel *kernel)
{
    struct kernel made = *kernel;
    counted.kernel = kernel;
    made.apply = count_apply;
    made.apply_dot = kernel->apply_dot ? count_apply_dot : NULL;
    made.apply_direction = kernel->apply_direction ? count_apply_direction : NULL;
    return made;
}

struct timed {
    struct solver_options options;
    enum preconditioner_type preconditioner;
    enum reductions reductions;
    const struct kernel *kernel;
    const struct cg_trace *trace;
};

static void solve_timed(const struct timed *timed, const struct csr *A,
                        struct solver_result *result)
{
    struct error error;
    struct space *space;
    struct spmv spmv;
    struct preconditioner M = {0};
    struct preconditioner_method method;
    struct solver_options options = timed->options;
    struct solver_observer observer = {.trace = timed->trace};
    struct preconditioner_options wanted = {.type = timed->preconditioner, .block = 4, .degree = 3};
    struct kernel kernel = counting(timed->kernel);
    static double b[ROWS], solution[ROWS];
    random_vector(5, A->n, b);
    expect_ok(space_cpu_create(timed->reductions, &space, &error), &error);
    expect_ok(spmv_create(&kernel, A, NULL, space, &spmv, &error), &error);
    if (timed->preconditioner != PRECONDITIONER_NONE) {
        expect_ok(preconditioner_create(&wanted, A, &spmv, &M, &error), &error);
        method = *M.method;
        counted.method = M.method;
        method.apply = count_application;
        M.method = &method;
        options.preconditioner = &M;
    }
    expect_ok(solver_solve(&spmv, A, b, &options, &observer, solution, result, &error), &error);
    preconditioner_destroy(&M);
    spmv_destroy(&spmv);
    space->operations->destroy(space);
}

/* As many products as iterations, and as many applications of M, if there is one. */
static void expect_counts(const struct timed *timed, const struct solver_result *result)
{
    int64_t each = 1 + (timed->preconditioner == PRECONDITIONER_NONE ? 0 : APPLICATION);
    ck_assert_int_gt(result->iterations, 0);
    ck_assert_msg(result->seconds == (double)(each * result->iterations),
                  "%s, %s, preconditioner %s: %d iterations, and %.0f products, %.0f applications",
                  solver_methods[timed->options.method], timed->kernel->name,
                  preconditioner_names[timed->preconditioner], (int)result->iterations,
                  (double)((int64_t)result->seconds % APPLICATION),
                  (double)((int64_t)result->seconds / APPLICATION));
}

/* By every kernel of the CPU that takes the matrix; after few iterations, an odd and an even number, and at the end. */
static void try_all(struct timed timed, const struct csr *A)
{
    int count;
    const struct kernel *const *kernels = kernel_list(&count);
    static const int64_t limits[] = {1, 2, 3, 8, 400};
    for (int k = 0; k < count; k++) {
        if (kernels[k]->space != SPACE_CPU || !(kernels[k]->kinds & A->kind))
            continue;
        timed.kernel = kernels[k];
        for (size_t l = 0; l < sizeof limits / sizeof *limits; l++) {
            struct solver_result result;
            timed.options.max_iterations = limits[l];
            timed.reductions = (enum reductions)((size_t)k % 5);
            solve_timed(&timed, A, &result);
            expect_counts(&timed, &result);
            solver_result_free(&result);
        }
    }
}

static struct csr skew_chain(int64_t n)
{
    struct error error;
    struct csr A;
    expect_ok(csr_create(&A, CSR_SKEW, n, 2 * n - 1, &error), &error);
    for (int64_t i = 0; i < n; i++) {
        int64_t first = 2 * i;
        A.offsets[i] = first;
        A.columns[first] = (int32_t)i;
        A.values[first] = 0;
        if (i + 1 < n) {
            A.columns[first + 1] = (int32_t)i + 1;
            A.values[first + 1] = 1 + 1.0 / (double)(i + 1);
        }
    }
    A.offsets[n] = 2 * n - 1;
    return A;
}

START_TEST(k_iterations_of_conjugate_gradients_are_k_products)
{
    struct csr A;
    grid(SIDE, 10, &A);
    for (int type = 0; type < PRECONDITIONER_TYPES; type++)
        try_all((struct timed){.options = {.method = SOLVER_CG, .tolerance = 1e-9},
                               .preconditioner = (enum preconditioner_type)type},
                &A);
    csr_free(&A);
}
END_TEST

static enum status ignore(void *context, int64_t iteration, enum cg_vector vector,
                          const double *values, struct error *error)
{
    (void)context, (void)iteration, (void)vector, (void)values, (void)error;
    return STATUS_OK;
}

START_TEST(a_trace_adds_none)
{
    static const struct cg_trace trace = {.every = 3, .vectors = 15, .take = ignore};
    struct csr A;
    grid(SIDE, 10, &A);
    try_all((struct timed){.options = {.method = SOLVER_CG, .tolerance = 1e-9}, .trace = &trace},
            &A);
    csr_free(&A);
}
END_TEST

START_TEST(the_other_methods_too)
{
    struct csr A, S = skew_chain(200);
    grid(SIDE, 10, &A);
    try_all((struct timed){.options = {.method = SOLVER_MINRES, .tolerance = 1e-9}}, &A);
    try_all((struct timed){.options = {.method = SOLVER_SKEW, .tolerance = 1e-9, .shift = 0.5}},
            &S);
    for (int way = REORTHOGONALIZATION_NONE; way <= REORTHOGONALIZATION_FULL; way++)
        try_all((struct timed){.options = {.method = SOLVER_LANCZOS,
                                           .eigen = {.count = 3,
                                                     .which = EIGEN_LARGEST,
                                                     .tolerance = 1e-9,
                                                     .reorthogonalization =
                                                         (enum reorthogonalization)way,
                                                     .restart = 20}}},
                &A);
    csr_free(&A);
    csr_free(&S);
}
END_TEST

/* p . A p < 0 in the first iteration: its product was made, and no row. */
START_TEST(an_iteration_without_a_row_has_its_product)
{
    static const double upper[] = {-1, 0, -1};
    struct csr A;
    struct solver_result result;
    test_matrix_from_dense(2, upper, CSR_SYMMETRIC, &A);
    struct timed timed = {.options = {.method = SOLVER_CG, .tolerance = 1e-9, .max_iterations = 5},
                          .kernel = kernel_find("cpu_csr")};
    solve_timed(&timed, &A, &result);
    ck_assert_int_eq(result.reason, REASON_NOT_POSITIVE);
    ck_assert(result.iterations == 0 && result.seconds == 1);
    csr_free(&A);
}
END_TEST

Suite *suite(void)
{
    const TTest *tests[] = {k_iterations_of_conjugate_gradients_are_k_products, a_trace_adds_none,
                            the_other_methods_too, an_iteration_without_a_row_has_its_product,
                            NULL};
    return suite_of("solver/time", tests);
}
