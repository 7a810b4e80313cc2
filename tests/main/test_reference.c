/* References written, and configs that name one: what is in such a file, and what the exit status
 * says. */
#include "support.h"

#include "main/program.h"
#include "main/reference.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

START_TEST(a_reference_is_written)
{
    prepare();
    const char *text = file_text(reference);
    static const char *const facts[] = {"\n# matrix: ",
                                        "\n# rhs: ",
                                        "\n# method: cg\n",
                                        "\n# kernel: cpu_csr\n",
                                        "\n# guarantee: bitwise\n",
                                        "\n# reductions: reproducible\n",
                                        "\n# tolerance: 1e-08\n",
                                        "\n# max_iterations: 10000\n",
                                        "\n# version: ",
                                        "\n# ended: converged\n",
                                        "\n# solution: ",
                                        "\n# runs: 2\n# distinct_histories: 1\n",
                                        "\nkernel,run,iteration,residual,residual_hex,alpha,beta,"
                                        "ritz_low,ritz_high,condition,error_norm\n"
                                        "cpu_csr,1,0,10.954451150103322,0x1.5e8add236a58fp+3,,,,,,"
                                        "\n"};
    for (size_t k = 0; k < sizeof facts / sizeof *facts; k++)
        expect_text(text, facts[k]);
    ck_assert_ptr_null(strstr(text, "\ncpu_csr,2,"));
    char *kept = strdup(strstr(text, "\nkernel,run,"));
    ck_assert_ptr_nonnull(kept);
    ck_assert_int_eq(strncmp(kept + 1, file_text(history), strlen(kept + 1)), 0);
    free(kept);
    ck_assert_int_ne(access(temporary_path("reference.csv.partial"), F_OK), 0);
}
END_TEST

START_TEST(what_cannot_be_a_reference)
{
    prepare();
    struct outcome *outcome =
        run_program("--output %s --write-reference x.csv %s", results, config);
    expect_exit(outcome, 2);
    expect_text(outcome->errors, "names 2 kernels, and a reference is the history of one");
    expect_text(outcome->errors, "--set 'kernels=(\"cpu_csr\")'");
    outcome = run_program("--write-reference x.csv %s %s", config, config);
    expect_exit(outcome, 2);
    expect_text(outcome->errors, "2 configs, and a reference is of one");
    outcome = run_program("--write-reference x.csv --junit j.xml %s", config);
    expect_exit(outcome, 2);
    expect_text(outcome->errors, "nothing is compared");
    outcome = run_program("--output %s --set 'kernels=(\"cpu_csr\")' --write-reference %s %s",
                          results, history, config);
    expect_exit(outcome, 2);
    expect_text(outcome->errors, "is a file of the results");
    outcome = run_program("--output %s --set 'kernels=(\"cpu_csr\")' --write-reference %s %s",
                          results, "/no/such/r.csv", config);
    expect_exit(outcome, 4);
    expect_text(outcome->errors, "/no/such/r.csv");
    ck_assert_str_eq(outcome->output, ""); /* before anything is solved */
}
END_TEST

/* With a reference the exit status says whether the history is the same, not whether it
 * converged. */
START_TEST(a_solve_that_ends_early_can_pass)
{
    prepare();
    char ends[512];
    snprintf(ends, sizeof ends, "--quiet --output %s --set solver.max_iterations=4", results);
    expect_exit(run_program("%s --set 'kernels=(\"cpu_csr\")' --write-reference %s %s", ends,
                            reference, config),
                1);
    expect_exit(run_program("%s --set reference.history=%s %s", ends, reference, config), 0);
    struct outcome *outcome = run_program("--quiet --output %s --set reference.history=%s %s",
                                          results, reference, config);
    expect_exit(outcome, 1);
    expect_text(outcome->output, "max_iterations: 10000, in the reference 4\n");
    char why[1024];
    snprintf(why, sizeof why, "cgsolve: %s: 4 of 4 runs differ from the reference %s\n", config,
             reference);
    ck_assert_str_eq(outcome->errors, why);
}
END_TEST

/* Another numbering is the same problem: its history may differ, and with exact sums everywhere it
 * does not. */
START_TEST(reordering_is_the_same_problem)
{
    prepare();
    struct outcome *outcome =
        run_program("--quiet --output %s --set reference.history=%s "
                    "--set problem.reorder=rcm --set 'kernels=(\"cpu_csr\")' %s",
                    results, reference, config);
    expect_exit(outcome, 1);
    expect_text(outcome->output, "reorder: rcm, in the reference none\n");
    char exact[512];
    snprintf(
        exact, sizeof exact,
        "--quiet --output %s --set solver.reductions=exact --set 'kernels=(\"cpu_sym_exact\")'",
        results);
    expect_exit(run_program("%s --write-reference %s %s", exact, reference, config), 0);
    expect_exit(run_program("%s --set problem.reorder=rcm --set reference.history=%s %s", exact,
                            reference, config),
                0);
}
END_TEST

START_TEST(what_promises_nothing_is_said)
{
    prepare();
    static const char *const cases[][2] = {
        {"--set 'kernels=(\"cpu_sym_atomic\")'",
         "cpu_sym_atomic: compared bit by bit, but the kernel promises no equal bits: they may"},
        {"--set 'kernels=({name=\"cpu_sym_compensated\";compensate=\"all\";})'",
         "cpu_sym_compensated: compared bit by bit, but the kernel promises no equal bits: they "
         "are"},
        {"--set solver.reductions=atomic",
         "cpu_sym_bitwise: compared bit by bit, but atomic reductions promise no equal bits"},
        {"--set solver.reductions=blas",
         "cpu_sym_bitwise: compared bit by bit, but blas reductions promise no equal bits"}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        struct outcome *outcome = run_program("--output %s --set reference.history=%s %s %s",
                                              results, reference, cases[k][0], config);
        ck_assert_msg(outcome->exit_status <= 1, "%s", outcome->errors);
        expect_text(outcome->output, cases[k][1]);
        outcome = run_program("--output %s %s %s --set 'reference={history=\"%s\";"
                              "mode=\"relative\";tolerance=1e300;iterations=1000;}'",
                              results, cases[k][0], config, reference);
        expect_exit(outcome, 0);
        ck_assert_ptr_null(strstr(outcome->output, "compared bit by bit"));
    }
}
END_TEST

/* The first run is taken, and it is said that the others are not the same. On a machine that is
 * busy with something else one thread may do all the work, and atomics come in one order: of 18
 * such tries with 40 iterations 6 had eight equal runs. */
START_TEST(runs_that_disagree_are_said)
{
    enum { TRIES = 20 };
    if (sysconf(_SC_NPROCESSORS_ONLN) < 2)
        return; /* two threads on one processor may well take turns in the same order */
    prepare();
    struct outcome *outcome = NULL;
    for (int k = 0; k < TRIES && !(outcome && strstr(outcome->errors, "warning: ")); k++) {
        outcome = run_program("--quiet --threads 2 --output %s --write-reference %s "
                              "--set solver.max_iterations=200 --set repeats=8 "
                              "--set 'kernels=(\"cpu_sym_atomic\")' configs/nondeterminism.cfg",
                              results, reference);
        expect_exit(outcome, 1);
    }
    expect_text(outcome->errors, "warning: the 8 runs have ");
    expect_text(outcome->errors, "reference.csv holds the first of them");
    outcome = run_program("check --quiet %s %s", history, reference);
    expect_exit(outcome, 1);
    expect_text(outcome->output, "the kernel promises no equal bits");
    expect_text(outcome->output, "the reference is one of ");
    ck_assert_ptr_null(strstr(outcome->output, "compiler"));
    ck_assert_ptr_null(strstr(outcome->output, "run 1: "));
}
END_TEST

/* The config that the documentation shows. */
START_TEST(the_example_passes)
{
    const char *made = temporary_path("example");
    expect_exit(run_program("--quiet --threads 5 --output %s configs/regression.cfg", made), 0);
    struct outcome *outcome =
        run_program("--quiet --set problem.reorder=rcm --output %s configs/regression.cfg", made);
    expect_exit(outcome, 1);
    expect_text(outcome->output, "reorder: rcm, in the reference none\n");
}
END_TEST

Suite *suite(void)
{
    const TTest *tests[] = {a_reference_is_written,
                            what_cannot_be_a_reference,
                            a_solve_that_ends_early_can_pass,
                            reordering_is_the_same_problem,
                            what_promises_nothing_is_said,
                            runs_that_disagree_are_said,
                            the_example_passes,
                            NULL};
    return suite_of("main/reference", tests);
}
