/* Two problems that were built to show what the order of additions does, and what it cannot do. */
#include "solver/solve.h"
#include "support.h"

#include "options.h"
#include "problem/generators.h"
#include "solver/cg/cg.h"

#include <math.h>
#include <string.h>

static const char *const kernels[] = {"cpu_csr",       "cpu_sym",         "cpu_sym_atomic",
                                      "cpu_sym_exact", "cpu_sym_bitwise", "cpu_sym_compensated"};
enum { KERNELS = sizeof kernels / sizeof *kernels };

/* Every kernel with every reductions has the history that src/problem/layers.c derives: the norms
 * are powers of two, because the width is one of four. */
START_TEST(small_integers_leave_nothing_to_the_order)
{
    static struct outcome made;
    struct layers layers = {{40, 64}, 8};
    struct csr A;
    struct error error;
    expect_ok(problem_create(&problem_layers, &layers, &A, &error), &error);
    double *b = memory_array(A.n, sizeof *b, "b", &error);
    ck_assert_ptr_nonnull(b);
    test_rhs_fill(test_options(COMPONENT_RHS, "unit", NULL), &A, 0, b);
    for (int threads = 1; threads <= 4; threads++) {
        for (int k = 0; k < KERNELS; k++)
            for (int reductions = 0; reductions <= REDUCTIONS_EXACT; reductions++) {
                struct choice choice = {kernels[k], (enum reductions)reductions, 1e-9, 1000,
                                        &method_cg, .threads = threads};
                solve(choice, &A, b, &made);
                expect_reason(REASON_CONVERGED, &made);
                ck_assert_int_eq(made.result.iterations, 27);
                ck_assert(made.rows[0].residual == 1);
                for (int i = 1; i < made.count; i++)
                    ck_assert_msg(made.rows[i].residual == ldexp(1, -3 - i),
                                  "%s, reductions %d, %d threads: residual %a at iteration %d",
                                  kernels[k], reductions, threads, made.rows[i].residual, i);
            }
    }
    memory_free(b);
    csr_free(&A);
}
END_TEST

/* Exact sums keep the tied nodes together to the last bit and converge; one chain a row does
 * not. */
START_TEST(exact_sums_hold_a_tie)
{
    static struct outcome exact, again, chain;
    struct tied tied = {1002, 1, 1};
    struct csr A;
    struct error error;
    expect_ok(problem_create(&problem_tied, &tied, &A, &error), &error);
    double b[1002];
    for (int64_t i = 0; i < A.n; i++)
        b[i] = 1;
    struct choice choice = {"cpu_sym_exact", REDUCTIONS_REPRODUCIBLE, 1e-10, 1000, &method_cg,
                            .threads = 1};
    solve(choice, &A, b, &exact);
    expect_reason(REASON_CONVERGED, &exact);
    ck_assert_int_le(exact.result.iterations, 20);
    ck_assert_mem_eq(&exact.x[1000], &exact.x[1001], sizeof *exact.x);
    for (int threads = 2; threads <= 4; threads++) {
        choice.threads = threads;
        solve(choice, &A, b, &again);
        ck_assert_int_eq(again.count, exact.count);
        ck_assert_mem_eq(again.x, exact.x, (size_t)A.n * sizeof *exact.x);
    }
    choice.kernel = "cpu_sym_bitwise";
    solve(choice, &A, b, &chain);
    ck_assert(chain.x[1000] != chain.x[1001]);
    ck_assert_int_gt(chain.result.iterations, 2 * exact.result.iterations);
    ck_assert(chain.result.true_residual > 1e-3);
    csr_free(&A);
}
END_TEST

Suite *suite(void)
{
    const TTest *tests[] = {small_integers_leave_nothing_to_the_order, exact_sums_hold_a_tie, NULL};
    return suite_of("solver/cg_problems", tests);
}
