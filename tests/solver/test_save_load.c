/* A solve is saved between two iterations and goes on elsewhere, with the bits of one that was
 * never interrupted. */
#include "support.h"

#include "solver/cg/cg.h"
#include "solver/lanczos/lanczos.h"
#include "solver/minres/minres.h"
#include "solver/richardson/richardson.h"
#include "solver/states.h"

static const struct way ways[] = {
    {"cg", &method_cg, .kernel = "cpu_csr", .at_least = 41},
    {"cg, exact", &method_cg, .kernel = "cpu_sym_bitwise", .reductions = REDUCTIONS_EXACT,
     .at_least = 41},
    {"cg, jacobi", &method_cg, .kernel = "cpu_csr", .preconditioner = "jacobi", .at_least = 20},
    {"cg, chebyshev", &method_cg, .kernel = "cpu_sym_bitwise", .preconditioner = "chebyshev",
     .at_least = 9},
    {"cg, makes p", &method_cg, .kernel = "directing", .makes_direction = true, .at_least = 41},
    {"cg, makes p, jacobi", &method_cg, .kernel = "directing", .makes_direction = true,
     .preconditioner = "jacobi", .at_least = 20},
    {"cg, traces", &method_cg, .kernel = "cpu_csr", .traces = true, .at_least = 41},
    {"cg, makes p, traces", &method_cg, .kernel = "directing", .makes_direction = true,
     .traces = true, .at_least = 41},
    {"cg, sixteen at once", &method_cg, .kernel = "directing", .makes_direction = true, .ahead = 16,
     .at_least = 41},
    {"cg, indefinite", &method_cg, .kernel = "cpu_csr", .given = GIVEN_INDEFINITE,
     .ends = REASON_NOT_POSITIVE, .at_least = 1},
    {"cg, few", &method_cg, .kernel = "cpu_csr", .given = GIVEN_FEW, .at_least = 4},
    {"minres", &method_minres, .kernel = "cpu_sym_bitwise", .at_least = 41},
    {"minres, traces", &method_minres, .kernel = "cpu_csr", .traces = true, .at_least = 41},
    {"minres, sixteen at once", &method_minres, .kernel = "cpu_csr", .ahead = 16, .at_least = 41},
    {"minres, indefinite", &method_minres, .kernel = "cpu_csr", .given = GIVEN_INDEFINITE,
     .at_least = 41},
    {"minres, jacobi", &method_minres, .kernel = "cpu_sym_bitwise", .preconditioner = "jacobi",
     .at_least = 20},
    {"minres, exact, block_jacobi", &method_minres, .kernel = "cpu_csr",
     .reductions = REDUCTIONS_EXACT, .preconditioner = "block_jacobi", .at_least = 20},
    {"minres, chebyshev, traces", &method_minres, .kernel = "cpu_csr", .traces = true,
     .preconditioner = "chebyshev", .at_least = 9},
    {"minres, jacobi, sixteen at once", &method_minres, .kernel = "cpu_csr", .ahead = 16,
     .preconditioner = "jacobi", .at_least = 20},
    {"minres, indefinite, chebyshev", &method_minres, .kernel = "cpu_csr",
     .given = GIVEN_INDEFINITE, .preconditioner = "chebyshev", .option = "degree=2", .at_least = 9},
    {"skew", &method_skew, .kernel = "cpu_sym_bitwise", .at_least = 41},
    {"skew, sixteen at once", &method_skew, .kernel = "cpu_csr", .ahead = 16, .at_least = 41},
    {"richardson", &method_richardson, .kernel = "cpu_sym_bitwise", .preconditioner = "multigrid",
     .relaxation = 0.3, .at_least = 41},
    {"richardson, traces", &method_richardson, .kernel = "cpu_csr", .preconditioner = "multigrid",
     .relaxation = 0.3, .traces = true, .at_least = 41},
    {"richardson, sixteen at once", &method_richardson, .kernel = "cpu_csr", .ahead = 16,
     .preconditioner = "multigrid", .relaxation = 0.3, .at_least = 41},
    {"lanczos, none", &method_lanczos, .kernel = "cpu_csr",
     .reorthogonalization = REORTHOGONALIZATION_NONE, .restart = 9, .at_least = 41},
    {"lanczos, selective", &method_lanczos, .kernel = "cpu_csr",
     .reorthogonalization = REORTHOGONALIZATION_SELECTIVE, .restart = 9, .at_least = 41},
    {"lanczos, selective, no restart", &method_lanczos, .kernel = "cpu_csr",
     .reorthogonalization = REORTHOGONALIZATION_SELECTIVE, .restart = STATES_N, .at_least = 41},
    {"lanczos, full", &method_lanczos, .kernel = "cpu_sym_bitwise",
     .reorthogonalization = REORTHOGONALIZATION_FULL, .restart = 9, .at_least = 41},
    {"lanczos, no restart", &method_lanczos, .kernel = "cpu_sym_bitwise",
     .reorthogonalization = REORTHOGONALIZATION_FULL, .restart = STATES_N, .at_least = 41},
    {"lanczos, renewed", &method_lanczos, .kernel = "cpu_csr", .given = GIVEN_FEW,
     .reorthogonalization = REORTHOGONALIZATION_FULL, .restart = 30, .at_least = 9},
    {"lanczos, selective, renewed", &method_lanczos, .kernel = "cpu_csr", .given = GIVEN_FEW,
     .reorthogonalization = REORTHOGONALIZATION_SELECTIVE, .restart = 30, .at_least = 9},
};
enum { WAYS = sizeof ways / sizeof *ways };

static struct setting setting;
static struct shown whole, other;

START_TEST(behind_every_iteration)
{
    check_every_iteration(&ways[_i]);
}
END_TEST

START_TEST(of_what_is_written)
{
    check_what_is_written(&ways[_i]);
}
END_TEST

START_TEST(in_portions)
{
    check_portions(&ways[_i]);
}
END_TEST

/* The x of the last row that was shown. */
START_TEST(ended_before_its_end)
{
    setting_create(&ways[_i], &setting);
    shown_whole(&setting, &whole);
    int64_t last = whole.result.iterations, most = setting.options.max_iterations;
    solver_result_free(&whole.result);
    for (int64_t k = 0; k < last; k += test_is_slow() ? 5 : 1) {
        setting.options.max_iterations = k;
        shown_whole(&setting, &whole);
        if (setting.way->method == &method_lanczos && whole.row[k].values[LANCZOS_CONVERGED] == 2)
            ck_assert_int_eq(whole.result.eigen_list, EIGEN_LIST_OPEN); /* others were looked for */
        else
            ck_assert_int_eq(whole.result.reason, REASON_ITERATION_LIMIT);
        setting.options.max_iterations = most;
        shown_clear(&setting, &other);
        struct solver *solver = setting_begin(&setting, &other);
        ck_assert(!shown_advance(solver, k));
        shown_end(&setting, solver, &other);
        ck_assert_int_eq(other.result.reason, REASON_INTERRUPTED);
        if (setting.way->traces) /* p and q were there to be looked at, as it might have gone on */
            other.looks = whole.looks = 0;
        expect_same_shown(&whole, &other, false);
        solver_result_free(&whole.result);
        solver_result_free(&other.result);
    }
    setting_free(&setting);
    ck_assert_int_eq(memory_live(), 0);
}
END_TEST

/* An observer that asks for the end has it, saved or not; and what is loaded over it goes on. */
START_TEST(interrupted_by_the_observer)
{
    struct memory_archive memory = {0}, before = {0};
    if (ways[_i].at_least < 4)
        return;
    setting_create(&ways[_i], &setting);
    shown_whole(&setting, &whole);
    int64_t last = whole.result.iterations, half = last / 2;
    shown_clear(&setting, &other);
    other.asks_at = half;
    struct solver *solver = setting_begin(&setting, &other);
    shown_advance(solver, half / 2);
    shown_save(&setting, solver, &before);
    int64_t rows = other.rows, looks = other.looks;
    bool ended = shown_advance(solver, INT64_MAX);
    ck_assert(ended && other.rows >= half + 1 && other.rows <= half + 1 + 2 * setting.way->ahead);
    shown_save(&setting, solver, &memory);
    other.rows = rows;
    other.looks = looks;
    other.asks_at = -1;
    shown_load(&setting, solver, &before);
    ck_assert(shown_advance(solver, INT64_MAX));
    shown_end(&setting, solver, &other);
    expect_same_shown(&whole, &other, true);
    solver_result_free(&other.result);
    struct solver *loaded = setting_begin(&setting, &other);
    shown_load(&setting, loaded, &memory);
    rows = other.rows;
    ck_assert(shown_advance(loaded, INT64_MAX));
    ck_assert_int_eq(other.rows, rows);
    struct error error;
    expect_ok(solver_end(loaded, &setting.A, setting.b, other.x, &other.result, &error), &error);
    ck_assert_int_eq(other.result.reason, last == half ? whole.result.reason : REASON_INTERRUPTED);
    solver_free(loaded);
    solver_result_free(&other.result);
    solver_result_free(&whole.result);
    memory_archive_free(&memory);
    memory_archive_free(&before);
    setting_free(&setting);
    ck_assert_int_eq(memory_live(), 0);
}
END_TEST

/* Another tolerance and another limit are not another solve. */
START_TEST(goes_on_to_another_end)
{
    struct memory_archive memory = {0};
    setting_create(&ways[0], &setting);
    shown_whole(&setting, &whole);
    setting.options.tolerance = 1e-3;
    shown_clear(&setting, &other);
    struct solver *solver = setting_begin(&setting, &other);
    ck_assert(!shown_advance(solver, 10));
    shown_save(&setting, solver, &memory);
    solver_free(solver);
    setting.options.tolerance = 1e-12;
    solver = setting_begin(&setting, &other);
    shown_load(&setting, solver, &memory);
    ck_assert(shown_advance(solver, INT64_MAX));
    shown_end(&setting, solver, &other);
    expect_same_shown(&whole, &other, true);
    solver_result_free(&whole.result);
    solver_result_free(&other.result);
    memory_archive_free(&memory);
    setting_free(&setting);
}
END_TEST

Suite *suite(void)
{
    Suite *made = suite_create("solver/save_load");
    TCase *tests = tcase_of("all");
    tcase_add_loop_test(tests, behind_every_iteration, 0, WAYS);
    tcase_add_loop_test(tests, of_what_is_written, 0, WAYS);
    tcase_add_loop_test(tests, in_portions, 0, WAYS);
    tcase_add_loop_test(tests, ended_before_its_end, 0, WAYS);
    tcase_add_loop_test(tests, interrupted_by_the_observer, 0, WAYS);
    tcase_add_test(tests, goes_on_to_another_end);
    suite_add_tcase(made, tests);
    return made;
}
