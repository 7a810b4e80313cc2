/* Several right-hand sides on a CPU. */
#include "support.h"

#include "precondition/multigrid/coarsening.h"
#include "solver/cg/cg.h"
#include "solver/column_trials.h"
#include "solver/lanczos/lanczos.h"
#include "solver/minres/minres.h"
#include "solver/richardson/richardson.h"
#include "solver/solve.h"

static const struct columns_way ways[] = {
    {"cg", &method_cg, .kernel = "cpu_sym_bitwise"},
    {"cg, sixteen at once", &method_cg, .kernel = "cpu_sym_bitwise", .ahead = 16},
    {"cg, apart", &method_cg, .kernel = "cpu_sym_bitwise", .apart = true},
    {"minres, apart, started", &method_minres, .kernel = "cpu_csr", .apart = true, .started = true,
     .preconditioner = "jacobi"},
    {"minres, two at once", &method_minres, .kernel = "cpu_csr", .ahead = 2, .started = true},
    {"cg, csr, started", &method_cg, .kernel = "cpu_csr", .started = true},
    {"cg, merge", &method_cg, .kernel = "cpu_merge"},
    {"cg, column by column", &method_cg, .kernel = "cpu_sym"},
    {"cg, other sums", &method_cg, .kernel = "cpu_csr", .other_sums = true},
    {"cg, by products", &method_cg, .kernel = "cpu_csr", .by_products = true},
    {"minres, by products", &method_minres, .kernel = "cpu_csr", .by_products = true,
     .preconditioner = "jacobi"},
    {"skew, by products", &method_skew, .kernel = "cpu_csr", .by_products = true, .shift = 1.5},
    {"cg, few", &method_cg, .kernel = "cpu_csr", .most = 7},
    {"cg, indefinite", &method_cg, .kernel = "cpu_sym_bitwise", .indefinite = true},
    {"cg, exact", &method_cg, .kernel = "cpu_csr", .reductions = REDUCTIONS_EXACT},
    {"cg, compensated", &method_cg, .kernel = "cpu_csr", .reductions = REDUCTIONS_COMPENSATED},
    {"cg, jacobi", &method_cg, .kernel = "cpu_sym_bitwise", .preconditioner = "jacobi"},
    {"cg, block_jacobi, started", &method_cg, .kernel = "cpu_csr", .started = true,
     .preconditioner = "block_jacobi"},
    {"cg, chebyshev", &method_cg, .kernel = "cpu_sym_bitwise", .preconditioner = "chebyshev"},
    {"cg, multigrid", &method_cg, .kernel = "cpu_sym_bitwise", .preconditioner = "multigrid"},
    {"cg, multigrid in single precision", &method_cg, .kernel = "cpu_sym_bitwise",
     .preconditioner = "multigrid", .its_option = "precision=float"},
    {"minres, multigrid in single precision, exact", &method_minres, .kernel = "cpu_csr",
     .started = true, .preconditioner = "multigrid", .its_option = "precision=float",
     .reductions = REDUCTIONS_EXACT},
    {"cg, fsai", &method_cg, .kernel = "cpu_sym_bitwise", .preconditioner = "fsai"},
    {"minres, fsai in single precision", &method_minres, .kernel = "cpu_csr",
     .preconditioner = "fsai", .its_option = "precision=float"},
    {"cg, restarted", &method_cg, .kernel = "cpu_sym_bitwise", .restarts = true},
    {"minres, restarted", &method_minres, .kernel = "cpu_csr", .restarts = true},
    {"minres", &method_minres, .kernel = "cpu_sym_bitwise"},
    {"minres, indefinite, started", &method_minres, .kernel = "cpu_csr", .indefinite = true,
     .started = true},
    {"minres, jacobi", &method_minres, .kernel = "cpu_sym_bitwise", .preconditioner = "jacobi"},
    {"minres, multigrid", &method_minres, .kernel = "cpu_csr", .preconditioner = "multigrid"},
    {"skew", &method_skew, .kernel = "cpu_sym_bitwise", .shift = 0.1},
    {"richardson", &method_richardson, .kernel = "cpu_csr", .preconditioner = "multigrid",
     .relaxation = 0.3},
};
enum { WAYS = sizeof ways / sizeof *ways };

START_TEST(a_column_has_the_bits_of_its_own_solve)
{
    if (test_case_runs(_i, 3))
        trial_columns_of(&ways[_i]);
}
END_TEST

START_TEST(the_observer_ends_all_columns)
{
    static const struct columns_way interrupted[] = {
        {"cg", &method_cg, .kernel = "cpu_sym_bitwise"},
        {"minres, jacobi", &method_minres, .kernel = "cpu_csr", .preconditioner = "jacobi"},
        {"cg, sixteen at once", &method_cg, .kernel = "cpu_sym_bitwise", .ahead = 16}};
    trial_interrupted_columns(&interrupted[_i]);
}
END_TEST

START_TEST(every_failing_allocation_is_survived)
{
    static const struct columns_way failing[] = {
        {"cg", &method_cg, .kernel = "cpu_sym_bitwise", .preconditioner = "jacobi"},
        {"minres", &method_minres, .kernel = "cpu_sym", .reductions = REDUCTIONS_EXACT}};
    trial_failing_columns(&failing[_i]);
}
END_TEST

/* A grid by a byte a row, one by 12 bytes an entry, and blocks of 4 x 4. */
START_TEST(what_moves_less_is_done)
{
    struct csr A;
    struct method alone = method_cg;
    alone.traits &= ~(unsigned)METHOD_TAKES_COLUMNS;
    grid(12, 1, &A);
    ck_assert(!columns_are_together(&A, "cpu_sym_bitwise", &method_cg, NULL));
    ck_assert(columns_are_together(&A, "cpu_csr", &method_cg, NULL));
    ck_assert(!columns_are_together(&A, "cpu_csr", &alone, NULL));
    ck_assert(!columns_are_together(&A, "cpu_sym_bitwise", &method_cg, "multigrid"));
    csr_free(&A);
    make_brick(8, 8, 8, 4, &A);
    for (int k = 0; k < 3; k++)
        ck_assert(columns_are_together(&A, "cpu_sym_bitwise", &method_cg,
                                       (const char *[]){"jacobi", "chebyshev", "multigrid"}[k]));
    csr_free(&A);
    ck_assert_int_eq(memory_live(), 0);
}
END_TEST

START_TEST(eigenvalues_have_one_start)
{
    struct linear_operator none = {.n = 1, .width = 1};
    struct csr A = {.n = 1, .width = 1};
    struct solver_options options = {.method = &method_lanczos};
    struct solver_result results[2];
    struct error error;
    double vectors[2] = {1, 1};
    expect_error(
        solver_solve_columns(&none, &A, 2, vectors, NULL, &options, NULL, vectors, results, &error),
        STATUS_CONFIG, &error, "lanczos", NULL);
}
END_TEST

Suite *suite(void)
{
    Suite *made = suite_create("solver/columns");
    TCase *tests = tcase_of("all");
    tcase_add_loop_test(tests, a_column_has_the_bits_of_its_own_solve, 0, WAYS);
    tcase_add_loop_test(tests, the_observer_ends_all_columns, 0, 3);
    tcase_add_loop_test(tests, every_failing_allocation_is_survived, 0, 2);
    tcase_add_test(tests, what_moves_less_is_done);
    tcase_add_test(tests, eigenvalues_have_one_start);
    suite_add_tcase(made, tests);
    return made;
}
