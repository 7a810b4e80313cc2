/* Solves over ranks that are threads: with any number of them the bits of one. */
#include "support.h"

#include "solver/cg/cg.h"
#include "solver/lanczos/lanczos.h"
#include "solver/minres/minres.h"
#include "solver/rank_trials.h"
#include "solver/richardson/richardson.h"

static const struct rank_way ways[] = {
    {"cg", "cpu_sym_bitwise", .method = &method_cg},
    {"cg, csr, started", "cpu_csr", .method = &method_cg, .started = true},
    {"cg, sym", "cpu_sym", .method = &method_cg},
    {"cg, exact", "cpu_sym_exact", .method = &method_cg, .reductions = REDUCTIONS_EXACT},
    {"cg, compensated", "cpu_csr", .method = &method_cg, .reductions = REDUCTIONS_COMPENSATED},
    {"cg, jacobi", "cpu_sym_bitwise", .method = &method_cg, .preconditioner = "jacobi",
     .started = true},
    {"cg, block_jacobi", "cpu_csr", .method = &method_cg, .preconditioner = "block_jacobi"},
    {"cg, block_jacobi, columns", "cpu_sym_bitwise", .method = &method_cg,
     .preconditioner = "block_jacobi", .columns = RANK_COLUMNS},
    {"cg, block_jacobi of 7", "cpu_csr", .method = &method_cg, .preconditioner = "block_jacobi",
     .block = "block=7"},
    {"cg, block_jacobi of 7, columns", "cpu_sym_bitwise", .method = &method_cg,
     .preconditioner = "block_jacobi", .block = "block=7", .columns = RANK_COLUMNS},
    {"minres, smoothed multigrid, columns", "cpu_csr", .method = &method_minres,
     .preconditioner = "multigrid", .block = "transfer=smoothed", .columns = RANK_COLUMNS},
    {"cg, chebyshev", "cpu_sym_bitwise", .method = &method_cg, .preconditioner = "chebyshev"},
    {"cg, chebyshev, columns", "cpu_csr", .method = &method_cg, .preconditioner = "chebyshev",
     .columns = RANK_COLUMNS},
    {"cg, makes p", NULL, .method = &method_cg, .started = true},
    {"cg, makes p, chebyshev", NULL, .method = &method_cg, .preconditioner = "chebyshev"},
    {"cg, makes p, exact", NULL, .method = &method_cg, .reductions = REDUCTIONS_EXACT},
    {"cg, makes p, columns", NULL, .method = &method_cg, .preconditioner = "jacobi",
     .columns = RANK_COLUMNS},
    {"minres, makes p", NULL, .method = &method_minres},
    {"cg, multigrid", "cpu_sym_bitwise", .method = &method_cg, .preconditioner = "multigrid"},
    {"cg, auto", "cpu_sym_bitwise", .method = &method_cg, .preconditioner = "auto"},
    {"minres, columns, auto", "cpu_csr", .method = &method_minres, .preconditioner = "auto",
     .columns = RANK_COLUMNS},
    {"cg, multigrid, exact", "cpu_sym_exact", .method = &method_cg, .preconditioner = "multigrid",
     .reductions = REDUCTIONS_EXACT},
    {"cg, multigrid in single precision", "cpu_csr", .method = &method_cg,
     .preconditioner = "multigrid", .block = "precision=float"},
    {"minres, columns, multigrid in single precision", "cpu_sym_bitwise", .method = &method_minres,
     .preconditioner = "multigrid", .block = "precision=float", .columns = RANK_COLUMNS},
    {"cg, fsai", "cpu_sym_bitwise", .method = &method_cg, .preconditioner = "fsai"},
    {"cg, fsai in single precision, exact", "cpu_csr", .method = &method_cg,
     .preconditioner = "fsai", .block = "precision=float", .reductions = REDUCTIONS_EXACT},
    {"minres, columns, fsai", "cpu_csr", .method = &method_minres, .preconditioner = "fsai",
     .columns = RANK_COLUMNS, .started = true},
    {"cg, columns", "cpu_sym_bitwise", .method = &method_cg, .columns = RANK_COLUMNS},
    {"cg, columns apart", "cpu_sym_bitwise", .method = &method_cg, .columns = RANK_COLUMNS,
     .apart = true},
    {"cg, columns, sym", "cpu_sym", .method = &method_cg, .columns = RANK_COLUMNS, .started = true},
    {"cg, columns, jacobi", "cpu_csr", .method = &method_cg, .preconditioner = "jacobi",
     .columns = RANK_COLUMNS},
    {"cg, restarted", "cpu_sym_bitwise", .method = &method_cg, .restarts = true},
    {"minres, restarted", "cpu_csr", .method = &method_minres, .restarts = true},
    {"cg, columns, restarted", "cpu_csr", .method = &method_cg, .columns = RANK_COLUMNS,
     .restarts = true},
    {"cg, interrupted", "cpu_sym_bitwise", .method = &method_cg, .interrupted_at = 7},
    {"cg, b of 2^-600, started", "cpu_csr", .method = &method_cg, .started = true,
     .exponent = -600},
    {"minres, columns, b of 2^600", "cpu_sym_bitwise", .method = &method_minres,
     .columns = RANK_COLUMNS, .exponent = 600},
    {"minres", "cpu_sym_bitwise", .method = &method_minres},
    {"minres, chebyshev", "cpu_csr", .method = &method_minres, .preconditioner = "chebyshev"},
    {"minres, columns, multigrid", "cpu_sym_bitwise", .method = &method_minres,
     .preconditioner = "multigrid", .columns = RANK_COLUMNS},
    {"skew", "cpu_sym_bitwise", .method = &method_skew, .shift = 0.1},
    {"richardson", "cpu_csr", .method = &method_richardson, .preconditioner = "multigrid",
     .relaxation = 0.3},
    {"lanczos", "cpu_sym_bitwise", .method = &method_lanczos},
    {"lanczos, exact", "cpu_sym_exact", .method = &method_lanczos, .reductions = REDUCTIONS_EXACT},
};
enum { WAYS = sizeof ways / sizeof *ways };

/* The seed decides which way has which numbers. */
START_TEST(ranks_have_the_bits_of_one)
{
    static const int counts[2][3] = {{2, 7, 0}, {3, 10, 0}}; /* 9 tiles: with 10 one has no rows */
    rank_trial_grid(&ways[_i], counts[(test_seed() + (uint64_t)_i) % 2]);
}
END_TEST

START_TEST(rows_may_reach_anywhere)
{
    static const int counts[] = {2, 3, 5, 0};
    static const struct rank_way preconditioned[] = {
        {"cg, fsai", "cpu_csr", .method = &method_cg, .preconditioner = "fsai"},
        {"minres, columns, fsai in single precision", "cpu_sym_bitwise", .method = &method_minres,
         .preconditioner = "fsai", .block = "precision=float", .columns = RANK_COLUMNS},
        {"cg, columns, multigrid in single precision", "cpu_sym_bitwise", .method = &method_cg,
         .preconditioner = "multigrid", .block = "precision=float", .columns = RANK_COLUMNS},
    };
    rank_trial_anywhere(_i < 4 ? &ways[_i] : &preconditioned[_i - 4], counts);
}
END_TEST

START_TEST(a_rank_makes_its_rows)
{
    static const int counts[] = {2, 5, 10, 0};
    static const struct rank_way made[] = {
        {"cg, made", "cpu_sym_bitwise", .method = &method_cg, .started = true},
        {"cg, exact, made", "cpu_sym_exact", .method = &method_cg, .reductions = REDUCTIONS_EXACT},
        {"cg, jacobi, made", "cpu_csr", .method = &method_cg, .preconditioner = "jacobi"},
        {"cg, block_jacobi, made", "cpu_sym_bitwise", .method = &method_cg,
         .preconditioner = "block_jacobi", .block = "block=3"},
        {"cg, block_jacobi of 7, made", "cpu_csr", .method = &method_cg,
         .preconditioner = "block_jacobi", .block = "block=7"},
        {"cg, multigrid, made", "cpu_sym_bitwise", .method = &method_cg,
         .preconditioner = "multigrid"},
        {"cg, multigrid in single precision, made", "cpu_csr", .method = &method_cg,
         .preconditioner = "multigrid", .block = "precision=float"},
    };
    rank_trial_made(&made[_i / RANK_GENERATORS], _i % RANK_GENERATORS, counts);
}
END_TEST

START_TEST(ranks_refuse_the_same_row)
{
    rank_trial_refused("cpu_sym_bitwise", "jacobi", 3);
    rank_trial_refused("cpu_sym_bitwise", "multigrid", 3);
}
END_TEST

START_TEST(kernels_have_the_bits_of_one_rank)
{
    static const int counts[] = {3, 0};
    rank_trial_kernels(SPACE_CPU, counts);
}
END_TEST

Suite *suite(void)
{
    Suite *made = suite_create("solver/ranks");
    TCase *tests = tcase_of("all");
    tcase_add_loop_test(tests, ranks_have_the_bits_of_one, 0, WAYS);
    tcase_add_loop_test(tests, rows_may_reach_anywhere, 0, 4 + 3);
    tcase_add_loop_test(tests, a_rank_makes_its_rows, 0, 7 * RANK_GENERATORS);
    tcase_add_test(tests, ranks_refuse_the_same_row);
    tcase_add_test(tests, kernels_have_the_bits_of_one_rank);
    suite_add_tcase(made, tests);
    return made;
}
