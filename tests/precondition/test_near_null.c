/* The near-null space that belongs to a matrix is there when a preconditioner is set up, whatever
 * the matrix has gone through; its rows stay those of the problem. */
#include "support.h"

#include "near_null_probe.h"
#include "options.h"
#include "solver/solve.h"
#include "spaces.h"

#include "matrix/implicit_rows.h"
#include "matrix/permute.h"
#include "matrix/scale.h"
#include "problem/problem.h"
#include "solver/scale.h"
#include "spmv/device_csr.h"
#include "study/study.h"

#include <math.h>

enum { COUNT = 3 };

static struct error error;

/* Any vectors; the caller frees it. */
static struct near_null any(int64_t n, uint64_t *state)
{
    struct near_null made;
    double *values = memory_array(n * COUNT, sizeof *values, "values", &error);
    for (int64_t k = 0; k < n * COUNT; k++)
        values[k] = test_random(state) - 0.5;
    expect_ok(near_null_of(n, 1, COUNT, values, &made, &error), &error);
    memory_free(values);
    return made;
}

START_TEST(a_copy_of_the_matrix_has_it)
{
    uint64_t state = test_seed();
    struct csr A, other, scaled;
    struct partial_csr kept;
    const struct csr *host;
    struct space *space = test_space(SPACE_CPU, REDUCTIONS_REPRODUCIBLE, 2);
    grid(6, 1, &A);
    struct near_null near_null = any(A.n, &state);
    A.near_null = &near_null;
    int32_t *number = test_random_numbering(A.n, &state);
    expect_ok(csr_permute(&A, number, &other, &error), &error);
    ck_assert_ptr_eq(other.near_null, &near_null);
    csr_free(&other);
    expect_ok(csr_scale(&A, 200, &scaled, &error), &error);
    ck_assert_ptr_eq(scaled.near_null, &near_null);
    expect_ok(device_csr_bring(space, &scaled, &other, &error), &error);
    ck_assert_ptr_eq(other.near_null, &near_null);
    ck_assert_int_eq(other.exponent, 200);
    struct csr again, back;
    other.host = NULL;
    expect_ok(solver_scale_matrix(space, &other, &again, &error), &error);
    ck_assert(again.near_null == &near_null && !again.host);
    solver_scale_matrix_free(&again);
    expect_ok(device_csr_on_host(&other, &host, &back, &error), &error);
    ck_assert(host == &back && back.near_null == &near_null && back.exponent == 200);
    csr_free(&back);
    device_csr_free(&other);
    memory_free(scaled.values);
    partial_csr_create(&A, &kept);
    ck_assert(A.maker && A.near_null == &near_null);
    partial_csr_free(&kept);
    near_null_free(&near_null);
    memory_free(number);
    space->operations->destroy(space);
    ck_assert_int_eq(memory_live(), 0);
}
END_TEST

START_TEST(a_generators_rows_have_it)
{
    uint64_t state = test_seed();
    struct csr A;
    struct options options = test_options(COMPONENT_PROBLEM, "poisson3d", "n=5", NULL);
    expect_ok(problem_shape(&options, &A, &error), &error);
    struct near_null near_null = any(A.n, &state);
    A.near_null = &near_null;
    expect_ok(csr_store(&A, &error), &error);
    ck_assert(A.offsets && A.near_null == &near_null);
    csr_free(&A);
    near_null_free(&near_null);
    options_free(&options);
}
END_TEST

/* By a study, with a matrix that is scaled, in another numbering, over every kernel of the CPU. */
static void study_with(const char *name, const struct csr *A, const int32_t *number)
{
    int count, runs = 0;
    const struct kernel *const *kernels = kernel_list(&count);
    double *b = memory_array(A->n, sizeof *b, "b", &error);
    struct study_system system = {.A = A, .b = b, .number = number, .columns = 1};
    for (int64_t i = 0; i < A->n; i++)
        b[i] = 1;
    for (int k = 0; k < count; k++) {
        struct study_kernel found;
        struct options options = test_options(COMPONENT_PRECONDITIONER, name, NULL);
        if (kernels[k]->space != SPACE_CPU || !(kernels[k]->kinds & CSR_SYMMETRIC))
            continue;
        struct study_entry entry = {kernels[k], kernel_defaults(kernels[k]), "own", options};
        struct space *space = test_space(SPACE_CPU, REDUCTIONS_REPRODUCIBLE, 2);
        struct solver_options solver = {
            .method = &method_cg, .tolerance = 1e-10, .max_iterations = 3};
        expect_ok(study_kernel_run(&entry, &system, space, &solver, 1, NULL, &found, &error),
                  &error);
        ck_assert_int_eq(near_null_probe_met(), ++runs);
        study_kernel_free(&found);
        options_free(&options);
        space->operations->destroy(space);
    }
    memory_free(b);
    ck_assert_int_gt(runs, 3);
}

START_TEST(set_up_gets_it_from_a_study)
{
    uint64_t state = test_seed();
    struct csr A, permuted;
    grid(6, 1, &A);
    struct near_null near_null = any(A.n, &state);
    A.near_null = &near_null;
    near_null_probe_add();
    for (int64_t k = 0; k < A.nnz; k++)
        A.values[k] = ldexp(A.values[k], 400); /* which is scaled */
    int32_t *number = test_random_numbering(A.n, &state);
    expect_ok(csr_permute(&A, number, &permuted, &error), &error);
    for (int p = 0; p < 2; p++) {
        const char *name = p ? "probe_own" : "probe_all";
        near_null_probe_expect(&near_null);
        study_with(name, &A, NULL);
        near_null_probe_expect(&near_null);
        study_with(name, &permuted, number);
    }
    A.near_null = NULL;
    near_null_probe_expect(NULL);
    study_with("probe_all", &A, NULL);
    memory_free(number);
    csr_free(&permuted);
    csr_free(&A);
    near_null_free(&near_null);
    ck_assert_int_eq(memory_live(), 0);
}
END_TEST

Suite *suite(void)
{
    const TTest *tests[] = {a_copy_of_the_matrix_has_it, a_generators_rows_have_it,
                            set_up_gets_it_from_a_study, NULL};
    return suite_of("precondition/near_null", tests);
}
