/* The pieces of an iteration that a study measures behind the last run of a kernel: which there
 * are, by every method, kernel and preconditioner. How long they take is the machine's affair. */
#include "support.h"

#include "base/random.h"
#include "matrices.h"
#include "solver/cg/cg.h"
#include "solver/lanczos/lanczos.h"
#include "solver/minres/minres.h"
#include "solver/richardson/richardson.h"
#include "solver/solve.h"
#include "spaces.h"
#include "study/study.h"

#include <math.h>

enum { SIDE = 6, ROWS = SIDE * SIDE * SIDE };

static const struct method *const methods[] = {&method_cg, &method_minres, &method_lanczos};

struct trial {
    struct solver_options options;
    const char *preconditioner; /* NULL: none */
    const struct kernel *kernel;
    const struct csr *A;
    double b[ROWS];
};

static enum status try_study(void *context, struct error *error)
{
    const struct trial *trial = context;
    struct space *space;
    struct study_kernel result = {0};
    struct study_entry entry = {
        .kernel = trial->kernel, .options = kernel_defaults(trial->kernel), .label = "k"};
    struct study_system system = {trial->A, trial->b, NULL, NULL, 1};
    enum status status = space_cpu_create(
        &(struct space_options){.reductions = REDUCTIONS_REPRODUCIBLE}, &space, error);
    if (status)
        return status;
    if (trial->preconditioner)
        status = options_create(component_find(COMPONENT_PRECONDITIONER, trial->preconditioner),
                                &entry.preconditioner, error);
    if (!status)
        status = study_kernel_run(&entry, &system, space, &trial->options, 2, NULL, &result, error);
    if (!status) {
        const struct solver_split *split = &result.time_split;
        bool iterated = result.iterations_max > 0, lanczos = !solver_finds_vector(&trial->options);
        bool applied = preconditioner_is_set(&entry.preconditioner);
        ck_assert(isfinite(split->product) && (split->product > 0) == iterated);
        ck_assert(isfinite(split->updates) && (split->updates > 0) == iterated);
        ck_assert(isfinite(split->preconditioner) &&
                  (split->preconditioner > 0) == (iterated && applied));
        ck_assert(isfinite(split->projected) && (split->projected > 0) == (iterated && lanczos));
        ck_assert(result.runs[0].result.time_split.product == 0); /* behind the last run alone */
        ck_assert(result.runs[1].result.time_split.product == split->product);
    }
    study_kernel_free(&result);
    options_free(&entry.preconditioner);
    space->operations->destroy(space);
    return status;
}

static void try_kernels(struct trial *trial)
{
    int count;
    struct error error;
    const struct kernel *const *kernels = kernel_list(&count);
    for (int k = 0; k < count; k++) {
        trial->kernel = kernels[k];
        if (kernels[k]->space == SPACE_CPU && kernels[k]->kinds & trial->A->kind)
            expect_ok(try_study(trial, &error), &error);
    }
}

START_TEST(every_method_has_its_pieces)
{
    static const int64_t limits[] = {0, 1, 40};
    struct csr A;
    grid(SIDE, 10, &A);
    int count;
    const struct component *const *list = component_list(COMPONENT_PRECONDITIONER, &count);
    static const struct method *const others[] = {&method_minres, &method_lanczos,
                                                  &method_richardson};
    for (int m = 0; m < 3 * (count + 3); m++) {
        int which = m / 3; /* a preconditioner of conjugate gradients, or another method */
        struct trial trial = {.options = {.method = &method_cg,
                                          .tolerance = 1e-9,
                                          .max_iterations = limits[m % 3],
                                          .relaxation = 0.1},
                              .A = &A};
        trial.options.eigen = (struct eigen_options){.count = 2, .tolerance = 1e-9, .restart = 20};
        if (which < count)
            trial.preconditioner = list[which]->name;
        else
            trial.options.method = others[which - count];
        random_vector(3, ROWS, trial.b);
        try_kernels(&trial);
    }
    csr_free(&A);
}
END_TEST

/* Two iterations, in whole numbers, that leave nothing over: r, w and the next v are 0. */
START_TEST(an_exact_end_has_its_pieces_too)
{
    static double values[ROWS];
    struct csr A;
    for (int i = 0; i < ROWS; i++)
        values[i] = i % 2 ? 1 : 3;
    diagonal(ROWS, values, &A);
    for (size_t k = 0; k < sizeof methods / sizeof *methods; k++) {
        struct trial trial = {.options = {.method = methods[k],
                                          .tolerance = 1e-9,
                                          .max_iterations = 2,
                                          .eigen = {.count = 1, .tolerance = 1e-9}},
                              .A = &A};
        for (int i = 0; i < ROWS; i++)
            trial.b[i] = i < 64 ? 8 : 0;
        try_kernels(&trial);
    }
    csr_free(&A);
}
END_TEST

/* The length of the second step is infinite. */
START_TEST(numbers_that_are_not_finite_have_none)
{
    static const double upper[] = {1, 0, 1e-320}, b[] = {1, 1};
    struct error error;
    struct csr A;
    struct study_kernel result;
    struct space *space;
    struct study_entry entry = {.kernel = kernel_find("cpu_csr"), .label = "k"};
    struct study_system system = {&A, b, NULL, NULL, 1};
    struct solver_options options = {.method = &method_cg, .tolerance = 1e-9, .max_iterations = 40};
    test_matrix_from_dense(2, upper, CSR_SYMMETRIC, &A);
    space = test_space(SPACE_CPU, REDUCTIONS_REPRODUCIBLE, 0);
    expect_ok(study_kernel_run(&entry, &system, space, &options, 1, NULL, &result, &error), &error);
    ck_assert_int_eq(result.runs[0].result.reason, REASON_NOT_FINITE);
    ck_assert_int_eq(result.runs[0].result.iterations, 2);
    ck_assert(result.time_split.product == 0 && result.time_split.updates == 0);
    study_kernel_free(&result);
    space->operations->destroy(space);
    csr_free(&A);
}
END_TEST

START_TEST(every_failed_allocation_is_survived)
{
    struct csr A;
    grid(SIDE, 10, &A);
    for (size_t k = 0; k < sizeof methods / sizeof *methods; k++) {
        struct trial trial = {.options = {.method = methods[k],
                                          .tolerance = 1e-9,
                                          .max_iterations = 5,
                                          .eigen = {.count = 2, .tolerance = 1e-9, .restart = 20}},
                              .preconditioner = methods[k] == &method_cg ? "chebyshev" : NULL,
                              .kernel = kernel_find("cpu_sym_bitwise"),
                              .A = &A};
        random_vector(3, ROWS, trial.b);
        walk_allocation_failures(try_study, &trial);
    }
    csr_free(&A);
}
END_TEST

Suite *suite(void)
{
    const TTest *tests[] = {every_method_has_its_pieces, an_exact_end_has_its_pieces_too,
                            numbers_that_are_not_finite_have_none,
                            every_failed_allocation_is_survived, NULL};
    return suite_of("study/time_split", tests);
}
