/* Several right-hand sides on a GPU. */
#include "support.h"

#include "cuda_device.h"
#include "solver/cg/cg.h"
#include "solver/column_trials.h"
#include "solver/minres/minres.h"
#include "solver/richardson/richardson.h"

static const struct columns_way ways[] = {
    {"cg", &method_cg, .kernel = "cuda_sym_bitwise"},
    {"cg, vector, started", &method_cg, .kernel = "cuda_csr_vector", .started = true},
    {"cg, rode", &method_cg, .kernel = "cuda_rode"},
    {"cg, merge", &method_cg, .kernel = "cuda_merge"},
    {"minres, by products", &method_minres, .kernel = "cuda_sym_bitwise", .by_products = true},
    {"cg, few", &method_cg, .kernel = "cuda_sym_bitwise", .most = 7},
    {"cg, indefinite", &method_cg, .kernel = "cuda_sym_bitwise", .indefinite = true},
    {"cg, exact", &method_cg, .kernel = "cuda_sym_bitwise", .reductions = REDUCTIONS_EXACT},
    {"cg, compensated", &method_cg, .kernel = "cuda_sym_bitwise",
     .reductions = REDUCTIONS_COMPENSATED},
    {"cg, jacobi", &method_cg, .kernel = "cuda_sym_bitwise", .preconditioner = "jacobi"},
    {"cg, block_jacobi, started", &method_cg, .kernel = "cuda_sym_bitwise", .started = true,
     .preconditioner = "block_jacobi"},
    {"cg, chebyshev", &method_cg, .kernel = "cuda_sym_bitwise", .preconditioner = "chebyshev"},
    {"cg, multigrid", &method_cg, .kernel = "cuda_sym_bitwise", .preconditioner = "multigrid"},
    {"cg, multigrid in single precision", &method_cg, .kernel = "cuda_sym_bitwise",
     .preconditioner = "multigrid", .its_option = "precision=float"},
    {"minres, multigrid in single precision, exact", &method_minres, .kernel = "cuda_sym_bitwise",
     .started = true, .preconditioner = "multigrid", .its_option = "precision=float",
     .reductions = REDUCTIONS_EXACT},
    {"cg, fsai", &method_cg, .kernel = "cuda_sym_bitwise", .preconditioner = "fsai"},
    {"minres, fsai in single precision", &method_minres, .kernel = "cuda_sym_bitwise",
     .preconditioner = "fsai", .its_option = "precision=float"},
    {"cg, restarted", &method_cg, .kernel = "cuda_sym_bitwise", .restarts = true},
    {"minres, restarted", &method_minres, .kernel = "cuda_csr_scalar", .restarts = true},
    {"minres", &method_minres, .kernel = "cuda_sym_bitwise"},
    {"minres, indefinite, started", &method_minres, .kernel = "cuda_merge", .indefinite = true,
     .started = true},
    {"minres, jacobi", &method_minres, .kernel = "cuda_sym_bitwise", .preconditioner = "jacobi"},
    {"minres, multigrid", &method_minres, .kernel = "cuda_sym_bitwise",
     .preconditioner = "multigrid"},
    {"skew", &method_skew, .kernel = "cuda_sym_bitwise", .shift = 0.1},
    {"richardson", &method_richardson, .kernel = "cuda_sym_bitwise", .preconditioner = "multigrid",
     .relaxation = 0.3},
};
enum { WAYS = sizeof ways / sizeof *ways };

START_TEST(a_column_has_the_bits_of_its_own_solve)
{
    if (test_case_runs(_i, 10) && cuda_device_is_there())
        trial_columns_of(&ways[_i]);
}
END_TEST

START_TEST(the_observer_ends_all_columns)
{
    static const struct columns_way interrupted[] = {
        {"cg", &method_cg, .kernel = "cuda_sym_bitwise"},
        {"minres, jacobi", &method_minres, .kernel = "cuda_sym_bitwise",
         .preconditioner = "jacobi"}};
    if (cuda_device_is_there())
        trial_interrupted_columns(&interrupted[_i]);
}
END_TEST

START_TEST(every_failing_allocation_is_survived)
{
    static const struct columns_way failing = {"cg", &method_cg, .kernel = "cuda_sym_bitwise",
                                               .preconditioner = "jacobi"};
    if (cuda_device_is_there())
        trial_failing_columns(&failing);
}
END_TEST

Suite *suite(void)
{
    Suite *made = suite_create("solver/columns_cuda");
    TCase *tests = tcase_of("all");
    tcase_add_loop_test(tests, a_column_has_the_bits_of_its_own_solve, 0, WAYS);
    tcase_add_loop_test(tests, the_observer_ends_all_columns, 0, 2);
    tcase_add_test(tests, every_failing_allocation_is_survived);
    suite_add_tcase(made, tests);
    return made;
}
