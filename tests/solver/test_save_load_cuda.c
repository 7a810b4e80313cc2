/* A solve on a GPU that is saved between two iterations and goes on elsewhere: bit for bit the one
 * that was never interrupted. There a graph of 16 iterations is replayed where all of them are
 * wanted, and single ones are sent where not: the solves are longer than two of them. */
#include "support.h"

#include "cuda_device.h"
#include "solver/cg/cg.h"
#include "solver/lanczos/lanczos.h"
#include "solver/minres/minres.h"
#include "solver/richardson/richardson.h"
#include "solver/states.h"

static const struct way ways[] = {
    {"cg", &method_cg, .kernel = "cuda_csr_vector", .at_least = 41},
    {"cg, makes p", &method_cg, .kernel = "cuda_sym_bitwise", .makes_direction = true,
     .at_least = 41},
    {"cg, chebyshev", &method_cg, .kernel = "cuda_sym_bitwise", .makes_direction = true,
     .preconditioner = "chebyshev", .at_least = 10},
    {"cg, jacobi", &method_cg, .kernel = "cuda_csr_vector", .preconditioner = "jacobi",
     .at_least = 33},
    {"cg, traces", &method_cg, .kernel = "cuda_sym_bitwise", .makes_direction = true,
     .traces = true, .at_least = 41},
    {"cg, exact", &method_cg, .kernel = "cuda_csr_vector", .reductions = REDUCTIONS_EXACT,
     .at_least = 41},
    {"cg, two ahead", &method_cg, .kernel = "cuda_sym_bitwise", .makes_direction = true, .ahead = 2,
     .at_least = 41},
    {"minres", &method_minres, .kernel = "cuda_sym_bitwise", .makes_direction = true,
     .at_least = 41},
    {"minres, chebyshev", &method_minres, .kernel = "cuda_sym_bitwise", .makes_direction = true,
     .preconditioner = "chebyshev", .at_least = 10},
    {"minres, jacobi", &method_minres, .kernel = "cuda_csr_vector", .preconditioner = "jacobi",
     .at_least = 33},
    {"richardson", &method_richardson, .kernel = "cuda_sym_bitwise", .makes_direction = true,
     .preconditioner = "multigrid", .relaxation = 0.3, .at_least = 41},
    {"skew", &method_skew, .kernel = "cuda_sym_bitwise", .makes_direction = true, .at_least = 41},
    {"lanczos", &method_lanczos, .kernel = "cuda_sym_bitwise", .makes_direction = true,
     .reorthogonalization = REORTHOGONALIZATION_FULL, .restart = 9, .at_least = 41},
    {"lanczos, selective", &method_lanczos, .kernel = "cuda_sym_bitwise", .makes_direction = true,
     .reorthogonalization = REORTHOGONALIZATION_SELECTIVE, .restart = 9, .at_least = 41},
    {"lanczos, none", &method_lanczos, .kernel = "cuda_csr_vector",
     .reorthogonalization = REORTHOGONALIZATION_NONE, .restart = 9, .at_least = 41},
};
enum { WAYS = sizeof ways / sizeof *ways };

START_TEST(behind_every_iteration)
{
    if (cuda_device_is_there())
        check_every_iteration(&ways[_i]);
}
END_TEST

START_TEST(in_portions)
{
    if (cuda_device_is_there())
        check_portions(&ways[_i]);
}
END_TEST

Suite *suite(void)
{
    Suite *made = suite_create("solver/save_load_cuda");
    TCase *tests = tcase_of("all");
    tcase_add_loop_test(tests, behind_every_iteration, 0, WAYS);
    tcase_add_loop_test(tests, in_portions, 0, WAYS);
    suite_add_tcase(made, tests);
    return made;
}
