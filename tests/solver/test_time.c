/* What the timed part of a solve contains, and the pieces that are timed behind it. The clock of
 * this suite counts products and applications of a preconditioner instead of time, so that the
 * seconds of a result are what was done while it ran. */
#include "support.h"

#include "base/hash.h"
#include "base/random.h"
#include "clock.h"
#include "matrices.h"
#include "options.h"
#include "solver/cg/cg.h"
#include "solver/lanczos/lanczos.h"
#include "solver/minres/minres.h"
#include "solver/solve.h"
#include "spaces.h"
#include "spmv/preconditioner.h"

enum { SIDE = 6, ROWS = SIDE * SIDE * SIDE, APPLICATION = 1 << 20 };

static struct {
    const struct operator_table *spmv, *M; /* those that do the work */
    int64_t products, applications;
    bool within; /* an application, whose products are its own affair */
} counted;

static double count_of_work(void)
{
    return (double)(counted.products + APPLICATION * counted.applications);
}

static enum status count_apply(void *state, const struct operands *operands, struct error *error)
{
    counted.products += !counted.within;
    return counted.spmv->apply(state, operands, error);
}

static enum status count_application(void *state, const struct operands *operands,
                                     struct error *error)
{
    counted.applications++;
    counted.within = true;
    enum status status = counted.M->apply(state, operands, error);
    counted.within = false;
    return status;
}

/* What a solve leaves. */
static struct kept {
    uint64_t history;
    double solution[ROWS];
} kept, other;

/* The residual is the first of the series. */
static enum status keep(void *context, const struct event *event, struct error *error)
{
    (void)error;
    struct kept *into = context;
    if (event->kind == EVENT_ROW)
        into->history = hash_doubles(into->history, event->values, 1);
    return STATUS_OK;
}

struct timed {
    struct solver_options options;
    struct options preconditioner; /* zeroed: none */
    enum reductions reductions;
    const struct kernel *kernel;
    struct trace_wish trace; /* every = 0: none */
    int threads;             /* 0: all */
};

/* The last of `times` solves, one after the other, is the one that is looked at. */
static void solve_timed(const struct timed *timed, const struct csr *A, int times,
                        struct kept *into, struct solver_result *result)
{
    struct error error;
    struct space *space;
    struct linear_operator spmv, M = {0};
    struct operator_table counting, applying;
    struct solver_options options = timed->options;
    struct observer observer = {.wants =
                                    1u << EVENT_ROW | (timed->trace.every ? 1u << EVENT_VECTOR : 0),
                                .trace = timed->trace,
                                .see = keep,
                                .context = into};
    static double b[ROWS];
    random_vector(5, A->n, b);
    space = test_space(SPACE_CPU, timed->reductions, timed->threads);
    expect_ok(operator_create(timed->kernel, A, NULL, space, &spmv, &error), &error);
    counting = *(counted.spmv = spmv.table);
    counting.apply = count_apply;
    spmv.table = &counting;
    if (preconditioner_is_set(&timed->preconditioner)) {
        expect_ok(preconditioner_create(&timed->preconditioner, A, NULL, &spmv, &M, &error),
                  &error);
        applying = *(counted.M = M.table);
        applying.apply = count_application;
        M.table = &applying;
        options.preconditioner = &M;
    }
    for (int k = 0; k < times; k++) {
        if (k > 0)
            solver_result_free(result);
        into->history = HASH_START;
        expect_ok(
            solver_solve(&spmv, A, b, NULL, &options, &observer, into->solution, result, &error),
            &error);
    }
    operator_destroy(&M);
    operator_destroy(&spmv);
    space->operations->destroy(space);
}

/* As many products as iterations, and as many applications of M, if there is one. */
static void expect_counts(const struct timed *timed, const struct solver_result *result)
{
    int64_t each = 1 + (preconditioner_is_set(&timed->preconditioner) ? APPLICATION : 0);
    ck_assert_int_gt(result->iterations, 0);
    ck_assert_msg(result->seconds == (double)(each * result->iterations),
                  "%s, %s, preconditioner %s: %d iterations, and %.0f products, %.0f applications",
                  timed->options.method->component.name, timed->kernel->component.name,
                  each > 1 ? timed->preconditioner.component->name : "none",
                  (int)result->iterations, (double)((int64_t)result->seconds % APPLICATION),
                  (double)((int64_t)result->seconds / APPLICATION));
}

/* By every kernel of the CPU that takes the matrix; after an odd and an even number of iterations,
 * and at the end. */
static void try_all(struct timed timed, const struct csr *A)
{
    int count;
    const struct kernel *const *kernels = kernel_list(&count);
    static const int64_t limits[] = {1, 2, 60};
    for (int k = 0; k < count; k++) {
        if (kernels[k]->space != SPACE_CPU || !(kernels[k]->kinds & A->kind))
            continue;
        timed.kernel = kernels[k];
        for (size_t l = 0; l < sizeof limits / sizeof *limits; l++) {
            struct solver_result result;
            timed.options.max_iterations = limits[l];
            timed.reductions = (enum reductions)((size_t)k % 5);
            solve_timed(&timed, A, 1, &kept, &result);
            expect_counts(&timed, &result);
            solver_result_free(&result);
        }
    }
}

/* The pieces, by a clock that counts: one product, one application. And nothing else of a solve
 * changes, nor of the one after it. */
static void try_split(struct timed timed, const struct csr *A)
{
    int count;
    const struct kernel *const *kernels = kernel_list(&count);
    bool applies = preconditioner_is_set(&timed.preconditioner);
    for (int k = 0; k < count; k++) {
        struct solver_result with, without;
        timed.kernel = kernels[k];
        timed.reductions = (enum reductions)(k % 5);
        if (timed.kernel->space != SPACE_CPU || !(timed.kernel->kinds & A->kind))
            continue;
        timed.options.max_iterations = 1 + k % 7;
        timed.options.time_split = true;
        timed.threads = 1; /* whose bits are the same with atomics, too */
        solve_timed(&timed, A, 1, &kept, &with);
        expect_counts(&timed, &with);
        ck_assert(with.time_split.product == 1);
        ck_assert(with.time_split.preconditioner == (applies ? APPLICATION : 0));
        for (int times = 1; times <= 2; times++) {
            timed.options.time_split = times == 2;
            solve_timed(&timed, A, times, &other, &without);
            ck_assert_uint_eq(other.history, kept.history);
            ck_assert_mem_eq(other.solution, kept.solution,
                             (size_t)solver_solution_length(&timed.options, A->n) *
                                 sizeof *kept.solution);
            ck_assert_int_eq(without.iterations, with.iterations);
            ck_assert_int_eq(without.products, with.products);
            ck_assert(without.true_residual == with.true_residual);
            ck_assert(without.time_split.product == (times == 2));
            solver_result_free(&without);
        }
        solver_result_free(&with);
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

typedef void trial(struct timed timed, const struct csr *A);

static void try_preconditioners(const struct method *method, trial *try, const struct csr *A)
{
    int count;
    const struct component *const *list = component_list(COMPONENT_PRECONDITIONER, &count);
    for (int k = 0; k < count; k++) {
        struct timed timed = {.options = {.method = method, .tolerance = 1e-9},
                              .preconditioner =
                                  test_options(COMPONENT_PRECONDITIONER, list[k]->name, NULL)};
        try(timed, A);
        options_free(&timed.preconditioner);
    }
}

START_TEST(k_iterations_are_k_products)
{
    struct csr A;
    grid(SIDE, 10, &A);
    try_preconditioners(&method_cg, try_all, &A);
    try_preconditioners(&method_minres, try_all, &A);
    csr_free(&A);
}
END_TEST

START_TEST(a_trace_adds_none)
{
    struct csr A;
    grid(SIDE, 10, &A);
    try_all((struct timed){.options = {.method = &method_cg, .tolerance = 1e-9}, .trace = {3, 15}},
            &A);
    csr_free(&A);
}
END_TEST

static void try_other_methods(trial *try)
{
    struct csr A, S = skew_chain(100);
    grid(SIDE, 10, &A);
    try((struct timed){.options = {.method = &method_minres, .tolerance = 1e-9}}, &A);
    try((struct timed){.options = {.method = &method_skew, .tolerance = 1e-9, .shift = 0.5}}, &S);
    for (int way = REORTHOGONALIZATION_NONE; way <= REORTHOGONALIZATION_FULL; way++) {
        struct eigen_options eigen = {.count = 3,
                                      .which = EIGEN_LARGEST,
                                      .tolerance = 1e-9,
                                      .reorthogonalization = (enum reorthogonalization)way,
                                      .restart = 20};
        try((struct timed){.options = {.method = &method_lanczos, .eigen = eigen}}, &A);
    }
    csr_free(&A);
    csr_free(&S);
}

START_TEST(the_other_methods_too)
{
    try_other_methods(try_all);
}
END_TEST

START_TEST(the_pieces_change_nothing)
{
    struct csr A;
    grid(SIDE, 10, &A);
    try_preconditioners(&method_cg, try_split, &A);
    try_preconditioners(&method_minres, try_split, &A);
    csr_free(&A);
    try_other_methods(try_split);
}
END_TEST

/* p . A p < 0 in the first iteration: its product was made, and no row. */
START_TEST(an_iteration_without_a_row_has_its_product)
{
    static const double upper[] = {-1, 0, -1};
    struct csr A;
    struct solver_result result;
    test_matrix_from_dense(2, upper, CSR_SYMMETRIC, &A);
    struct timed timed = {.options = {.method = &method_cg, .tolerance = 1e-9, .max_iterations = 5},
                          .kernel = kernel_find("cpu_csr")};
    timed.options.time_split = true;
    solve_timed(&timed, &A, 1, &kept, &result);
    ck_assert_int_eq(result.reason, REASON_NOT_POSITIVE);
    ck_assert(result.iterations == 0 && result.seconds == 1 && result.time_split.product == 0);
    csr_free(&A);
}
END_TEST

Suite *suite(void)
{
    test_clock = count_of_work;
    const TTest *tests[] = {k_iterations_are_k_products,
                            a_trace_adds_none,
                            the_other_methods_too,
                            the_pieces_change_nothing,
                            an_iteration_without_a_row_has_its_product,
                            NULL};
    return suite_of("solver/time", tests);
}
