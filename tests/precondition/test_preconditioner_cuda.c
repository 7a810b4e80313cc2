/* Conjugate gradients with every preconditioner on a GPU: the CPU's history and solution, bit for
 * bit. */
#include "support.h"

#include "base/memory.h"
#include "base/random.h"
#include "cuda_device.h"
#include "precondition/preconditioned.h"
#include "solver/solve.h"
#include "spmv/symmetric/sym_order.h"

/* What adds in the order of cpu_csr; the second makes directions where the matrix allows it. */
static const struct {
    const char *kernel;
    int64_t parameter;
} runs[] = {{"cuda_csr_subwarp", 1},
            {"cuda_sym_bitwise", SYM_FORM_AUTO},
            {"cuda_sym_bitwise", SYM_FORM_GENERAL}};

static struct preconditioned_history cpu, cuda;

START_TEST(same_histories_as_the_cpu)
{
    if (!cuda_device_is_there())
        return;
    static const enum reductions sums[] = {REDUCTIONS_REPRODUCIBLE, REDUCTIONS_COMPENSATED,
                                           REDUCTIONS_EXACT};
    static double b[SOLVE_N], x[SOLVE_N], y[SOLVE_N];
    struct csr A;
    grid(test_is_slow() ? 9 : 21, 1e3, &A);
    random_vector(3, A.n, b);
    for (int m = 0; m < PRECONDITIONERS_TRIED; m++) {
        struct options options = preconditioner_tried(m);
        for (size_t s = 0; s < sizeof sums / sizeof *sums; s++) {
            struct preconditioned choice = {
                .kernel = "cpu_csr", .reductions = sums[s], .tolerance = 1e-8, .options = options};
            solve_preconditioned(&choice, &A, b, &cpu, x);
            ck_assert_int_eq(cpu.result.reason, REASON_CONVERGED);
            for (size_t k = 0; k < sizeof runs / sizeof *runs; k++) {
                if (!preconditioner_suits(m, runs[k].kernel))
                    continue;
                choice.kernel = runs[k].kernel;
                choice.parameter = runs[k].parameter;
                solve_preconditioned(&choice, &A, b, &cuda, y);
                expect_same_history(&cpu, &cuda, options.component->name);
                ck_assert_mem_eq(x, y, (size_t)A.n * sizeof *x);
                ck_assert_int_eq(cuda.result.products, cpu.result.products);
            }
        }
        options_free(&options);
    }
    csr_free(&A);
}
END_TEST

START_TEST(what_we_use_holds)
{
    if (!cuda_device_is_there())
        return;
    uint64_t seed = test_seed();
    for (int k = 1; k < PRECONDITIONERS_TRIED; k++)
        if (preconditioner_suits(k, "cuda_sym_bitwise"))
            expect_preconditioner(k, "cuda_sym_bitwise", seed);
    ck_assert_int_eq(memory_live(), 0);
}
END_TEST

/* Reductions without an order, and a library's. */
START_TEST(other_sums_converge)
{
    if (!cuda_device_is_there())
        return;
    static const enum reductions sums[] = {REDUCTIONS_ATOMIC, REDUCTIONS_BLAS};
    static double b[SOLVE_N], x[SOLVE_N];
    struct csr A;
    grid(12, 10, &A);
    random_vector(3, A.n, b);
    for (int m = 0; m < PRECONDITIONERS_TRIED; m++)
        for (int s = 0; s < 2; s++) {
            struct preconditioned choice = {.kernel = "cuda_sym_atomic",
                                            .reductions = sums[s],
                                            .tolerance = 1e-8,
                                            .options = preconditioner_tried(m)};
            solve_preconditioned(&choice, &A, b, &cuda, x);
            options_free(&choice.options);
            ck_assert_int_eq(cuda.result.reason, REASON_CONVERGED);
        }
    csr_free(&A);
}
END_TEST

Suite *suite(void)
{
    const TTest *tests[] = {same_histories_as_the_cpu, what_we_use_holds, other_sums_converge,
                            NULL};
    return suite_of("precondition/preconditioner_cuda", tests);
}
