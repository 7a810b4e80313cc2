/* What holds of every preconditioner. */
#include "support.h"

#include "base/random.h"
#include "matrices.h"
#include "precondition/preconditioned.h"
#include "solver/cg/cg.h"
#include "solver/solve.h"
#include "spaces.h"
#include "study/preconditioner_trials.h"

#include <math.h>
#include <string.h>

static struct preconditioned_history history, other;

static const enum reductions all_reductions[] = {REDUCTIONS_REPRODUCIBLE, REDUCTIONS_COMPENSATED,
                                                 REDUCTIONS_EXACT, REDUCTIONS_ATOMIC,
                                                 REDUCTIONS_BLAS};

START_TEST(every_kernel_converges_with_it)
{
    static double b[2000], x[2000];
    uint64_t state = test_seed();
    int count;
    const struct kernel *const *kernels = kernel_list(&count);
    for (int t = 0; t < test_matrices_count; t++) {
        struct csr A;
        test_matrix_build_positive(&test_matrices[t], &state, &A);
        random_vector(t, A.n, b);
        for (int k = 0; k < count; k++) {
            const char *kernel = kernels[k]->component.name;
            int m = 1 + (k + t) % (PRECONDITIONERS_TRIED - 1);
            if (kernels[k]->space != SPACE_CPU || !preconditioner_suits(m, kernel))
                continue;
            struct preconditioned choice = {.kernel = kernel,
                                            .reductions = all_reductions[(k + t) % 5],
                                            .tolerance = 1e-10,
                                            .threads = 1 + k % 3,
                                            .options = preconditioner_tried(m)};
            solve_preconditioned(&choice, &A, b, &history, x);
            options_free(&choice.options);
            ck_assert_int_eq(history.result.reason, REASON_CONVERGED);
            ck_assert(history.result.true_residual <= 1.1e-10 * history.result.rhs_norm);
            ck_assert(history.result.rhs_norm == history.rows[0].residual);
        }
        csr_free(&A);
    }
}
END_TEST

/* cpu_csr makes no directions and cpu_sym_bitwise does: z takes the place of r in both. Where that
 * does not multiply singles, cpu_sym does. */
START_TEST(bitwise_kernels_have_one_history)
{
    static const int threads[] = {1, 2, 3, 7};
    static double b[SOLVE_N], x[SOLVE_N], y[SOLVE_N];
    struct csr A;
    grid(22, 100, &A);
    random_vector(3, A.n, b);
    for (int m = 1; m < PRECONDITIONERS_TRIED; m++) {
        struct options options = preconditioner_tried(m);
        const char *upper =
            preconditioner_suits(m, "cpu_sym_bitwise") ? "cpu_sym_bitwise" : "cpu_sym";
        for (int s = 0; s < 3; s++)
            for (int t = 0; t < 4 && test_case_runs(m + 3 * s, 9); t++) {
                struct preconditioned choice = {.kernel = t % 2 ? "cpu_csr" : upper,
                                                .reductions = all_reductions[s],
                                                .tolerance = 1e-6,
                                                .threads = threads[t],
                                                .options = options};
                solve_preconditioned(&choice, &A, b, t == 0 ? &history : &other, t == 0 ? x : y);
                ck_assert_int_eq(history.result.reason, REASON_CONVERGED);
                if (t == 0)
                    continue;
                expect_same_history(&history, &other, options.component->name);
                ck_assert_mem_eq(x, y, (size_t)A.n * sizeof *x);
            }
        options_free(&options);
    }
    csr_free(&A);
}
END_TEST

START_TEST(every_preconditioner_holds)
{
    struct error error;
    struct trials_found found;
    struct trials_options how = {.seed = test_seed(), .quick = test_is_slow()};
    int count;
    const struct component *const *list = component_list(COMPONENT_PRECONDITIONER, &count);
    for (int k = 0; k < count; k++) {
        struct options options = {.component = list[k]};
        if (!preconditioner_is_set(&options) || !test_case_runs(k, 3))
            continue;
        expect_ok(preconditioner_try(list[k], NULL, kernel_find("cpu_csr"), &how, &found, &error),
                  &error);
        ck_assert_msg(!*found.broken, "%s, %s: %s", list[k]->name, found.trial, found.broken);
    }
}
END_TEST

/* With several levels, and what the trials do not choose. */
START_TEST(what_we_use_holds)
{
    uint64_t seed = test_seed();
    for (int k = 1; k < PRECONDITIONERS_TRIED; k++)
        if (test_case_runs(k, 3))
            expect_preconditioner(
                k, preconditioner_suits(k, "cpu_sym_bitwise") ? "cpu_sym_bitwise" : "cpu_sym",
                seed);
    ck_assert_int_eq(memory_live(), 0);
}
END_TEST

/* Not NaN: M is not positive definite for this r, or what M makes of it is not finite. */
static double made_dot;

static enum status bad_apply(void *state, const struct operands *operands, struct error *error)
{
    (void)error;
    memcpy(operands->y, operands->x, *(const size_t *)state * sizeof(double));
    *operands->dot = made_dot;
    return STATUS_OK;
}

START_TEST(a_bad_one_ends_the_solve)
{
    static const double dots[] = {-1, 0, INFINITY, NAN};
    static const double values[] = {1, 2, 3, 4}, b[] = {1, 1, 1, 1};
    const struct operator_table bad = {.apply = bad_apply};
    for (int k = 0; k < 4; k++) {
        struct error error;
        struct csr A;
        struct space *space;
        struct linear_operator spmv;
        struct solver_result result;
        double x[4];
        size_t n = 4;
        diagonal(4, values, &A);
        made_dot = dots[k];
        space = test_space(SPACE_CPU, REDUCTIONS_REPRODUCIBLE, 0);
        expect_ok(operator_create(kernel_find("cpu_csr"), &A, NULL, space, &spmv, &error), &error);
        struct linear_operator M = {
            .table = &bad, .state = &n, .can = OPERATOR_DOT, .space = space, .n = 4, .width = 4};
        struct solver_options options = {
            .method = &method_cg, .tolerance = 1e-6, .max_iterations = 10, .preconditioner = &M};
        expect_ok(solver_solve(&spmv, &A, b, NULL, &options, NULL, x, &result, &error), &error);
        ck_assert_int_eq(result.reason, k < 2 ? REASON_NOT_POSITIVE : REASON_NOT_FINITE);
        ck_assert_int_eq(result.iterations, 0);
        ck_assert(result.residual == 2 && isnan(result.curvature)); /* there was no p . A p */
        operator_destroy(&spmv);
        space->operations->destroy(space);
        csr_free(&A);
    }
}
END_TEST

/* z of the solver, what M says that it holds, and what an iteration moves more. */
START_TEST(bytes_are_counted)
{
    struct error error;
    struct csr A;
    struct space *space;
    struct linear_operator spmv;
    struct solver_options without = {.method = &method_cg, .tolerance = 0.1};
    const int64_t n = 512, vector = 8 * n;
    static const int64_t held[PRECONDITIONERS_OF_ONE_LEVEL] = {0, 1, 4, 7, 1, 2, 2},
                         moved[PRECONDITIONERS_OF_ONE_LEVEL] = {0, 3, 6, 9, 3, 7, 22},
                         products[PRECONDITIONERS_OF_ONE_LEVEL] = {0, 0, 0, 0, 1, 2, 5};
    grid(8, 1, &A);
    const struct kernel *kernel = kernel_find("cpu_csr");
    for (int s = 0; s < 5; s++) {
        space = test_space(SPACE_CPU, all_reductions[s], 0);
        expect_ok(operator_create(kernel, &A, NULL, space, &spmv, &error), &error);
        for (int m = 1; m < PRECONDITIONERS_OF_ONE_LEVEL; m++) {
            struct linear_operator M;
            struct options options = preconditioner_tried(m);
            expect_ok(preconditioner_create(&options, &A, NULL, &spmv, &M, &error), &error);
            struct solver_options with = without;
            with.preconditioner = &M;
            ck_assert_int_eq(preconditioner_memory_bytes(&options, &A), held[m] * vector);
            ck_assert_int_eq(method_memory_bytes(&with, n),
                             method_memory_bytes(&without, n) + vector);
            ck_assert_int_eq(M.products, products[m]);
            ck_assert_int_eq(M.memory_bytes, held[m] * vector);
            ck_assert_int_eq(with.method->bytes_per_iteration(&with, &spmv) -
                                 without.method->bytes_per_iteration(&without, &spmv),
                             M.products * spmv.bytes_per_apply +
                                 (moved[m] + (all_reductions[s] == REDUCTIONS_BLAS ? 2 : 0)) *
                                     vector);
            operator_destroy(&M);
            options_free(&options);
        }
        operator_destroy(&spmv);
        space->operations->destroy(space);
    }
    csr_free(&A);
}
END_TEST

/* Neither zeroed options nor those of "none" are a preconditioner. */
START_TEST(none_holds_nothing)
{
    struct options none = preconditioner_tried(0), zeroed = {0}, jacobi = preconditioner_tried(1);
    ck_assert(!preconditioner_is_set(&none) && !preconditioner_is_set(&zeroed));
    ck_assert(preconditioner_is_set(&jacobi));
    struct csr A = {.kind = CSR_SYMMETRIC, .n = 512, .width = 512, .nnz = 512};
    ck_assert_int_eq(preconditioner_memory_bytes(&none, &A), 0);
    ck_assert_int_eq(preconditioner_memory_bytes(&zeroed, &A), 0);
    options_free(&none);
    options_free(&jacobi);
}
END_TEST

START_TEST(only_symmetric_matrices_are_taken)
{
    static const double upper[] = {0, 1, 0};
    struct error error;
    struct csr A;
    struct space *space;
    struct linear_operator spmv;
    struct linear_operator M;
    test_matrix_from_dense(2, upper, CSR_SKEW, &A);
    space = test_space(SPACE_CPU, REDUCTIONS_REPRODUCIBLE, 0);
    expect_ok(operator_create(kernel_find("cpu_csr"), &A, NULL, space, &spmv, &error), &error);
    for (int m = 1; m < PRECONDITIONERS_TRIED; m++) {
        struct options options = preconditioner_tried(m);
        expect_error(preconditioner_create(&options, &A, NULL, &spmv, &M, &error), STATUS_CONFIG,
                     &error, options.component->name, "not symmetric", NULL);
        ck_assert_ptr_null(M.table);
        options_free(&options);
    }
    operator_destroy(&spmv);
    space->operations->destroy(space);
    csr_free(&A);
}
END_TEST

Suite *suite(void)
{
    const TTest *tests[] = {every_kernel_converges_with_it,
                            bitwise_kernels_have_one_history,
                            every_preconditioner_holds,
                            what_we_use_holds,
                            a_bad_one_ends_the_solve,
                            bytes_are_counted,
                            none_holds_nothing,
                            only_symmetric_matrices_are_taken,
                            NULL};
    return suite_of("precondition/preconditioner", tests);
}
