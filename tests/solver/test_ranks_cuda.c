/* The same as test_ranks.c with a GPU for each rank, or one for several. */
#include "support.h"

#include "cuda_device.h"
#include "ranks.h"
#include "solver/cg/cg.h"
#include "solver/lanczos/lanczos.h"
#include "solver/minres/minres.h"
#include "solver/rank_trials.h"
#include "solver/richardson/richardson.h"

static const struct rank_way ways[] = {
    {"cg, diagonals", "cuda_sym_bitwise", .method = &method_cg, .form = "form=diagonals"},
    {"cg", "cuda_sym_bitwise", .method = &method_cg},
    {"cg, csr, started", "cuda_csr_scalar", .method = &method_cg, .started = true},
    {"cg, exact products", "cuda_sym_exact", .method = &method_cg},
    {"cg, exact", "cuda_sym_exact", .method = &method_cg, .reductions = REDUCTIONS_EXACT},
    {"lanczos, exact", "cuda_sym_exact", .method = &method_lanczos, .reductions = REDUCTIONS_EXACT},
    {"cg, compensated", "cuda_sym_bitwise", .method = &method_cg,
     .reductions = REDUCTIONS_COMPENSATED},
    {"cg, jacobi", "cuda_sym_bitwise", .method = &method_cg, .preconditioner = "jacobi",
     .started = true},
    {"cg, block_jacobi", "cuda_sym_bitwise", .method = &method_cg,
     .preconditioner = "block_jacobi"},
    {"cg, diagonals, chebyshev", "cuda_sym_bitwise", .method = &method_cg, .form = "form=diagonals",
     .preconditioner = "chebyshev"},
    {"cg, block_jacobi of 7", "cuda_sym_bitwise", .method = &method_cg,
     .preconditioner = "block_jacobi", .block = "block=7"},
    {"cg, multigrid", "cuda_sym_bitwise", .method = &method_cg, .preconditioner = "multigrid"},
    {"cg, multigrid in single precision", "cuda_sym_bitwise", .method = &method_cg,
     .preconditioner = "multigrid", .block = "precision=float"},
    {"cg, fsai", "cuda_sym_bitwise", .method = &method_cg, .preconditioner = "fsai"},
    {"cg, columns, fsai in single precision", "cuda_csr_vector", .method = &method_cg,
     .preconditioner = "fsai", .block = "precision=float", .columns = RANK_COLUMNS},
    {"cg, columns, multigrid in single precision", "cuda_sym_bitwise", .method = &method_cg,
     .preconditioner = "multigrid", .block = "precision=float", .columns = RANK_COLUMNS},
    {"minres, columns, multigrid", "cuda_csr_vector", .method = &method_minres,
     .preconditioner = "multigrid", .columns = RANK_COLUMNS},
    {"cg, columns", "cuda_sym_bitwise", .method = &method_cg, .columns = RANK_COLUMNS},
    {"cg, columns, jacobi", "cuda_csr_vector", .method = &method_cg, .preconditioner = "jacobi",
     .columns = RANK_COLUMNS},
    {"cg, restarted", "cuda_sym_bitwise", .method = &method_cg, .restarts = true},
    {"minres, restarted", "cuda_csr_scalar", .method = &method_minres, .restarts = true},
    {"cg, interrupted", "cuda_sym_bitwise", .method = &method_cg, .interrupted_at = 7},
    {"minres", "cuda_sym_bitwise", .method = &method_minres},
    {"minres, chebyshev", "cuda_csr_scalar", .method = &method_minres,
     .preconditioner = "chebyshev"},
    {"skew", "cuda_sym_bitwise", .method = &method_skew, .shift = 0.1},
    {"richardson", "cuda_sym_bitwise", .method = &method_richardson, .preconditioner = "jacobi",
     .relaxation = 0.3},
    {"lanczos", "cuda_sym_bitwise", .method = &method_lanczos},
};
enum { WAYS = sizeof ways / sizeof *ways };

START_TEST(ranks_have_the_bits_of_one)
{
    if (cuda_device_is_there())
        rank_trial_grid(&ways[_i], cuda_rank_counts());
}
END_TEST

START_TEST(rows_may_reach_anywhere)
{
    if (cuda_device_is_there())
        rank_trial_anywhere(&ways[_i], cuda_rank_counts());
}
END_TEST

START_TEST(rows_of_a_factor_may_reach_anywhere)
{
    static const struct rank_way way = {"cg, fsai", "cuda_sym_bitwise", .method = &method_cg,
                                        .preconditioner = "fsai"};
    if (cuda_device_is_there())
        rank_trial_anywhere(&way, cuda_rank_counts());
}
END_TEST

START_TEST(a_rank_makes_its_rows)
{
    static const struct rank_way made[] = {
        {"cg, made", "cuda_sym_bitwise", .method = &method_cg, .started = true},
        {"cg, exact, made", "cuda_sym_exact", .method = &method_cg, .preconditioner = "jacobi",
         .reductions = REDUCTIONS_EXACT},
        {"cg, multigrid, made", "cuda_sym_bitwise", .method = &method_cg,
         .preconditioner = "multigrid"},
        {"cg, multigrid in single precision, made", "cuda_sym_bitwise", .method = &method_cg,
         .preconditioner = "multigrid", .block = "precision=float"},
    };
    if (cuda_device_is_there())
        rank_trial_made(&made[_i / RANK_GENERATORS], _i % RANK_GENERATORS, cuda_rank_counts());
}
END_TEST

START_TEST(ranks_refuse_the_same_row)
{
    if (cuda_device_is_there() && cuda_ranks(2) == 2)
        rank_trial_refused("cuda_sym_bitwise", "jacobi", 2);
}
END_TEST

START_TEST(kernels_have_the_bits_of_one_rank)
{
    if (cuda_device_is_there())
        rank_trial_kernels(SPACE_CUDA, cuda_rank_counts());
}
END_TEST

Suite *suite(void)
{
    test_ranks_of_gpus();
    Suite *made = suite_create("solver/ranks_cuda");
    TCase *methods = tcase_of("methods"), *rows = tcase_of("rows");
    tcase_add_loop_test(methods, ranks_have_the_bits_of_one, 0, WAYS);
    tcase_add_loop_test(rows, rows_may_reach_anywhere, 0, 4);
    tcase_add_test(rows, rows_of_a_factor_may_reach_anywhere);
    tcase_add_loop_test(rows, a_rank_makes_its_rows, 0, 4 * RANK_GENERATORS);
    tcase_add_test(rows, ranks_refuse_the_same_row);
    tcase_add_test(rows, kernels_have_the_bits_of_one_rank);
    suite_add_tcase(made, methods);
    suite_add_tcase(made, rows);
    return made;
}
